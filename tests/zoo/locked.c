/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank 1 never comes to the barrier: it waits for a mutex that it holds itself ("self"), that its other
 * thread holds ("other"), or for the end of that thread ("join"). */
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t taken;

static void *
hold (void *unused)
{
    pthread_mutex_lock (&mutex);
    pthread_barrier_wait (&taken);
    for (;;) {
        pause ();
    }
    return unused;
}

static void
get_stuck (const char *how)
{
    pthread_t thread;

    if (strcmp (how, "self") == 0) {
        pthread_mutex_lock (&mutex);
        pthread_mutex_lock (&mutex); //@ self
    }
    pthread_barrier_init (&taken, NULL, 2);
    pthread_create (&thread, NULL, hold, NULL);
    pthread_barrier_wait (&taken);
    if (strcmp (how, "other") == 0) {
        pthread_mutex_lock (&mutex); //@ other
    }
    pthread_join (thread, NULL); //@ join
}

int
main (int argc, char **argv)
{
    int rank, provided;

    MPI_Init_thread (&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank); //@ begun
    if (rank == 1) {
        get_stuck (argc > 1 ? argv[1] : "self");
    }
    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Finalize ();
    return 0;
}
