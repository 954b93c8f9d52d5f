/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages: the arguments of a call, and counters of what was sent and received. */
#include "agent/mpi-fast.h"
#include "agent/mpi-trace.h"
#include <string.h>

#define Q mpi_queue
/* most requests searched when a message's signature differs from that of the last one */
#define MAX_LOOKED_AT 256

int32_t
mpi_map_peer (int peer)
{
    return peer >= 0 ? peer : peer == MPI_ANY_SOURCE ? PDDT_QUEUE_ANY : PDDT_QUEUE_NONE;
}

static int32_t
map_tag (int tag)
{
    return tag == MPI_ANY_TAG ? PDDT_QUEUE_ANY : tag;
}

void
mpi_clear_message (struct pddt_queue_message *message)
{
    memset (message, 0, sizeof *message);
    message->communicator = MPI_UNKNOWN_ID;
    message->peer = PDDT_QUEUE_NONE;
    message->tag = PDDT_QUEUE_TAG_NONE;
}

void
mpi_fill_message (struct pddt_queue_message *message,
                  const struct pddt_queue_communicator *entry, const struct mpi_side *side)
{
    const struct mpi_type *type = mpi_type_find (side->count > 0 ? side->type : 0);

    message->communicator = entry != NULL ? entry->id : MPI_UNKNOWN_ID;
    message->buffer = (uint64_t) (uintptr_t) side->buffer;
    message->count = side->count;
    message->bytes = side->count > 0 ? (uint64_t) side->count * (uint64_t) type->size : 0;
    message->type = type->index;
    message->signature = message->bytes != 0 ? type->signature : 0;
    message->is_dense = type->is_dense;
    message->peer = mpi_map_peer (side->peer);
    message->tag = map_tag (side->tag);
    message->reduction = 0;
}

/* ---- runs of messages with one signature ---- */

static void
begin_run (struct pddt_queue_flow *flow, uint16_t signature, uint64_t bytes, uint32_t call,
           uint64_t caller)
{
    struct pddt_queue_run *run = &Q.runs[Q.n_runs % PDDT_QUEUE_RUNS];

    flow->signature = signature;
    run->flow = (uint32_t) (flow - Q.flows);
    run->call = call;
    run->first = flow->n_messages;
    run->caller = caller;
    run->bytes = bytes;
    run->signature = signature;
    Q.n_runs++;
}

static int
may_match (const struct pddt_queue_message *message, const struct pddt_queue_flow *flow)
{
    return message->communicator == flow->communicator
           && (message->peer == flow->peer || message->peer < 0)
           && (message->tag == flow->tag || message->tag < 0);
}

/* A receive that was posted before this one gets the earlier message, although it may be
 * completed later. */
static int
is_overtaking (const struct pddt_queue_flow *flow, uint64_t number)
{
    if (flow->newest > number || Q.requests_high > MAX_LOOKED_AT) {
        return 1;
    }
    for (uint32_t i = 0; i < Q.requests_high; i++) {
        const struct pddt_queue_request *request = &Q.requests[i];

        if (request->state == PDDT_QUEUE_ACTIVE && request->kind == PDDT_QUEUE_RECV
            && request->number < number && may_match (&request->message, flow)) {
            return 1;
        }
    }
    return 0;
}

static void
note_signature (struct pddt_queue_flow *flow, const struct pddt_queue_message *message,
                const struct mpi_origin *origin, int is_matched)
{
    uint16_t signature = is_matched || flow->is_disordered ? 0 : message->signature;

    if ((flow->n_matched > 0 && !is_matched)
        || (signature != flow->signature && !is_matched
            && is_overtaking (flow, origin->number))) {
        flow->is_disordered = 1;
        signature = 0;
    }
    if (signature != flow->signature) {
        begin_run (flow, signature, message->bytes, origin->call, origin->caller);
    }
    flow->newest = origin->number > flow->newest ? origin->number : flow->newest;
}

void
mpi_note_cancelled (const struct pddt_queue_message *message)
{
    struct pddt_queue_flow *flow = message->peer < 0
                                       ? NULL
                                       : mpi_flow_get (1, message->communicator, message->peer,
                                                       message->tag);

    Q.state |= PDDT_QUEUE_UNCOUNTED;
    if (flow != NULL) {
        flow->is_disordered = 1;
    }
}

/* ---- counting ---- */

/* Counts a message that has been handed to MPI, and keeps its first bytes. */
void
mpi_note_sent (uint32_t call, uint64_t caller, const struct pddt_queue_message *message)
{
    struct pddt_queue_flow *flow = message->peer < 0
                                       ? NULL
                                       : mpi_flow_get (1, message->communicator, message->peer,
                                                       message->tag);
    struct pddt_queue_sent *sent = &Q.sent[Q.n_sent % PDDT_QUEUE_SENT];
    size_t size = message->bytes < PDDT_QUEUE_FIRST ? message->bytes : PDDT_QUEUE_FIRST;

    if (message->peer >= 0) {
        mpi_fast_add_sent (mpi_local.thread, message);
    }
    if (flow == NULL) {
        return;
    }
    sent->call = call;
    sent->type = message->type;
    sent->caller = caller;
    sent->number = ++flow->n_messages;
    sent->bytes = message->bytes;
    sent->flow = (uint32_t) (flow - Q.flows);
    sent->n_first = 0;
    if (message->signature != flow->signature) {
        begin_run (flow, message->signature, message->bytes, call, caller);
    }
    /* A derived type may begin anywhere. */
    if (size > 0 && message->type != 0 && message->type != MPI_NO_INDEX
        && mpi_copy_message (sent->first, (const void *) (uintptr_t) message->buffer, size)) {
        sent->n_first = (uint16_t) size;
    }
    Q.n_sent++;
}

void
mpi_note_received (const struct pddt_queue_message *message, struct mpi_origin origin,
                   const MPI_Status *status, int is_matched)
{
    int32_t peer = message->peer, tag = message->tag;
    struct pddt_queue_flow *flow;

    if (peer == PDDT_QUEUE_NONE) {
        return;
    }
    if (peer == PDDT_QUEUE_ANY || tag == PDDT_QUEUE_ANY) {
        if (status == NULL) {
            Q.state |= PDDT_QUEUE_UNCOUNTED;
            mpi_local.thread->traffic.n_received++;
            return;
        }
        peer = status->MPI_SOURCE;
        tag = status->MPI_TAG;
    }
    if (peer < 0) {
        return;
    }
    mpi_local.thread->traffic.n_received++;
    flow = mpi_flow_get (2, message->communicator, peer, tag);
    if (flow == NULL) {
        return;
    }
    flow->n_messages++;
    note_signature (flow, message, &origin, is_matched);
    if (is_matched && flow->n_matched > 0) {
        flow->n_matched--;
    }
}

int
mpi_is_wild (const struct pddt_queue_message *message)
{
    return message->peer == PDDT_QUEUE_ANY
           || (message->tag == PDDT_QUEUE_ANY && message->peer != PDDT_QUEUE_NONE);
}

/* Passes a status of the recorder's where the program ignores the status but the source must be
 * known. */
void
mpi_lend_status (struct mpi_arguments *a)
{
    if (mpi_is_status_ignore (a, a->status)) {
        a->status = mpi_get_pending (a->thread)->statuses;
    }
}

void
mpi_enter_message (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    struct pddt_queue_message *message = &current->message;

    switch (a->how) {
    case MPI_HOW_SEND:
    case MPI_HOW_ISEND: mpi_fill_message (message, a->communicator, &a->send); break;
    case MPI_HOW_SENDRECV:
        mpi_fill_message (message, a->communicator, &a->send);
        mpi_fill_message (&a->thread->second, a->communicator, &a->receive);
        break;
    /* the request is that of the receive; the send is recorded as sent at once */
    case MPI_HOW_ISENDRECV:
        mpi_fill_message (message, a->communicator, &a->send);
        mpi_note_sent (a->call, current->caller, message);
        mpi_fill_message (message, a->communicator, &a->receive);
        break;
    case MPI_HOW_MRECV:
        mpi_fill_message (message, a->communicator, &a->receive);
        message->peer = PDDT_QUEUE_UNKNOWN;
        message->tag = PDDT_QUEUE_TAG_UNKNOWN;
        mpi_enter_matched (a, message);
        break;
    default: mpi_fill_message (message, a->communicator, &a->receive); break;
    }
    /* the two sides may partition it differently */
    if (__builtin_expect (a->partitions > 0, 0)) {
        message->count *= a->partitions;
        message->bytes *= (uint64_t) a->partitions;
        message->signature = message->is_dense = 0;
    }
    if (a->kind == PDDT_QUEUE_SENDRECV ? mpi_is_wild (&a->thread->second)
        : a->how == MPI_HOW_RECV       ? mpi_is_wild (message)
                                       : a->is_matching) {
        mpi_lend_status (a);
    } else if (MPI_TRACED (mpi_trace_is_on)
               && (a->kind == PDDT_QUEUE_SENDRECV || a->how == MPI_HOW_RECV
                   || (a->how == MPI_HOW_MRECV && !(a->flags & PDDT_QUEUE_NONBLOCKING)))) {
        mpi_lend_status (a); /* it says how much has come */
    }
}

static struct mpi_origin
get_origin (const struct pddt_queue_record *current)
{
    return (struct mpi_origin){ current->call, current->number, current->caller };
}

static void
trace_arrival (const struct mpi_arguments *a, const struct pddt_queue_message *message)
{
    if (MPI_TRACED (mpi_local.trace_now != 0)) {
        mpi_trace_received (message, mpi_get_status (a, 0));
    }
}

void
mpi_leave_message (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    switch (a->how) {
    case MPI_HOW_SEND:
        /* Counted only when the message is on its way, so that the receiver does not wait for
         * the recorder. Until then the record of the current call shows it. */
        mpi_note_sent (a->call, current->caller, &current->message);
        a->overlap = mpi_fast_overlap_in_call (&current->message, PDDT_QUEUE_SEND,
                                               current->caller);
        break;
    case MPI_HOW_RECV:
        a->overlap = mpi_fast_overlap_in_call (&current->message, PDDT_QUEUE_RECV,
                                               current->caller);
        mpi_note_received (&current->message, get_origin (current), mpi_get_status (a, 0), 0);
        trace_arrival (a, &current->message);
        break;
    case MPI_HOW_SENDRECV:
        mpi_note_sent (a->call, current->caller, &current->message);
        a->overlap = mpi_fast_overlap_in_call (&current->message, PDDT_QUEUE_SEND,
                                               current->caller);
        a->overlap = a->overlap != 0
                         ? a->overlap
                         : mpi_fast_overlap_in_call (&a->thread->second, PDDT_QUEUE_RECV,
                                                     current->caller);
        mpi_note_received (&a->thread->second, get_origin (current), mpi_get_status (a, 0), 0);
        trace_arrival (a, &a->thread->second);
        break;
    case MPI_HOW_MRECV:
        if (a->flags & PDDT_QUEUE_NONBLOCKING) {
            mpi_open_request (a, current);
        } else {
            mpi_note_received (&current->message, get_origin (current), mpi_get_status (a, 0),
                               1);
            trace_arrival (a, &current->message);
        }
        break;
    case MPI_HOW_PROBE:
    case MPI_HOW_IPROBE:
        if (a->is_matching && (a->flag == NULL || *(const int *) a->flag != 0)) {
            mpi_note_matched (a, &current->message);
        }
        break;
    default: /* ISEND, IRECV, ISENDRECV */
        if (a->how == MPI_HOW_ISEND && !(a->flags & PDDT_QUEUE_PERSISTENT)) {
            mpi_note_sent (a->call, current->caller, &current->message);
        }
        mpi_open_request (a, current);
        break;
    }
}
