/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks whose wait no missing rank explains: counts, neighbours or parts that do not agree, a message that was taken
 * and not received, another job. */
#include "situation.h"

#define MANY (1 << 20)

static char bytes[MANY];

/* It has the message, but not received it. */
static void
probes (void)
{
    MPI_Message message;
    int value;

    if (rank == 0) {
        MPI_Mprobe (1, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv (&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ receive
        MPI_Mrecv (bytes, MANY, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    } else {
        MPI_Send (bytes, MANY, MPI_CHAR, 0, 1, MPI_COMM_WORLD); //@ send
        MPI_Send (&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
}

/* The root has nothing for rank 2, which waits for something. */
static void
scatters (void)
{
    int counts[3] = { 1, 1, 0 }, offsets[3] = { 0, 1, 2 }, values[3] = { 0 }, value;

    MPI_Scatterv (values, counts, offsets, MPI_INT, &value, 1, MPI_INT, 0,
                  MPI_COMM_WORLD); //@ scatter
    MPI_Barrier (MPI_COMM_WORLD);  //@ barrier
}

/* The root expects nothing of rank 2, which gives more than fits into a message that is copied. */
static void
gathers (void)
{
    int counts[3] = { 1, 1, 0 }, offsets[3] = { 0, 1, 2 }, values[3];

    MPI_Gatherv (bytes, rank == 2 ? MANY / 4 : 1, MPI_INT, values, counts, offsets, MPI_INT, 0,
                 MPI_COMM_WORLD); //@ gather
    MPI_Barrier (MPI_COMM_WORLD);
}

/* 0 expects twice as many bytes of 1 as that gives it. */
static void
exchanges (void)
{
    int out[3] = { 1, 1, 1 }, in[3] = { 1, rank == 0 ? 2 : 1, 1 }, offsets[3] = { 0, 2, 4 };
    int values[6] = { 0 }, others[6];

    MPI_Alltoallv (values, out, offsets, MPI_INT, others, in, offsets, MPI_INT, MPI_COMM_WORLD);
    MPI_Recv (values, 1, MPI_INT, (rank + 1) % size, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Every count is another one, and they agree: nobody is accused. */
static void
agrees (void)
{
    int out[3], in[3], offsets[3] = { 0, 8, 16 }, values[24] = { 0 }, others[24],
                       own[3] = { 1, 2, 3 };
    int left = (rank + 2) % 3, right = (rank + 1) % 3, even = 1;
    MPI_Comm graph, grid;

    for (int i = 0; i < 3; i++) {
        out[i] = rank + i;
        in[i] = i + rank;
    }
    MPI_Dist_graph_create_adjacent (MPI_COMM_WORLD, 1, &left, &even, 1, &right, &even,
                                    MPI_INFO_NULL, 0, &graph);
    MPI_Cart_create (MPI_COMM_WORLD, 1, (int[]){ 3 }, (int[]){ 1 }, 0, &grid);
    MPI_Alltoallv (values, out, offsets, MPI_INT, others, in, offsets, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv (values, own[rank], MPI_INT, others, own, offsets, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, others, own, offsets, MPI_INT,
                    MPI_COMM_WORLD);
    MPI_Reduce_scatter (values, others, own, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scatterv (values, own, offsets, MPI_INT, rank == 1 ? MPI_IN_PLACE : (void *) others,
                  own[rank], MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Gatherv (rank == 2 ? MPI_IN_PLACE : (void *) values, own[rank], MPI_INT, others, own,
                 offsets, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Neighbor_alltoallv (values, &own[rank], offsets, MPI_INT, others, &own[left], offsets,
                            MPI_INT, graph);
    MPI_Neighbor_allgather (values, 1, MPI_INT, others, 1, MPI_INT, grid);
    if (rank == 0) {
        compute (LATE);
    }
    MPI_Barrier (graph);
}

/* 0 expects 1 as a neighbour, which does not know of it. */
static void
neighbours (void)
{
    int other = 1, even = 1, values[2] = { 0 };
    MPI_Comm graph;

    MPI_Dist_graph_create_adjacent (MPI_COMM_WORLD, rank == 0, &other, &even, 0, &other, &even,
                                    MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather (values, 1, MPI_INT, values + 1, 1, MPI_INT, graph); //@ neighbours
    MPI_Barrier (MPI_COMM_WORLD);
}

/* The child never merges. */
static void
merges (void)
{
    char *words[] = { "child", NULL };
    MPI_Comm child, all;

    MPI_Comm_spawn (getenv ("SITUATION_PROGRAM"), words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                    &child, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge (child, 0, &all); //@ merge
}

static void
child (void)
{
    MPI_Comm parent;
    int value;

    MPI_Comm_get_parent (&parent);
    MPI_Recv (&value, 1, MPI_INT, 0, NEVER, parent, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
/* The second part is never ready. */
static void
parts (void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Psend_init (bytes, 2, 8, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start (&request);
        MPI_Pready (0, request);
    } else {
        MPI_Precv_init (bytes, 2, 8, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start (&request);
    }
    MPI_Wait (&request, MPI_STATUS_IGNORE); //@ part
}
#endif

static const Situation situations[] = {
    { "probes", probes },       { "scatters", scatters }, { "gathers", gathers },
    { "exchanges", exchanges }, { "agrees", agrees },     { "neighbours", neighbours },
    { "merges", merges },       { "child", child },
#if MPI_VERSION >= 4
    { "parts", parts },
#endif
};

int
main (int argc, char **argv)
{
    setenv ("SITUATION_PROGRAM", argv[0], 1);
    return run_situation (argc, argv, situations, sizeof situations / sizeof *situations,
                          MPI_THREAD_SINGLE);
}
