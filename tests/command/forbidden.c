/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls `work` three times; with an argument threads compute until the process is ended. */
#include <pthread.h>
#include <stdio.h>

enum { N_THREADS = 4 };

static volatile long counts[N_THREADS];

static int
work (int n)
{
    return 2 * n;
}

static void *
spin (void *count)
{
    while (1) {
        ++*(volatile long *) count;
    }
    return NULL;
}

int
main (int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    int sum = 0;
    for (int i = 0; argc > 1 && i < N_THREADS; i++) {
        pthread_create (&threads[i], NULL, spin, (void *) &counts[i]);
    }
    for (int i = 0; argc > 1 && i < N_THREADS; i++) {
        pthread_join (threads[i], NULL);
    }
    for (int i = 0; i < 3; i++) {
        sum += work (i);
    }
    printf ("%s: %d\n", argv[0], sum);
    return 0;
}
