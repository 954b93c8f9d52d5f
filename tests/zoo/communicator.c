/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sent on "halo", received on the world. */
#include "common.h"

int
main (int argc, char **argv)
{
    int value = 0;
    MPI_Comm halo;

    begin (argc, argv);
    MPI_Comm_dup (MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name (halo, "halo");
    if (rank == 1) {
        MPI_Send (&rank, 1, MPI_INT, 0, 5, halo);
    } else if (rank == 0) {
        MPI_Recv (&value, 1, MPI_INT, 1, 5, fixed ? halo : MPI_COMM_WORLD, //@ culprit
                  MPI_STATUS_IGNORE);
    }
    MPI_Barrier (MPI_COMM_WORLD); //@ barrier
    MPI_Comm_free (&halo);
    MPI_Finalize ();
    return 0;
}
