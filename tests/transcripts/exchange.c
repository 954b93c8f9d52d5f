/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ranks receive before they send. */
#include <mpi.h>

int
main (int argc, char **argv)
{
    int rank, mine = 1, theirs; //@ main

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Recv (&theirs, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ receive
    MPI_Send (&mine, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
    return MPI_Finalize ();
}
