/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes wrong in real programs, one mode each; two ranks where nothing else is said. The mark of
 * a mode is on the line that the verdict must name. */
#include "common.h"
#include <pthread.h>
#include <unistd.h>

static int value;

/* A busy wait for a partner that has left. */
static void
poll_gone (void)
{
    MPI_Request request;
    int done = 0;

    if (rank == 1) {
        return;
    }
    MPI_Irecv (&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test (&request, &done, MPI_STATUS_IGNORE); //@ poll
    }
}

static void
wait_any (void)
{
    MPI_Request requests[2];
    int index, other;

    MPI_Irecv (&other, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv (&value, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany (2, requests, &index, MPI_STATUS_IGNORE); //@ any
}

static void
probe (void)
{
    MPI_Status status;

    if (rank == 1) {
        MPI_Send ("ab", 2, MPI_CHAR, 0, 12, MPI_COMM_WORLD); //@ probed
        MPI_Barrier (MPI_COMM_WORLD);
    } else {
        MPI_Probe (1, 21, MPI_COMM_WORLD, &status); //@ probe
    }
}

static void
synchronous (void)
{
    MPI_Ssend (&value, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD); //@ ssend
    MPI_Recv (&value, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each holds its own window and wants the other's. */
static void
lock (void)
{
    MPI_Win win;
    int *memory, got = 0;

    MPI_Win_allocate (sizeof (int), sizeof (int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock (MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Get (&got, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush (rank, win);
    for (int i = 0; i < 2; i++) {
        MPI_Sendrecv (&value, 1, MPI_INT, 1 - rank, 1, &got, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE);
    }
    MPI_Win_lock (MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win); //@ lock
    MPI_Get (&got, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_flush (1 - rank, win); //@ flush
}

static void
fence (void)
{
    MPI_Win win;

    MPI_Win_create (&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence (0, win);
    if (rank == 0) {
        MPI_Win_fence (0, win); //@ fence
    } else {
        MPI_Recv (&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ unfenced
    }
}

static void
expose (void)
{
    MPI_Win win;
    MPI_Group world, other;
    int peer = 1 - rank;

    MPI_Win_create (&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group (MPI_COMM_WORLD, &world);
    MPI_Group_incl (world, 1, &peer, &other);
    if (rank == 0) {
        MPI_Win_post (other, 0, win);
        MPI_Win_wait (win); //@ exposed
    } else {
        MPI_Recv (&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank 2 does not take part in making a communicator. */
static void
subset (void)
{
    MPI_Comm copy;

    if (rank < 2) {
        MPI_Comm_dup (MPI_COMM_WORLD, &copy); //@ dup
    } else {
        MPI_Recv (&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ apart
    }
}

static void
barriers (void)
{
    MPI_Comm copy;

    MPI_Comm_dup (MPI_COMM_WORLD, &copy);
    MPI_Comm_set_name (copy, "copy");
    MPI_Barrier (rank == 0 ? copy : MPI_COMM_WORLD); //@ barrier
}

static void
inter (void)
{
    MPI_Comm half, both;

    MPI_Comm_split (MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create (half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both);
    MPI_Comm_set_name (both, "both");
    MPI_Recv (&value, 1, MPI_INT, 0, 6, both, MPI_STATUS_IGNORE); //@ inter
}

/* Four ranks: the rank in the half is taken for the rank in the world. */
static void
split (void)
{
    MPI_Comm half;

    MPI_Comm_split (MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Comm_set_name (half, "half");
    if (rank == 3) {
        MPI_Send (&value, 1, MPI_INT, 0, 8, half); //@ wrongly
    } else if (rank == 2) {
        MPI_Recv (&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ split
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
counts (void)
{
    int from[2] = { 1, 2 }, to[2];

    MPI_Reduce (from, to, rank == 1 ? 1 : 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); //@ counts
}

static void
never_started (void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Recv_init (&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Wait (&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Ssend (&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD); //@ unstarted
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void *
receive (void *data)
{
    MPI_Recv (&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ thread
    return data;
}

static void
threads (void)
{
    pthread_t thread;

    pthread_create (&thread, NULL, receive, NULL);
    pthread_join (thread, NULL);
}

static void
nonblocking (void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Ibarrier (MPI_COMM_WORLD, &request);
        MPI_Wait (&request, MPI_STATUS_IGNORE); //@ ibarrier
    } else {
        MPI_Recv (&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* A ring of neighbours, of whom one does not come. */
static void
neighbours (void)
{
    int periods = 1, got[2];
    MPI_Comm ring;

    MPI_Cart_create (MPI_COMM_WORLD, 1, &size, &periods, 0, &ring);
    MPI_Comm_set_name (ring, "ring");
    if (rank > 0) {
        MPI_Neighbor_allgather (&rank, 1, MPI_INT, got, 1, MPI_INT, ring); //@ neighbour
    } else {
        MPI_Recv (&value, 1, MPI_INT, 1, 4, ring, MPI_STATUS_IGNORE);
    }
}

static void
graph (void)
{
    int indices[2] = { 1, 2 }, edges[2] = { 1, 0 };
    MPI_Comm pair;

    MPI_Graph_create (MPI_COMM_WORLD, 2, indices, edges, 0, &pair);
    MPI_Comm_set_name (pair, "pair");
    MPI_Recv (&value, 1, MPI_INT, 1 - rank, 4, pair, MPI_STATUS_IGNORE); //@ graph
}

/* The one rank and its child both listen. */
static void
spawn (char *program)
{
    char *words[] = { "spawn", NULL };
    MPI_Comm parent, child;

    MPI_Comm_get_parent (&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn (program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
        MPI_Comm_set_name (child, "to child");
        MPI_Recv (&value, 1, MPI_INT, 0, 4, child, MPI_STATUS_IGNORE); //@ spawn
    }
    MPI_Recv (&value, 1, MPI_INT, 0, 4, parent, MPI_STATUS_IGNORE); //@ child
}

/* One rank forgets to say that it has done. */
static void
no_finalize (void)
{
    if (rank == 1) {
        for (;;) {
            pause (); //@ forgets
        }
    }
}

static const struct {
    const char *name;
    void (*run) (void);
} modes[] = {
    { "poll-gone", poll_gone }, { "any", wait_any }, { "probe", probe }, { "ssend", synchronous },
    { "lock", lock }, { "fence", fence }, { "expose", expose }, { "subset", subset },
    { "barriers", barriers }, { "inter", inter }, { "split", split }, { "counts", counts },
    { "unstarted", never_started }, { "threads", threads }, { "ibarrier", nonblocking },
    { "neighbours", neighbours }, { "graph", graph }, { "no-finalize", no_finalize },
};

int
main (int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int provided;

    if (strcmp (mode, "threads") == 0) {
        MPI_Init_thread (&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    } else {
        begin (argc, argv);
    }
    provided = size; //@ begun
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp (mode, modes[i].name) == 0) {
            modes[i].run ();
        }
    }
    if (strcmp (mode, "spawn") == 0) {
        spawn (argv[0]);
    }
    MPI_Finalize (); //@ end
    return 0;
}
