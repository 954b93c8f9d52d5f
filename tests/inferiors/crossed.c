/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two threads that take two locks in different orders, while the main one waits for their end: mutexes, and with the
 * argument written or timed read-write locks for writing, or mutexes for an hour. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static struct {
    pthread_mutex_t mutex;
    pthread_rwlock_t lock;
} first = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER },
  second = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER };
static struct timespec end;
static char kind;

#define TAKE(one)                                                                              \
    (kind == 'w'   ? pthread_rwlock_wrlock (&one.lock)                                         \
     : kind == 't' ? pthread_mutex_timedlock (&one.mutex, &end)                                \
                   : pthread_mutex_lock (&one.mutex))

static pthread_barrier_t taken;

static void *
forwards (void *data)
{
    TAKE (first);
    pthread_barrier_wait (&taken);
    TAKE (second); //@ forwards
    return data;
}

static void *
backwards (void *data)
{
    TAKE (second);
    pthread_barrier_wait (&taken);
    TAKE (first); //@ backwards
    return data;
}

int
main (int argc, char **argv)
{
    pthread_t threads[2];

    kind = argc > 1 ? argv[1][0] : 'm';
    clock_gettime (CLOCK_REALTIME, &end);
    end.tv_sec += 3600;
    pthread_barrier_init (&taken, NULL, 2);
    pthread_create (&threads[0], NULL, forwards, NULL);
    pthread_create (&threads[1], NULL, backwards, NULL);
    pthread_join (threads[0], NULL);
    pthread_join (threads[1], NULL);
    return puts ("never");
}
