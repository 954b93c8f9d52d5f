/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A halo exchange with the neighbour's number wrong on the last rank, all in MPI_Waitall. */
#include "common.h"

int
main (int argc, char **argv)
{
    int left, right, got[2] = { 0, 0 };
    MPI_Request requests[4];

    begin (argc, argv);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Irecv (&got[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv (&got[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
    if (rank == size - 1 && !fixed) {
        right = rank;
    }
    MPI_Isend (&rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]); //@ wrong
    MPI_Isend (&rank, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall (4, requests, MPI_STATUSES_IGNORE); //@ culprit
    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Finalize ();
    return 0;
}
