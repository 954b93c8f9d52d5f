/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of the calls that mpi-recorder.c records. A send is recorded when its call begins and a receive when its call
 * returns, so that no message arrives before it was sent. */
#include "agent/mpi-trace-private.h"
#include <unistd.h>

#define Q mpi_queue

static pid_t finalized_in; /* 0: MPI_Finalize has not returned yet */

/* of each open request of a collective */
static struct {
    struct pddt_trace_collective data;
    uint8_t kind;
} collectives[PDDT_QUEUE_REQUESTS];
/* of the collective whose call is under way */
static _Thread_local struct pddt_trace_collective current_data
    __attribute__ ((tls_model ("initial-exec")));

/* ---- before a call ---- */

static void
enter_collective (struct mpi_arguments *a, const struct pddt_queue_record *current,
                  uint64_t now)
{
    uint8_t kind = mpi_trace_find_collective (a, current);
    struct pddt_queue_communicator *entry = a->how == MPI_HOW_CREATE_GROUP ? a->made
                                                                           : a->communicator;
    uint32_t communicator;

    if (kind == MPI_TRACE_NO_KIND || kind == PDDT_TRACE_OTHER_COLLECTIVE || entry == NULL) {
        return;
    }
    communicator = mpi_trace_find_communicator (entry);
    mpi_trace_describe (a, entry, kind, &current_data);
    current_data.number = a->how != MPI_HOW_CREATE_GROUP ? (uint32_t) current->collective : 0;
    a->trace_kind = kind;
    a->trace_communicator = communicator;
    if (a->flags & PDDT_QUEUE_PERSISTENT) {
        return;
    }
    if (a->flags & PDDT_QUEUE_NONBLOCKING) {
        current_data.request = mpi_trace_make_request (current->number, 0);
        mpi_trace_put_collective (now, PDDT_TRACE_COLLECTIVE_REQUEST, communicator, kind,
                                  &current_data);
    } else {
        trace_put_at (now, PDDT_TRACE_COLLECTIVE_BEGIN, communicator, kind);
    }
}

static void
enter_message (const struct mpi_arguments *a, const struct pddt_queue_record *current,
               uint64_t now)
{
    int is_nonblocking = (a->flags & PDDT_QUEUE_NONBLOCKING) != 0;
    struct pddt_trace_message message = mpi_trace_make_message (&current->message);
    uint64_t request = mpi_trace_make_request (current->number, 0);
    uint32_t communicator = mpi_trace_find_communicator (a->communicator);

    if (communicator == 0 || (a->flags & PDDT_QUEUE_PERSISTENT)) {
        return;
    }
    if (a->how == MPI_HOW_ISENDRECV) {
        message.peer = mpi_map_peer (a->send.peer);
        message.tag = a->send.tag;
        message.bytes = mpi_trace_get_bytes (&a->send);
        if (message.peer >= 0) {
            mpi_trace_put_message (now, PDDT_TRACE_SEND, communicator, &message, 0);
        }
        message = mpi_trace_make_message (&current->message);
    }
    if (message.peer == PDDT_QUEUE_NONE) {
        return;
    }
    if (a->how == MPI_HOW_SEND || a->how == MPI_HOW_SENDRECV) {
        mpi_trace_put_message (now, PDDT_TRACE_SEND, communicator, &message, 0);
    } else if (a->how == MPI_HOW_ISEND) {
        mpi_trace_put_message (now, PDDT_TRACE_ISEND, communicator, &message, request);
    } else if (is_nonblocking) {
        mpi_trace_put_message (now, PDDT_TRACE_IRECV_REQUEST, communicator, &message, request);
    }
}

static struct pddt_queue_communicator *
find_by_id (uint64_t id)
{
    return id != MPI_UNKNOWN_ID ? mpi_find_id (id) : NULL;
}

void
mpi_trace_enter (struct mpi_arguments *a, const struct pddt_queue_record *current)
{
    uint64_t now = trace_now ();

    a->is_traced = 1;
    mpi_local.trace_entered = now;
    trace_put_at (now, PDDT_TRACE_ENTER, mpi_trace_find_region (a->call),
                  mpi_trace_find_place (current->caller));
    switch (a->how) {
    case MPI_HOW_MRECV:
        a->communicator = find_by_id (current->message.communicator);
        enter_message (a, current, now);
        break;
    case MPI_HOW_SEND:
    case MPI_HOW_SENDRECV:
    case MPI_HOW_ISEND:
    case MPI_HOW_IRECV:
    case MPI_HOW_ISENDRECV: enter_message (a, current, now); break;
    case MPI_HOW_WINDOW:
        mpi_trace_enter_window (a, now);
        enter_collective (a, current, now);
        break;
    default: enter_collective (a, current, now); break;
    }
}

/* ---- after a call ---- */

void
mpi_trace_return (struct mpi_arguments *a)
{
    mpi_local.trace_now = a->is_traced ? trace_now () : 0;
}

void
mpi_trace_leave (struct mpi_arguments *a, const struct pddt_queue_record *current, int result)
{
    uint64_t now = mpi_local.trace_now;

    if (a->trace_communicator != 0 && !(a->flags & PDDT_QUEUE_NONBLOCKING)) {
        mpi_trace_put_collective (now, PDDT_TRACE_COLLECTIVE_END, a->trace_communicator,
                                  a->trace_kind, &current_data);
    }
    if (a->how == MPI_HOW_WINDOW) {
        mpi_trace_leave_window (a, now);
    }
    trace_put_at (now, PDDT_TRACE_LEAVE, mpi_trace_find_region (a->call),
                  a->how != MPI_HOW_INIT && a->how != MPI_HOW_FINALIZE
                      ? mpi_trace_find_line (now)
                      : 0);
    mpi_local.trace_now = 0;
    if (a->how == MPI_HOW_FINALIZE && result == MPI_SUCCESS) {
        trace_end ();
        finalized_in = getpid ();
    }
}

/* What the program does behind MPI_Finalize is its own, too. One that ends without that has not come to its end in order. */
__attribute__ ((destructor)) static void
end (void)
{
    if (finalized_in == getpid ()) {
        trace_exit ();
    }
}

void
mpi_trace_received (const struct pddt_queue_message *message, const MPI_Status *status)
{
    struct pddt_queue_communicator *entry = find_by_id (message->communicator);
    struct pddt_trace_message out = mpi_trace_make_message (message);

    if (message->peer != PDDT_QUEUE_NONE && entry != NULL
        && mpi_trace_fill_received (&out, status)) {
        mpi_trace_put_message (mpi_local.trace_now, PDDT_TRACE_RECV,
                               mpi_trace_find_communicator (entry), &out, 0);
    }
}

void
mpi_trace_opened (struct mpi_arguments *a, uint16_t index)
{
    struct pddt_queue_request *entry = &Q.requests[index];

    entry->trace = entry->kind == PDDT_QUEUE_COLLECTIVE
                       ? a->trace_communicator
                       : mpi_trace_find_communicator (a->communicator);
    if (entry->kind == PDDT_QUEUE_COLLECTIVE) {
        collectives[index].data = current_data;
        collectives[index].kind = a->trace_kind;
    }
}

void
mpi_trace_at_once (struct mpi_arguments *a, const struct pddt_queue_record *current)
{
    if (a->trace_communicator != 0) {
        mpi_trace_put_collective (mpi_local.trace_now, PDDT_TRACE_COLLECTIVE_COMPLETE,
                                  a->trace_communicator, a->trace_kind, &current_data);
    } else if (a->kind == PDDT_QUEUE_SEND && current->message.peer >= 0
               && a->communicator != NULL) {
        mpi_trace_put_message (mpi_local.trace_now, PDDT_TRACE_ISEND_COMPLETE,
                               mpi_trace_find_communicator (a->communicator), NULL,
                               mpi_trace_make_request (current->number, 0));
    }
}

void
mpi_trace_complete (uint16_t index, const MPI_Status *status, int is_cancelled)
{
    const struct pddt_queue_request *entry = &Q.requests[index];
    struct pddt_trace_message out = mpi_trace_make_message (&entry->message);
    uint64_t request = mpi_trace_get_request (index);

    if (entry->trace == 0) {
        return; /* its beginning was not traced */
    }
    if (entry->kind == PDDT_QUEUE_COLLECTIVE) {
        collectives[index].data.request = request;
        mpi_trace_put_collective (mpi_local.trace_now, PDDT_TRACE_COLLECTIVE_COMPLETE,
                                  entry->trace, collectives[index].kind,
                                  &collectives[index].data);
    } else if (out.peer == PDDT_QUEUE_NONE) {
        return;
    } else if (is_cancelled) {
        mpi_trace_put_message (mpi_local.trace_now, PDDT_TRACE_REQUEST_CANCELLED, entry->trace,
                               &out, request);
    } else if (entry->kind == PDDT_QUEUE_SEND) {
        mpi_trace_put_message (mpi_local.trace_now, PDDT_TRACE_ISEND_COMPLETE, entry->trace,
                               &out, request);
    } else if (entry->kind == PDDT_QUEUE_RECV && mpi_trace_fill_received (&out, status)) {
        mpi_trace_put_message (mpi_local.trace_now, PDDT_TRACE_IRECV, entry->trace, &out,
                               request);
    }
}

/* The call that starts it is under way, and its Enter is not recorded yet. */
void
mpi_trace_started (uint16_t index)
{
    struct pddt_queue_request *entry = &Q.requests[index];
    struct pddt_trace_message out = mpi_trace_make_message (&entry->message);
    uint64_t request = mpi_trace_get_request (index);

    if (entry->trace == 0
        && entry->kind != PDDT_QUEUE_COLLECTIVE) { /* made while nothing was recorded */
        entry->trace = mpi_trace_find_communicator (find_by_id (entry->message.communicator));
    }
    if (entry->trace == 0) {
        return;
    }
    if (entry->kind == PDDT_QUEUE_COLLECTIVE) {
        collectives[index].data.request = request;
        collectives[index].data.number = (uint32_t) entry->collective;
        mpi_trace_put_collective (trace_now (), PDDT_TRACE_COLLECTIVE_REQUEST, entry->trace,
                                  collectives[index].kind, &collectives[index].data);
    } else if (out.peer != PDDT_QUEUE_NONE) {
        mpi_trace_put_message (trace_now (),
                               entry->kind == PDDT_QUEUE_SEND ? PDDT_TRACE_ISEND
                                                              : PDDT_TRACE_IRECV_REQUEST,
                               entry->trace, &out, request);
    }
}

void
mpi_trace_abandon (uint32_t call)
{
    trace_put (PDDT_TRACE_LEAVE, mpi_trace_find_region (call), PDDT_TRACE_UNWOUND);
}
