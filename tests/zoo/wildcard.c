/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wildcard eats the message of 1 that the second receive waits for. A token between 1 and 2
 * forces the order. */
#include "common.h"

int
main (int argc, char **argv)
{
    int value = 0;

    begin (argc, argv);
    if (rank == 0) {
        MPI_Recv (&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send (&value, 1, MPI_INT, fixed ? 1 : 2, 9, MPI_COMM_WORLD);
        MPI_Recv (&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ culprit
    } else {
        if (rank == (fixed ? 1 : 2)) {
            MPI_Recv (&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Send (&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    MPI_Finalize ();
    return 0;
}
