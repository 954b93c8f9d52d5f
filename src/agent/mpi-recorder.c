/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens before and after each call: chooses the function that records it, and handles
 * errors. Calls inside a call (from an error handler, a callback or the library) are not
 * recorded. No lock is held between mpi_enter and mpi_leave, so a call may block forever or be
 * left by a jump. */
#include "agent/mpi-fast.h"
#include "agent/mpi-trace.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define LOCK_SPINS 2000000

#define Q mpi_queue

static int is_locked;

/* Empty. Debuggers stop here; see queue-layout.h. */
__attribute__ ((noinline, visibility ("default"))) void pddt_mpi_event (int kind, int code,
                                                                        const char *text);
__attribute__ ((noinline, visibility ("default"))) void
pddt_mpi_event (int kind, int code, const char *text)
{
    __asm__ volatile("" : : "r"(kind), "r"(code), "r"(text) : "memory");
}

void
mpi_say_overlap (uint32_t code)
{
    pddt_mpi_event (PDDT_QUEUE_EVENT_OVERLAP, (int) code, "");
}

/* ---- writing ---- */

/* Without MPI_THREAD_MULTIPLE the program itself keeps calls apart. If a debugger stops the
 * thread that holds the lock and lets another one run, that one records nothing, and the tables
 * count as unreliable. */
static __attribute__ ((noinline)) int
take_lock (void)
{
    for (int i = 0; __atomic_exchange_n (&is_locked, 1, __ATOMIC_ACQUIRE); i++) {
        if (i > LOCK_SPINS) {
            __atomic_or_fetch (&Q.state, PDDT_QUEUE_UNCOUNTED, __ATOMIC_RELAXED);
            return 0;
        }
        if (i > 1000) {
            sched_yield ();
        }
    }
    return 1;
}

/* 0: nothing may be written but what is the thread's own, between open and close. */
static inline __attribute__ ((always_inline)) int
begin_write (struct pddt_queue_thread *thread)
{
    if (__builtin_expect (Q.state & PDDT_QUEUE_MULTIPLE, 0) && !take_lock ()) {
        return 0;
    }
    __atomic_store_n (&thread->sequence, thread->sequence + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence (__ATOMIC_RELEASE);
    return 1;
}

static inline __attribute__ ((always_inline)) void
end_write (struct pddt_queue_thread *thread)
{
    __atomic_store_n (&thread->sequence, thread->sequence + 1, __ATOMIC_RELEASE);
    if (__builtin_expect (Q.state & PDDT_QUEUE_MULTIPLE, 0)) {
        __atomic_store_n (&is_locked, 0, __ATOMIC_RELEASE);
    }
}

/* ---- errors ---- */

/* MPICH's text begins with the class and has a line for each function that the error passed; the last one
 * says what was wrong: "internal_Send(78): Invalid rank has value 99 but must be …". */
static const char *
find_cause (char *text)
{
    char *end = text + strlen (text), *at;

    while (end > text && (end[-1] == '\n' || end[-1] == ' ')) {
        *--end = '\0';
    }
    if (strstr (text, ", error stack:") == NULL) {
        return text;
    }
    at = strrchr (text, '\n');
    at = at != NULL ? strstr (at, ": ") : NULL;
    if (at != NULL) {
        return at + 2 + strspn (at + 2, " ");
    }
    *strstr (text, ", error stack:") = '\0';
    return text;
}

static void
keep_error (const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;

    if (mpi_next.error_string (code, text, &length) != MPI_SUCCESS) {
        snprintf (text, sizeof text, "error %d", code);
    }
    snprintf (Q.error, sizeof Q.error, "%s: %.200s", call, find_cause (text));
}

static void
say_error (uint32_t call, int kind, int code)
{
    if (kind == PDDT_QUEUE_EVENT_ABORT) {
        snprintf (Q.error, sizeof Q.error, "MPI_Abort with %d", code);
    } else {
        keep_error (pddt_mpi_calls[call].name, code);
    }
    pddt_mpi_event (kind, code, Q.error);
}

__attribute__ ((visibility ("default"))) void pddt_mpi_describe (int code);

void
pddt_mpi_describe (int code)
{
    if (mpi_next.error_string != NULL) {
        keep_error ("MPI", code);
    }
}

static int
has_open_request (void)
{
    for (uint32_t i = 0; i < Q.requests_high; i++) {
        if (Q.requests[i].state == PDDT_QUEUE_ACTIVE) {
            return 1;
        }
    }
    return 0;
}

/* ---- before ---- */

static void
note_enter (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    switch (a->how) {
    case MPI_HOW_SEND:
    case MPI_HOW_RECV:
    case MPI_HOW_SENDRECV:
    case MPI_HOW_ISEND:
    case MPI_HOW_IRECV:
    case MPI_HOW_PROBE:
    case MPI_HOW_IPROBE:
    case MPI_HOW_MRECV:
    case MPI_HOW_ISENDRECV: mpi_enter_message (a, current); break;
    case MPI_HOW_WAIT: mpi_enter_wait (a); break;
    case MPI_HOW_START: mpi_start_requests (a); break;
    case MPI_HOW_REQUEST_FREE:
    case MPI_HOW_CANCEL: mpi_forget_request (a); break;
    case MPI_HOW_TYPE_FREE: mpi_type_forget (a->type); break;
    case MPI_HOW_COLLECTIVE:
    case MPI_HOW_CREATE:
    case MPI_HOW_CREATE_WINDOW:
    case MPI_HOW_FREE:
    case MPI_HOW_CREATE_FILE: mpi_enter_collective (a, current); break;
    case MPI_HOW_CREATE_GROUP: mpi_enter_group (a, current); break;
    case MPI_HOW_CREATE_INTER: mpi_enter_bridge (a, current); break;
    case MPI_HOW_FILE:
    case MPI_HOW_FREE_FILE: mpi_enter_file (a, current); break;
    case MPI_HOW_SET_NAME:
        if (a->win != 0) {
            a->communicator = mpi_window_find (a->win);
        }
        break;
    case MPI_HOW_WINDOW:
    case MPI_HOW_FREE_WINDOW:
    case MPI_HOW_RWINDOW: mpi_enter_window (a, current); break;
    default: break;
    }
}

/* For a program that uses MPI sessions only: without MPI_COMM_WORLD, nothing identifies its
 * ranks. */
static void
note_bare (const struct mpi_arguments *a, struct pddt_queue_record *current)
{
    const struct mpi_side *side = a->kind == PDDT_QUEUE_SEND ? &a->send : &a->receive;

    mpi_clear_message (&current->message);
    mpi_clear_message (&a->thread->second);
    if (a->kind == PDDT_QUEUE_SEND || a->kind == PDDT_QUEUE_RECV
        || a->kind == PDDT_QUEUE_PROBE) {
        current->message.peer = PDDT_QUEUE_UNKNOWN;
        current->message.tag = side->tag == MPI_ANY_TAG ? PDDT_QUEUE_ANY : side->tag;
    }
}

static int
may_be_fast (void)
{
    return (Q.state
            & (PDDT_QUEUE_INITIALIZED | PDDT_QUEUE_MULTIPLE | PDDT_QUEUE_FINALIZED
               | PDDT_QUEUE_FOREIGN))
               == PDDT_QUEUE_INITIALIZED
           && !mpi_local.has_fibres;
}

void
mpi_enter (struct mpi_arguments *a)
{
    struct pddt_queue_thread *thread = mpi_local.thread;
    struct pddt_queue_record *current;
    uint64_t here = (uintptr_t) a->frame;

    if (__builtin_expect (thread == NULL, 0)) {
        thread = mpi_local.is_refused ? NULL : mpi_thread_take ();
    } else if (__builtin_expect (thread->inside != 0 || mpi_local.has_fibres, 0)) {
        thread = mpi_thread_find (here);
    }
    if (__builtin_expect (thread == NULL, 0)) {
        return;
    }
    thread->frame = here;
    a->thread = thread;
    if (__builtin_expect (a->how == MPI_HOW_INIT, 0)) {
        mpi_preload_leave ();
    }
    if (!begin_write (thread)) {
        a->thread = NULL;
        return;
    }
    current = mpi_fast_record (thread);
    current->call = a->call;
    current->caller = (uint64_t) (uintptr_t) a->caller;
    current->number = ++Q.n_begun;
    current->collective = 0;
    thread->n_waits = 0;
    if (a->kind != PDDT_QUEUE_SEND && a->kind != PDDT_QUEUE_RECV) { /* those fill all of it */
        mpi_clear_message (&current->message);
    }
    if (__builtin_expect ((Q.state & PDDT_QUEUE_INITIALIZED) != 0, 1)) {
        a->communicator = a->comm != 0 ? mpi_communicator_find (a->comm) : NULL;
        if (MPI_TRACED (mpi_trace_is_on && a->how == MPI_HOW_START)) {
            mpi_trace_enter (a, current); /* what it starts is recorded inside it */
        }
        note_enter (a, current);
    } else {
        note_bare (a, current);
    }
    thread->inside = a->call;
    if (MPI_TRACED (mpi_trace_is_on && !a->is_traced)) {
        mpi_trace_enter (a, current);
    }
    end_write (thread);
    if (__builtin_expect (a->how == MPI_HOW_FINALIZE && has_open_request (), 0)) {
        pddt_mpi_event (PDDT_QUEUE_EVENT_LEFT_OPEN, 0, "");
    }
    if (__builtin_expect (a->how == MPI_HOW_FINALIZE, 0)) {
        pddt_mpi_event (PDDT_QUEUE_EVENT_FINALIZE, 0, "");
    }
    if (__builtin_expect (a->how == MPI_HOW_ABORT, 0)) {
        Q.state |= PDDT_QUEUE_ABORTING;
        say_error (a->call, PDDT_QUEUE_EVENT_ABORT, a->root);
    }
}

/* ---- after ---- */

/* mpi4py and other libraries attach a private copy of a communicator to the communicator
 * itself. */
static void
note_attribute (struct mpi_arguments *a)
{
    if (mpi_local.made != NULL && mpi_local.made->in_use && a->communicator != NULL
        && mpi_local.parent == a->communicator->id && mpi_local.made->name[0] == '\0'
        && strncmp (pddt_mpi_calls[mpi_local.last_call].name, "MPI_Comm_dup", 12) == 0) {
        mpi_local.made->flags |= PDDT_QUEUE_HIDDEN;
    }
}

static void
leave_life (struct mpi_arguments *a)
{
    switch (a->how) {
    case MPI_HOW_INIT:
        if (!(Q.state & PDDT_QUEUE_INITIALIZED)) {
            mpi_tables_init ();
            mpi_trace_set_rank ();
        }
        break;
    case MPI_HOW_FINALIZE: Q.state |= PDDT_QUEUE_FINALIZED; break;
    case MPI_HOW_FREE:
    case MPI_HOW_FREE_WINDOW:
    case MPI_HOW_FREE_FILE:
        if (a->communicator != NULL) {
            mpi_communicator_remove (a->communicator);
        }
        break;
    case MPI_HOW_SESSION: Q.state |= PDDT_QUEUE_SESSION; break;
    case MPI_HOW_TYPE_CREATE:
        mpi_type_note_made (a->is_fortran
                                ? mpi_type_from_fortran (*(const MPI_Fint *) a->new_handle)
                                : *(const MPI_Datatype *) a->new_handle,
                            a->call, (uint64_t) (uintptr_t) a->caller);
        break;
    case MPI_HOW_SET_NAME:
        if (a->communicator != NULL && a->name != NULL) {
            mpi_communicator_set_name (a->communicator, a->name,
                                       a->is_fortran ? a->name_size : strlen (a->name));
        }
        break;
    case MPI_HOW_SET_ATTR: note_attribute (a); break;
    case MPI_HOW_GET_STATUS: mpi_release_buffer (a); break;
    case MPI_HOW_PREADY: mpi_note_ready (a); break;
    default: break;
    }
}

static void
leave_success (struct mpi_arguments *a, struct pddt_queue_record *current)
{
    switch (a->how) {
    case MPI_HOW_SEND:
    case MPI_HOW_RECV:
    case MPI_HOW_SENDRECV:
    case MPI_HOW_MRECV:
    case MPI_HOW_PROBE:
    case MPI_HOW_IPROBE:
    case MPI_HOW_ISEND:
    case MPI_HOW_IRECV:
    case MPI_HOW_ISENDRECV: mpi_leave_message (a, current); break;
    case MPI_HOW_COLLECTIVE:
    case MPI_HOW_CREATE:
    case MPI_HOW_CREATE_GROUP:
    case MPI_HOW_CREATE_INTER:
    case MPI_HOW_CREATE_WINDOW:
    case MPI_HOW_CREATE_FILE:
        if (a->flags & PDDT_QUEUE_NONBLOCKING) {
            mpi_open_request (a, current);
            break;
        }
        if (a->how != MPI_HOW_COLLECTIVE) {
            mpi_leave_create (a, current);
        }
        mpi_finish_present (a, current);
        break;
    case MPI_HOW_FILE: mpi_finish_present (a, current); break;
    case MPI_HOW_WINDOW: mpi_leave_window (a, current); break;
    case MPI_HOW_RWINDOW: mpi_open_request (a, current); break;
    default: leave_life (a); break;
    }
}

static void
end_call (struct pddt_queue_thread *thread, int result)
{
    mpi_fast_record (thread)->result = result;
    thread->completed++;
}

/* Without the lock: the thread is in no call any more, and nobody else's tables say what came of it. */
static int
leave_alone (struct pddt_queue_thread *thread, int result)
{
    mpi_fast_open (thread);
    end_call (thread, result);
    mpi_local.made = NULL;
    mpi_local.fast = NULL;
    thread->inside = 0;
    mpi_fast_close (thread);
    return result;
}

int
mpi_leave (struct mpi_arguments *a, int result)
{
    struct pddt_queue_thread *thread = a->thread;
    struct pddt_queue_record *current;
    int is_completed = 1;

    if (thread == NULL) {
        return result;
    }
    if (!begin_write (thread)) {
        return leave_alone (thread, result);
    }
    current = mpi_fast_record (thread);
    if (MPI_TRACED (a->is_traced)) {
        mpi_trace_return (a);
    }
    if (a->how == MPI_HOW_WAIT) {
        is_completed = mpi_leave_wait (a, result);
    } else if (result == MPI_SUCCESS) {
        is_completed = a->kind != PDDT_QUEUE_POLL
                       || (a->flag != NULL && *(const int *) a->flag != 0);
        leave_success (a, current);
    } else if (a->made != NULL) {
        mpi_communicator_remove (a->made);
    } else if (a->how == MPI_HOW_RECV || a->how == MPI_HOW_SENDRECV
               || a->how == MPI_HOW_MRECV) {
        /* a message that was too long has been received all the same */
        Q.state |= PDDT_QUEUE_UNCOUNTED;
    }
    if (MPI_TRACED (a->is_traced)) {
        mpi_trace_leave (a, current, result);
    }
    if (is_completed) {
        end_call (thread, result);
    }
    if (a->how != MPI_HOW_SET_ATTR && a->how != MPI_HOW_CREATE) {
        mpi_local.made = NULL;
    }
    mpi_local.last_call = a->call;
    thread->inside = 0;
    end_write (thread);
    mpi_local.fast = may_be_fast () ? thread : NULL;
    if (__builtin_expect (a->overlap != 0, 0)) {
        mpi_say_overlap (a->overlap);
    }
    if (__builtin_expect (result != MPI_SUCCESS, 0)) {
        say_error (a->call, PDDT_QUEUE_EVENT_ERROR, result);
    }
    return result;
}

int
mpi_leave_failed (struct pddt_queue_thread *thread, int result)
{
    uint32_t call = thread->inside, kind = pddt_mpi_calls[call].kind;

    if (!begin_write (thread)) {
        return leave_alone (thread, result);
    }
    if (kind == PDDT_QUEUE_RECV || kind == PDDT_QUEUE_WAIT_ALL) {
        Q.state |= PDDT_QUEUE_UNCOUNTED;
    }
    if (kind == PDDT_QUEUE_WAIT_ALL && thread->n_waits != 0) {
        Q.requests[thread->waits[0]].state = PDDT_QUEUE_FREE;
    }
    if (MPI_TRACED (mpi_local.is_traced)) {
        if (kind == PDDT_QUEUE_COLLECTIVE) {
            mpi_trace_fast_collected (mpi_fast_record (thread), NULL);
        } else {
            mpi_trace_fast_leave (mpi_fast_record (thread));
        }
    }
    end_call (thread, result);
    thread->inside = 0;
    end_write (thread);
    say_error (call, PDDT_QUEUE_EVENT_ERROR, result);
    return result;
}
