/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A branch around a barrier: the odd ranks call one collective more. */
#include "common.h"

int
main (int argc, char **argv)
{
    int sum = 0;

    begin (argc, argv);
    if (rank % 2 == 1 || fixed) { //@ branch
        MPI_Barrier (MPI_COMM_WORLD); //@ culprit
    }
    MPI_Reduce (&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize ();
    return 0;
}
