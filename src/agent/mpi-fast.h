/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fast path for the most frequent calls: records the same as mpi-recorder.c, for a thread
 * outside MPI that is alone in it and whose communicator and datatype are known by handle.
 * Otherwise each function returns NULL before the call without recording anything, and the slow
 * path follows. To keep latency low, a send is counted after MPI has it, and a receive's record
 * takes one or two cache lines. */
#pragma once
#include "agent/mpi-recorder.h"
#include "agent/mpi-trace.h"
#include <string.h>

#define MPI_FAST static inline __attribute__ ((always_inline))
#define MPI_LIKELY(x) __builtin_expect (!!(x), 1)

MPI_FAST unsigned
mpi_fast_hash (uint64_t handle)
{
    return (unsigned) ((handle * 0x9e3779b97f4a7c15ull) >> 48); /* 16 bits: MPI_PLACES */
}

MPI_FAST struct pddt_queue_record *
mpi_fast_record (struct pddt_queue_thread *thread)
{
    return &thread->records[thread->completed % PDDT_QUEUE_RECENT];
}

MPI_FAST void
mpi_fast_open (struct pddt_queue_thread *thread)
{
    __atomic_store_n (&thread->sequence, thread->sequence + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence (__ATOMIC_RELEASE);
}

MPI_FAST void
mpi_fast_close (struct pddt_queue_thread *thread)
{
    __atomic_store_n (&thread->sequence, thread->sequence + 1, __ATOMIC_RELEASE);
}

MPI_FAST int
mpi_fast_is_outside (const struct pddt_queue_thread *thread)
{
    return thread != NULL && thread->inside == 0;
}

MPI_FAST struct pddt_queue_record *
mpi_fast_begin (struct pddt_queue_thread *thread, uint32_t call, void *caller, void *frame)
{
    struct pddt_queue_record *record = mpi_fast_record (thread);

    mpi_fast_open (thread);
    thread->frame = (uintptr_t) frame;
    record->call = call;
    record->caller = (uint64_t) (uintptr_t) caller;
    record->number = ++mpi_queue.n_begun;
    record->collective = 0;
    thread->inside = call;
    thread->n_waits = 0;
    return record;
}

MPI_FAST void
mpi_fast_fill (struct pddt_queue_message *message, uint64_t communicator, const void *buffer,
               long count, const struct mpi_type *type, int peer, int tag)
{
    message->communicator = communicator;
    message->buffer = (uint64_t) (uintptr_t) buffer;
    message->count = count;
    message->bytes = (uint64_t) count * (uint64_t) type->size;
    message->peer = peer;
    message->tag = tag;
    message->type = type->index;
    message->reduction = 0;
    message->signature = message->bytes != 0 ? type->signature : 0;
    message->is_dense = type->is_dense;
}

/* The communicator of a call; NULL: the handle is not in the table of recent ones. */
MPI_FAST struct pddt_queue_communicator *
mpi_fast_comm (MPI_Comm comm)
{
    struct pddt_queue_communicator *entry
        = mpi_recent_comms[mpi_fast_hash ((uint64_t) (uintptr_t) comm) % MPI_RECENT_COMMS];

    return MPI_LIKELY (entry != NULL && entry->handle == (uint64_t) (uintptr_t) comm) ? entry
                                                                                      : NULL;
}

MPI_FAST const struct mpi_type *
mpi_fast_type (MPI_Datatype type)
{
    const struct mpi_type *known
        = &mpi_types[mpi_fast_hash ((uint64_t) (uintptr_t) type) % MPI_TYPES];

    return MPI_LIKELY (known->type == type && known->index != 0) ? known : NULL;
}

/* Mixes everything in which the members must agree, in order, into one number. */
MPI_FAST void
mpi_fast_chain (struct pddt_queue_communicator *entry, struct pddt_queue_collective *collective)
{
    uint64_t bytes = collective->flags & PDDT_QUEUE_V_FORM ? 0 : collective->bytes;
    uint64_t key = collective->call + ((uint64_t) collective->reduction << 16)
                   + ((uint64_t) (uint32_t) collective->root << 32);

    if (entry->flags & PDDT_QUEUE_INTER) { /* roots differ by side */
        key = collective->call;
    }
    entry->chain = (entry->chain ^ key ^ (bytes << 7)) * 0x9e3779b97f4a7c15ull
                   + collective->number;
    collective->chain = entry->chain;
}

/* ---- buffers of unfinished requests ---- */

MPI_FAST unsigned
mpi_fast_hits (const struct mpi_lanes *lanes, uint64_t begin, uint64_t end)
{
    unsigned hit = 0;

    if (MPI_LIKELY (lanes->n_open == 0 || begin >= lanes->high || end <= lanes->low)) {
        return 0;
    }
    for (unsigned i = 0; i < MPI_LANES; i++) {
        hit |= (unsigned) ((begin < lanes->end[i]) & (end > lanes->begin[i]));
    }
    return hit;
}

/* A receive must not write where another unfinished request reads or writes. Compares the
 * buffer with those of the latest requests always, and with those of all requests the first few
 * times that a line begins one. */
MPI_FAST uint32_t
mpi_fast_overlap (struct pddt_queue_request *entry)
{
    const struct pddt_queue_message *message = &entry->message;
    int is_receive = entry->kind == PDDT_QUEUE_RECV;
    uint64_t begin = message->buffer, end = begin + message->bytes;
    struct mpi_lanes *own = &mpi_lanes[is_receive];
    unsigned hit, site = (unsigned) (entry->caller ^ entry->caller >> 8) % MPI_SITES;

    if (!message->is_dense || begin == 0 || begin == end) {
        return 0;
    }
    hit = mpi_fast_hits (&mpi_lanes[1], begin, end);
    hit |= is_receive ? mpi_fast_hits (&mpi_lanes[0], begin, end) : 0;
    entry->lane = own->next++ % MPI_LANES;
    own->low = own->n_open == 0 || begin < own->low ? begin : own->low;
    own->high = own->n_open == 0 || end > own->high ? end : own->high;
    own->n_open += own->end[entry->lane] == 0;
    own->begin[entry->lane] = begin;
    own->end[entry->lane] = end;
    own->request[entry->lane] = (uint16_t) (entry - mpi_queue.requests);
    return MPI_LIKELY (!hit && mpi_sites[site] >= MPI_SITE_LOOKS)
               ? 0
               : mpi_find_overlap ((uint16_t) (entry - mpi_queue.requests));
}

MPI_FAST void
mpi_fast_leave_lane (const struct pddt_queue_request *entry)
{
    struct mpi_lanes *own = &mpi_lanes[entry->kind == PDDT_QUEUE_RECV];
    unsigned lane = entry->lane % MPI_LANES;

    if (own->request[lane] == (uint16_t) (entry - mpi_queue.requests) && own->end[lane] != 0) {
        own->end[lane] = 0;
        own->n_open--;
    }
}

/* For a call without a request, or with one that is complete at once. */
MPI_FAST uint32_t
mpi_fast_overlap_in_call (const struct pddt_queue_message *message, uint32_t kind,
                          uint64_t caller)
{
    uint64_t begin = message->buffer, end = begin + message->bytes;

    unsigned hit = mpi_fast_hits (&mpi_lanes[1], begin, end);

    hit |= kind == PDDT_QUEUE_RECV ? mpi_fast_hits (&mpi_lanes[0], begin, end) : 0;
    return MPI_LIKELY (!hit) ? 0 : mpi_find_overlap_of (message, kind, caller);
}

/* ---- counters ---- */

MPI_FAST void
mpi_fast_add_sent (struct pddt_queue_thread *thread, const struct pddt_queue_message *message)
{
    thread->traffic.n_sent++;
    thread->traffic.bytes_sent += message->bytes;
}

MPI_FAST void
mpi_fast_add_collective (struct pddt_queue_thread *thread, uint64_t bytes)
{
    thread->traffic.n_collectives++;
    thread->traffic.bytes_collectives += bytes;
}

/* ---- sends and receives ---- */

MPI_FAST struct pddt_queue_thread *
mpi_fast_message (uint32_t call, void *caller, void *frame, uint32_t kind, uint32_t flags,
                  const void *buffer, long count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm)
{
    struct pddt_queue_thread *thread = mpi_local.fast;
    struct pddt_queue_communicator *entry = mpi_fast_comm (comm);
    const struct mpi_type *known = mpi_fast_type (type);
    struct pddt_queue_record *record;

    if (!MPI_LIKELY (mpi_fast_is_outside (thread) && entry != NULL && known != NULL && peer >= 0
                     && tag >= 0 && count >= 0)) {
        return NULL;
    }
    record = mpi_fast_begin (thread, call, caller, frame);
    mpi_fast_fill (&record->message, entry->id, buffer, count, known, peer, tag);
    mpi_fast_close (thread);
    if (MPI_TRACED (mpi_trace_is_on)) {
        mpi_trace_fast_message (record, entry, kind, flags);
    }
    return thread;
}

/* Can a message's first bytes be read from there? Only memory that the process keeps counts, because another mapping may
 * vanish, or become a device's, unseen by the recorder. What stands behind a short message may be protected. */
MPI_FAST int
mpi_fast_is_own (uintptr_t from, size_t size)
{
    uintptr_t end = from + size, here = (uintptr_t) __builtin_frame_address (0);

    return (from >= mpi_own.data_low && end <= mpi_own.data_high)
           || (from >= mpi_own.heap_low && end <= (uintptr_t) __curbrk && end > from)
           || (here >= mpi_own.stack_low && from >= here && end <= mpi_own.stack_high);
}

MPI_FAST void
mpi_fast_count_sent (const struct pddt_queue_record *record)
{
    const struct pddt_queue_message *message = &record->message;
    struct pddt_queue_flow *flow = mpi_last_flows[0];
    const uint8_t *from = (const uint8_t *) (uintptr_t) message->buffer;
    size_t n_first = message->bytes < PDDT_QUEUE_FIRST ? message->bytes : PDDT_QUEUE_FIRST;
    struct pddt_queue_sent *sent;

    if (!MPI_LIKELY (flow != NULL && flow->communicator == message->communicator
                     && flow->peer == message->peer && flow->tag == message->tag
                     && flow->signature == message->signature && message->type != MPI_NO_INDEX
                     && mpi_fast_is_own ((uintptr_t) from, n_first))) {
        mpi_note_sent (record->call, record->caller, message);
        return;
    }
    sent = &mpi_queue.sent[mpi_queue.n_sent % PDDT_QUEUE_SENT];
    sent->call = record->call;
    sent->type = message->type;
    sent->n_first = (uint16_t) n_first;
    sent->caller = record->caller;
    sent->number = ++flow->n_messages;
    sent->bytes = message->bytes;
    sent->flow = (uint32_t) (flow - mpi_queue.flows);
    if (MPI_LIKELY (n_first == PDDT_QUEUE_FIRST)) {
        memcpy (sent->first, from, PDDT_QUEUE_FIRST);
    } else {
        memcpy (sent->first, from, n_first);
    }
    mpi_queue.n_sent++;
    mpi_fast_add_sent (mpi_local.thread, message);
}

MPI_FAST void
mpi_fast_count_received (const struct pddt_queue_message *message, uint32_t call,
                         uint64_t number, uint64_t caller)
{
    struct pddt_queue_flow *flow = mpi_last_flows[1];

    if (MPI_LIKELY (flow != NULL && flow->communicator == message->communicator
                    && flow->peer == message->peer && flow->tag == message->tag
                    && flow->signature == message->signature && flow->n_matched == 0)) {
        flow->n_messages++;
        flow->newest = number > flow->newest ? number : flow->newest;
        mpi_local.thread->traffic.n_received++;
    } else {
        mpi_note_received (message, (struct mpi_origin){ call, number, caller }, NULL, 0);
    }
}

MPI_FAST int
mpi_fast_end (struct pddt_queue_thread *thread, struct pddt_queue_record *record)
{
    record->result = 0;
    thread->completed++;
    thread->inside = 0;
    mpi_fast_close (thread);
    mpi_local.last_call = 0;
    return 0;
}

MPI_FAST int
mpi_fast_sent (struct pddt_queue_thread *thread, int result)
{
    struct pddt_queue_record *record = mpi_fast_record (thread);
    uint32_t overlap;

    if (!MPI_LIKELY (result == MPI_SUCCESS)) {
        return mpi_leave_failed (thread, result);
    }
    if (MPI_TRACED (mpi_local.is_traced)) {
        mpi_trace_fast_leave (record);
    }
    mpi_fast_open (thread);
    mpi_fast_count_sent (record);
    overlap = mpi_fast_overlap_in_call (&record->message, PDDT_QUEUE_SEND, record->caller);
    mpi_fast_end (thread, record);
    if (!MPI_LIKELY (overlap == 0)) {
        mpi_say_overlap (overlap);
    }
    return 0;
}

MPI_FAST int
mpi_fast_received (struct pddt_queue_thread *thread, int result, const MPI_Status *status)
{
    struct pddt_queue_record *record = mpi_fast_record (thread);
    uint32_t overlap;

    if (!MPI_LIKELY (result == MPI_SUCCESS)) {
        return mpi_leave_failed (thread, result);
    }
    if (MPI_TRACED (mpi_local.is_traced)) {
        mpi_trace_fast_received (record, status);
    }
    mpi_fast_open (thread);
    mpi_fast_count_received (&record->message, record->call, record->number, record->caller);
    overlap = mpi_fast_overlap_in_call (&record->message, PDDT_QUEUE_RECV, record->caller);
    mpi_fast_end (thread, record);
    if (!MPI_LIKELY (overlap == 0)) {
        mpi_say_overlap (overlap);
    }
    return 0;
}

/* ---- their nonblocking forms ---- */

MPI_FAST int
mpi_fast_opened (struct pddt_queue_thread *thread, int result, uint32_t kind, uint32_t flags,
                 const MPI_Request *request)
{
    struct pddt_queue_record *record = mpi_fast_record (thread);
    uint32_t overlap = 0;
    uint64_t handle;
    unsigned place;
    uint16_t index = MPI_NO_INDEX;

    if (!MPI_LIKELY (result == MPI_SUCCESS)) {
        return mpi_leave_failed (thread, result);
    }
    handle = (uint64_t) (uintptr_t) *request;
    place = mpi_fast_hash (handle);
    mpi_fast_open (thread);
    if (kind == PDDT_QUEUE_SEND) {
        mpi_fast_count_sent (record);
    }
    if (!mpi_is_idle_request (*request)) {
        index = (uint16_t) (mpi_request_places[place] - 1);
        if (!MPI_LIKELY (index != MPI_NO_INDEX && mpi_queue.requests[index].handle == handle)) {
            index = mpi_request_add (handle);
        }
        if (MPI_LIKELY (index != MPI_NO_INDEX)) {
            struct pddt_queue_request *entry = &mpi_queue.requests[index];

            if (MPI_TRACED (mpi_local.is_traced)) {
                mpi_trace_fast_reopen (index);
            }
            entry->state = PDDT_QUEUE_ACTIVE;
            entry->call = record->call;
            entry->caller = record->caller;
            entry->number = record->number;
            entry->collective = 0;
            entry->kind = kind;
            entry->flags = flags;
            entry->message = record->message;
            entry->extra = kind == PDDT_QUEUE_SEND ? mpi_get_sent_number () : 0;
            overlap = mpi_fast_overlap (entry);
        }
    } else {
        overlap = mpi_fast_overlap_in_call (&record->message, kind, record->caller);
    }
    if (MPI_TRACED (mpi_local.is_traced)) {
        mpi_trace_fast_opened (record, index, kind);
    }
    mpi_fast_end (thread, record);
    if (!MPI_LIKELY (overlap == 0)) {
        mpi_say_overlap (overlap);
    }
    return 0;
}

MPI_FAST struct pddt_queue_thread *
mpi_fast_wait (uint32_t call, void *caller, void *frame, const MPI_Request *request)
{
    struct pddt_queue_thread *thread = mpi_local.fast;
    struct pddt_queue_record *record;
    uint64_t handle;
    uint16_t index;
    int is_idle;

    if (!MPI_LIKELY (mpi_fast_is_outside (thread) && request != NULL)) {
        return NULL;
    }
    handle = (uint64_t) (uintptr_t) *request;
    index = (uint16_t) (mpi_request_places[mpi_fast_hash (handle)] - 1);
    is_idle = mpi_is_idle_request (*request);
    if (!is_idle) {
        const struct pddt_queue_request *entry = &mpi_queue.requests[index];

        if (!MPI_LIKELY (index != MPI_NO_INDEX && entry->handle == handle
                         && entry->state == PDDT_QUEUE_ACTIVE && entry->collective == 0
                         && (entry->flags & ~(uint32_t) PDDT_QUEUE_SYNCHRONOUS)
                                == PDDT_QUEUE_NONBLOCKING
                         && entry->message.peer >= 0 && entry->message.tag >= 0)) {
            return NULL;
        }
    }
    record = mpi_fast_begin (thread, call, caller, frame);
    mpi_clear_message (&record->message);
    thread->waits[0] = is_idle ? MPI_NO_INDEX : index;
    thread->n_waits = !is_idle;
    mpi_fast_close (thread);
    if (MPI_TRACED (mpi_trace_is_on)) {
        mpi_trace_fast_enter (record);
    }
    return thread;
}

MPI_FAST int
mpi_fast_waited (struct pddt_queue_thread *thread, int result, const MPI_Status *status)
{
    struct pddt_queue_record *record = mpi_fast_record (thread);

    if (!MPI_LIKELY (result == MPI_SUCCESS)) {
        return mpi_leave_failed (thread, result);
    }
    if (MPI_TRACED (mpi_local.is_traced)) {
        mpi_trace_fast_waited (record, thread->n_waits != 0 ? thread->waits[0] : MPI_NO_INDEX,
                               status);
    }
    mpi_fast_open (thread);
    if (thread->n_waits != 0) {
        struct pddt_queue_request *entry = &mpi_queue.requests[thread->waits[0]];

        if (entry->kind == PDDT_QUEUE_RECV) {
            mpi_fast_count_received (&entry->message, entry->call, entry->number,
                                     entry->caller);
        }
        entry->state = PDDT_QUEUE_FREE;
        mpi_fast_leave_lane (entry);
    }
    return mpi_fast_end (thread, record);
}

/* ---- collectives in which all members pass the same arguments ---- */

/* peer: the root, or NONE. For a barrier, count is 0 and type is the null type. */
MPI_FAST struct pddt_queue_thread *
mpi_fast_collective (uint32_t call, void *caller, void *frame, uint32_t flags, long count,
                     MPI_Datatype type, int has_type, int root, MPI_Op op, int has_op,
                     MPI_Comm comm)
{
    static const struct mpi_type none;
    struct pddt_queue_thread *thread = mpi_local.fast;
    struct pddt_queue_communicator *entry = mpi_fast_comm (comm);
    const struct mpi_type *known = has_type ? mpi_fast_type (type) : &none;
    struct pddt_queue_collective *collective;
    struct pddt_queue_record *record;

    if (!MPI_LIKELY (mpi_fast_is_outside (thread) && entry != NULL && known != NULL
                     && count >= 0 && (root >= 0 || root == PDDT_QUEUE_NONE)
                     && !(entry->flags & PDDT_QUEUE_INTER)
                     && (!has_op || op == mpi_known_op))) {
        return NULL;
    }
    record = mpi_fast_begin (thread, call, caller, frame);
    mpi_fast_fill (&record->message, entry->id, NULL, count, known, root, PDDT_QUEUE_TAG_NONE);
    record->message.type = 0;
    record->message.reduction = has_op ? mpi_known_op_index : 0;
    record->collective = ++entry->n_collectives;
    collective = &entry->collectives[entry->n_collectives % PDDT_QUEUE_COLLECTIVES];
    collective->call = call;
    collective->flags = flags;
    collective->number = entry->n_collectives;
    collective->caller = (uint64_t) (uintptr_t) caller;
    collective->bytes = record->message.bytes;
    collective->root = root;
    collective->reduction = record->message.reduction;
    collective->signature = record->message.signature;
    collective->other_signature = 0;
    mpi_fast_chain (entry, collective);
    mpi_fast_add_collective (thread, record->message.bytes);
    mpi_fast_close (thread);
    if (MPI_TRACED (mpi_trace_is_on)) {
        mpi_trace_fast_collective (record, entry);
    }
    return thread;
}

MPI_FAST int
mpi_fast_collected (struct pddt_queue_thread *thread, int result, MPI_Comm comm)
{
    struct pddt_queue_record *record = mpi_fast_record (thread);
    struct pddt_queue_communicator *entry = mpi_fast_comm (comm);

    if (!MPI_LIKELY (result == MPI_SUCCESS && entry != NULL)) {
        return mpi_leave_failed (thread, result);
    }
    if (MPI_TRACED (mpi_local.is_traced)) {
        mpi_trace_fast_collected (record, entry);
    }
    mpi_fast_open (thread);
    entry->collectives[record->collective % PDDT_QUEUE_COLLECTIVES].flags
        |= PDDT_QUEUE_FINISHED;
    return mpi_fast_end (thread, record);
}
