/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of one process that wait for each other's mutexes or ends: chains and circles of them, of a running
 * rank, a paused one, and a core. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "job/library.h"
#include <linux/futex.h>
#include <string.h>

#define MAX_THREADS 4096

typedef struct {
    EngineThread *thread;
    JobWait *wait;   /* for another thread; NULL: it waits for none */
    guint64 n_turns; /* read after the wait */
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
        waiter.n_turns = waiter.wait != NULL && process->core == NULL
                             ? engine_count_turns (process, waiter.thread->tid)
                             : 0;
        g_array_append_val (waiters, waiter);
    }
    return waiters;
}

static Waiter *
find_waiter (GArray *waiters, guint number)
{
    return BASE_FIND_ROW (waiters, Waiter, waiter, waiter->thread->number == number);
}

/* None of them gives up by itself. */
static gboolean
is_endless (const GPtrArray *way, guint first)
{
    for (guint i = first; i < way->len; i++) {
        if (((const Waiter *) g_ptr_array_index (way, i))->wait->flags & JOB_WAIT_TIMED) {
            return FALSE;
        }
    }
    return TRUE;
}

/* From one to the one that it waits for, and so on, into way (of Waiter *). TRUE: back to one of them, for ever. */
static gboolean
follow (GArray *waiters, Waiter *from, GPtrArray *way)
{
    guint first;

    for (Waiter *at = from; at != NULL && at->wait != NULL && !at->is_seen;
         at = find_waiter (waiters, at->wait->other)) {
        if (g_ptr_array_find (way, at, &first)) {
            return is_endless (way, first);
        }
        g_ptr_array_add (way, at);
    }
    return FALSE;
}

static gboolean
is_of_program (const JobFrame *frame)
{
    return frame->location.line != 0 && frame->location.file != NULL
           && (frame->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER)) == 0
           && !job_library_is_header (frame->location.file);
}

/* The innermost frame with a line that the program has itself. */
static JobLocation *
dup_own_place (const Stack *stack)
{
    return BASE_PICK (stack->frames, const JobFrame, frame, is_of_program (frame),
                      job_location_dup (&frame->location), stack_dup_place (stack, NULL));
}

/* Where the thread waits, outside of libraries. */
static JobLocation *
dup_place (EngineProcess *process, EngineThread *thread)
{
    g_autoptr (Stack) stack = process->core != NULL || engine_process_is_stopped (process)
                                  ? engine_inspect_read_stack (thread, 0)
                                  : engine_system_call_read_stack (process, thread->tid);

    return stack != NULL ? dup_own_place (stack) : NULL;
}

void
engine_wait_find_line (EngineProcess *process, EngineThread *thread, JobWait *wait)
{
    g_autoptr (JobLocation) place = dup_place (process, thread);

    if (place != NULL && place->line != 0) {
        g_free (wait->file);
        wait->file = g_strdup (place->file);
        wait->line = place->line;
    }
}

static void
add_way (GPtrArray *list, EngineProcess *process, const GPtrArray *way, guint first_flags,
         gboolean is_circle)
{
    for (guint i = 0; i < way->len; i++) {
        Waiter *waiter = g_ptr_array_index (way, i);

        if (i > 0 || first_flags != 0) {
            engine_wait_find_line (process, waiter->thread, waiter->wait);
        }
        waiter->is_seen = TRUE;
        waiter->wait->flags |= i == 0 ? first_flags : JOB_WAIT_BEHIND;
        waiter->wait->flags |= is_circle && i == way->len - 1 ? JOB_WAIT_CLOSES : 0;
        g_ptr_array_add (list, g_steal_pointer (&waiter->wait));
    }
}

/* In a later reading the same thread waits for the same one, and it has slept all the time. */
static gboolean
is_still (GArray *later, const Waiter *waiter)
{
    const Waiter *again = find_waiter (later, waiter->thread->number);

    return again != NULL && again->wait != NULL && again->wait->kind == waiter->wait->kind
           && again->wait->other == waiter->wait->other && again->n_turns == waiter->n_turns;
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

/* ---- what has no owner ---- */

static const struct {
    const char *name;
    JobWaitUntil until;
} functions[] = {
    { "sem_wait", JOB_WAIT_UNTIL_RELEASED },
    { "sem_timedwait", JOB_WAIT_UNTIL_RELEASED },
    { "sem_clockwait", JOB_WAIT_UNTIL_RELEASED },
    { "pthread_cond_wait", JOB_WAIT_UNTIL_NOTIFIED },
    { "pthread_cond_timedwait", JOB_WAIT_UNTIL_NOTIFIED },
    { "pthread_cond_clockwait", JOB_WAIT_UNTIL_NOTIFIED },
    { "pthread_barrier_wait", JOB_WAIT_UNTIL_ARRIVED },
    { "pthread_rwlock_rdlock", JOB_WAIT_UNTIL_UNLOCKED },
    { "pthread_rwlock_wrlock", JOB_WAIT_UNTIL_UNLOCKED },
    { "pthread_rwlock_timedrdlock", JOB_WAIT_UNTIL_UNLOCKED },
    { "pthread_rwlock_timedwrlock", JOB_WAIT_UNTIL_UNLOCKED },
    { "pthread_rwlock_clockrdlock", JOB_WAIT_UNTIL_UNLOCKED },
    { "pthread_rwlock_clockwrlock", JOB_WAIT_UNTIL_UNLOCKED },
};

/* By what their names begin with, without templates' arguments. shown: instead of a name that no program calls; NULL:
 * the name itself. */
static const struct {
    const char *prefix, *shown;
    JobWaitUntil until;
} methods[] = {
    { "std::future::", NULL, JOB_WAIT_UNTIL_FULFILLED },
    { "std::shared_future::", NULL, JOB_WAIT_UNTIL_FULFILLED },
    { "std::__basic_future::wait", "std::future::wait", JOB_WAIT_UNTIL_FULFILLED },
    { "std::__atomic_futex_unsigned_base::", "std::future", JOB_WAIT_UNTIL_FULFILLED },
    { "std::latch::", NULL, JOB_WAIT_UNTIL_ARRIVED },
    { "std::barrier::", NULL, JOB_WAIT_UNTIL_ARRIVED },
    { "std::counting_semaphore::", NULL, JOB_WAIT_UNTIL_RELEASED },
    { "std::atomic::wait", NULL, JOB_WAIT_UNTIL_WOKEN },
    { "std::__atomic_base::wait", "std::atomic::wait", JOB_WAIT_UNTIL_WOKEN },
};

/* glibc has further names for some of them: __pthread_cond_wait, __new_sem_wait, ___pthread_cond_clockwait64. */
static gboolean
is_called (const char *name, const char *known)
{
    gsize size = strlen (known);

    name += strspn (name, "_");
    name += g_str_has_prefix (name, "new_") ? strlen ("new_") : 0;
    return strncmp (name, known, size) == 0
           && (name[size] == '\0' || strcmp (name + size, "64") == 0);
}

/* NULL: none of these. */
static const char *
find_c_function (const Stack *stack, JobWaitUntil *ret_until)
{
    for (guint i = 0; stack != NULL && i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);
        const char *name = frame->location.function != NULL ? frame->location.function : "";

        for (guint j = 0; j < G_N_ELEMENTS (functions); j++) {
            if (is_called (name, functions[j].name)) {
                *ret_until = functions[j].until;
                return functions[j].name;
            }
        }
    }
    return NULL;
}

/* "std::future::get" of "std::future<int>::get". Caller owns. */
static char *
dup_without_arguments (const char *name)
{
    GString *plain = g_string_new (NULL);
    guint depth = 0;

    for (; *name != '\0'; name++) {
        depth += *name == '<';
        if (depth == 0) {
            g_string_append_c (plain, *name);
        }
        depth -= *name == '>' && depth > 0;
    }
    return g_string_free (plain, FALSE);
}

/* The outermost one of the C++ library that the program has called. NULL: none of these. Caller owns. */
static char *
dup_method (const Stack *stack, JobWaitUntil *ret_until)
{
    char *found = NULL;

    for (guint i = 0; stack != NULL && i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);
        g_autofree char *name = frame->location.function != NULL
                                    ? dup_without_arguments (frame->location.function)
                                    : NULL;

        if (name == NULL || !g_str_has_prefix (name, "std::")) {
            if (is_of_program (frame)) {
                break;
            }
            continue;
        }
        for (guint j = 0; j < G_N_ELEMENTS (methods); j++) {
            if (g_str_has_prefix (name, methods[j].prefix)) {
                g_free (found);
                found = g_strdup (methods[j].shown != NULL ? methods[j].shown : name);
                *ret_until = methods[j].until;
                break;
            }
        }
    }
    return found;
}

void
engine_wait_find_function (EngineProcess *process, pid_t tid, JobWait *wait)
{
    gboolean is_shared = wait->kind == JOB_WAIT_SHARED && wait->name == NULL;
    g_autoptr (Stack) stack = (wait->kind == JOB_WAIT_FUTEX || is_shared)
                                      && process->core == NULL
                                      && !engine_process_is_stopped (process)
                                  ? engine_system_call_read_stack (process, tid)
                                  : NULL;
    JobWaitUntil until = JOB_WAIT_UNTIL_WOKEN;
    g_autofree char *function = g_strdup (find_c_function (stack, &until));
    g_autoptr (JobLocation) place = NULL;

    function = function != NULL ? function : dup_method (stack, &until);
    place = function != NULL ? dup_own_place (stack) : NULL;

    if (function == NULL) {
        return;
    }
    if (is_shared) {
        wait->other_name = engine_memory_dup_sharers (process, wait->number);
        wait->flags = JOB_WAIT_PROCESSES | (wait->flags & JOB_WAIT_TIMED);
    } else {
        wait->flags |= engine_process_is_single (process) && (wait->flags & JOB_WAIT_TIMED) == 0
                           ? JOB_WAIT_ALONE
                           : 0;
    }
    wait->kind = JOB_WAIT_LIBRARY;
    wait->name = g_steal_pointer (&function);
    wait->number = until;
    if (place != NULL && place->file != NULL && place->line != 0) {
        wait->file = g_strdup (place->file);
        wait->line = place->line;
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
