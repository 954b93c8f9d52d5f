/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing is wrong here: a long computation, slow input and output, polling, messages to oneself.
 * pddt must never call it stuck. */
#include "common.h"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double
get_seconds (void)
{
    struct timespec now;

    clock_gettime (CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static void
compute (double seconds)
{
    double end = get_seconds () + seconds;
    volatile double sum = 0;

    while (get_seconds () < end) {
        for (int i = 0; i < 1000; i++) {
            sum += i;
        }
    }
}

/* Reads a pipe that a child fills late. */
static void
read_slowly (double seconds)
{
    char command[64], line[16];
    FILE *pipe;

    snprintf (command, sizeof command, "sleep %g; echo late", seconds);
    pipe = popen (command, "r");
    if (pipe == NULL || fgets (line, sizeof line, pipe) == NULL) {
        exit (1);
    }
    pclose (pipe);
}

static void
send_to_oneself (void)
{
    int out = rank, in = -1, flag = 0;
    MPI_Request request;

    MPI_Isend (&out, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &request);
    MPI_Recv (&in, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    while (!flag && rank == 1) {
        MPI_Iprobe (0, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}

/* A busy wait, with something else to do between the looks. */
static void
test_until_it_comes (int peer)
{
    int value, flag = 0;
    MPI_Request request;

    MPI_Irecv (&value, 1, MPI_INT, peer, 9, MPI_COMM_WORLD, &request);
    while (!flag) {
        MPI_Test (&request, &flag, MPI_STATUS_IGNORE);
        usleep (100);
    }
}

int
main (int argc, char **argv)
{
    int value = 0;

    begin (argc, argv);
    fflush (stdout); //@ begun
    if (rank == 0) {
        send_to_oneself ();
        compute (1.5);
        MPI_Send (&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
        test_until_it_comes (1);
    } else if (rank == 1) {
        send_to_oneself ();
        MPI_Recv (&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute (1);
        MPI_Send (&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    } else {
        read_slowly (2.5);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    for (int i = 0; i < 200000; i++) {
        MPI_Allreduce (&rank, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    printf ("rank %d is well\n", rank);
    MPI_Finalize ();
    return 0;
}
