/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What MPI 4 has added, on two ranks, with results printed: large counts, partitioned messages,
 * persistent collectives, MPI_Isendrecv. With `hang` rank 0 stays with one of each open. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void
large (void)
{
    double from[3] = { 1, 2, 3 }, to[3] = { 0 };
    int other = 1 - rank;
    MPI_Request request;

    MPI_Isend_c (from, 3, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &request);
    MPI_Recv_c (to, 3, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    MPI_Allreduce_c (from, to, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    printf ("%d large %g\n", rank, to[2]);
    MPI_Isendrecv (&rank, 1, MPI_INT, other, 2, &other, 1, MPI_INT, other, 2, MPI_COMM_WORLD,
                   &request);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    printf ("%d isendrecv %d\n", rank, other);
}

static void
partitioned (void)
{
    int values[8] = { 0 };
    MPI_Request request;

    for (int round = 0; round < 2; round++) {
        if (rank == 0) {
            MPI_Psend_init (values, 4, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
            MPI_Start (&request);
            for (int i = 0; i < 4; i++) {
                values[2 * i] = values[2 * i + 1] = 10 * round + i;
                MPI_Pready (i, request);
            }
        } else {
            MPI_Precv_init (values, 4, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
            MPI_Start (&request);
            for (int flag = 0; !flag;) {
                MPI_Parrived (request, 2, &flag);
            }
        }
        MPI_Wait (&request, MPI_STATUS_IGNORE);
        MPI_Request_free (&request);
        printf ("%d partitioned %d\n", rank, values[5]);
    }
}

static void
persistent (void)
{
    int value = rank == 1 ? 7 : 0, one = rank + 1, sum = 0;
    MPI_Request requests[2];

    MPI_Bcast_init (&value, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init (&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &requests[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall (2, requests);
        MPI_Waitall (2, requests, MPI_STATUSES_IGNORE);
        printf ("%d collective %d %d\n", rank, value, sum);
        value += rank;
    }
    MPI_Request_free (&requests[0]);
    MPI_Request_free (&requests[1]);
}

static void
hang (void)
{
    int room[4], value;
    MPI_Request requests[2];

    MPI_Precv_init (room, 2, 2, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]); //@ partitioned
    MPI_Bcast_init (&value, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]); //@ persistent
    MPI_Startall (2, requests);
    MPI_Recv_c (&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ large
}

int
main (int argc, char **argv)
{
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    large ();
    partitioned ();
    persistent ();
    if (argc > 1 && strcmp (argv[1], "hang") == 0 && rank == 0) {
        hang ();
    }
    MPI_Finalize ();
    return 0;
}
