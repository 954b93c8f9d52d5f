/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last rank calls another collective than the others. */
#include "common.h"

int
main (int argc, char **argv)
{
    int sum = 0;

    begin (argc, argv);
    MPI_Bcast (&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == size - 1 && !fixed) {
        MPI_Barrier (MPI_COMM_WORLD); //@ culprit
    } else {
        MPI_Allreduce (&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); //@ others
    }
    MPI_Finalize ();
    return 0;
}
