/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a thread's calls are recorded. A slot of the tables has one call under way. Usually a thread
 * has one slot. A thread that changes between user-level threads (fibres) inside MPI has several calls
 * under way, one on each stack, and takes a slot for each. The recorder cannot see such a change, but
 * it sees the stack that a call stands on. */
#include "agent/mpi-trace.h"
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Two frames of a fibre's stack, whose bounds nobody knows, are one call inside another if they are that near: what MPI
 * and a callback of the program's put between. A fibre that calls MPI has a larger stack. */
#define NEAR_BYTES 8192

#define Q mpi_queue

_Thread_local __attribute__ ((tls_model ("initial-exec"))) struct mpi_local mpi_local;
struct mpi_pending mpi_pending[PDDT_QUEUE_THREADS];
static pthread_key_t end_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- life ---- */

/* All slots of the thread end with it. */
static void
end_thread (void *data)
{
    uint32_t tid = ((const struct pddt_queue_thread *) data)->tid;

    for (uint32_t i = 0; i < PDDT_QUEUE_THREADS; i++) {
        if (__atomic_load_n (&Q.threads[i].tid, __ATOMIC_RELAXED) == tid) {
            Q.threads[i].inside = 0;
            __atomic_store_n (&Q.threads[i].tid, 0, __ATOMIC_RELEASE);
        }
    }
}

static void
reset_child (void)
{
    /* A forked child has no MPI of its own, and its parent's tables must not pass for its
     * own. */
    Q.magic = 0;
    mpi_local.thread = mpi_local.fast = NULL;
    mpi_local.is_refused = 1;
    mpi_trace_forget ();
}

static void
open_once (void)
{
    pthread_key_create (&end_key, end_thread);
    pthread_atfork (NULL, NULL, reset_child);
    Q.version = PDDT_QUEUE_VERSION;
    Q.size = sizeof Q;
    Q.pid = (uint32_t) getpid ();
    Q.state = mpi_next_open () ? 0 : PDDT_QUEUE_FOREIGN;
    if (!(Q.state & PDDT_QUEUE_FOREIGN)) {
        mpi_trace_begin ();
    }
    __atomic_store_n (&Q.magic, PDDT_QUEUE_MAGIC, __ATOMIC_RELEASE);
}

/* ---- slots ---- */

/* NULL: all are in use. */
static struct pddt_queue_thread *
take_slot (uint32_t tid)
{
    for (uint32_t i = 0; i < PDDT_QUEUE_THREADS; i++) {
        uint32_t none = 0, high = __atomic_load_n (&Q.threads_high, __ATOMIC_RELAXED);

        if (!__atomic_compare_exchange_n (&Q.threads[i].tid, &none, tid, 0, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED)) {
            continue;
        }
        while (high <= i
               && !__atomic_compare_exchange_n (&Q.threads_high, &high, i + 1, 0,
                                                __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        }
        return &Q.threads[i];
    }
    __atomic_or_fetch (&Q.state, PDDT_QUEUE_OVERFLOW | PDDT_QUEUE_UNCOUNTED, __ATOMIC_RELAXED);
    return NULL;
}

/* The stack that the system gave the thread. If its bounds cannot be had, every stack counts as that one. */
static void
find_stack (void)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = SIZE_MAX;

    if (pthread_getattr_np (pthread_self (), &attributes) == 0) {
        pthread_attr_getstack (&attributes, &low, &size);
        pthread_attr_destroy (&attributes);
    }
    mpi_local.stack_low = (uintptr_t) low;
    mpi_local.stack_size = size;
}

struct pddt_queue_thread *
mpi_thread_take (void)
{
    pthread_once (&once, open_once);
    mpi_local.is_refused = 1;
    mpi_local.thread = Q.state & PDDT_QUEUE_FOREIGN
                           ? NULL
                           : take_slot ((uint32_t) syscall (SYS_gettid));
    if (mpi_local.thread != NULL) {
        find_stack ();
        pthread_setspecific (end_key, mpi_local.thread);
        mpi_local.is_refused = 0;
    }
    return mpi_local.thread;
}

/* ---- several calls of one thread ---- */

static int
is_on_own_stack (uint64_t frame)
{
    return frame - mpi_local.stack_low < mpi_local.stack_size;
}

static int
are_on_one_stack (uint64_t a, uint64_t b)
{
    return is_on_own_stack (a) || is_on_own_stack (b)
               ? is_on_own_stack (a) && is_on_own_stack (b)
               : (a > b ? a - b : b - a) < NEAR_BYTES;
}

/* The function of the call under way will not return: where its return address was, there is something else. Its stack may
 * be gone, too. */
static int
is_overwritten (const struct pddt_queue_thread *slot)
{
    const struct pddt_queue_record *record
        = &slot->records[slot->completed % PDDT_QUEUE_RECENT];
    uint64_t caller;

    return !mpi_copy (&caller, (const uint64_t *) (uintptr_t) slot->frame + 1, sizeof caller)
           || caller != record->caller;
}

static void
forget_call (struct pddt_queue_thread *slot)
{
    if (MPI_TRACED (mpi_trace_is_on)) {
        mpi_trace_abandon (slot->inside);
    }
    mpi_local.is_traced = 0;
    __atomic_store_n (&slot->sequence, slot->sequence + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence (__ATOMIC_RELEASE);
    slot->inside = 0;
    __atomic_store_n (&slot->sequence, slot->sequence + 1, __ATOMIC_RELEASE);
}

/* A slot of the thread's own whose call will never return; NULL: none. */
static struct pddt_queue_thread *
reclaim (uint32_t tid)
{
    for (uint32_t i = 0; i < Q.threads_high; i++) {
        if (Q.threads[i].tid == tid && is_overwritten (&Q.threads[i])) {
            forget_call (&Q.threads[i]);
            return &Q.threads[i];
        }
    }
    return NULL;
}

struct pddt_queue_thread *
mpi_thread_find (uint64_t here)
{
    uint32_t tid = mpi_local.thread->tid,
             high = __atomic_load_n (&Q.threads_high, __ATOMIC_ACQUIRE);
    struct pddt_queue_thread *found = NULL;

    for (uint32_t i = 0; i < high; i++) {
        struct pddt_queue_thread *slot = &Q.threads[i];

        if (__atomic_load_n (&slot->tid, __ATOMIC_RELAXED) != tid) {
            continue;
        }
        if (slot->inside != 0 && are_on_one_stack (here, slot->frame)) {
            if (here < slot->frame) {
                return NULL; /* deeper: a call inside that call */
            }
            forget_call (slot); /* that was left by a jump or an exception */
        }
        mpi_local.has_fibres |= slot->inside != 0;
        if (slot->inside == 0 && found == NULL) {
            found = slot;
        }
    }
    if (mpi_local.has_fibres) {
        mpi_local.fast = NULL;
    }
    if (found == NULL) {
        found = reclaim (tid);
    }
    return found != NULL ? found : take_slot (tid);
}
