/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two nodes pass a number on: the smallest program in which a step can wait for another node. */
#include <mpi.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
    int node, value = 0; //@ main

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &node);
    if (node == 0) { //@ begin
        value = 42; //@ number
        MPI_Ssend (&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD); //@ send
    } else {
        MPI_Recv (&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ receive
    }
    printf ("node %d has %d\n", node, value); //@ end
    MPI_Finalize (); //@ finalize
    return 0; //@ over
}
