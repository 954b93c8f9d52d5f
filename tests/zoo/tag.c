/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 1 sends tag 12, 0 waits for tag 21. */
#include "common.h"

int
main (int argc, char **argv)
{
    char text[8] = "zoo";

    begin (argc, argv);
    if (rank == 1) {
        MPI_Send (text, 4, MPI_CHAR, 0, 12, MPI_COMM_WORLD); //@ sent
    } else if (rank == 0) {
        MPI_Recv (text, 8, MPI_CHAR, 1, fixed ? 12 : 21, MPI_COMM_WORLD, //@ culprit
                  MPI_STATUS_IGNORE);
    }
    MPI_Finalize ();
    return 0;
}
