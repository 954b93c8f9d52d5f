/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank 0 waits for rank 1, which computes before it sends. */
#include <mpi.h>
#include <time.h>

static double
now (void)
{
    struct timespec time;

    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

static void
prepare (double until)
{
    while (now () < until) {
    }
}

int
main (int argc, char **argv)
{
    int rank, part;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Barrier (MPI_COMM_WORLD);
    for (part = 0; part < 3; part++) {
        if (rank == 1) {
            prepare (now () + 0.2);
            MPI_Send (&part, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        } else if (rank == 0) {
            MPI_Recv (&part, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    return MPI_Finalize ();
}
