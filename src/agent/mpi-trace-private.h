/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files mpi-trace*.c share: definitions by what they stand for, and events. */
#pragma once
#include "agent/mpi-fast.h"
#include "agent/mpi-trace.h"
#include "agent/trace-ask.h"

enum { MPI_TRACE_CALLS = 512, MPI_TRACE_PLACES = 8192, MPI_TRACE_NO_KIND = 0xff };

/* ---- mpi-trace-define.c ---- */
/* by call: its definition; 0: none yet */
extern uint32_t mpi_trace_regions[MPI_TRACE_CALLS];
/* by hash: where calls stand in the program; caller 0: an empty place */
struct mpi_trace_place {
    uint64_t caller;
    uint32_t id; /* 0: nobody knows its module */
};
extern struct mpi_trace_place mpi_trace_places[MPI_TRACE_PLACES];
uint32_t mpi_trace_define_region (uint32_t call);
uint32_t mpi_trace_define_communicator (struct pddt_queue_communicator *entry);
/* Enters the caller there, unless somebody else does so just now. Returns its id; 0: it has none. */
uint32_t mpi_trace_add_place (unsigned at, uint64_t caller);

static inline uint32_t
mpi_trace_find_region (uint32_t call)
{
    uint32_t id = __atomic_load_n (&mpi_trace_regions[call % MPI_TRACE_CALLS],
                                   __ATOMIC_RELAXED);

    return __builtin_expect (id != 0, 1) ? id
                                         : mpi_trace_define_region (call % MPI_TRACE_CALLS);
}

/* 0: there is none, or no room. */
static inline uint32_t
mpi_trace_find_communicator (struct pddt_queue_communicator *entry)
{
    if (__builtin_expect (entry == NULL, 0)) {
        return 0;
    }
    return __builtin_expect (entry->trace != 0, 1) ? entry->trace
                                                   : mpi_trace_define_communicator (entry);
}

/* For `extra` of Enter; 0: none. */
static inline uint16_t
mpi_trace_find_place (uint64_t caller)
{
    unsigned at = mpi_fast_hash (caller) % MPI_TRACE_PLACES;

    for (int i = 0; i < 8; i++, at = (at + 1) % MPI_TRACE_PLACES) {
        uint64_t known = __atomic_load_n (&mpi_trace_places[at].caller, __ATOMIC_ACQUIRE);

        if (__builtin_expect (known == caller, 1)) {
            return (uint16_t) (mpi_trace_places[at].id << PDDT_TRACE_PLACE_SHIFT);
        }
        if (known == 0) {
            return (uint16_t) (mpi_trace_add_place (at, caller) << PDDT_TRACE_PLACE_SHIFT);
        }
    }
    return 0;
}

/* ---- lines ---- */
enum { MPI_TRACE_LONG_NS = 200000 };
/* The line of Python code whose call returns now, if the call has taken so long, or came so long after the one before, that
 * asking costs nothing: those are the calls that wait for others, or that others wait for. */
static inline uint16_t
mpi_trace_find_line (uint64_t now)
{
    uint64_t entered = mpi_local.trace_entered, left = mpi_local.trace_left;

    mpi_local.trace_left = now;
    return __builtin_expect (now - entered >= MPI_TRACE_LONG_NS
                                 || entered - left >= MPI_TRACE_LONG_NS,
                             0)
               ? trace_ask_line ()
               : 0;
}

/* ---- mpi-trace-collective.c ---- */
uint64_t mpi_trace_get_bytes (const struct mpi_side *side);
/* enum pddt_trace_collective_kind of an operation on data, or a barrier; of any other call OTHER_COLLECTIVE. */
uint8_t mpi_trace_get_kind (uint32_t call);
/* NO_KIND: the call is none that OTF2 knows as a collective one. */
uint8_t mpi_trace_find_collective (const struct mpi_arguments *a,
                                   const struct pddt_queue_record *current);
/* The root and the bytes of this member's own part. */
void mpi_trace_describe (const struct mpi_arguments *a,
                         const struct pddt_queue_communicator *entry, uint8_t kind,
                         struct pddt_trace_collective *data);

/* ---- mpi-trace-windows.c ---- */
/* Between Enter and Leave of a call about a window, which is no collective one. */
void mpi_trace_enter_window (const struct mpi_arguments *a, uint64_t now);
void mpi_trace_leave_window (const struct mpi_arguments *a, uint64_t now);

/* ---- events ---- */

/* How a kind of event about a message is laid out. */
static inline int
mpi_trace_has_message (uint8_t kind)
{
    return kind == PDDT_TRACE_SEND || kind == PDDT_TRACE_RECV || kind == PDDT_TRACE_ISEND
           || kind == PDDT_TRACE_IRECV;
}

static inline int
mpi_trace_has_request (uint8_t kind)
{
    return kind != PDDT_TRACE_SEND && kind != PDDT_TRACE_RECV;
}

/* With its own. */
static inline unsigned
mpi_trace_count_slots (uint8_t kind)
{
    return 1u + (unsigned) mpi_trace_has_message (kind)
           + (unsigned) mpi_trace_has_request (kind);
}

static inline void
mpi_trace_fill (struct pddt_trace_event *event, uint64_t time, uint8_t kind,
                uint32_t communicator, const struct pddt_trace_message *message,
                uint64_t number)
{
    const struct pddt_trace_request request = { number, 0 };

    trace_fill (event, time, kind, communicator, 0,
                (uint8_t) (mpi_trace_count_slots (kind) - 1));
    if (mpi_trace_has_message (kind)) {
        memcpy (event + 1, message, sizeof *message);
    }
    if (mpi_trace_has_request (kind)) {
        memcpy (event + 1 + mpi_trace_has_message (kind), &request, sizeof request);
    }
}

/* number: of the request, where the kind has one. */
static inline void
mpi_trace_put_message (uint64_t time, uint8_t kind, uint32_t communicator,
                       const struct pddt_trace_message *message, uint64_t number)
{
    struct pddt_trace_event *event = trace_reserve (mpi_trace_count_slots (kind));

    if (event != NULL) {
        mpi_trace_fill (event, time, kind, communicator, message, number);
        trace_commit (mpi_trace_count_slots (kind));
    }
}

static inline void
mpi_trace_put_collective (uint64_t time, uint8_t kind, uint32_t communicator, uint16_t which,
                          const struct pddt_trace_collective *data)
{
    struct pddt_trace_event *event = trace_reserve (3);

    if (event != NULL) {
        trace_fill (event, time, kind, communicator, which, 2);
        memcpy (event + 1, data, sizeof *data);
        trace_commit (3);
    }
}

static inline uint64_t
mpi_trace_get_status_bytes (const MPI_Status *status)
{
#ifdef OPEN_MPI
    return status->_ucount;
#else
    return (uint64_t) (uint32_t) status->count_lo
           | (uint64_t) ((uint32_t) status->count_hi_and_cancelled >> 1) << 32;
#endif
}

/* Unique from the call that begins the request to the one that completes it. */
static inline uint64_t
mpi_trace_make_request (uint64_t number, uint32_t which)
{
    return number << 13 | which;
}

static inline uint64_t
mpi_trace_get_request (uint16_t index)
{
    const struct pddt_queue_request *entry = &mpi_queue.requests[index];

    return mpi_trace_make_request (entry->number,
                                   entry->flags & PDDT_QUEUE_PERSISTENT ? index + 1u : 0);
}

static inline struct pddt_trace_message
mpi_trace_make_message (const struct pddt_queue_message *message)
{
    return (struct pddt_trace_message){ message->peer, message->tag, message->bytes };
}

/* What has arrived, which may be less than there was room for. FALSE: nobody knows what. */
static inline int
mpi_trace_fill_received (struct pddt_trace_message *out, const MPI_Status *status)
{
    if (status != NULL) {
        out->peer = status->MPI_SOURCE;
        out->tag = status->MPI_TAG;
        out->bytes = mpi_trace_get_status_bytes (status);
    }
    return out->peer >= 0;
}
