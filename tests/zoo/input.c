/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 0 reads standard input before a broadcast that the others wait in. */
#include "common.h"

int
main (int argc, char **argv)
{
    char line[32] = "none";

    begin (argc, argv);
    fflush (stdout); //@ begun
    if (rank == 0 && !fixed && fgets (line, sizeof line, stdin) == NULL) { //@ culprit
        strcpy (line, "end");
    }
    MPI_Bcast (line, sizeof line, MPI_CHAR, 0, MPI_COMM_WORLD); //@ others
    printf ("rank %d has %s\n", rank, line);
    MPI_Finalize ();
    return 0;
}
