/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last rank has another root: nothing hangs, the data are wrong. */
#include "common.h"

static void
done (void)
{
    fflush (stdout);
}

int
main (int argc, char **argv)
{
    int value = 0;

    begin (argc, argv);
    MPI_Bcast (&value, 1, MPI_INT, !fixed && rank == size - 1 ? 1 : 0, MPI_COMM_WORLD); //@ culprit
    done ();
    MPI_Finalize ();
    return 0;
}
