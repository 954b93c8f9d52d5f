/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of the command language: holds events of the job for a moment, or during a wait,
 * and prints them merged; passes answers to the running command. */
#include "command/script-private.h"
#include "base/escape.h"

#define COALESCE_MS 20
#define REST 20 /* times the duration of printing */
#define MAX_REST_MS 1000
#define START_MS 300 /* before the first stop of all: ranks come one after the other */

void
command_context_write (CommandContext *context, CommandOutKind kind, const char *text)
{
    if (text != NULL && *text != '\0') {
        if (context->spot != NULL && kind == COMMAND_OUT_ERROR
            && command_spot_is_silent (context)) {
            return;
        }
        if (context->spot != NULL) {
            command_spot_say (context);
        }
        g_autofree char *shown = context->json ? g_strdup (text)
                                               : base_escape_dup (text, BASE_ESCAPE_KEEP_LINES);

        command_context_flush_held (context);
        context->write (kind, 1, shown, context->user);
        command_logging_take (context->logging, shown);
    }
}

void
command_context_write_event (CommandContext *context, CommandOutKind kind,
                             const JobEvent *event, const char *expression)
{
    g_autofree char *text = context->json
                                ? command_json_format_event (context->session, event,
                                                             expression)
                                : command_format_event (context->session, event, expression);

    command_context_write (context, event->kind == JOB_EVENT_FAILURE ? COMMAND_OUT_ERROR : kind,
                           text);
}

void
command_context_write_events (CommandContext *context, CommandOutKind kind,
                              const GPtrArray *events, const char *expression)
{
    for (guint i = 0; i < events->len; i++) {
        command_context_write_event (context, kind, g_ptr_array_index (events, i), expression);
    }
}

static JobRankSet *
dup_stopped (const GPtrArray *states)
{
    JobRankSet *ranks = job_rank_set_new ();

    BASE_EACH (states, const JobEvent, event) {
        if (job_state_get_info (event->state)->is_stopped) {
            job_rank_set_merge (ranks, event->ranks);
        }
    }
    return ranks;
}

/* In a group window, only lines about some of its ranks. */
static void
write_states (CommandContext *context, GPtrArray *states)
{
    for (guint i = states->len; i > 0 && context->only != NULL; i--) {
        const JobEvent *event = g_ptr_array_index (states, i - 1);

        if (!job_rank_set_intersects (event->ranks, context->only)) {
            g_ptr_array_remove_index (states, i - 1);
        }
    }
    BASE_EACH (states, const JobEvent, event) {
        if (context->json || !command_hooks_are_silent (context, event)) {
            command_context_write_event (context, COMMAND_OUT_EVENT, event, NULL);
        }
    }
    if (!context->json) {
        g_autofree char *reasons = command_format_reasons (context->session, states);

        command_context_write (context, COMMAND_OUT_EVENT, reasons);
    }
    for (guint i = 0; i < states->len; i++) {
        command_hooks_add (context, g_ptr_array_index (states, i));
    }
    if (context->displays->len > 0) {
        g_autoptr (JobRankSet) stopped = dup_stopped (states);
        g_autoptr (JobRankSet) shown = context->only != NULL
                                           ? job_rank_set_intersect (stopped, context->only)
                                           : job_rank_set_dup (stopped);

        command_display_show (context, shown);
    }
}

/* Keeps it: an answer of `why` that follows does not say it again. */
static void
write_verdict (CommandContext *context, const char *lines)
{
    command_context_write (context, COMMAND_OUT_EVENT, lines);
    g_free (context->announced);
    context->announced = context->json ? NULL : g_strdup (lines);
}

/* Prints first other events in order of arrival, then each rank's current state. Then pauses in
 * proportion to the time that took, so that a flood leaves time for everything else. */
void
command_context_flush (CommandContext *context)
{
    g_autoptr (GPtrArray) events = NULL;
    gint64 begin_us = g_get_monotonic_time ();

    g_clear_handle_id (&context->flush_source, g_source_remove);
    if (context->pending->len == 0 && session_last_states_is_empty (context->last)) {
        return;
    }
    events = context->pending;
    context->pending = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    for (guint i = 0; i < events->len; i++) {
        ((JobEvent *) g_ptr_array_index (events, i))->stop = 0;
    }
    job_event_list_merge (events);
    command_context_write_events (context, COMMAND_OUT_EVENT, events, NULL);
    if (!session_last_states_is_empty (context->last)) {
        g_autoptr (GPtrArray) states
            = session_last_states_take (context->last, context->session, context->json);

        write_states (context, states);
    }
    if (context->verdict != NULL) {
        write_verdict (context, context->verdict);
        g_clear_pointer (&context->verdict, g_free);
    }
    context->rest_ms = (guint) MIN ((g_get_monotonic_time () - begin_us) / 1000 * REST,
                                    MAX_REST_MS);
}

static gboolean
on_flush (gpointer data)
{
    CommandContext *context = data;

    context->flush_source = 0;
    command_context_flush (context);
    return G_SOURCE_REMOVE;
}

/* Of ranks that go on line by line only the last line is told. */
static gboolean
is_on_the_way (CommandContext *context, const JobEvent *event)
{
    return event->kind == JOB_EVENT_STATE
           && session_is_marching (context->session, event->ranks);
}

/* Messages about a start are printed at once, because a start may take forever. */
static gboolean
on_notice (gpointer data)
{
    CommandContext *context = data;
    g_autoptr (GPtrArray) notices
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);

    context->notice_source = 0;
    for (guint i = 0; i < context->pending->len;) {
        JobEvent *event = g_ptr_array_index (context->pending, i);

        if (event->kind == JOB_EVENT_NOTICE) {
            event->stop = 0;
            g_ptr_array_add (notices, g_ptr_array_steal_index (context->pending, i));
        } else {
            i++;
        }
    }
    job_event_list_merge (notices);
    command_context_write_events (context, COMMAND_OUT_EVENT, notices, NULL);
    return G_SOURCE_REMOVE;
}

/* What others return is none of the window's business. */
static void
leave_out_others (JobValueTable *table, const JobRankSet *only)
{
    BASE_EACH (table->rows, JobValueRow, row) {
        for (guint j = row->groups->len; j > 0; j--) {
            const JobValueGroup *group = g_ptr_array_index (row->groups, j - 1);

            if (!job_rank_set_intersects (group->ranks, only)) {
                g_ptr_array_remove_index (row->groups, j - 1);
            }
        }
        if (row->rest != NULL && !job_rank_set_intersects (row->rest->ranks, only)) {
            g_clear_pointer (&row->rest, job_value_rest_free);
        }
    }
}

static JobEvent *
dup_for_context (const CommandContext *context, const JobEvent *event)
{
    JobEvent *copy = job_event_dup (event);

    if (context->only != NULL && job_event_get_table (copy) != NULL) {
        leave_out_others (job_event_get_table (copy), context->only);
    }
    return copy;
}

static gboolean
concerns (const CommandContext *context, const JobEvent *event)
{
    return context->only == NULL || job_rank_set_is_empty (event->ranks)
           || job_rank_set_intersects (event->ranks, context->only);
}

static void
add_pending (CommandContext *context, const JobEvent *event)
{
    if (event->kind != JOB_EVENT_STATE && !concerns (context, event)) {
        return;
    }
    if (event->kind == JOB_EVENT_STATE) {
        session_last_states_add (context->last, event);
    } else {
        g_ptr_array_add (context->pending, dup_for_context (context, event));
    }
    if (event->kind == JOB_EVENT_NOTICE && context->waiting && context->notice_source == 0
        && !session_is_ready (context->session)) {
        context->notice_source = g_timeout_add (START_MS, on_notice, context);
    }
    if (context->flush_source == 0 && !is_on_the_way (context, event)
        && (!context->waiting || command_hooks_want (context, event))) {
        guint ms = session_is_ready (context->session) ? MAX (COALESCE_MS, context->rest_ms)
                                                       : START_MS;

        context->flush_source = g_timeout_add (ms, on_flush, context);
    }
}

/* ---- signals of the session ---- */

/* Job events are for everyone; answers are those of a query. */
static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    CommandContext *context = user;
    CommandJob *job = context->active;

    if (command_profile_take (context, event)) {
        return;
    }
    switch (event->kind) {
    case JOB_EVENT_STATE:
        if (!(event->flags & JOB_EVENT_FRESH)) {
            add_pending (context, event);
        }
        break;
    case JOB_EVENT_NOTICE:
    case JOB_EVENT_LOG:
    case JOB_EVENT_RETURNED: add_pending (context, event); break;
    case JOB_EVENT_RANKS:
        if (context->json) {
            add_pending (context, event);
        }
        break;
    case JOB_EVENT_NONE:
    case JOB_EVENT_ACCEPTED:
    case JOB_EVENT_OUTPUT: break;
    default:
        if (event->request == 0
            || (!event->final && !session_has_query (session, event->request))) {
            add_pending (context, event);
        }
        break;
    }
    if (job != NULL && context->active == job) {
        command_wait_check (job);
    }
}

static void
on_finished (Session *session, guint64 request, gboolean ok, JobRankSet *missing,
             CommandContext *context)
{
    if (command_profile_take_end (context, request)) {
        return;
    }
    if (context->active != NULL) {
        command_wait_check (context->active);
    }
}

static void
on_message (Session *session, guint severity, const char *text, const char *shown,
            CommandContext *context)
{
    static const char *const words[] = { "note", "warning", "error" };
    g_autofree char *line = NULL;

    if (context->json) {
        line = command_json_format_text (severity >= 2 ? "error" : "message", 0, NULL, text);
    } else {
        line = g_strdup_printf ("%s: %s", words[MIN (severity, 2)], text);
    }
    command_context_write (context, severity >= 2 ? COMMAND_OUT_ERROR : COMMAND_OUT_EVENT,
                           line);
}

static void
on_ready (Session *session, CommandContext *context)
{
    if (context->active != NULL) {
        command_restart_check (context->active);
    }
}

/* Each independent fault is told; who only waits for one that computes has none. */
static void
on_verdict (Session *session, const AnalysisVerdict *verdict, CommandContext *context)
{
    g_autoptr (GString) lines = g_string_new (NULL);

    for (const AnalysisVerdict *fault = verdict; fault != NULL; fault = fault->next) {
        if (fault == verdict || fault->kind < ANALYSIS_VERDICT_COMPUTING) {
            g_autofree char *line = command_format_verdict (context, 0, fault);

            g_string_append_printf (lines, "%s%s", lines->len > 0 ? "\n" : "", line);
        }
    }
    if (context->waiting) {
        g_free (context->verdict);
        context->verdict = g_string_free (g_steal_pointer (&lines), FALSE);
    } else {
        command_context_flush (context);
        write_verdict (context, lines->str);
    }
}

/* During a wait, states are printed at its end; tools (JSON) get them at once. */
static void
on_progress (Session *session, guint64 request, guint arrived, guint asked,
             CommandContext *context)
{
    g_autofree char *line = NULL;

    if (context->json) {
        line = command_json_format_progress (request, arrived, asked);
    } else if (!context->waiting && arrived < asked) {
        line = g_strdup_printf ("%u of %u arrived", arrived, asked);
    }
    if (line != NULL) {
        command_context_flush (context);
        command_context_write (context, COMMAND_OUT_EVENT, line);
    }
}

static void
on_ended (Session *session, int wait_status, CommandContext *context)
{
    if (context->active != NULL) {
        command_wait_check (context->active);
    }
    if (context->active != NULL) {
        command_restart_check (context->active);
    }
}

CommandContext *
command_context_new (Session *session, gboolean json, CommandWrite write, gpointer user)
{
    CommandContext *context = g_new0 (CommandContext, 1);

    context->session = g_object_ref (session);
    context->selection = session_selection_new (session);
    context->json = json;
    context->write = write;
    context->user = user;
    context->jobs = g_queue_new ();
    context->pending = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    context->last = session_last_states_new ();
    context->held = command_held_output_new ();
    context->partials = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                               command_output_free_partial);
    context->scripts = g_hash_table_new_full (NULL, NULL, NULL,
                                              (GDestroyNotify) g_ptr_array_unref);
    context->quit_status = COMMAND_NO_STATUS;
    context->hooks = g_queue_new ();
    context->displays = g_ptr_array_new_with_free_func (session_saved_display_free);
    context->asked = g_ptr_array_new_with_free_func (command_display_free_asked);
    session_add_listener (session, on_event, context);
    context->handlers[0] = g_signal_connect (session, "verdict", G_CALLBACK (on_verdict),
                                             context);
    context->handlers[1] = g_signal_connect (session, "finished", G_CALLBACK (on_finished),
                                             context);
    context->handlers[2] = g_signal_connect (session, "message", G_CALLBACK (on_message),
                                             context);
    context->background = job_rank_set_new ();
    context->handlers[3] = g_signal_connect (session, "ended", G_CALLBACK (on_ended), context);
    context->handlers[4] = g_signal_connect (session, "output",
                                             G_CALLBACK (command_context_take_output), context);
    context->handlers[6] = g_signal_connect (session, "ready", G_CALLBACK (on_ready), context);
    context->handlers[5] = g_signal_connect (session, "progress", G_CALLBACK (on_progress),
                                             context);
    return context;
}

void
command_context_free (CommandContext *context)
{
    if (context == NULL) {
        return;
    }
    if (command_get_scripts () != NULL) {
        command_get_scripts ()->forget (context);
    }
    session_remove_listener (context->session, on_event, context);
    for (guint i = 0; i < G_N_ELEMENTS (context->handlers); i++) {
        g_signal_handler_disconnect (context->session, context->handlers[i]);
    }
    g_clear_handle_id (&context->flush_source, g_source_remove);
    g_clear_handle_id (&context->notice_source, g_source_remove);
    g_clear_pointer (&context->active, command_job_free);
    g_clear_pointer (&context->suspended, command_job_free);
    while (!g_queue_is_empty (context->jobs)) {
        command_job_free (g_queue_pop_head (context->jobs));
    }
    g_queue_free (context->jobs);
    command_logging_free (context->logging);
    command_forget_shown (context);
    g_ptr_array_unref (context->pending);
    session_last_states_free (context->last);
    g_clear_pointer (&context->only, job_rank_set_free);
    command_held_output_free (context->held);
    g_hash_table_unref (context->partials);
    g_clear_handle_id (&context->hook_source, g_source_remove);
    g_hash_table_unref (context->scripts);
    g_clear_pointer (&context->block, g_ptr_array_unref);
    command_script_block_free (context);
    while (!g_queue_is_empty (context->hooks)) {
        command_job_free (g_queue_pop_head (context->hooks));
    }
    g_queue_free (context->hooks);
    g_ptr_array_unref (context->displays);
    g_ptr_array_unref (context->asked);
    g_clear_pointer (&context->hand_over, job_rank_set_free);
    g_clear_pointer (&context->moved, job_rank_set_free);
    job_rank_set_free (context->background);
    command_profile_unref (context->profile);
    g_free (context->verdict);
    g_free (context->announced);
    g_object_unref (context->selection);
    g_object_unref (context->session);
    g_free (context);
}

void
command_context_show_only (CommandContext *context, const JobRankSet *ranks)
{
    g_clear_pointer (&context->only, job_rank_set_free);
    context->only = job_rank_set_dup (ranks);
}

Session *
command_context_get_session (CommandContext *context)
{
    return context->session;
}

SessionSelection *
command_context_get_selection (CommandContext *context)
{
    return context->selection;
}

gboolean
command_context_is_quit (const CommandContext *context)
{
    return context->quit;
}
