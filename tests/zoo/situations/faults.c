/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that end well and are wrong: types that do not match, in messages and in collectives, and what
 * is never freed. Beside them others that look like it and are right. Each case has its own tag or
 * communicator; two ranks. */
#include "situation.h"
#include <stddef.h>

typedef struct {
    int number;
    double value;
} Pair;

static int ints[64];
static double doubles[64];
static float floats[64];
static Pair pairs[16];

static MPI_Datatype
make_pair (int is_reversed)
{
    int lengths[2] = { 1, 1 };
    MPI_Aint offsets[2] = { is_reversed ? offsetof (Pair, value) : offsetof (Pair, number),
                            is_reversed ? offsetof (Pair, number) : offsetof (Pair, value) };
    MPI_Datatype types[2] = { is_reversed ? MPI_DOUBLE : MPI_INT, is_reversed ? MPI_INT : MPI_DOUBLE };
    MPI_Datatype type, sized;

    MPI_Type_create_struct (2, lengths, offsets, types, &type);
    MPI_Type_create_resized (type, 0, sizeof (Pair), &sized);
    MPI_Type_free (&type);
    MPI_Type_commit (&sized);
    return sized;
}

/* ---- wrong messages ---- */

static void
pass (const void *from, int n_sent, MPI_Datatype sent, void *to, int n_received, MPI_Datatype received,
      int tag)
{
    if (rank == 0) {
        MPI_Send (from, n_sent, sent, 1, tag, MPI_COMM_WORLD); //@ pass-send
    } else {
        MPI_Recv (to, n_received, received, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ pass-receive
    }
}

static void
pass_wrongly (void)
{
    MPI_Datatype pair = make_pair (0), reversed = make_pair (1), column;
    MPI_Request request;

    MPI_Type_vector (4, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit (&column);
    pass (doubles, 4, MPI_DOUBLE, ints, 8, MPI_INT, 1);
    pass (pairs, 2, pair, pairs, 2, reversed, 2);
    pass (doubles, 1, column, floats, 8, MPI_FLOAT, 3);
    pass (ints, 4, MPI_INT, pairs, 4, pair, 4); /* differs at its second element */
    if (rank == 0) {
        MPI_Isend (ints, 4, MPI_INT, 1, 5, MPI_COMM_WORLD, &request); //@ isend
        MPI_Wait (&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv (floats, 4, MPI_FLOAT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request); //@ irecv
        MPI_Waitall (1, &request, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 9; i++) { /* one of many */
        if (rank == 0 && i == 5) {
            MPI_Send (floats, 1, MPI_FLOAT, 1, 6, MPI_COMM_WORLD); //@ one-float
        } else {
            pass (ints, 1, MPI_INT, ints, 1, MPI_INT, 6);
        }
    }
    if (rank == 0) {
        MPI_Send_init (ints, 2, MPI_UNSIGNED, 1, 7, MPI_COMM_WORLD, &request);
    } else {
        MPI_Recv_init (ints, 2, MPI_INT, 0, 7, MPI_COMM_WORLD, &request); //@ recv-init
    }
    MPI_Start (&request); //@ start
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    MPI_Request_free (&request);
    MPI_Sendrecv (ints, 2, rank == 0 ? MPI_INT : MPI_FLOAT, 1 - rank, 8, floats, 2, MPI_FLOAT, 1 - rank,
                  8, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ sendrecv
    MPI_Type_free (&pair);
    MPI_Type_free (&reversed);
    MPI_Type_free (&column);
}

/* It goes on for long: it is stopped while it runs. */
static void
pass_wrongly_for_long (void)
{
    pass (doubles, 4, MPI_DOUBLE, ints, 8, MPI_INT, 1);
    compute (LATE);
}

/* ---- wrong collectives ---- */

static MPI_Comm
make_named (const char *name)
{
    MPI_Comm comm;

    MPI_Comm_dup (MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name (comm, name);
    return comm;
}

static void
gather_wrongly (void)
{
    MPI_Datatype own = rank == 0 ? MPI_INT : MPI_FLOAT;
    MPI_Comm gather = make_named ("gather"), gatherv = make_named ("gatherv");
    MPI_Comm scatter = make_named ("scatter"), allgather = make_named ("allgather");
    MPI_Comm alltoall = make_named ("alltoall"), count = make_named ("count");
    int counts[2] = { 2, 2 }, offsets[2] = { 0, 2 };

    MPI_Gather (ints, 2, MPI_INT, floats, 2, own == MPI_INT ? MPI_FLOAT : MPI_INT, 0, gather);
    MPI_Gatherv (ints, 2, own, floats, counts, offsets, MPI_INT, 0, gatherv);
    MPI_Scatter (ints, 2, MPI_INT, floats, 2, own, 0, scatter);
    MPI_Allgather (ints, 2, MPI_INT, floats, 2, own, allgather);
    MPI_Alltoall (ints, 2, own, floats, 2, MPI_INT, alltoall);
    MPI_Gather (ints, 2, MPI_INT, floats, 4, MPI_INT, 0, count);
    MPI_Comm_free (&gather);
    MPI_Comm_free (&gatherv);
    MPI_Comm_free (&scatter);
    MPI_Comm_free (&allgather);
}

static void
collect_wrongly (void)
{
    MPI_Comm bcast = make_named ("bcast"), reduce = make_named ("reduce");
    MPI_Comm ibcast = make_named ("ibcast"), half = make_named ("half");
    MPI_Datatype own = rank == 0 ? MPI_INT : MPI_FLOAT;
    MPI_Request request;

    if (rank == 0) {
        MPI_Bcast (ints, 4, MPI_INT, 0, bcast); //@ bcast-int
    } else {
        MPI_Bcast (floats, 4, MPI_FLOAT, 0, bcast); //@ bcast-float
    }
    MPI_Reduce (ints, floats, 1, own, MPI_SUM, 0, reduce);
    MPI_Ibcast (ints, 4, own, 0, ibcast, &request);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    MPI_Bcast (ints, rank == 0 ? 4 : 2, rank == 0 ? MPI_INT : MPI_DOUBLE, 0, half);
    MPI_Comm_free (&half);
    gather_wrongly ();
}

/* ---- what only looks wrong ---- */

static void
pass_rightly (void)
{
    MPI_Datatype pair = make_pair (1), three, column, two, longer;
    int lengths[3] = { 1, 1, 1 };
    MPI_Aint offsets[3] = { 0, 4, 8 }, address;
    MPI_Datatype types[3] = { MPI_INT, MPI_INT, MPI_DOUBLE };

    MPI_Type_contiguous (3, MPI_INT, &three);
    MPI_Type_commit (&three);
    MPI_Type_vector (3, 1, 2, MPI_INT, &column);
    MPI_Type_commit (&column);
    MPI_Type_create_struct (3, lengths, offsets, types, &longer);
    MPI_Type_commit (&longer);
    pass (ints, 6, MPI_INT, ints, 2, three, 21);
    pass (ints, 1, column, ints, 3, MPI_INT, 22);
    pass (ints, 2, column, ints, 2, three, 23);
    pass (ints, 4, MPI_INT, ints, 16, MPI_BYTE, 24);
    pass (ints, 16, MPI_PACKED, doubles, 2, MPI_DOUBLE, 25);
    pass (floats, 0, MPI_FLOAT, ints, 4, MPI_INT, 26);
    pass (ints, 0, MPI_INT, doubles, 0, MPI_DOUBLE, 26);
    pass (ints, 2, MPI_INT, ints, 1, longer, 27); /* a beginning of it */
    pass (ints, 1, MPI_2INT, ints, 2, MPI_INT, 28);
    pass (doubles, 1, MPI_DOUBLE_INT, pairs, 1, pair, 29);
    pass (ints, 4, MPI_LONG, ints, 4, MPI_INT64_T, 30);
    pass (ints, 8, MPI_CHAR, ints, 8, MPI_UNSIGNED_CHAR, 31);
    MPI_Get_address (ints, &address);
    MPI_Type_create_hindexed (1, lengths, &address, MPI_INT, &two); /* absolute */
    MPI_Type_commit (&two);
    pass (MPI_BOTTOM, 1, two, ints, 1, MPI_INT, 32);
    MPI_Type_free (&two);
    MPI_Type_contiguous (2, MPI_DOUBLE, &two); /* may have the same handle */
    MPI_Type_commit (&two);
    pass (doubles, 1, two, doubles, 2, MPI_DOUBLE, 33);
    MPI_Type_free (&two);
#if MPI_VERSION >= 4
    MPI_Type_vector_c (4, 1, 2, MPI_INT, &two);
    MPI_Type_commit (&two);
    pass (ints, 1, two, ints, 4, MPI_INT, 34);
    MPI_Type_free (&two);
#endif
    MPI_Type_free (&three);
    MPI_Type_free (&column);
    MPI_Type_free (&longer);
    MPI_Type_free (&pair);
}

/* Messages that are received, and completed, in another order than they come. */
static void
pass_in_turn (void)
{
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status;

    if (rank == 0) {
        MPI_Send (ints, 1, MPI_INT, 1, 41, MPI_COMM_WORLD);
        MPI_Send (floats, 1, MPI_FLOAT, 1, 41, MPI_COMM_WORLD);
        MPI_Send (ints, 1, MPI_INT, 1, 42, MPI_COMM_WORLD);
        MPI_Send (floats, 1, MPI_FLOAT, 1, 42, MPI_COMM_WORLD);
        MPI_Send (ints, 1, MPI_INT, 1, 43, MPI_COMM_WORLD);
        MPI_Send (floats, 1, MPI_FLOAT, 1, 44, MPI_COMM_WORLD);
        MPI_Send (ints, 1, MPI_INT, 1, 44, MPI_COMM_WORLD);
    } else {
        MPI_Irecv (ints, 1, MPI_INT, 0, 41, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv (floats, 1, MPI_FLOAT, 0, 41, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait (&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait (&requests[0], MPI_STATUS_IGNORE);
        MPI_Mprobe (0, 42, MPI_COMM_WORLD, &message, &status);
        MPI_Recv (floats, 1, MPI_FLOAT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mrecv (ints, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Recv (ints, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv (floats, 1, MPI_FLOAT, MPI_ANY_SOURCE, 44, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv (ints, 1, MPI_INT, 0, 44, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait (&requests[0], MPI_STATUS_IGNORE);
    }
}

static void
collect_rightly (void)
{
    int none[2] = { 0, 0 }, ones[2] = { 1, 1 }, offsets[2] = { 0, 1 };
    MPI_Datatype mixed[2] = { rank == 0 ? MPI_INT : MPI_FLOAT, rank == 0 ? MPI_FLOAT : MPI_DOUBLE };
    int bytes[2] = { 0, 64 };
    MPI_Datatype column;
    MPI_Comm comm;

    MPI_Comm_dup (MPI_COMM_WORLD, &comm);
    MPI_Type_vector (4, 1, 2, MPI_INT, &column);
    MPI_Type_commit (&column);
    MPI_Bcast (ints, rank == 0 ? 1 : 4, rank == 0 ? column : MPI_INT, 0, comm);
    MPI_Bcast (ints, rank == 0 ? 16 : 4, rank == 0 ? MPI_BYTE : MPI_INT, 0, comm);
    MPI_Gather (rank == 0 ? MPI_IN_PLACE : (void *) ints, 2, rank == 0 ? MPI_FLOAT : MPI_INT, ints, 2,
                rank == 0 ? MPI_INT : MPI_DOUBLE, 0, comm);
    MPI_Scatter (ints, 2, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL,
                 rank == 0 ? MPI_IN_PLACE : (void *) ints, 2, rank == 0 ? MPI_DOUBLE : MPI_INT, 0, comm);
    MPI_Allgather (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ints, 2, MPI_INT, comm);
    MPI_Alltoall (MPI_IN_PLACE, 7, MPI_DOUBLE, ints, 2, MPI_INT, comm);
    MPI_Gather (ints, 4, MPI_INT, ints + 16, 1, column, 0, comm);
    MPI_Alltoallv (ints, none, offsets, rank == 0 ? MPI_INT : MPI_FLOAT, floats, none, offsets,
                   rank == 0 ? MPI_FLOAT : MPI_INT, comm);
    MPI_Alltoallw (doubles, ones, bytes, mixed, doubles + 32, ones, bytes, mixed, comm);
    MPI_Gatherv (ints, rank, rank == 0 ? MPI_DOUBLE : MPI_INT, ints + 16, offsets, none, MPI_INT, 0, comm);
    MPI_Allreduce (MPI_IN_PLACE, ints, 2, MPI_INT, MPI_SUM, comm);
    MPI_Type_free (&column);
    MPI_Comm_free (&comm);
}

/* Buffers of requests under way, once per line. */
static void
overlap_wrongly (void)
{
    MPI_Request requests[4];

    for (int i = 0; i < 3; i++) {
        MPI_Irecv (ints, 8, MPI_INT, 1 - rank, 61, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv (ints + 7, 8, MPI_INT, 1 - rank, 62, MPI_COMM_WORLD, &requests[1]); //@ overlap-receive
        MPI_Isend (ints + 14, 8, MPI_INT, 1 - rank, 61, MPI_COMM_WORLD, &requests[2]); //@ overlap-send
        MPI_Isend (ints + 40, 8, MPI_INT, 1 - rank, 62, MPI_COMM_WORLD, &requests[3]);
        MPI_Send (ints + 4, 1, MPI_INT, 1 - rank, 60, MPI_COMM_WORLD); //@ overlap-blocking
        MPI_Recv (ints + 60, 1, MPI_INT, 1 - rank, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall (4, requests, MPI_STATUSES_IGNORE);
    }
}

/* Sends may share, strided types lie between each other, and what is complete is free again. */
static void
overlap_rightly (void)
{
    MPI_Request requests[40];
    MPI_Datatype column;
    int is_complete = 0;

    MPI_Type_vector (8, 1, 2, MPI_INT, &column);
    MPI_Type_commit (&column);
    for (int i = 0; i < 40; i++) {
        MPI_Irecv (ints, 8, MPI_INT, 1 - rank, 63, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend (ints + 8, 8, MPI_INT, 1 - rank, 63, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait (&requests[0], MPI_STATUS_IGNORE);
        MPI_Irecv (ints, 8, MPI_INT, 1 - rank, 64, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend (ints + 8, 8, MPI_INT, 1 - rank, 64, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend (ints + 12, 0, MPI_INT, 1 - rank, 65, MPI_COMM_WORLD, &requests[3]);
        MPI_Recv (ints + 10, 0, MPI_INT, 1 - rank, 65, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall (4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Irecv (ints, 1, column, 1 - rank, 66, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv (ints + 1, 1, column, 1 - rank, 67, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend (ints + 32, 8, MPI_INT, 1 - rank, 66, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend (ints + 32, 8, MPI_INT, 1 - rank, 67, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall (4, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv (ints, 1, MPI_INT, 1 - rank, 68, MPI_COMM_WORLD, &requests[0]);
    MPI_Send (ints + 8, 1, MPI_INT, 1 - rank, 68, MPI_COMM_WORLD);
    while (!is_complete) {
        MPI_Request_get_status (requests[0], &is_complete, MPI_STATUS_IGNORE);
    }
    MPI_Irecv (ints, 1, MPI_INT, 1 - rank, 69, MPI_COMM_WORLD, &requests[1]);
    MPI_Send (ints + 8, 1, MPI_INT, 1 - rank, 69, MPI_COMM_WORLD);
    MPI_Waitall (2, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free (&column);
}

static void
do_right (void)
{
    pass_rightly ();
    pass_in_turn ();
    collect_rightly ();
    overlap_rightly ();
}

/* ---- intercommunicators and windows ---- */

static MPI_Comm
make_bridge (void)
{
    MPI_Comm half, bridge;

    MPI_Comm_split (MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create (half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 9, &bridge);
    MPI_Comm_free (&half);
    MPI_Comm_set_name (bridge, "bridge");
    return bridge;
}

static void
bridge_rightly (void)
{
    MPI_Comm bridge = make_bridge ();

    MPI_Bcast (ints, 1, MPI_INT, rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 0, bridge);
    MPI_Bcast (ints, 1, MPI_INT, rank == 3 ? MPI_ROOT : rank == 2 ? MPI_PROC_NULL : 1, bridge);
    MPI_Allreduce (ints, ints + 8, 1, MPI_INT, MPI_SUM, bridge);
    MPI_Comm_free (&bridge);
}

static void
bridge_wrongly (void)
{
    MPI_Comm bridge = make_bridge ();

    MPI_Bcast (ints, 1, MPI_INT, rank == 0 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : rank - 2, bridge);
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
free_at_fence (void)
{
    MPI_Win win;

    MPI_Win_create (ints, sizeof ints, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence (0, win);
    if (rank == 0) {
        MPI_Win_fence (0, win); //@ fence
    }
    MPI_Win_free (&win); //@ free
}

static void
free_nothing (void)
{
    MPI_Comm comm = make_named ("kept"); //@ kept-communicator
    MPI_Datatype type, freed;
    MPI_Request request;
    MPI_Win win;

    MPI_Type_contiguous (3, MPI_INT, &type); //@ kept-type
    MPI_Type_contiguous (3, MPI_INT, &freed);
    MPI_Type_free (&freed);
    MPI_Send_init (ints, 1, MPI_INT, 0, 3, comm, &request); //@ kept-request
    MPI_Win_create (ints, sizeof ints, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_free (&win);
}

/* What others share with MPI: a window and a file, which are never freed. */
static void
leave_open (void)
{
    char path[4096];
    MPI_Win win;
    MPI_File file;

    snprintf (path, sizeof path, "%s/open-%d", folder (), (int) getpid ());
    MPI_Win_create (ints, sizeof ints, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win); //@ kept-window
    MPI_Bcast (path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_File_open (MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                   &file); //@ kept-file
}

/* MPI_ERRORS_RETURN: the program goes on. */
static void
err (void)
{
    MPI_Comm comm = make_named ("careful");

    MPI_Comm_set_errhandler (comm, MPI_ERRORS_RETURN);
    if (rank == 1) {
        MPI_Send (ints, 1, MPI_INT, 77, 0, comm); //@ err
    }
    MPI_Comm_free (&comm);
}

static const Situation list[] = {
    { "messages", pass_wrongly },
    { "long", pass_wrongly_for_long },
    { "collectives", collect_wrongly },
    { "right", do_right },
    { "bridge-right", bridge_rightly },
    { "bridge-wrong", bridge_wrongly },
    { "fence-free", free_at_fence },
    { "leak", free_nothing },
    { "open", leave_open },
    { "error", err },
    { "overlap", overlap_wrongly },
};

int
main (int argc, char **argv)
{
    return run_situation (argc, argv, list, sizeof list / sizeof *list, MPI_THREAD_SINGLE);
}
