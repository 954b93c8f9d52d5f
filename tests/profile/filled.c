/* SPDX-License-Identifier: GPL-3.0-or-later */
/* filled ROUNDS SIZE: two functions that nobody records, between calls of MPI. */
#include <mpi.h>
#include <stdlib.h>
#include "busy.h"

int
main (int argc, char **argv)
{
    int rounds = argc > 1 ? atoi (argv[1]) : 1;
    long size = argc > 2 ? atol (argv[2]) : 1;

    MPI_Init (&argc, &argv);
    for (int i = 0; i < rounds; i++) {
        many (size);
        few (size);
        MPI_Barrier (MPI_COMM_WORLD);
    }
    MPI_Finalize ();
    return 0;
}
