/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests, from the call that creates them to the one that completes them, and messages of
 * matched probes. */
#include "agent/mpi-fast.h"
#include "agent/mpi-trace.h"

#define Q mpi_queue

/* ---- requests ---- */

static MPI_Request
read_request (const struct mpi_arguments *a, int index)
{
    return a->is_fortran ? mpi_request_from_fortran (((const MPI_Fint *) a->requests)[index])
                         : ((const MPI_Request *) a->requests)[index];
}

void
mpi_open_request (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    MPI_Request request = read_request (a, 0);
    struct pddt_queue_request *entry;
    uint16_t index;

    if (mpi_is_idle_request (request)) {
        /* A send that is complete at once, or a receive from MPI_PROC_NULL. */
        if (current->collective != 0 && a->communicator != NULL) {
            mpi_finish_collective (a->communicator, current->collective);
        }
        if (MPI_TRACED (a->is_traced) && !(a->flags & PDDT_QUEUE_PERSISTENT)) {
            mpi_trace_at_once (a, current);
        }
        return;
    }
    index = mpi_request_add ((uint64_t) (uintptr_t) request);
    if (index == MPI_NO_INDEX) {
        return;
    }
    entry = &Q.requests[index];
    if (MPI_TRACED (mpi_local.trace_now != 0) && entry->state == PDDT_QUEUE_ACTIVE) {
        mpi_trace_complete (index, NULL,
                            0); /* MPICH has one handle for all sends that it has copied */
    }
    entry->trace = 0;
    entry->state = a->flags & PDDT_QUEUE_PERSISTENT ? PDDT_QUEUE_RESTING : PDDT_QUEUE_ACTIVE;
    entry->call = a->call;
    entry->caller = current->caller;
    entry->number = current->number;
    entry->collective = current->collective;
    entry->kind = a->kind;
    entry->flags = a->flags;
    entry->message = current->message;
    entry->n_partitions = a->partitions > 0 && a->kind == PDDT_QUEUE_SEND
                              ? (uint32_t) a->partitions
                              : 0;
    entry->extra = a->how == MPI_HOW_CREATE ? (uint64_t) (uintptr_t) a->new_handle
                   : a->how == MPI_HOW_ISEND && entry->state == PDDT_QUEUE_ACTIVE
                           && Q.n_sent > 0
                       ? mpi_get_sent_number ()
                       : 0;
    if (a->how == MPI_HOW_CREATE && a->communicator != NULL) {
        entry->extra |= a->is_fortran ? (uint64_t) 1 << 63 : 0;
    }
    if (MPI_TRACED (a->is_traced)) {
        mpi_trace_opened (a, index);
    }
    if (entry->state == PDDT_QUEUE_ACTIVE
        && (entry->kind == PDDT_QUEUE_SEND || entry->kind == PDDT_QUEUE_RECV)) {
        a->overlap = mpi_fast_overlap (entry);
    }
}

static void
close_request (uint16_t index, const MPI_Status *status, int was_cancelled_known)
{
    struct pddt_queue_request *entry = &Q.requests[index];
    struct pddt_queue_communicator *communicator;
    int is_cancelled = 0;

    if (entry->state != PDDT_QUEUE_ACTIVE) {
        return;
    }
    if (entry->kind == PDDT_QUEUE_RECV) {
        if (entry->flags & PDDT_QUEUE_FINISHED) { /* MPI_Cancel has been called */
            if (status != NULL && was_cancelled_known) {
                mpi_next.test_cancelled (status, &is_cancelled);
            } else {
                Q.state |= PDDT_QUEUE_UNCOUNTED;
            }
        }
        if (!is_cancelled) {
            mpi_note_received (&entry->message,
                               (struct mpi_origin){ entry->call, entry->number, entry->caller },
                               status, (entry->flags & PDDT_QUEUE_MATCHED) != 0);
        }
    }
    if (MPI_TRACED (mpi_local.trace_now != 0)) {
        mpi_trace_complete (index, status, is_cancelled);
    }
    mpi_fast_leave_lane (entry);
    communicator = entry->collective != 0 ? mpi_find_id (entry->message.communicator) : NULL;
    if (communicator != NULL) {
        mpi_finish_collective (communicator, entry->collective);
        if (entry->extra != 0) { /* MPI_Comm_idup: now the handle is valid */
            int is_fortran = entry->extra >> 63 != 0;
            const void *address = (const void *) (uintptr_t) (entry->extra & INT64_MAX);

            mpi_add_made (mpi_read_comm (address, is_fortran), communicator->id,
                          ++communicator->n_created, (void *) (uintptr_t) entry->caller,
                          entry->call);
        }
    }
    if (entry->flags & PDDT_QUEUE_PERSISTENT) {
        entry->state = PDDT_QUEUE_RESTING;
        entry->flags &= ~(uint32_t) PDDT_QUEUE_FINISHED;
    } else {
        mpi_request_remove (index);
    }
}

void
mpi_enter_wait (struct mpi_arguments *a)
{
    struct pddt_queue_thread *thread = a->thread;
    struct mpi_pending *pending = mpi_get_pending (thread);
    int n = a->requests != NULL ? a->n_requests : 0;

    pending->n_waits = 0;
    if (n > MPI_MAX_WAITS) {
        Q.state |= PDDT_QUEUE_OVERFLOW | PDDT_QUEUE_UNCOUNTED;
        n = MPI_MAX_WAITS;
    }
    for (int i = 0; i < n; i++) {
        MPI_Request request = read_request (a, i);
        uint16_t index = MPI_NO_INDEX;

        if (!mpi_is_idle_request (request)) {
            index = mpi_request_find ((uint64_t) (uintptr_t) request);
            if (index != MPI_NO_INDEX && Q.requests[index].state == PDDT_QUEUE_RESTING) {
                index = MPI_NO_INDEX;
            } else {
                if (thread->n_waits < PDDT_QUEUE_WAITS) {
                    thread->waits[thread->n_waits] = index;
                } else if (index != MPI_NO_INDEX) {
                    Q.requests[index].waited = Q.n_begun;
                } else {
                    Q.state |= PDDT_QUEUE_OVERFLOW;
                }
                thread->n_waits++;
            }
        }
        if (index != MPI_NO_INDEX && n <= MPI_MAX_STATUSES
            && Q.requests[index].kind == PDDT_QUEUE_RECV
            && (MPI_TRACED (mpi_trace_is_on) || mpi_is_wild (&Q.requests[index].message)
                || (Q.requests[index].flags & PDDT_QUEUE_FINISHED))) {
            mpi_lend_status (a);
        }
        pending->waits[i] = index;
    }
    pending->n_waits = (uint32_t) n;
}

const MPI_Status *
mpi_get_status (const struct mpi_arguments *a, int index)
{
    return mpi_is_status_ignore (a, a->status) ? NULL : (const MPI_Status *) a->status + index;
}

static void
close_waited (const struct mpi_arguments *a, int which, int at)
{
    struct mpi_pending *pending = mpi_get_pending (a->thread);

    if (which >= 0 && (uint32_t) which < pending->n_waits
        && pending->waits[which] != MPI_NO_INDEX) {
        close_request (pending->waits[which], mpi_get_status (a, at), 1);
        pending->waits[which] = MPI_NO_INDEX;
    }
}

/* If some of them have failed, those whose handles are gone have completed. */
static void
leave_failed_wait (const struct mpi_arguments *a)
{
    const struct mpi_pending *pending = mpi_get_pending (a->thread);

    for (uint32_t i = 0; i < pending->n_waits; i++) {
        if (pending->waits[i] != MPI_NO_INDEX
            && mpi_is_idle_request (read_request (a, (int) i))) {
            Q.state |= PDDT_QUEUE_UNCOUNTED;
            close_waited (a, (int) i, (int) i);
        }
    }
}

int
mpi_leave_wait (struct mpi_arguments *a, int result)
{
    int offset = a->is_fortran ? 1 : 0;

    if (result != MPI_SUCCESS) {
        leave_failed_wait (a);
        return 1;
    }
    if (a->flag != NULL && *(const int *) a->flag == 0) {
        return 0;
    }
    if (a->outcount != NULL) {
        int n = *(const int *) a->outcount;

        for (int i = 0; n != MPI_UNDEFINED && i < n; i++) {
            close_waited (a, ((const int *) a->indices)[i] - offset, i);
        }
        return !a->is_poll || (n != 0 && n != MPI_UNDEFINED);
    }
    if (a->index != NULL) {
        int index = *(const int *) a->index;

        if (index != MPI_UNDEFINED) {
            close_waited (a, index - offset, 0);
        }
        return 1;
    }
    for (uint32_t i = 0; i < mpi_get_pending (a->thread)->n_waits; i++) {
        close_waited (a, (int) i, (int) i);
    }
    return 1;
}

void
mpi_start_requests (struct mpi_arguments *a)
{
    for (int i = 0; i < a->n_requests; i++) {
        MPI_Request request = read_request (a, i);
        uint16_t index = mpi_is_idle_request (request)
                             ? MPI_NO_INDEX
                             : mpi_request_find ((uint64_t) (uintptr_t) request);
        struct pddt_queue_request *entry = index != MPI_NO_INDEX ? &Q.requests[index] : NULL;

        if (entry == NULL || entry->state != PDDT_QUEUE_RESTING) {
            continue;
        }
        entry->state = PDDT_QUEUE_ACTIVE;
        entry->number = Q.n_begun;
        entry->n_ready = 0;
        entry->ready = 0;
        if (MPI_TRACED (a->is_traced)) {
            mpi_trace_started (index);
        }
        if (a->overlap == 0
            && (entry->kind == PDDT_QUEUE_SEND || entry->kind == PDDT_QUEUE_RECV)) {
            a->overlap = mpi_fast_overlap (entry);
        }
        if (entry->kind == PDDT_QUEUE_SEND) {
            mpi_note_sent (entry->call, (uint64_t) (uintptr_t) a->caller, &entry->message);
            entry->extra = mpi_get_sent_number ();
        }
        if (entry->kind == PDDT_QUEUE_COLLECTIVE) {
            struct pddt_queue_communicator *communicator
                = mpi_find_id (entry->message.communicator);

            mpi_fast_add_collective (mpi_local.thread, entry->message.bytes);
            entry->collective = communicator == NULL
                                    ? 0
                                    : mpi_begin_collective (communicator, entry->call,
                                                            entry->flags,
                                                            (uint64_t) (uintptr_t) a->caller,
                                                            &entry->message);
        }
    }
}

static void
mark_ready (struct pddt_queue_request *entry, int partition)
{
    entry->n_ready++;
    if (partition >= 0 && partition < 64) {
        entry->ready |= (uint64_t) 1 << partition;
    }
}

void
mpi_note_ready (const struct mpi_arguments *a)
{
    MPI_Request request = read_request (a, 0);
    uint16_t index = mpi_is_idle_request (request)
                         ? MPI_NO_INDEX
                         : mpi_request_find ((uint64_t) (uintptr_t) request);

    if (index == MPI_NO_INDEX) {
        return;
    }
    for (int i = 0; a->ready != NULL && i < a->n_ready; i++) {
        mark_ready (&Q.requests[index], a->ready[i]);
    }
    for (int i = a->first_ready; a->ready == NULL && i <= a->last_ready; i++) {
        mark_ready (&Q.requests[index], i);
    }
}

void
mpi_release_buffer (const struct mpi_arguments *a)
{
    MPI_Request request = read_request (a, 0);
    uint16_t index = mpi_is_idle_request (request)
                         ? MPI_NO_INDEX
                         : mpi_request_find ((uint64_t) (uintptr_t) request);

    if (index != MPI_NO_INDEX && a->flag != NULL && *(const int *) a->flag != 0) {
        Q.requests[index].message.is_dense = 0;
        mpi_fast_leave_lane (&Q.requests[index]);
    }
}

void
mpi_forget_request (struct mpi_arguments *a)
{
    MPI_Request request = read_request (a, 0);
    uint16_t index = mpi_is_idle_request (request)
                         ? MPI_NO_INDEX
                         : mpi_request_find ((uint64_t) (uintptr_t) request);

    if (index == MPI_NO_INDEX) {
        return;
    }
    if (a->how == MPI_HOW_CANCEL) {
        /* For a request, FINISHED means that it may end without a message. */
        Q.requests[index].flags |= PDDT_QUEUE_FINISHED;
        if (Q.requests[index].kind == PDDT_QUEUE_SEND) {
            mpi_note_cancelled (&Q.requests[index].message);
        }
        return;
    }
    if (Q.requests[index].state == PDDT_QUEUE_ACTIVE
        && Q.requests[index].kind == PDDT_QUEUE_RECV) {
        Q.state |= PDDT_QUEUE_UNCOUNTED; /* it will be received unseen by the recorder */
    }
    mpi_request_remove (index);
}

/* ---- matched probes ---- */

/* Messages that MPI_Mprobe has taken, until MPI_Mrecv receives them. */
static struct {
    uint64_t message;
    struct pddt_queue_message what;
} matched[64];

void
mpi_note_matched (struct mpi_arguments *a, const struct pddt_queue_message *message)
{
    const MPI_Status *status = mpi_get_status (a, 0);
    uint64_t handle = a->is_fortran ? (uint64_t) (uint32_t) * (const MPI_Fint *) a->message
                                    : (uint64_t) (uintptr_t) * (MPI_Message *) a->message;
    struct pddt_queue_flow *flow;

    if (status == NULL || status->MPI_SOURCE < 0) {
        return;
    }
    flow = mpi_flow_get (2, message->communicator, status->MPI_SOURCE, status->MPI_TAG);
    if (flow != NULL) {
        flow->n_matched++;
        flow->matched_call = a->call;
        flow->matched_caller = (uint64_t) (uintptr_t) a->caller;
    }
    for (int i = 0; i < 64; i++) {
        if (matched[i].message == 0) {
            matched[i].message = handle;
            matched[i].what = *message;
            matched[i].what.peer = status->MPI_SOURCE;
            matched[i].what.tag = status->MPI_TAG;
            return;
        }
    }
    Q.state |= PDDT_QUEUE_UNCOUNTED;
}

void
mpi_enter_matched (struct mpi_arguments *a, struct pddt_queue_message *message)
{
    uint64_t handle = a->is_fortran ? (uint64_t) (uint32_t) * (const MPI_Fint *) a->message
                                    : (uint64_t) (uintptr_t) * (MPI_Message *) a->message;

    for (int i = 0; i < 64; i++) {
        if (matched[i].message == handle && handle != 0) {
            message->communicator = matched[i].what.communicator;
            message->peer = matched[i].what.peer;
            message->tag = matched[i].what.tag;
            matched[i].message = 0;
            return;
        }
    }
}
