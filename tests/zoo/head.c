/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two receive from each other before either sends. */
#include "common.h"

int
main (int argc, char **argv)
{
    int value = 0, other;

    begin (argc, argv);
    other = 1 - rank;
    if (fixed && rank == 1) {
        MPI_Send (&rank, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
    }
    MPI_Recv (&value, 1, MPI_INT, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ culprit
    if (!fixed || rank == 0) {
        MPI_Send (&rank, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
    }
    MPI_Finalize ();
    return 0;
}
