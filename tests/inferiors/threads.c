/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that all run through one function: how often is counted here, so that no hit and no
 * instruction can be lost unseen. Arguments: threads, rounds, microseconds of sleep in
 * each round. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long counted;
static long rounds, sleep_us;

static void
hit (long i)
{
    __atomic_add_fetch (&counted, i >= 0, __ATOMIC_RELAXED); /*@ hit */
}

static void *
run (void *data)
{
    for (long i = 0; i < rounds; i++) {
        hit (i); /*@ call */
        if (sleep_us > 0) {
            usleep ((useconds_t) sleep_us);
        }
    }
    return data;
}

int
main (int argc, char **argv)
{
    int n = argc > 1 ? atoi (argv[1]) : 4;
    pthread_t threads[1024];

    rounds = argc > 2 ? atol (argv[2]) : 1000;
    sleep_us = argc > 3 ? atol (argv[3]) : 0;
    for (int i = 0; i < n && i < 1024; i++) {
        pthread_create (&threads[i], NULL, run, NULL);
    }
    for (int i = 0; i < n && i < 1024; i++) {
        pthread_join (threads[i], NULL);
    }
    return counted == n * rounds ? 0 : 9; /*@ end */
}
