/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of several halves: a ring in which each sends to the right and receives from the left, by
 * MPI_Sendrecv, requests, or persistent requests. One rank is late (healthy), or never comes (stuck):
 * the others' finished halves blame nobody. */
#include "situation.h"

static int right, left;

static void
by_sendrecv (int n, int *out, int *in)
{
    MPI_Sendrecv (out, n, MPI_INT, right, 1, in, n, MPI_INT, left, 1, MPI_COMM_WORLD, //@ sendrecv
                  MPI_STATUS_IGNORE);
}

static void
by_replace (int n, int *out, int *in)
{
    MPI_Sendrecv_replace (out, n, MPI_INT, right, 1, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void
by_waitall (int n, int *out, int *in)
{
    MPI_Request requests[2];

    MPI_Irecv (in, n, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend (out, n, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall (2, requests, MPI_STATUSES_IGNORE); //@ waitall
}

static void
by_waitsome (int n, int *out, int *in)
{
    MPI_Request requests[2];
    int count, which[2];

    MPI_Irecv (in, n, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend (out, n, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    do {
        MPI_Waitsome (2, requests, &count, which, MPI_STATUSES_IGNORE);
    } while (count != MPI_UNDEFINED);
}

static void
by_waitany (int n, int *out, int *in)
{
    MPI_Request requests[2];
    int index;

    MPI_Irecv (in, n, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend (out, n, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Waitany (2, requests, &index, MPI_STATUS_IGNORE);
    }
}

static void
by_startall (int n, int *out, int *in)
{
    MPI_Request requests[2];

    MPI_Recv_init (in, n, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init (out, n, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Startall (2, requests);
    MPI_Waitall (2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free (&requests[0]);
    MPI_Request_free (&requests[1]);
}

static const struct {
    const char *name;
    void (*shift) (int n, int *out, int *in);
} ways[] = {
    { "sendrecv", by_sendrecv }, { "replace", by_replace }, { "waitall", by_waitall },
    { "waitsome", by_waitsome }, { "waitany", by_waitany }, { "startall", by_startall },
};

/* "sendrecv-late", "waitall-big-never", … */
int
main (int argc, char **argv)
{
    char way[32] = "", *end;
    int n = 1, *out, *in;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    MPI_Barrier (MPI_COMM_WORLD);
    printf ("begun\n");
    fflush (stdout);
    if (getenv ("SITUATION_WAIT") != NULL) {
        while (access (getenv ("SITUATION_WAIT"), F_OK) == 0) {
            doze (0.01);
        }
    }
    snprintf (way, sizeof way, "%s", argc > 1 ? argv[1] : "");
    end = strchr (way, '-');
    n = strstr (way, "big") != NULL ? 1 << 18 : 1;
    out = calloc ((size_t) n, sizeof *out);
    in = calloc ((size_t) n, sizeof *in);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (unsigned i = 0; end != NULL && i < sizeof ways / sizeof *ways; i++) {
        if (strncmp (way, ways[i].name, (size_t) (end - way)) != 0
            || ways[i].name[end - way] != '\0') {
            continue;
        }
        ways[i].shift (n, out, in);
        if (rank == 1 && strstr (end, "never") != NULL) {
            WAIT_FOREVER (0); //@ never
        }
        if (rank == 1) {
            compute (LATE);
        }
        ways[i].shift (n, out, in);
        MPI_Barrier (MPI_COMM_WORLD); //@ after
    }
    MPI_Finalize ();
    free (out);
    free (in);
    return 0;
}
