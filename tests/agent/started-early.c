/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library whose constructor starts programs in each way that libpddt-trace.so stands before: before that library's own
 * constructor, which the loader calls last. */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int started_well (void);

static int n_well;

static void
await (pid_t child)
{
    int status = -1;

    waitpid (child, &status, 0);
    n_well += status == 0;
}

__attribute__ ((constructor)) static void
start_early (void)
{
    char *words[] = { "true", NULL };
    pid_t child;

    if (posix_spawn (&child, "/bin/true", NULL, NULL, words, environ) == 0) {
        await (child);
    }
    if (posix_spawnp (&child, "true", NULL, NULL, words, environ) == 0) {
        await (child);
    }
    for (int way = 0; way < 3; way++) {
        child = vfork ();
        if (child == 0) {
            if (way == 0) {
                execve ("/bin/true", words, environ);
            } else if (way == 1) {
                execvp ("true", words);
            } else {
                execl ("/bin/true", "true", NULL);
            }
            _exit (1);
        }
        await (child);
    }
}

int
started_well (void)
{
    return n_well == 5;
}
