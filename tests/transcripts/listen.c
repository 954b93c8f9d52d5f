/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every node reads lines up to "end" or the end of its input, and says what it has read. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int
main (int argc, char **argv)
{
    int node, n = 0; //@ main
    char line[100];

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &node);
    while (fgets (line, sizeof line, stdin) != NULL) {
        line[strcspn (line, "\n")] = '\0';
        if (strcmp (line, "end") == 0) {
            break;
        }
        printf ("node %d has %s\n", node, line);
        fflush (stdout);
        n++;
    }
    printf ("node %d has read %d\n", node, n); //@ end
    MPI_Finalize ();
    return 0;
}
