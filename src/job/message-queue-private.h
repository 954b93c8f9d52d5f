/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of queues as columns: all calls of all ranks, all operations, and so on, each a row of
 * numbers; texts, places and lists stand once, in tables that count from 1 (0 is none). A row of
 * a rank says how many of each are its own. Rows have no padding, and are whole words: GVariant, which looks whether a
 * message is in normal form, would look at each number of each row otherwise. */
#pragma once
#include "job/message-queue.h"

typedef struct {
    guint64 completed;
    guint32 rank, source, flags, world_rank, world_size, library, remark, error;
    guint32 n_calls, n_recent, n_operations, n_communicators, n_flows, n_sent;
    guint32 n_waits, n_runs;
} QueueRow;

typedef struct {
    guint64 number, completed, communicator, count, bytes;
    guint32 kind, thread, name, place, waits;
    gint32 peer, local_peer, tag, result;
    guint32 unused;
} CallRow;

typedef struct {
    guint64 communicator, count, bytes, sequence, request, buffer, first[2];
    guint32 kind, flags, name, reduction, datatype, place, n_first, n_partitions, n_ready,
        unused;
    gint32 peer, local_peer, tag, unready;
} OperationRow;

typedef struct {
    guint64 id, n_collectives;
    guint32 name, flags, size, members, remote, dims, periods, coords, n_kept, sources,
        destinations;
    gint32 local_rank;
} CommunicatorRow;

typedef struct {
    guint64 sequence, bytes, other_bytes;
    guint32 name, flags, reduction, place;
    gint32 root;
    guint32 chain, signature, other_signature, gives, gets;
} CollectiveRow;

typedef struct {
    guint64 communicator, n_messages, n_matched;
    gint32 peer, tag;
    guint32 is_sent, matched;
} FlowRow;

typedef struct {
    guint64 communicator, number, bytes, first[2];
    gint32 peer, tag;
    guint32 name, datatype, n_first, place;
} MessageRow;

typedef struct {
    guint64 communicator, first, last, bytes;
    gint32 peer, tag;
    guint32 is_sent, signature, name, place;
} RunRow;

typedef struct {
    guint64 number, turns;
    guint32 kind, flags, thread, other, thread_name, other_name, name, file, line, peer;
} WaitRow;

typedef struct {
    guint64 offset;
    guint32 function, file, module, line, language, unused;
} PlaceRow;

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

static const gsize row_sizes[N_COLUMNS] = {
    [PLACES] = sizeof (PlaceRow),
    [QUEUES] = sizeof (QueueRow),
    [CALLS] = sizeof (CallRow),
    [OPERATIONS] = sizeof (OperationRow),
    [COMMUNICATORS] = sizeof (CommunicatorRow),
    [COLLECTIVES] = sizeof (CollectiveRow),
    [FLOWS] = sizeof (FlowRow),
    [MESSAGES] = sizeof (MessageRow),
    [RUNS] = sizeof (RunRow),
    [WAITS] = sizeof (WaitRow),
};
#define ROW_BYTES 128 /* that a row becomes, with its empty lists */
#define TABLE_TYPE "(aayaauatatatatatatatatatat)"
