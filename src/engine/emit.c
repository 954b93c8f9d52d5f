/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every room tells of a rank: events that wait until they are merged and emitted. */
#include "engine/notices.h"

EngineProcess *
engine_find_process (Engine *engine, guint32 slot)
{
    return slot < engine->processes->len ? g_ptr_array_index (engine->processes, slot) : NULL;
}

JobEvent *
engine_emit (Engine *engine, JobEvent *event)
{
    JobEvent *last = engine->queue->len > 0
                         ? g_ptr_array_index (engine->queue, engine->queue->len - 1)
                         : NULL;

    /* Stacks are large and mostly equal: not one of each rank until the flush. */
    if (last != NULL && event->kind == JOB_EVENT_STACKS && job_event_merge (last, event)) {
        job_event_free (event);
        return last;
    }
    g_ptr_array_add (engine->queue, event);
    return event;
}

static JobEvent *
new_event (EngineProcess *process, JobEventKind kind, guint64 request)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);

    return job_event_new (kind, request, slot);
}

void
engine_emit_failure (EngineProcess *process, guint64 request, const GError *error)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    g_autoptr (GError) unknown = NULL;
    JobEvent *event;

    base_error_set (&unknown, BASE_ERROR_FAULT, "failed for an unknown reason");
    event = job_event_new_failure (request, slot, error != NULL ? error : unknown);
    if (error == NULL) {
        g_warning (
            "a request failed without saying why"); /* ours: but the ranks need a tracer */
    }
    event->final = TRUE;
    engine_emit (process->engine, event);
}

void
engine_emit_accepted (EngineProcess *process, guint64 request)
{
    JobEvent *event = new_event (process, JOB_EVENT_ACCEPTED, request);

    event->final = TRUE;
    engine_emit (process->engine, event);
}

void
engine_emit_notice (EngineProcess *process, const char *text)
{
    JobEvent *event = new_event (process, JOB_EVENT_NOTICE, 0);

    event->text = g_strdup (text);
    engine_emit (process->engine, event);
}

void
engine_emit_text (EngineProcess *process, JobText *text)
{
    JobEvent *event = new_event (process, JOB_EVENT_NOTICE, 0);

    job_event_say (event, text);
    engine_emit (process->engine, event);
}

void
engine_say (EngineProcess *process, const char *format, ...)
{
    JobText *text;
    va_list arguments;

    va_start (arguments, format);
    text = job_text_new_valist (format, arguments);
    va_end (arguments);
    engine_emit_text (process, text);
}

/* How text2 was formed, if the last signal's reason is it; NULL: nobody knows. */
static JobText *
dup_said (const EngineProcess *process)
{
    g_autofree char *reason = process->reason != NULL && process->state_text2 != NULL
                                  ? job_text_print (BASE_TEXT_ENGLISH, process->reason)
                                  : NULL;

    return g_strcmp0 (reason, process->state_text2) == 0 ? job_text_dup (process->reason)
                                                         : NULL;
}

void
engine_emit_state (EngineProcess *process, guint64 request, gboolean final, guint32 flags)
{
    JobEvent *event = new_event (process, JOB_EVENT_STATE, request);

    event->final = final;
    event->flags = flags;
    event->stop = process->stop;
    event->state = process->state;
    event->number = process->state_number;
    event->text = g_strdup (process->state_text);
    event->text2 = g_strdup (process->state_text2);
    event->said = event->text2 != NULL ? dup_said (process) : NULL;
    event->place = job_location_dup (process->state_place);
    engine_emit (process->engine, event);
    engine_tell (process, process->engine->notices->state_told);
}

static void
tell_all (Engine *engine, const EngineTold *list)
{
    for (guint i = 0; i < ENGINE_N_TOLD && list[i] != NULL; i++) {
        list[i](engine);
    }
}

/* An emit may make a request of its own: the queue is taken first. */
void
engine_flush (Engine *engine)
{
    tell_all (engine, engine->notices->flushes);
    while (engine->queue->len > 0) {
        g_autoptr (GPtrArray) events = engine->queue;

        engine->queue = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
        job_event_list_merge (events);
        for (guint i = 0; i < events->len; i++) {
            if (engine->options.emit != NULL) {
                engine->options.emit (g_ptr_array_index (events, i), engine->options.user);
            }
        }
    }
    engine_work_free_deferred (engine, FALSE);
    tell_all (engine, engine->notices->flushed);
}
