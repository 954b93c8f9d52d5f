/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two threads that take two mutexes in different orders, while the main one waits for their end. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t taken;

static void *
forwards (void *data)
{
    pthread_mutex_lock (&first);
    pthread_barrier_wait (&taken);
    pthread_mutex_lock (&second); //@ forwards
    return data;
}

static void *
backwards (void *data)
{
    pthread_mutex_lock (&second);
    pthread_barrier_wait (&taken);
    pthread_mutex_lock (&first); //@ backwards
    return data;
}

int
main (void)
{
    pthread_t threads[2];

    pthread_barrier_init (&taken, NULL, 2);
    pthread_create (&threads[0], NULL, forwards, NULL);
    pthread_create (&threads[1], NULL, backwards, NULL);
    pthread_join (threads[0], NULL);
    pthread_join (threads[1], NULL);
    return puts ("never");
}
