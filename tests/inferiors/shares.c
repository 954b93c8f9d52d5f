/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls a function 100 times, with help that its argument names: "shared", a process that shares its
 * memory and does half of it; "exec", the same, which executes a program then; "apart", a child as
 * of vfork, but with memory of its own, which calls once more for itself; "outlived", a child of vfork's child, which kills
 * that and does half of it in the memory of its grandparent; if all went well, that calls another function without end. Exit status 0:
 * all went well. */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_CALLS 100

static long counted;
static int is_exec;

static void
hit (void)
{
    __atomic_add_fetch (&counted, 1, __ATOMIC_RELAXED); /*@ hit */
}

static void
call (int n)
{
    for (int i = 0; i < n; i++) {
        hit ();
    }
}

static int
help (void *data)
{
    call (N_CALLS / 2);
    if (is_exec) {
        execl ("/bin/true", "true", NULL);
    }
    _exit (0);
}

static pid_t
start_apart (void)
{
    pid_t child = (pid_t) syscall (SYS_clone, CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, NULL);

    if (child == 0) {
        hit ();
        _exit (0);
    }
    return child;
}

static volatile int goes_on;
static volatile pid_t last;
static char room[2][1 << 16] __attribute__ ((aligned (16)));

static int
outlive (void *data)
{
    last = getpid ();
    kill (getppid (), SIGKILL);
    while (!goes_on) {
    }
    call (N_CALLS / 2);
    _exit (0);
}

static int
be_outlived (void *data)
{
    clone (outlive, room[1] + sizeof room[1], CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    _exit (1);
}

static void
end (void)
{
    sched_yield (); /*@ end */
}

static int
have_outlived (void)
{
    int status;
    pid_t child;

    prctl (PR_SET_CHILD_SUBREAPER, 1);
    child = clone (be_outlived, room[0] + sizeof room[0], CLONE_VM | CLONE_VFORK | SIGCHLD,
                   NULL);
    if (child < 0 || waitpid (child, &status, 0) != child || !WIFSIGNALED (status)) {
        return 1;
    }
    call (N_CALLS / 2); /* and with what would stop the other one */
    goes_on = 1;
    if (waitpid (last, &status, 0) != last || status != 0 || counted != N_CALLS) {
        return 1;
    }
    for (alarm (60);;) {
        end ();
    }
}

int
main (int argc, char **argv)
{
    int is_apart = argc > 1 && strcmp (argv[1], "apart") == 0, status = -1;
    char *stack = malloc (1 << 16);
    pid_t child;

    if (argc > 1 && strcmp (argv[1], "outlived") == 0) {
        return have_outlived ();
    }
    is_exec = argc > 1 && strcmp (argv[1], "exec") == 0;
    child = is_apart ? start_apart ()
                     : clone (help, stack + (1 << 16), CLONE_VM | SIGCHLD, NULL);
    call (is_apart ? N_CALLS : N_CALLS / 2);
    return child < 0 || waitpid (child, &status, __WALL) != child || status != 0
           || counted != N_CALLS;
}
