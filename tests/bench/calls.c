/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nanoseconds of one MPI call, as medians of rounds: alone on MPI_COMM_SELF, and with two ranks a
 * ping-pong of 8 bytes. Run with and without the recorder by recorder.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 31, CALLS = 20000, TRIPS = 5000 };

static double
now (void)
{
    struct timespec time;

    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

static int
compare (const void *a, const void *b)
{
    double left = *(const double *) a, right = *(const double *) b;

    return (left > right) - (left < right);
}

static void
barrier (void)
{
    MPI_Barrier (MPI_COMM_SELF);
}

static void
allreduce (void)
{
    static double from = 1, to;

    MPI_Allreduce (&from, &to, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void
messages (void)
{
    static int from = 1, to;
    MPI_Request requests[2];

    MPI_Irecv (&to, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend (&from, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Wait (&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait (&requests[1], MPI_STATUS_IGNORE);
}

static void
measure (const char *name, void (*call) (void), int n_calls, int n_each)
{
    double times[ROUNDS];

    for (int round = 0; round < ROUNDS; round++) {
        double begin = now ();

        for (int i = 0; i < n_calls; i++) {
            call ();
        }
        times[round] = (now () - begin) / n_calls / n_each;
    }
    qsort (times, ROUNDS, sizeof *times, compare);
    printf ("%s %.2f\n", name, times[ROUNDS / 2]);
}

static void
ping (void)
{
    static double value;
    int rank;

    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send (&value, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
        MPI_Recv (&value, 1, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv (&value, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send (&value, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
    }
}

static void
pingpong (int rank)
{
    double times[ROUNDS];

    for (int round = 0; round < ROUNDS; round++) {
        double begin;

        MPI_Barrier (MPI_COMM_WORLD);
        begin = now ();
        for (int i = 0; i < TRIPS; i++) {
            ping ();
        }
        times[round] = (now () - begin) / TRIPS;
    }
    qsort (times, ROUNDS, sizeof *times, compare);
    if (rank == 0) {
        printf ("pingpong %.2f\n", times[ROUNDS / 2]);
    }
}

int
main (int argc, char **argv)
{
    int rank, size;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    if (size == 2) {
        pingpong (rank);
    } else {
        measure ("barrier", barrier, CALLS, 1);
        measure ("allreduce", allreduce, CALLS, 1);
        measure ("isend/irecv/wait", messages, CALLS / 4, 4);
    }
    MPI_Finalize ();
    return 0;
}
