/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of one rank were never allocated. */
#include <mpi.h>
#include <stdlib.h>

static double
sum_cells (const double *cells, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++) {
        sum += cells[i]; //@ crash
    }
    return sum;
}

int
main (int argc, char **argv)
{
    int rank;
    double sum, total;
    double *cells;

    MPI_Init (&argc, &argv); //@ main
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    cells = rank == 2 ? NULL : calloc (100, sizeof *cells);
    sum = sum_cells (cells, 100); //@ call
    MPI_Reduce (&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    free (cells);
    return MPI_Finalize ();
}
