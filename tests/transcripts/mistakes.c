/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two mistakes that cause no hang and no MPI error: rank 0 lets two receives write the same buffer, and rank 1
 * receives numbers of another type than rank 0 sends. */
#include <mpi.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
    double value = 1.5, halo = 0; //@ main
    MPI_Request requests[2];
    int rank, wrong[2];
    volatile int done = 0;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv (&halo, 1, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, &requests[0]); //@ first
        MPI_Irecv (&halo, 1, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD, &requests[1]); //@ second
        MPI_Waitall (2, requests, MPI_STATUSES_IGNORE);
        MPI_Send (&value, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD); //@ send
    } else {
        MPI_Send (&value, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
        MPI_Send (&value, 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD);
        MPI_Recv (wrong, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ receive
    }
    while (!done) { usleep (1000); } //@ idle
    MPI_Finalize ();
    return 0;
}
