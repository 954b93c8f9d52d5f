/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose turn it is: while a rank's work waits the loop serves others, so ranks work in parallel. Further requests for
 * the rank wait until it is free. */
#include "engine/notices.h"

#define TURN_US 6000

gboolean
engine_process_is_busy (const EngineProcess *process)
{
    return process->ongoing != NULL || (process->waiting != NULL && process->waiting->len > 0);
}

static void
put_off (EngineProcess *process, const JobRequest *request)
{
    JobRequest *own = job_request_dup (request);

    job_rank_set_clear (own->ranks);
    job_rank_set_add (own->ranks, process->slot);
    process->engine->n_busy += !engine_process_is_busy (process);
    if (process->waiting == NULL) {
        process->waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    }
    g_ptr_array_add (process->waiting, own);
}

gint64
engine_turn_get_end (void)
{
    return g_get_monotonic_time () + TURN_US;
}

/* One that has not begun must have its breakpoints before it does. */
gboolean
engine_turn_put_off (EngineProcess *process, const JobRequest *request, gint64 end_us)
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
engine_turn_filter (Engine *engine, const JobRequest *request)
{
    JobRequest *rest = job_request_dup (request);
    gboolean is_put_off = FALSE;
    JobRankIter iter = { 0 };
    guint32 slot;

    while (engine->n_busy > 0 && job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process == NULL || !engine_process_is_busy (process)
            || is_immediate (process, request->verb)) {
            continue;
        }
        if (process->ongoing != NULL && is_urgent (request->verb)) {
            engine_ongoing_hurry (process->ongoing);
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

gboolean
engine_request_may_take_long (JobVerb verb)
{
    switch (verb) {
    case JOB_VERB_PRINT:
    case JOB_VERB_PRINTF:
    case JOB_VERB_FIND:
    case JOB_VERB_CALL:
    case JOB_VERB_ARRAY:
    case JOB_VERB_SET:
    case JOB_VERB_EXEC:
    case JOB_VERB_LOCALS:
    case JOB_VERB_GLOBALS:
    case JOB_VERB_WHATIS:
    case JOB_VERB_PTYPE: return TRUE;
    default: return FALSE;
    }
}

/* Motions and breakpoints that wait stay: what the front end believes of them is not taken back. */
static void
cancel_waiting (EngineProcess *process, guint64 id)
{
    g_autoptr (GError) error = g_error_new_literal (BASE_ERROR, BASE_ERROR_BUSY, "cancelled");

    for (guint i = process->waiting != NULL ? process->waiting->len : 0; i-- > 0;) {
        const JobRequest *request = g_ptr_array_index (process->waiting, i);

        if (request->id == id && engine_request_may_take_long (request->verb)) {
            engine_emit_failure (process, id, error);
            g_ptr_array_remove_index (process->waiting, i);
        }
    }
}

void
engine_turn_cancel (Engine *engine, const JobRequest *request)
{
    JobRankIter iter = { 0 };
    guint32 slot;

    while (engine->n_busy > 0 && job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process == NULL || !engine_process_is_busy (process)) {
            continue;
        }
        if (process->ongoing != NULL && request->cancels != 0
            && engine_ongoing_get_request (process->ongoing) == request->cancels) {
            engine_ongoing_hurry (process->ongoing);
        }
        cancel_waiting (process, request->cancels);
        engine->n_busy -= !engine_process_is_busy (process);
    }
}

static void
take_next (EngineProcess *process)
{
    g_autoptr (JobRequest) request = g_ptr_array_steal_index (process->waiting, 0);

    process->engine->n_busy -= !engine_process_is_busy (process);
    process->engine->notices->take_request (process->engine, request);
    if (process->ongoing != NULL
        && (engine_turn_awaits (process, JOB_VERB_PAUSE)
            || engine_turn_awaits (process, JOB_VERB_DETACH))) {
        engine_ongoing_hurry (process->ongoing);
    }
}

static gboolean
is_due (const EngineProcess *process, gint64 now)
{
    return process->ongoing != NULL ? now >= engine_ongoing_get_due (process->ongoing)
                                    : engine_process_is_busy (process);
}

static void
take_turn (EngineProcess *process)
{
    if (process->ongoing != NULL) {
        engine_ongoing_take_turn (process->ongoing);
    } else {
        take_next (process);
    }
}

gboolean
engine_turn_check (Engine *engine, gint64 end_us)
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
engine_turn_get_timeout_ms (const Engine *engine)
{
    gint64 now = g_get_monotonic_time (), nearest = G_MAXINT64;

    for (guint i = 0; engine->n_busy > 0 && i < engine->processes->len; i++) {
        const EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (engine_process_is_busy (process)) {
            nearest = MIN (nearest, process->ongoing != NULL
                                        ? engine_ongoing_get_due (process->ongoing)
                                        : now);
        }
    }
    return nearest == G_MAXINT64 ? -1 : (int) MAX ((nearest - now + 999) / 1000, 0);
}

gboolean
engine_turn_awaits (const EngineProcess *process, JobVerb verb)
{
    return BASE_HAS (process->waiting, const JobRequest, request, request->verb == verb);
}

void
engine_turn_abandon (EngineProcess *process)
{
    if (process->waiting != NULL) {
        process->engine->n_busy -= process->ongoing == NULL && engine_process_is_busy (process);
        g_clear_pointer (&process->waiting, g_ptr_array_unref);
    }
    while (process->ongoing != NULL) { /* what ends may begin another */
        engine_ongoing_abandon (process->ongoing);
    }
}
