/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks with several threads: while another thread of the program can move, a thread that waits in
 * MPI proves nothing; idle pools and MPI's own threads can not. */
#include "situation.h"
#include <omp.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

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
begin_locked (void *(*function) (void *) )
{
    pthread_t thread;

    is_ready = 0;
    pthread_create (&thread, NULL, function, NULL);
    while (!__atomic_load_n (&is_ready, __ATOMIC_ACQUIRE)) {
        doze (0.001);
    }
}

static void
locks (void)
{
    begin_locked (listen_locked);
    pthread_mutex_lock (&mutex); //@ lock
    call ();
    pthread_mutex_unlock (&mutex);
}

/* The same over one more thread, which has a read-write lock. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *
wait_locked (void *data)
{
    pthread_rwlock_wrlock (&lock);
    is_ready = 1;
    pthread_mutex_lock (&mutex); //@ wait-locked
    return data;
}

static void
chain (void)
{
    begin_locked (listen_locked);
    begin_locked (wait_locked);
    pthread_rwlock_rdlock (&lock); //@ chain
    call ();
}

/* A timer's handler, which interrupts the thread in MPI, wakes the one that calls. */
static sem_t posted;

static void
on_alarm (int signal)
{
    sem_post (&posted);
    (void) signal;
}

static void
await_alarm (double seconds)
{
    sem_init (&posted, 0, 0);
    signal (SIGALRM, on_alarm);
    alarm ((unsigned) seconds + 1);
    while (sem_wait (&posted) != 0) {
    }
}

static void
posts (void)
{
    beside_listener (await_alarm);
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
    { "computes", computes }, { "sleeps", sleeps }, { "awaits", awaits }, { "worker", worker },
    { "joins", joins },       { "pool", pool },     { "team", team },     { "loops", loops },
    { "clock", clock_polls }, { "locks", locks },   { "shares", shares }, { "chain", chain },
    { "posts", posts },
};

int
main (int argc, char **argv)
{
    return run_situation (argc, argv, situations, sizeof situations / sizeof *situations,
                          MPI_THREAD_MULTIPLE);
}
