/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A running command: its requests, the answers that it collects and prints, its failures and
 * its end. */
#include "command/private.h"

CommandJob *
command_job_new (CommandContext *context, const char *line, CommandDone done, gpointer user)
{
    CommandJob *job = g_new0 (CommandJob, 1);

    job->context = context;
    job->session = context->session;
    job->line = g_strdup (line);
    job->done = done;
    job->done_user = user;
    job->answers = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    return job;
}

GCancellable *
command_job_get_reading (CommandJob *job)
{
    if (job->reading == NULL) {
        job->reading = g_cancellable_new ();
    }
    return job->reading;
}

void
command_job_stop_reading (CommandJob *job)
{
    if (job->reading != NULL) {
        g_cancellable_cancel (job->reading);
    }
    g_clear_object (&job->reading);
    g_clear_pointer (&job->listings, g_ptr_array_unref);
    command_queue_forget (job);
}

void
command_job_free (CommandJob *job)
{
    command_wait_clear (job);
    command_profile_forget (job);
    session_why_cancel (job->session, job);
    session_find_names_cancel (job->session, job);
    command_job_stop_reading (job);
    g_clear_pointer (&job->place, job_request_free);
    g_clear_pointer (&job->spot, command_spot_free);
    session_query_free (job->query);
    g_free (job->line);
    g_free (job->arguments);
    g_free (job->expression);
    command_set_free (job->parsed_set);
    g_clear_pointer (&job->set, job_rank_set_free);
    g_clear_pointer (&job->hook_ranks, job_rank_set_free);
    g_clear_pointer (&job->missing, job_rank_set_free);
    g_clear_pointer (&job->requests, g_ptr_array_unref);
    g_ptr_array_unref (job->answers);
    job_message_table_free (job->queues);
    g_free (job);
}

guint64
command_job_get_number (CommandJob *job)
{
    if (job->number == 0) {
        job->number = session_reserve_request (job->session);
    }
    return job->number;
}

void
command_job_answer (CommandJob *job, const JobRankSet *ranks, const char *text)
{
    g_autofree char *stripped = g_strchomp (g_strdup (text));
    g_autofree char *json = NULL;

    if (!job->context->json) {
        command_context_write (job->context, COMMAND_OUT_ANSWER, stripped);
        return;
    }
    json = command_json_format_text ("text", command_job_get_number (job), ranks, stripped);
    command_context_write (job->context, COMMAND_OUT_ANSWER, json);
}

static void
write_error (CommandContext *context, guint64 request, const JobRankSet *ranks,
             const char *text)
{
    g_autofree char *line = NULL;
    g_autofree char *rank_text = ranks != NULL ? job_rank_set_format (ranks) : NULL;

    if (context->json) {
        line = command_json_format_text ("error", request, ranks, text);
    } else if (rank_text != NULL && *rank_text != '\0') {
        line = g_strdup_printf ("error: %s (%s)", text, rank_text);
    } else {
        line = g_strdup_printf ("error: %s", text);
    }
    command_context_write (context, COMMAND_OUT_ERROR, line);
}

void
command_context_write_error (CommandContext *context, const char *text)
{
    write_error (context, 0, NULL, text);
}

void
command_job_fail (CommandJob *job, const JobRankSet *ranks, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list arguments;

    va_start (arguments, format);
    text = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    job->failed = TRUE;
    job->is_answered = FALSE;
    write_error (job->context, job->context->json ? command_job_get_number (job) : 0, ranks,
                 text);
}

void
command_job_end (CommandJob *job)
{
    CommandContext *context = job->context;
    CommandDone done = job->done;
    gpointer user = job->done_user;
    gboolean ok = !job->failed;

    if (context->json) {
        g_autofree char *json = command_json_format_done (command_job_get_number (job), ok,
                                                          job->missing);
        CommandSpot *spot = g_steal_pointer (&context->spot);

        command_context_write (context, COMMAND_OUT_ANSWER, json); /* no answer of the spot's */
        context->spot = spot;
    }
    context->active = NULL;
    context->answered = job->is_answered;
    job->spot = NULL; /* done's */
    command_job_free (job);
    if (done != NULL) {
        done (ok, user);
    }
    command_context_begin_next (context);
}

GPtrArray *
command_take_answers (SessionAnswer *answer)
{
    GPtrArray *events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);

    g_ptr_array_extend_and_steal (events, g_ptr_array_ref (answer->groups));
    g_ptr_array_extend_and_steal (events, g_ptr_array_ref (answer->failures));
    return events;
}

/* Whose lines can be compared across ranks, each for itself. */
static gboolean
is_list (const CommandJob *job)
{
    JobVerb verb = job->row->verb;

    return !job->context->json
           && (verb == JOB_VERB_REGISTERS || verb == JOB_VERB_MODULES || verb == JOB_VERB_MAPS
               || verb == JOB_VERB_EXAMINE || verb == JOB_VERB_SIGNALS);
}

static void
write_list (CommandJob *job)
{
    g_autofree char *lines = command_format_merged_lines (job->answers);

    command_context_write (job->context, COMMAND_OUT_ANSWER, lines);
    BASE_EACH (job->answers, const JobEvent, event) {
        if (event->kind != JOB_EVENT_TEXT && event->kind != JOB_EVENT_DETAILS) {
            command_context_write_event (job->context, COMMAND_OUT_ANSWER, event, NULL);
        }
    }
}

static void
strip_names (JobEvent *event)
{
    for (guint i = 0;
         job_event_get_table (event) != NULL && i < job_event_get_table (event)->rows->len;
         i++) {
        JobValueRow *row = g_ptr_array_index (job_event_get_table (event)->rows, i);

        g_free (row->name);
        row->name = g_strdup ("");
    }
}

void
command_job_print_answers (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    for (guint i = 0; job->context->json && i < job->answers->len; i++) {
        ((JobEvent *) g_ptr_array_index (job->answers, i))->request
            = command_job_get_number (job);
    }
    for (guint i = 0; job->is_bare && !job->context->json && i < job->answers->len; i++) {
        strip_names (g_ptr_array_index (job->answers, i));
    }
    if (is_list (job)) {
        write_list (job);
    } else {
        command_context_write_events (job->context, COMMAND_OUT_ANSWER, job->answers,
                                      job->expression);
    }
    if (missing != NULL && !job_rank_set_is_empty (missing)) {
        if (job->missing == NULL) {
            job->missing = job_rank_set_new ();
        }
        job_rank_set_merge (job->missing, missing);
        command_job_fail_missing (job, missing);
    }
    job->failed |= !ok;
    job->is_answered &= ok;
}

static void
print_and_go_on (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    command_job_print_answers (job, ok, missing);
    if (job->requests != NULL && job->requests->len > 0) {
        command_job_query (job, g_ptr_array_steal_index (job->requests, 0), print_and_go_on);
    } else {
        command_job_end (job);
    }
}

/* What has been selected; also code that was run in a rank tells where the selected frame is now. */
static void
take_frames (CommandJob *job)
{
    JobVerb verb = job->row->verb;

    for (guint i = job->answers->len; i > 0; i--) {
        const JobEvent *event = g_ptr_array_index (job->answers, i - 1);

        if (event->kind == JOB_EVENT_FRAME) {
            if ((event->flags & JOB_EVENT_STALE) == 0) { /* else it is where they were */
                session_selection_apply (job->context->selection, event,
                                         verb == JOB_VERB_THREAD ? job->thread : 0);
            }
            if (verb != JOB_VERB_FRAME && verb != JOB_VERB_THREAD) {
                g_ptr_array_remove_index (job->answers, i - 1);
            }
        }
    }
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    CommandJob *job = user;
    g_autoptr (JobRankSet) missing = g_steal_pointer (&answer->missing);
    gboolean ok = answer->ok;

    g_ptr_array_unref (job->answers);
    job->answers = command_take_answers (answer);
    g_clear_pointer (&job->query, session_query_free);
    take_frames (job);
    job->on_finished (job, ok, missing);
}

void
command_job_query (CommandJob *job, JobRequest *request,
                   void (*on_finished) (CommandJob *job, gboolean ok,
                                        const JobRankSet *missing))
{
    gboolean is_motion = job_verb_is_motion (request->verb);

    g_ptr_array_set_size (job->answers, 0);
    job->on_finished = on_finished;
    job->thread = request->verb == JOB_VERB_THREAD ? request->number : 0;
    session_selection_mark (job->context->selection, request);
    job->query = session_query_new (job->session, request, on_answer, job);
    job->request = session_query_get_id (job->query);
    /* Stops name the motion that they end. */
    if (job->question == NULL && (job->number == 0 || is_motion)) {
        job->number = job->request;
    }
}

/* JSON is for programs, which want all of it. */
static gboolean
is_summary_enough (const CommandJob *job, const JobRequest *request)
{
    return !job->context->json
           && (request->verb == JOB_VERB_PRINT || request->verb == JOB_VERB_PRINTF
               || request->verb == JOB_VERB_LOCALS || request->verb == JOB_VERB_REGISTERS);
}

void
command_job_submit (CommandJob *job, JobRequest *request)
{
    request->flags |= is_summary_enough (job, request) ? JOB_REQUEST_SUMMARY : 0;
    command_job_query (job, request, print_and_go_on);
}

void
command_job_submit_all (CommandJob *job, GPtrArray *requests)
{
    g_clear_pointer (&job->requests, g_ptr_array_unref);
    job->requests = requests;
    g_ptr_array_set_free_func (requests, (GDestroyNotify) job_request_free);
    if (requests->len == 0) {
        command_job_end (job);
    } else {
        command_job_submit (job, g_ptr_array_steal_index (requests, 0));
    }
}
