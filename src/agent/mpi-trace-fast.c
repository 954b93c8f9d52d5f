/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of the calls that mpi-fast.h records. Those of one moment share one look at the clock. */
#include "agent/mpi-trace-private.h"

#define Q mpi_queue

void
mpi_trace_fast_enter (const struct pddt_queue_record *record)
{
    mpi_local.is_traced = 1;
    mpi_local.trace_entered = trace_now ();
    trace_put_at (mpi_local.trace_entered, PDDT_TRACE_ENTER,
                  mpi_trace_find_region (record->call), mpi_trace_find_place (record->caller));
}

void
mpi_trace_fast_message (struct pddt_queue_record *record, struct pddt_queue_communicator *entry,
                        uint32_t kind, uint32_t flags)
{
    uint32_t region = mpi_trace_find_region (record->call),
             communicator = mpi_trace_find_communicator (entry);
    uint16_t place = mpi_trace_find_place (record->caller);
    int is_nonblocking = (flags & PDDT_QUEUE_NONBLOCKING) != 0;
    struct pddt_trace_event *event;
    uint8_t which;

    mpi_local.is_traced = 1;
    record->unused = communicator;
    if (kind == PDDT_QUEUE_RECV && !is_nonblocking) {
        mpi_local.trace_entered = trace_now ();
        trace_put_at (mpi_local.trace_entered, PDDT_TRACE_ENTER, region, place);
        return;
    }
    which = kind == PDDT_QUEUE_RECV ? PDDT_TRACE_IRECV_REQUEST
            : is_nonblocking        ? PDDT_TRACE_ISEND
                                    : PDDT_TRACE_SEND;
    event = trace_reserve (1 + mpi_trace_count_slots (which));
    if (event != NULL) {
        uint64_t now = trace_now ();
        struct pddt_trace_message message = mpi_trace_make_message (&record->message);

        mpi_local.trace_entered = now;
        trace_fill (event, now, PDDT_TRACE_ENTER, region, place, 0);
        mpi_trace_fill (event + 1, now, which, communicator, &message,
                        mpi_trace_make_request (record->number, 0));
        trace_commit (1 + mpi_trace_count_slots (which));
    }
}

void
mpi_trace_fast_leave (const struct pddt_queue_record *record)
{
    uint64_t now = trace_now ();

    mpi_local.is_traced = 0;
    trace_put_at (now, PDDT_TRACE_LEAVE, mpi_trace_find_region (record->call),
                  mpi_trace_find_line (now));
}

/* A message event, and the Leave of the call at the same time. */
static inline void
put_and_leave (uint32_t call, uint8_t kind, uint32_t communicator,
               const struct pddt_trace_message *message, uint64_t number)
{
    uint32_t region = mpi_trace_find_region (call);
    unsigned n_slots = mpi_trace_count_slots (kind);
    uint64_t now = trace_now ();
    uint16_t line
        = mpi_trace_find_line (now); /* may define one, before there is a place for the event */
    struct pddt_trace_event *event = trace_reserve (n_slots + 1);

    mpi_local.is_traced = 0;
    if (event != NULL) {
        mpi_trace_fill (event, now, kind, communicator, message, number);
        trace_fill (event + n_slots, now, PDDT_TRACE_LEAVE, region, line, 0);
        trace_commit (n_slots + 1);
    }
}

void
mpi_trace_fast_received (const struct pddt_queue_record *record, const MPI_Status *status)
{
    struct pddt_trace_message out = mpi_trace_make_message (&record->message);

    mpi_trace_fill_received (&out, status);
    put_and_leave (record->call, PDDT_TRACE_RECV, (uint32_t) record->unused, &out, 0);
}

/* MPICH has one handle for all sends that it has copied. */
void
mpi_trace_fast_reopen (uint16_t index)
{
    if (Q.requests[index].state == PDDT_QUEUE_ACTIVE) {
        mpi_local.trace_now = trace_now ();
        mpi_trace_complete (index, NULL, 0);
        mpi_local.trace_now = 0;
    }
    Q.requests[index].trace = 0;
}

void
mpi_trace_fast_opened (const struct pddt_queue_record *record, uint16_t index, uint32_t kind)
{
    if (index != MPI_NO_INDEX) {
        Q.requests[index].trace = (uint32_t) record->unused;
    } else if (kind == PDDT_QUEUE_SEND) {
        put_and_leave (record->call, PDDT_TRACE_ISEND_COMPLETE, (uint32_t) record->unused, NULL,
                       mpi_trace_make_request (record->number, 0));
        return;
    }
    mpi_trace_fast_leave (record);
}

void
mpi_trace_fast_waited (const struct pddt_queue_record *record, uint16_t index,
                       const MPI_Status *status)
{
    const struct pddt_queue_request *entry = index != MPI_NO_INDEX ? &Q.requests[index] : NULL;
    struct pddt_trace_message out;

    if (entry == NULL || entry->trace == 0) {
        mpi_trace_fast_leave (record);
        return;
    }
    if (entry->kind == PDDT_QUEUE_RECV) {
        out = mpi_trace_make_message (&entry->message);
        mpi_trace_fill_received (&out, status);
        put_and_leave (record->call, PDDT_TRACE_IRECV, entry->trace, &out,
                       mpi_trace_get_request (index));
    } else {
        put_and_leave (record->call, PDDT_TRACE_ISEND_COMPLETE, entry->trace, NULL,
                       mpi_trace_get_request (index));
    }
}

void
mpi_trace_fast_collective (struct pddt_queue_record *record,
                           struct pddt_queue_communicator *entry)
{
    uint8_t kind = mpi_trace_get_kind (record->call);
    uint32_t region = mpi_trace_find_region (record->call),
             communicator = mpi_trace_find_communicator (entry);
    uint16_t place = mpi_trace_find_place (record->caller);
    struct pddt_trace_event *event = trace_reserve (2);

    mpi_local.is_traced = 1;
    record->unused = communicator;
    if (event != NULL) {
        uint64_t now = trace_now ();

        mpi_local.trace_entered = now;
        trace_fill (event, now, PDDT_TRACE_ENTER, region, place, 0);
        trace_fill (event + 1, now, PDDT_TRACE_COLLECTIVE_BEGIN, communicator, kind, 0);
        trace_commit (2);
    }
}

/* One of MPI_Barrier, MPI_Bcast, MPI_Reduce and MPI_Allreduce. */
static void
put_fast_end (const struct pddt_queue_record *record,
              const struct pddt_queue_communicator *entry)
{
    uint8_t kind = mpi_trace_get_kind (record->call);
    int32_t root = record->message.peer;
    uint64_t bytes = record->message.bytes;
    int is_root = root < 0 || entry == NULL || root == entry->rank;
    struct pddt_trace_collective data = { root >= 0 ? (uint32_t) root : PDDT_TRACE_UNKNOWN,
                                          (uint32_t) record->collective, bytes, bytes, 0 };

    if (kind == PDDT_TRACE_BCAST) {
        data.sent = is_root ? bytes : 0;
        data.received = is_root ? 0 : bytes;
    } else if (kind == PDDT_TRACE_REDUCE) {
        data.received = is_root ? bytes : 0;
    }
    mpi_trace_put_collective (mpi_local.trace_now, PDDT_TRACE_COLLECTIVE_END,
                              (uint32_t) record->unused, kind, &data);
}

void
mpi_trace_fast_collected (const struct pddt_queue_record *record,
                          const struct pddt_queue_communicator *entry)
{
    mpi_local.trace_now = trace_now ();
    if (record->unused != 0) {
        put_fast_end (record, entry);
    }
    trace_put_at (mpi_local.trace_now, PDDT_TRACE_LEAVE, mpi_trace_find_region (record->call),
                  0);
    mpi_local.trace_now = 0;
    mpi_local.is_traced = 0;
}
