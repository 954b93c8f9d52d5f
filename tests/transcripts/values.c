/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values for every form of expression and type that the manual names. */
#include <mpi.h>

struct cell {
    char kind;
    double heat;
    struct cell *next;
};

static struct cell cells[2] = { { 'a', 1.5, &cells[1] }, { 'b', 2.5, 0 } };

static int
twice (int number)
{
    static int calls;
    calls++; //@ first
    return 2 * number; //@ twice
}

static int
work (int rank)
{
    int number = 10, numbers[5] = { 1, 2, 3, 4, 5 };
    number += twice (rank);
    numbers[0] = number; //@ stored
    return numbers[0]; //@ end
}

int
main (int argc, char **argv)
{
    int rank;
    MPI_Init (&argc, &argv); //@ main
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    work (rank);
    MPI_Finalize (); //@ finalize
    return 0;
}
