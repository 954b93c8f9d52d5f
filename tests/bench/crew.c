/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four threads that count, for three minutes at most; says when all do. */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#define N_THREADS 4

static volatile long turns[N_THREADS];

static long
turn (volatile long *counter)
{
    long next = *counter + 1;

    *counter = next;
    return next;
}

static void *
work (void *data)
{
    while (turn (data) > 0) {
        usleep (20000);
    }
    return NULL;
}

int
main (void)
{
    pthread_t thread;

    prctl (PR_SET_PDEATHSIG, SIGKILL);
    alarm (180);
    for (int i = 1; i < N_THREADS; i++) {
        if (pthread_create (&thread, NULL, work, (void *) &turns[i]) != 0) {
            return 1;
        }
    }
    if (write (STDOUT_FILENO, "there\n", 6) < 0) {
        return 1;
    }
    return work ((void *) &turns[0]) != NULL;
}
