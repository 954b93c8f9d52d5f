/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks to step ("step"), or a circle in which all wait for each other, which with "hang" say
 * first that they are there. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static volatile long turns, sum;

int
main (int argc, char **argv)
{
    int rank, size, value = 0;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    if (argc > 1) {
        puts ("there");
        fflush (stdout);
    }
    if (argc > 1 && strcmp (argv[1], "step") == 0) {
        for (;;) {
            turns++; //@ turn
            sum += turns;
            sum -= turns / 2;
            sum += 1;
        }
    }
    MPI_Ssend (&rank, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD); //@ send
    MPI_Recv (&value, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize ();
    return 0;
}
