/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a few calls of MPI to the process itself take: the least of many short rounds, in ns of processor time. Prints
 * "NAME NS" for each. Not linked to a mode: with or without the recorder, traced or not. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { CALLS = 500, ROUNDS = 400 };

static double in[8], out[8];

static double
get_ns (void)
{
    struct timespec now;

    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
    return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static void
meet (void)
{
    MPI_Barrier (MPI_COMM_SELF);
}

static void
send_and_wait (void)
{
    MPI_Request request;

    MPI_Irecv (in, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, &request);
    MPI_Send (out, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
}

static void
wait_for_all (void)
{
    MPI_Request requests[2];

    MPI_Irecv (in, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, &requests[0]);
    MPI_Isend (out, 1, MPI_DOUBLE, 0, 3, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall (2, requests, MPI_STATUSES_IGNORE);
}

int
main (int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run) (void);
    } rows[]
        = { { "barrier", meet }, { "message", send_and_wait }, { "waitall", wait_for_all } };

    MPI_Init (&argc, &argv);
    for (int i = 0; i < 3; i++) {
        double best = 1e18;

        for (int round = 0; round < ROUNDS; round++) {
            double begin = get_ns ();

            for (int j = 0; j < CALLS; j++) {
                rows[i].run ();
            }
            begin = get_ns () - begin;
            best = begin < best ? begin : best;
        }
        printf ("%s %.1f\n", rows[i].name, best / CALLS);
    }
    MPI_Finalize ();
    return 0;
}
