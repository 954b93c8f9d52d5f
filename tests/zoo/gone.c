/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 1 takes an early way out while 0 receives from it. */
#include "common.h"

int
main (int argc, char **argv)
{
    int value = 0;

    begin (argc, argv);
    if (rank == 1 && !fixed) {
        MPI_Finalize (); //@ gone
        return 0;
    }
    if (rank == 1) {
        MPI_Send (&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv (&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ culprit
    }
    MPI_Finalize ();
    return 0;
}
