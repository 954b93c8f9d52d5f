/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks that stopped ranks run for requests while the loop serves others: at most one in each
 * rank, so ranks work in parallel. Further requests wait until the rank is free. The owner
 * implements the task (python/talk.c). */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include <poll.h>

#define TURN_US 6000

static gboolean
is_busy (const EngineProcess *process)
{
    return process->task != NULL || (process->waiting != NULL && process->waiting->len > 0);
}

static void
free_request (gpointer request)
{
    job_request_free (request);
}

void
engine_task_begin (EngineTask *task)
{
    EngineProcess *process = task->process;

    g_assert (process->task == NULL);
    process->engine->n_busy += !is_busy (process);
    process->task = task;
}

void
engine_task_end (EngineTask *task)
{
    EngineProcess *process = task->process;

    g_assert (process->task == task);
    process->task = NULL;
    process->engine->n_busy -= !is_busy (process);
}

void
engine_task_forget_thread (const EngineThread *thread)
{
    EngineTask *task = thread->process->task;

    if (task != NULL && task->thread == thread) {
        task->thread = NULL;
    }
}

static void
put_off (EngineProcess *process, const JobRequest *request)
{
    JobRequest *own = job_request_dup (request);

    job_rank_set_clear (own->ranks);
    job_rank_set_add (own->ranks, process->slot);
    process->engine->n_busy += !is_busy (process);
    if (process->waiting == NULL) {
        process->waiting = g_ptr_array_new_with_free_func (free_request);
    }
    g_ptr_array_add (process->waiting, own);
}

gint64
engine_task_get_turn_end (void)
{
    return g_get_monotonic_time () + TURN_US;
}

/* One that has not begun must have its breakpoints before it does. */
gboolean
engine_task_is_put_off (EngineProcess *process, const JobRequest *request, gint64 end_us)
{
    if (!process->exec_seen || process->held_at_exec || request->verb == JOB_VERB_KILL
        || g_get_monotonic_time () <= end_us) {
        return FALSE;
    }
    put_off (process, request);
    return TRUE;
}

/* What does not look into the rank, and what nothing else may hold up. */
static gboolean
is_immediate (const EngineProcess *process, JobVerb verb)
{
    switch (verb) {
    case JOB_VERB_KILL:
    case JOB_VERB_CANCEL:
    case JOB_VERB_INPUT:
    case JOB_VERB_NAMES:
    case JOB_VERB_OPTION:
    case JOB_VERB_PROFILE:
    case JOB_VERB_START: return TRUE;
    case JOB_VERB_STATE: return process->waiting == NULL || process->waiting->len == 0;
    default: return FALSE;
    }
}

/* Whoever wants this wants it at once. */
static gboolean
is_urgent (JobVerb verb)
{
    return verb == JOB_VERB_PAUSE || verb == JOB_VERB_DETACH;
}

JobRequest *
engine_task_filter (Engine *engine, const JobRequest *request)
{
    JobRequest *rest = job_request_dup (request);
    gboolean is_put_off = FALSE;
    JobRankIter iter = { 0 };
    guint32 slot;

    while (engine->n_busy > 0 && job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process == NULL || !is_busy (process) || is_immediate (process, request->verb)) {
            continue;
        }
        if (process->task != NULL && is_urgent (request->verb)) {
            process->task->on_hurry (process->task);
        }
        put_off (process, request);
        job_rank_set_remove (rest->ranks, slot);
        is_put_off = TRUE;
    }
    if (is_put_off && job_rank_set_is_empty (rest->ranks)) {
        g_clear_pointer (&rest, job_request_free);
    }
    return rest;
}

/* Motions and breakpoints that wait stay: what the front end believes of them is not taken back. */
static void
cancel_waiting (EngineProcess *process, guint64 id)
{
    g_autoptr (GError) error = g_error_new_literal (BASE_ERROR, BASE_ERROR_BUSY, "cancelled");

    for (guint i = process->waiting != NULL ? process->waiting->len : 0; i-- > 0;) {
        const JobRequest *request = g_ptr_array_index (process->waiting, i);

        if (request->id == id && engine_inspect_may_take_long (request->verb)) {
            engine_emit_failure (process, id, error);
            g_ptr_array_remove_index (process->waiting, i);
        }
    }
}

void
engine_task_cancel (Engine *engine, const JobRequest *request)
{
    JobRankIter iter = { 0 };
    guint32 slot;

    while (engine->n_busy > 0 && job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process == NULL || !is_busy (process)) {
            continue;
        }
        if (process->task != NULL && request->every != 0
            && process->task->request == request->every) {
            process->task->on_hurry (process->task);
        }
        cancel_waiting (process, request->every);
        engine->n_busy -= !is_busy (process);
    }
}

static void
take_next (EngineProcess *process)
{
    g_autoptr (JobRequest) request = g_ptr_array_steal_index (process->waiting, 0);

    process->engine->n_busy -= !is_busy (process);
    engine_take_request (process->engine, request);
    if (process->task != NULL
        && (engine_task_awaits (process, JOB_VERB_PAUSE)
            || engine_task_awaits (process, JOB_VERB_DETACH))) {
        process->task->on_hurry (process->task);
    }
}

static gboolean
has_answer (const EngineTask *task)
{
    struct pollfd waiting = { .fd = task->answer_fd, .events = POLLIN };

    return task->awaits_answer && task->answer_fd >= 0 && poll (&waiting, 1, 0) > 0;
}

static gboolean
is_gone (const EngineTask *task)
{
    return task->thread == NULL && !task->awaits_answer;
}

static gboolean
is_due (const EngineProcess *process, gint64 now)
{
    const EngineTask *task = process->task;

    return task != NULL ? is_gone (task) || now >= task->due_us || has_answer (task)
                        : is_busy (process);
}

/* What it has done in time counts, however late its stop is seen. */
static void
take_turn (EngineProcess *process)
{
    EngineTask *task = process->task;
    TargetStop stop;

    if (task == NULL) {
        take_next (process);
    } else if (is_gone (task)) {
        task->on_gone (task);
    } else if (!task->awaits_answer
               && target_wait (task->thread->tid, &stop) == TARGET_WAIT_STOP) {
        engine_process_take_stop (process->engine, &stop);
    } else {
        task->on_time (task);
    }
}

gboolean
engine_tasks_check (Engine *engine, gint64 end_us)
{
    gint64 now = g_get_monotonic_time ();

    engine->turn_end_us = end_us;
    for (guint i = 0; engine->n_busy > 0 && i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);

        while (is_due (process, now)) {
            if (now >= end_us) {
                return TRUE;
            }
            take_turn (process);
            now = g_get_monotonic_time ();
        }
    }
    return FALSE;
}

int
engine_tasks_get_timeout_ms (const Engine *engine)
{
    gint64 now = g_get_monotonic_time (), nearest = G_MAXINT64;

    for (guint i = 0; engine->n_busy > 0 && i < engine->processes->len; i++) {
        const EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (is_busy (process)) {
            nearest = MIN (nearest, process->task != NULL && !is_gone (process->task)
                                        ? process->task->due_us
                                        : now);
        }
    }
    return nearest == G_MAXINT64 ? -1 : (int) MAX ((nearest - now + 999) / 1000, 0);
}

gboolean
engine_task_awaits (const EngineProcess *process, JobVerb verb)
{
    for (guint i = 0; process->waiting != NULL && i < process->waiting->len; i++) {
        if (((const JobRequest *) g_ptr_array_index (process->waiting, i))->verb == verb) {
            return TRUE;
        }
    }
    return FALSE;
}

void
engine_task_abandon (EngineProcess *process)
{
    if (process->waiting != NULL) {
        process->engine->n_busy -= process->task == NULL && is_busy (process);
        g_clear_pointer (&process->waiting, g_ptr_array_unref);
    }
    while (process->task != NULL) { /* what ends may begin another */
        process->task->on_abandon (process->task);
    }
}
