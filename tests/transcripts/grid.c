/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes on a grid of three rows and two columns; each has values of its own, two are elsewhere. */
#include <math.h>
#include <mpi.h>

static int
edge (int node, double value)
{
    return value > node; //@ edge
}

static int
inner (int node, double value)
{
    return value < node; //@ inner
}

int
main (int argc, char **argv)
{
    int node, dims[2] = { 3, 2 }, periods[2] = { 0, 0 }; //@ main
    double value;
    MPI_Comm grid;

    MPI_Init (&argc, &argv);
    MPI_Cart_create (MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank (grid, &node);
    value = node == 3 ? NAN : node == 4 ? INFINITY : 1.5 * node;
    if (node == 2 || node == 3) {
        inner (node, value);
    } else {
        edge (node, value); //@ call
    }
    MPI_Comm_free (&grid);
    MPI_Finalize (); //@ finalize
    return 0;
}
