/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 1 iterates on a convergence test that is never met; the others reduce. "poll": it tests a
 * request without end. */
#include "common.h"
#include <math.h>

static volatile double error;

static void
iterate (void)
{
    error = NAN;
    for (; !(error < 1); error = error * 0.5) { //@ culprit
    }
}

static void
poll_for_ever (void)
{
    int value, flag = 0;
    MPI_Request request;

    MPI_Irecv (&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    while (!flag) {
        MPI_Test (&request, &flag, MPI_STATUS_IGNORE); //@ poll
    }
}

int
main (int argc, char **argv)
{
    int sum = 0;

    begin (argc, argv);
    fflush (stdout); //@ begun
    if (rank == 1 && !fixed) {
        if (argc > 1 && strcmp (argv[1], "poll") == 0) {
            poll_for_ever ();
        } else {
            iterate ();
        }
    }
    MPI_Allreduce (&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize ();
    return 0;
}
