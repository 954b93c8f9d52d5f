/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of one process that wait for each other's mutexes or ends: chains and circles of them, of a running
 * rank, a paused one, and a core. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "machine/registers.h"
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#define MAX_THREADS 4096

typedef struct {
    EngineThread *thread;
    JobWait *wait; /* for another thread; NULL: it waits for none */
    gboolean is_seen;
} Waiter;

static void
clear_waiter (gpointer data)
{
    job_wait_free (((Waiter *) data)->wait);
}

static gboolean
waits_for_thread (const JobWait *wait)
{
    return wait != NULL && (wait->kind == JOB_WAIT_MUTEX || wait->kind == JOB_WAIT_END)
           && wait->other != 0;
}

/* Of all threads, in their order. */
static GArray *
list_waiters (EngineProcess *process)
{
    GArray *waiters = g_array_new (FALSE, TRUE, sizeof (Waiter));

    g_array_set_clear_func (waiters, clear_waiter);
    for (guint i = 0; i < process->threads->len && i < MAX_THREADS; i++) {
        Waiter waiter = { .thread = g_ptr_array_index (process->threads, i) };
        guint32 flags = 0;

        waiter.wait = engine_dup_system_call (process, waiter.thread->tid, &flags);
        if (!waits_for_thread (waiter.wait)) {
            g_clear_pointer (&waiter.wait, job_wait_free);
        }
        g_array_append_val (waiters, waiter);
    }
    return waiters;
}

static Waiter *
find_waiter (GArray *waiters, guint number)
{
    for (guint i = 0; i < waiters->len; i++) {
        Waiter *waiter = &g_array_index (waiters, Waiter, i);

        if (waiter->thread->number == number) {
            return waiter;
        }
    }
    return NULL;
}

/* From one to the one that it waits for, and so on, into way (of Waiter *). TRUE: back to one of them. */
static gboolean
follow (GArray *waiters, Waiter *from, GPtrArray *way)
{
    for (Waiter *at = from; at != NULL && at->wait != NULL && !at->is_seen;
         at = find_waiter (waiters, at->wait->other)) {
        if (g_ptr_array_find (way, at, NULL)) {
            return TRUE;
        }
        g_ptr_array_add (way, at);
    }
    return FALSE;
}

/* Where the thread waits, outside of libraries. One that runs is not stopped for it: the kernel says where it
 * sleeps. */
static JobLocation *
dup_place (EngineProcess *process, EngineThread *thread)
{
    MachineRegisters registers;
    g_autoptr (Stack) stack = NULL;
    EngineSystemCall call;

    if (process->core != NULL || engine_process_is_stopped (process)) {
        return engine_inspect_dup_place (process, thread);
    }
    if (process->modules == NULL || !engine_system_call_read (process, thread->tid, &call)) {
        return NULL;
    }
    engine_system_call_fill_registers (&call, &registers);
    stack = stack_make_waiting (process->modules, process->memory, &registers, NULL, NULL);
    return stack != NULL ? stack_dup_place (stack, NULL) : NULL;
}

static void
find_line (EngineProcess *process, Waiter *waiter)
{
    g_autoptr (JobLocation) place = dup_place (process, waiter->thread);

    if (place != NULL && place->line != 0) {
        g_free (waiter->wait->file);
        waiter->wait->file = g_strdup (place->file);
        waiter->wait->line = place->line;
    }
}

static void
add_way (GPtrArray *list, EngineProcess *process, const GPtrArray *way, guint first_flags,
         gboolean is_circle)
{
    for (guint i = 0; i < way->len; i++) {
        Waiter *waiter = g_ptr_array_index (way, i);

        if (i > 0 || first_flags != 0) {
            find_line (process, waiter);
        }
        waiter->is_seen = TRUE;
        waiter->wait->flags |= i == 0 ? first_flags : JOB_WAIT_BEHIND;
        waiter->wait->flags |= is_circle && i == way->len - 1 ? JOB_WAIT_CLOSES : 0;
        g_ptr_array_add (list, g_steal_pointer (&waiter->wait));
    }
}

/* The same thread waits for the same one in a later reading. */
static gboolean
is_still (GArray *later, const Waiter *waiter)
{
    const Waiter *again = find_waiter (later, waiter->thread->number);

    return again != NULL && again->wait != NULL && again->wait->kind == waiter->wait->kind
           && again->wait->other == waiter->wait->other;
}

/* Threads that run are read one after the other: only what holds in two readings was so at one moment. */
static void
drop_passing (EngineProcess *process, GArray *waiters)
{
    g_autoptr (GArray) later = list_waiters (process);

    for (guint i = 0; i < waiters->len; i++) {
        Waiter *waiter = &g_array_index (waiters, Waiter, i);

        if (waiter->wait != NULL && !is_still (later, waiter)) {
            g_clear_pointer (&waiter->wait, job_wait_free);
        }
    }
}

void
engine_add_lock_waits (EngineProcess *process, pid_t tid, JobWait *otherwise,
                       JobMessageQueue *queue)
{
    g_autoptr (GArray) waiters = list_waiters (process);
    g_autoptr (JobWait) owned = otherwise;
    gboolean has_own = FALSE;

    if (process->core == NULL && !engine_process_is_stopped (process)) {
        drop_passing (process, waiters);
    }
    for (guint i = 0; i < waiters->len && !has_own; i++) {
        Waiter *waiter = &g_array_index (waiters, Waiter, i);
        g_autoptr (GPtrArray) way = g_ptr_array_new ();
        gboolean is_circle = waiter->thread->tid == tid && waiter->wait != NULL
                             && follow (waiters, waiter, way);

        has_own = way->len > 0;
        queue->flags |= is_circle ? JOB_MESSAGE_QUEUE_DEADLOCK : 0;
        add_way (queue->waits, process, way, 0, is_circle);
    }
    if (!has_own && owned != NULL) {
        g_ptr_array_add (queue->waits, g_steal_pointer (&owned));
    }
    for (guint i = 0; i < waiters->len; i++) {
        g_autoptr (GPtrArray) way = g_ptr_array_new ();

        if (follow (waiters, &g_array_index (waiters, Waiter, i), way)) {
            queue->flags |= JOB_MESSAGE_QUEUE_DEADLOCK;
            add_way (queue->waits, process, way, JOB_WAIT_OTHERS, TRUE);
        }
    }
}
