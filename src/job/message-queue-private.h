/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of queues as columns: all calls of all ranks, all operations, and so on, each a row of
 * numbers; texts, places and lists stand once, in tables that count from 1 (0 is none). A row of
 * a rank says how many of each are its own. Rows have no padding: GVariant's normal form wants
 * its bytes zero. */
#pragma once
#include "job/message-queue.h"

typedef struct {
    guint64 completed;
    guint32 rank, source, flags, world_rank, world_size, library, remark, error;
    guint32 n_calls, n_recent, n_operations, n_communicators, n_flows, n_sent;
    guint32 n_waits, n_runs;
} QueueRow;
#define QUEUE_TYPE "(tuuuuuuuuuuuuuuuu)"

typedef struct {
    guint64 number, completed, communicator, count, bytes;
    guint32 kind, thread, name, place, waits;
    gint32 peer, local_peer, tag, result;
    guint32 unused;
} CallRow;
#define CALL_TYPE "(tttttuuuuuiiiiu)"

typedef struct {
    guint64 communicator, count, bytes, sequence, request, buffer, first[2];
    guint32 kind, flags, name, reduction, datatype, place, n_first, n_partitions, n_ready,
        unused;
    gint32 peer, local_peer, tag, unready;
} OperationRow;
#define OPERATION_TYPE "(ttttttttuuuuuuuuuuiiii)"

typedef struct {
    guint64 id, n_collectives;
    guint32 name, flags, size, members, remote, dims, periods, coords, n_kept, sources,
        destinations;
    gint32 local_rank;
} CommunicatorRow;
#define COMMUNICATOR_TYPE "(ttuuuuuuuuuuui)"

typedef struct {
    guint64 sequence, bytes, other_bytes;
    guint32 name, flags, reduction, place;
    gint32 root;
    guint32 chain, signature, other_signature, gives, gets;
} CollectiveRow;
#define COLLECTIVE_TYPE "(tttuuuuiuuuuu)"

typedef struct {
    guint64 communicator, n_messages, n_matched;
    gint32 peer, tag;
    guint32 is_sent, matched;
} FlowRow;
#define FLOW_TYPE "(tttiiuu)"

typedef struct {
    guint64 communicator, number, bytes, first[2];
    gint32 peer, tag;
    guint32 name, datatype, n_first, place;
} MessageRow;
#define MESSAGE_TYPE "(tttttiiuuuu)"

typedef struct {
    guint64 communicator, first, last, bytes;
    gint32 peer, tag;
    guint32 is_sent, signature, name, place;
} RunRow;
#define RUN_TYPE "(ttttiiuuuu)"

typedef struct {
    guint64 number, turns;
    guint32 kind, flags, thread, other, thread_name, other_name, name, file, line, peer;
} WaitRow;
#define WAIT_TYPE "(ttuuuuuuuuuu)"

typedef struct {
    guint64 offset;
    guint32 function, file, module, line, language, unused;
} PlaceRow;
#define PLACE_TYPE "(tuuuuuu)"

enum {
    TEXTS,
    LISTS,
    PLACES,
    QUEUES,
    CALLS,
    OPERATIONS,
    COMMUNICATORS,
    COLLECTIVES,
    FLOWS,
    MESSAGES,
    RUNS,
    WAITS,
    N_COLUMNS
};

static const struct {
    const char *type;
    gsize size;
} columns[N_COLUMNS] = {
    [PLACES] = { PLACE_TYPE, sizeof (PlaceRow) },
    [QUEUES] = { QUEUE_TYPE, sizeof (QueueRow) },
    [CALLS] = { CALL_TYPE, sizeof (CallRow) },
    [OPERATIONS] = { OPERATION_TYPE, sizeof (OperationRow) },
    [COMMUNICATORS] = { COMMUNICATOR_TYPE, sizeof (CommunicatorRow) },
    [COLLECTIVES] = { COLLECTIVE_TYPE, sizeof (CollectiveRow) },
    [FLOWS] = { FLOW_TYPE, sizeof (FlowRow) },
    [MESSAGES] = { MESSAGE_TYPE, sizeof (MessageRow) },
    [RUNS] = { RUN_TYPE, sizeof (RunRow) },
    [WAITS] = { WAIT_TYPE, sizeof (WaitRow) },
};
#define ROW_BYTES 128 /* that a row becomes, with its empty lists */
#define TABLE_TYPE                                                                             \
    "(aayaaua" PLACE_TYPE "a" QUEUE_TYPE "a" CALL_TYPE "a" OPERATION_TYPE                      \
    "a" COMMUNICATOR_TYPE "a" COLLECTIVE_TYPE "a" FLOW_TYPE "a" MESSAGE_TYPE "a" RUN_TYPE      \
    "a" WAIT_TYPE ")"
