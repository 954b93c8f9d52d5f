/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All nodes come to one branch, where those of odd number take another way. */
#include <mpi.h>

int
main (int argc, char **argv)
{
    int node, odd, sum = 0; //@ main

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &node);
    MPI_Bcast (&sum, 1, MPI_INT, 0, MPI_COMM_WORLD); //@ last
    odd = node % 2; //@ begin
    if (odd) { //@ branch
        sum = -node; //@ odd
    }
    MPI_Reduce (&node, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); //@ even
    MPI_Finalize ();
    return 0;
}
