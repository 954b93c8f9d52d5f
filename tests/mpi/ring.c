/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A token goes round the ring; each rank adds its number. With an argument "hang", rank 0 waits
 * for a token that nobody sends. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

struct token {
    int sum;
    double parts[3];
};

static int
pass (struct token *token, int rank, int size)
{
    int left = (rank + size - 1) % size;
    int right = (rank + 1) % size;

    token->sum += rank; //@ add
    token->parts[rank % 3] = rank * 0.5;
    if (rank == 0) {
        MPI_Send (token, sizeof *token, MPI_BYTE, right, 7, MPI_COMM_WORLD);
        MPI_Recv (token, sizeof *token, MPI_BYTE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv (token, sizeof *token, MPI_BYTE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token->sum += rank; //@ received
        MPI_Send (token, sizeof *token, MPI_BYTE, right, 7, MPI_COMM_WORLD);
    }
    return token->sum; //@ return
}

int
main (int argc, char **argv)
{
    struct token token = { 0 }; //@ first
    const char *mode = argc > 1 ? argv[1] : "run";
    int rank, size;

    MPI_Init (&argc, &argv); //@ init
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    if (strcmp (mode, "hang") == 0 && rank == 0)
        MPI_Recv (&token, sizeof token, MPI_BYTE, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, //@ hang
                  MPI_STATUS_IGNORE);
    int sum = pass (&token, rank, size);
    MPI_Barrier (MPI_COMM_WORLD); //@ barrier
    printf ("rank %d has %d\n", rank, sum);
    MPI_Finalize ();
    return 0;
}
