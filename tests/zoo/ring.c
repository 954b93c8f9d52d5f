/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everybody sends to the right before receiving from the left, in a mode that waits. */
#include "common.h"

int
main (int argc, char **argv)
{
    int value = 0;

    begin (argc, argv);
    if (fixed && rank == 0) {
        MPI_Recv (&value, 1, MPI_INT, size - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Ssend (&rank, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD); //@ culprit
    if (!fixed || rank > 0) {
        MPI_Recv (&value, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
    }
    MPI_Finalize ();
    return 0;
}
