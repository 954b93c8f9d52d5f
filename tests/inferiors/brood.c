/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has children as fast as it can, with fork and with vfork and exec of itself, until it is killed;
 * each counts in a shared file that it was born, and, after a call, that it was well. "FILE renew N": threads have them,
 * which end as the program executes itself, N times. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct counts {
    long born, well;
};

static void __attribute__ ((noinline)) hit (struct counts *counts)
{
    __atomic_add_fetch (&counts->well, 1, __ATOMIC_SEQ_CST); /*@ hit */
}

static void
live (struct counts *counts)
{
    __atomic_add_fetch (&counts->born, 1, __ATOMIC_SEQ_CST);
    hit (counts);
    _exit (0);
}

static void *
have_children (void *data)
{
    for (;;) {
        if (fork () == 0) {
            live (data);
        }
    }
    return NULL;
}

static void
renew (char **argv, struct counts *counts)
{
    pthread_t threads[2];
    int left = atoi (argv[3]);
    long before = __atomic_load_n (&counts->born, __ATOMIC_SEQ_CST);

    alarm (60);
    while (left == 0 && (wait (NULL) > 0 || errno == EINTR)) {
    }
    if (left == 0) {
        _exit (0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_create (&threads[i], NULL, have_children, counts);
    }
    while (__atomic_load_n (&counts->born, __ATOMIC_SEQ_CST) < before + 4) {
        sched_yield ();
    }
    snprintf (argv[3], strlen (argv[3]) + 1, "%d", left - 1);
    execv (argv[0], argv);
    _exit (1);
}

int
main (int argc, char **argv)
{
    int file = open (argv[1], O_RDWR);
    struct counts *counts = mmap (NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED,
                                  file, 0);

    if (file < 0 || counts == MAP_FAILED) {
        return 1;
    }
    if (argc > 3) {
        renew (argv, counts);
    }
    if (argc > 2) {
        live (counts);
    }
    alarm (60); /* nobody's for ever */
    for (long i = 0;; i++) {
        pid_t child = i % 4 == 3 ? vfork () : fork ();

        if (child == 0 && i % 4 == 3) {
            execl (argv[0], argv[0], argv[1], "child", NULL);
            _exit (1);
        }
        if (child == 0) {
            live (counts);
        }
        while (waitpid (-1, NULL, WNOHANG) > 0) {
        }
    }
}
