/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children of all kinds that run through a place with a breakpoint: they must not die of it.
 * Exit status 0 when all children ended well. */
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int passed;

static void
pass (void)
{
    passed++; /*@ pass */
}

static int
wait_for (pid_t child)
{
    int status = -1;

    return waitpid (child, &status, 0) == child && WIFEXITED (status) ? WEXITSTATUS (status) : 99;
}

int
main (int argc, char **argv)
{
    char *command[] = { argv[0], "child", NULL };
    pid_t child;
    int bad = 0;

    pass ();
    if (argc > 1 && strcmp (argv[1], "child") == 0) {
        return 0;
    }
    for (int i = 0; i < 10; i++) {
        child = fork ();
        if (child == 0) {
            pass ();
            _exit (3);
        }
        bad += wait_for (child) != 3;
    }
    for (int i = 0; i < 10; i++) {
        child = vfork ();
        if (child == 0) {
            pass ();
            execv (argv[0], command);
            _exit (4);
        }
        bad += wait_for (child) != 0;
    }
    for (int i = 0; i < 10; i++) {
        if (posix_spawn (&child, argv[0], NULL, NULL, command, environ) != 0) {
            return 5;
        }
        bad += wait_for (child) != 0;
    }
    pass (); /*@ last */
    return bad;
}
