/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks with several threads: while another thread of the program can move, a thread that waits in
 * MPI proves nothing; idle pools and MPI's own threads can not. */
#include "situation.h"
#include <omp.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *
listen (void *data)
{
    int value;

    MPI_Recv (&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ listen
    return data;
}

static void
call (void)
{
    MPI_Send (&rank, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
}

static void
beside_listener (void (*work) (double seconds))
{
    pthread_t thread;

    pthread_create (&thread, NULL, listen, NULL);
    work (LATE);
    call ();
    pthread_join (thread, NULL);
}

static void
computes (void)
{
    beside_listener (compute);
}

static void
sleeps (void)
{
    beside_listener (doze);
}

static void *
wake (void *data)
{
    doze (LATE);
    pthread_mutex_lock (&mutex);
    is_ready = 1;
    pthread_cond_signal (&condition);
    pthread_mutex_unlock (&mutex);
    return data;
}

static void
await_worker (double seconds)
{
    pthread_t thread;

    pthread_create (&thread, NULL, wake, NULL);
    pthread_mutex_lock (&mutex);
    while (!is_ready) {
        pthread_cond_wait (&condition, &mutex);
    }
    pthread_mutex_unlock (&mutex);
    pthread_join (thread, NULL);
}

static void
awaits (void)
{
    beside_listener (await_worker);
}

/* Main waits in MPI, the worker computes and then sends what both wait for. */
static void *
work_and_call (void *data)
{
    compute (LATE);
    call ();
    return data;
}

static void
worker (void)
{
    pthread_t thread;

    pthread_create (&thread, NULL, work_and_call, NULL);
    listen (NULL);
    pthread_join (thread, NULL);
}

static void
joins (void)
{
    pthread_t thread;

    pthread_create (&thread, NULL, listen, NULL);
    pthread_join (thread, NULL); //@ join
}

/* The pool has done its part and waits for the next one. */
static void
pool (void)
{
    int sum = 0;

#pragma omp parallel num_threads (3) reduction (+ : sum)
    sum += omp_get_thread_num ();
    if (sum > 0) {
        WAIT_FOREVER (1 - rank); //@ pool
    }
}

static void
team (void)
{
#pragma omp parallel num_threads (2)
    {
        if (omp_get_thread_num () == 0) {
            listen (NULL);
        } else {
            compute (LATE);
            call ();
        }
    }
}

/* Its innermost frame is nearly always the runtime's. */
static void
run_small_loops (double seconds)
{
    double end = get_seconds () + seconds;
    volatile int sum = 0;

    while (get_seconds () < end) {
#pragma omp parallel for schedule(dynamic, 1) num_threads (1)
        for (int i = 0; i < 10000; i++) {
            sum += i;
        }
    }
}

static void
poll_clock (double seconds)
{
    double end = omp_get_wtime () + seconds;

    while (omp_get_wtime () < end) {
    }
}

static void
in_team (void (*work) (double seconds))
{
#pragma omp parallel num_threads (3)
    {
        if (omp_get_thread_num () == 0) {
            listen (NULL);
        } else if (omp_get_thread_num () == 1) {
            work (LATE);
            call ();
        }
    }
}

static void
loops (void)
{
    in_team (run_small_loops);
}

static void
clock_polls (void)
{
    in_team (poll_clock);
}

/* Main would send, but waits for what the thread has that listens. */
static void *
listen_locked (void *data)
{
    pthread_mutex_lock (&mutex);
    is_ready = 1;
    listen (data); //@ listen-locked
    pthread_mutex_unlock (&mutex);
    return data;
}

static void
locks (void)
{
    pthread_t thread;

    pthread_create (&thread, NULL, listen_locked, NULL);
    while (!__atomic_load_n (&is_ready, __ATOMIC_ACQUIRE)) {
        doze (0.001);
    }
    pthread_mutex_lock (&mutex); //@ lock
    call ();
    pthread_mutex_unlock (&mutex);
}

/* What others may wake is not the rank's own affair. */
static void
await_other (double seconds)
{
    char name[64];
    sem_t *semaphore;

    snprintf (name, sizeof name, "/pddt-situation-%d-%d", (int) getppid (), rank);
    semaphore = sem_open (name, O_CREAT, 0600, 0);
    if (fork () == 0) {
        doze (seconds);
        sem_post (semaphore);
        _exit (0);
    }
    sem_wait (semaphore);
    sem_close (semaphore);
    sem_unlink (name);
}

static void
shares (void)
{
    beside_listener (await_other);
}

static const Situation situations[] = {
    { "computes", computes }, { "sleeps", sleeps }, { "awaits", awaits },   { "worker", worker },
    { "joins", joins },       { "pool", pool },     { "team", team },       { "loops", loops },
    { "clock", clock_polls }, { "locks", locks },   { "shares", shares },
};

int
main (int argc, char **argv)
{
    return run_situation (argc, argv, situations, sizeof situations / sizeof *situations,
                          MPI_THREAD_MULTIPLE);
}
