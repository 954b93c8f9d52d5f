/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands one after the other: each is parsed when its turn comes, asks, collects its answers
 * and ends; events of the job are held for a moment, or for a wait, and printed merged. */
#include "command/private.h"
#include "base/error.h"
#include <string.h>

#define COALESCE_MS 20
#define REST 20 /* times as long as telling took */
#define MAX_REST_MS 1000
#define MAX_PARTIAL 65536 /* of a line without an end; what is longer is shown in pieces */
#define START_MS 300 /* before the first stop of all: ranks come one after the other */

static void begin_next (CommandContext *context);

void
command_context_write (CommandContext *context, CommandOutKind kind, const char *text)
{
    if (text != NULL && *text != '\0') {
        context->write (kind, 1, text, context->user);
    }
}

static void
write_event (CommandContext *context, CommandOutKind kind, const JobEvent *event,
             const char *expression)
{
    g_autofree char *text = context->json
        ? command_json_format_event (context->session, event, expression)
        : command_format_event (context->session, event, expression);

    command_context_write (context, event->kind == JOB_EVENT_FAILURE ? COMMAND_OUT_ERROR : kind,
                           text);
}

static void
write_all (CommandContext *context, CommandOutKind kind, GPtrArray *events, const char *expression)
{
    for (guint i = 0; i < events->len; i++) {
        write_event (context, kind, g_ptr_array_index (events, i), expression);
    }
}

/* In a group's window only lines that are of some of its ranks. */
static void
write_states (CommandContext *context, GPtrArray *states)
{
    for (guint i = states->len; i > 0 && context->only != NULL; i--) {
        const JobEvent *event = g_ptr_array_index (states, i - 1);

        if (!job_rank_set_intersects (event->ranks, context->only)) {
            g_ptr_array_remove_index (states, i - 1);
        }
    }
    write_all (context, COMMAND_OUT_EVENT, states, NULL);
    if (!context->json) {
        g_autofree char *reasons = command_format_reasons (context->session, states);

        command_context_write (context, COMMAND_OUT_EVENT, reasons);
    }
}

/* First what is no state, in the order in which it came, then where each rank is now. What telling
 * has cost is rested from, so that a flood leaves time for all else. */
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
    write_all (context, COMMAND_OUT_EVENT, events, NULL);
    if (!session_last_states_is_empty (context->last)) {
        g_autoptr (GPtrArray) states
            = session_last_states_take (context->last, context->session, context->json);

        write_states (context, states);
    }
    command_context_write (context, COMMAND_OUT_EVENT, context->verdict);
    g_clear_pointer (&context->verdict, g_free);
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
    return event->kind == JOB_EVENT_STATE && session_is_marching (context->session, event->ranks);
}

static void
add_pending (CommandContext *context, const JobEvent *event)
{
    if (event->kind == JOB_EVENT_STATE) {
        session_last_states_add (context->last, event);
    } else {
        g_ptr_array_add (context->pending, job_event_dup (event));
    }
    if (context->flush_source == 0 && !context->waiting && !is_on_the_way (context, event)) {
        guint ms = session_is_ready (context->session) ? MAX (COALESCE_MS, context->rest_ms)
                                                       : START_MS;

        context->flush_source = g_timeout_add (ms, on_flush, context);
    }
}

/* ---- the running command ---- */

static void
free_job (CommandJob *job)
{
    command_wait_clear (job);
    session_why_cancel (job->session, job);
    session_find_names_cancel (job->session, job);
    g_free (job->line);
    g_free (job->arguments);
    g_free (job->expression);
    command_set_free (job->parsed_set);
    g_clear_pointer (&job->set, job_rank_set_free);
    g_clear_pointer (&job->missing, job_rank_set_free);
    g_clear_pointer (&job->requests, g_ptr_array_unref);
    g_ptr_array_unref (job->answers);
    job_message_table_free (job->queues);
    g_free (job);
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
    json = command_json_format_text ("text", job->request, ranks, stripped);
    command_context_write (job->context, COMMAND_OUT_ANSWER, json);
}

static void
write_error (CommandContext *context, guint64 request, const JobRankSet *ranks, const char *text)
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
command_job_fail (CommandJob *job, const JobRankSet *ranks, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list arguments;

    va_start (arguments, format);
    text = g_strdup_vprintf (format, arguments);
    va_end (arguments);
    job->failed = TRUE;
    write_error (job->context, job->request, ranks, text);
}

void
command_job_end (CommandJob *job)
{
    CommandContext *context = job->context;
    CommandDone done = job->done;
    gpointer user = job->done_user;
    gboolean ok = !job->failed;

    if (context->json) {
        g_autofree char *json = command_json_format_done (job->request, ok, job->missing);

        command_context_write (context, COMMAND_OUT_ANSWER, json);
    }
    context->active = NULL;
    free_job (job);
    if (done != NULL) {
        done (ok, user);
    }
    begin_next (context);
}

static JobEvent *
normalise (JobEvent *event)
{
    event->stop = 0;
    event->final = TRUE;
    return event;
}

static int
compare_events (gconstpointer a, gconstpointer b)
{
    const JobEvent *left = *(JobEvent *const *) a, *right = *(JobEvent *const *) b;
    guint32 l = job_rank_set_get_lowest (left->ranks), r = job_rank_set_get_lowest (right->ranks);
    gboolean left_failed = left->kind == JOB_EVENT_FAILURE;
    gboolean right_failed = right->kind == JOB_EVENT_FAILURE;

    if (left_failed != right_failed) {
        return left_failed ? 1 : -1;
    }
    return l < r ? -1 : l > r;
}

/* Whose lines can be compared across ranks, each for itself. */
static gboolean
is_list (const CommandJob *job)
{
    JobVerb verb = job->row->verb;

    return !job->context->json
           && (verb == JOB_VERB_REGISTERS || verb == JOB_VERB_MODULES || verb == JOB_VERB_MAPS
               || verb == JOB_VERB_EXAMINE
               || verb == JOB_VERB_SIGNALS);
}

static void
write_list (CommandJob *job)
{
    g_autofree char *lines = command_format_merged_lines (job->answers);

    command_context_write (job->context, COMMAND_OUT_ANSWER, lines);
    for (guint i = 0; i < job->answers->len; i++) {
        const JobEvent *event = g_ptr_array_index (job->answers, i);

        if (event->kind != JOB_EVENT_TEXT) {
            write_event (job->context, COMMAND_OUT_ANSWER, event, NULL);
        }
    }
}

void
command_job_print_answers (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    for (guint i = 0; i < job->answers->len; i++) {
        normalise (g_ptr_array_index (job->answers, i));
    }
    job_event_list_merge (job->answers);
    g_ptr_array_sort (job->answers, compare_events);
    if (is_list (job)) {
        write_list (job);
    } else {
        write_all (job->context, COMMAND_OUT_ANSWER, job->answers, job->expression);
    }
    if (missing != NULL && !job_rank_set_is_empty (missing)) {
        if (job->missing == NULL) {
            job->missing = job_rank_set_new ();
        }
        job_rank_set_merge (job->missing, missing);
        command_job_fail (job, missing, "no answer");
    }
    job->failed |= !ok;
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

void
command_job_query (CommandJob *job, JobRequest *request,
                   void (*on_finished) (CommandJob *job, gboolean ok, const JobRankSet *missing))
{
    g_ptr_array_set_size (job->answers, 0);
    job->on_finished = on_finished;
    job->request = session_get_next_request (job->session);
    session_submit (job->session, request);
}

void
command_job_submit (CommandJob *job, JobRequest *request)
{
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

/* ---- what the session says ---- */

/* Answers are of the command that runs; what happens to the job is for everybody; what somebody
 * else asked for is not for us. */
static void
on_event (Session *session, const JobEvent *event, gpointer user)
{
    CommandContext *context = user;
    CommandJob *job = context->active;
    gboolean is_own = job != NULL && event->request != 0 && event->request == job->request;

    switch (event->kind) {
    case JOB_EVENT_STATE:
        if (!(event->flags & JOB_EVENT_FRESH)) {
            add_pending (context, event);
        }
        break;
    case JOB_EVENT_NOTICE:
    case JOB_EVENT_LOG:
    case JOB_EVENT_RETURNED:
        add_pending (context, event);
        break;
    case JOB_EVENT_RANKS:
        if (context->json) {
            add_pending (context, event);
        }
        break;
    case JOB_EVENT_NONE:
    case JOB_EVENT_ACCEPTED:
    case JOB_EVENT_OUTPUT:
        break;
    default:
        if (is_own) {
            g_ptr_array_add (job->answers, job_event_dup (event));
        } else if (event->request == 0 || !event->final) {
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
    CommandJob *job = context->active;

    if (job != NULL && job->request == request && job->on_finished != NULL) {
        void (*finished) (CommandJob *job, gboolean ok, const JobRankSet *missing)
            = job->on_finished;

        job->on_finished = NULL;
        finished (job, ok, missing);
    } else if (job != NULL) {
        command_wait_check (job);
    }
}

static void
on_message (Session *session, guint severity, const char *text, CommandContext *context)
{
    static const char *const words[] = { "note", "warning", "error" };
    g_autofree char *line = NULL;

    if (context->json) {
        line = command_json_format_text (severity >= 2 ? "error" : "message", 0, NULL, text);
    } else {
        line = g_strdup_printf ("%s: %s", words[MIN (severity, 2)], text);
    }
    command_context_write (context, severity >= 2 ? COMMAND_OUT_ERROR : COMMAND_OUT_EVENT, line);
}

static void
on_ready (Session *session, CommandContext *context)
{
    if (context->active != NULL) {
        command_restart_check (context->active);
    }
}

static void
on_verdict (Session *session, const AnalysisVerdict *verdict, CommandContext *context)
{
    if (context->waiting) {
        g_free (context->verdict);
        context->verdict = command_format_verdict (context, 0, verdict);
    } else {
        command_context_flush (context);
        command_write_verdict (context, 0, verdict, COMMAND_OUT_EVENT);
    }
}

/* In a wait it is said at the end who is where; a tool hears of it at once. */
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

static void
write_output (CommandContext *context, const JobRankSet *ranks, guint stream, const char *data,
              gsize size)
{
    g_autofree char *line = NULL;
    g_autofree char *rank_text = NULL;

    if (context->json) {
        line = command_json_format_output (ranks, stream, data, size);
    } else {
        rank_text = ranks != NULL ? job_rank_set_format (ranks) : g_strdup ("job");
        line = g_strdup_printf ("%s| %.*s", rank_text, (int) MIN (size, G_MAXINT), data);
    }
    context->write (COMMAND_OUT_OUTPUT, (int) stream, line, context->user);
}

static GString *
get_partial (CommandContext *context, const JobRankSet *ranks, guint stream)
{
    g_autofree char *text = ranks != NULL ? job_rank_set_format (ranks) : g_strdup ("");
    g_autofree char *key = g_strdup_printf ("%u%s", stream, text);
    GString *partial = g_hash_table_lookup (context->partials, key);

    if (partial == NULL) {
        partial = g_string_new (NULL);
        g_hash_table_insert (context->partials, g_steal_pointer (&key), partial);
    }
    return partial;
}

static void
on_output (Session *session, JobRankSet *ranks, guint stream, GBytes *bytes,
           CommandContext *context)
{
    gsize size, start = 0;
    const char *data = g_bytes_get_data (bytes, &size);
    GString *partial = get_partial (context, ranks, stream);

    for (gsize i = 0; i < size; i++) {
        if (data[i] == '\n') {
            g_string_append_len (partial, data + start, (gssize) (i - start));
            write_output (context, ranks, stream, partial->str, partial->len);
            g_string_truncate (partial, 0);
            start = i + 1;
        }
    }
    g_string_append_len (partial, data + start, (gssize) (size - start));
    if (partial->len > MAX_PARTIAL) {
        write_output (context, ranks, stream, partial->str, partial->len);
        g_string_truncate (partial, 0);
    }
}

void
command_context_flush_output (CommandContext *context)
{
    GHashTableIter iter;
    gpointer key, value;

    g_hash_table_iter_init (&iter, context->partials);
    while (g_hash_table_iter_next (&iter, &key, &value)) {
        GString *partial = value;
        const char *text = key;
        g_autoptr (JobRankSet) ranks = text[1] != '\0'
            ? job_rank_set_parse (text + 1, G_MAXUINT32, NULL) : NULL;

        if (partial->len > 0) {
            write_output (context, ranks, text[0] == '2' ? 2 : 1, partial->str, partial->len);
            g_string_truncate (partial, 0);
        }
    }
}

static void
free_string (gpointer string)
{
    g_string_free (string, TRUE);
}

CommandContext *
command_context_new (Session *session, gboolean json, CommandWrite write, gpointer user)
{
    CommandContext *context = g_new0 (CommandContext, 1);

    context->session = g_object_ref (session);
    context->json = json;
    context->write = write;
    context->user = user;
    context->jobs = g_queue_new ();
    context->pending = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    context->last = session_last_states_new ();
    context->partials = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_string);
    context->options = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    session_add_listener (session, on_event, context);
    context->handlers[0] = g_signal_connect (session, "verdict", G_CALLBACK (on_verdict), context);
    context->handlers[1] = g_signal_connect (session, "finished", G_CALLBACK (on_finished), context);
    context->handlers[2] = g_signal_connect (session, "message", G_CALLBACK (on_message), context);
    context->handlers[3] = g_signal_connect (session, "ended", G_CALLBACK (on_ended), context);
    context->handlers[4] = g_signal_connect (session, "output", G_CALLBACK (on_output), context);
    context->handlers[6] = g_signal_connect (session, "ready", G_CALLBACK (on_ready), context);
    context->handlers[5] = g_signal_connect (session, "progress", G_CALLBACK (on_progress), context);
    return context;
}

void
command_context_free (CommandContext *context)
{
    if (context == NULL) {
        return;
    }
    session_remove_listener (context->session, on_event, context);
    for (guint i = 0; i < G_N_ELEMENTS (context->handlers); i++) {
        g_signal_handler_disconnect (context->session, context->handlers[i]);
    }
    g_clear_handle_id (&context->flush_source, g_source_remove);
    g_clear_pointer (&context->active, free_job);
    g_clear_pointer (&context->suspended, free_job);
    while (!g_queue_is_empty (context->jobs)) {
        free_job (g_queue_pop_head (context->jobs));
    }
    g_queue_free (context->jobs);
    g_ptr_array_unref (context->pending);
    session_last_states_free (context->last);
    g_clear_pointer (&context->only, job_rank_set_free);
    g_hash_table_unref (context->partials);
    g_hash_table_unref (context->options);
    g_clear_pointer (&context->hand_over, job_rank_set_free);
    g_clear_pointer (&context->moved, job_rank_set_free);
    g_free (context->verdict);
    g_object_unref (context->session);
    g_free (context);
}

void
command_context_show_only (CommandContext *context, const JobRankSet *ranks)
{
    g_clear_pointer (&context->only, job_rank_set_free);
    context->only = job_rank_set_dup (ranks);
}

gboolean
command_context_is_quit (const CommandContext *context)
{
    return context->quit;
}

/* ---- from the line to its row's run ---- */

static void
end_invalid (CommandJob *job, const GError *error)
{
    command_job_fail (job, NULL, "%s", error->message);
    command_job_end (job);
}

/* A set that was not spelt out means those that can still do something. */
static void
leave_out_ended (CommandJob *job)
{
    g_autoptr (JobRankSet) exited = session_dup_ranks_in_state (job->session, JOB_STATE_EXITED);
    g_autoptr (JobRankSet) failed = session_dup_ranks_in_state (job->session, JOB_STATE_FAILED);
    g_autoptr (JobRankSet) ended = job_rank_set_union (exited, failed);
    JobRankSet *living = job_rank_set_subtract (job->set, ended);

    if (job_rank_set_is_empty (living)) {
        job_rank_set_free (living);
    } else {
        job_rank_set_free (job->set);
        job->set = living;
    }
}

static void
run_job (CommandJob *job)
{
    g_autoptr (GError) error = NULL;

    if (job->parsed_set != NULL) {
        g_clear_pointer (&job->set, job_rank_set_free);
        job->set = command_set_evaluate (job->session, job->parsed_set, &error);
        if (job->set == NULL) {
            end_invalid (job, error);
            return;
        }
    } else {
        job->set = job_rank_set_dup (session_get_focus (job->session));
        if (job->row->flags & COMMAND_LIVING) {
            leave_out_ended (job);
        }
    }
    if ((job->row->flags & COMMAND_RANKS) && job_rank_set_is_empty (job->set)) {
        command_job_fail (job, NULL, "%s", session_get_size (job->session) == 0
                          ? "no rank has reported yet" : "no rank is in this set");
        command_job_end (job);
        return;
    }
    g_clear_pointer (&job->context->moved, job_rank_set_free);
    if (job->row->flags & COMMAND_MOVING) {
        job->context->moved = job_rank_set_dup (job->set);
    }
    job->row->run (job);
}

static void
on_question_answered (CommandJob *job, gboolean ok, const JobRankSet *missing)
{
    command_set_take_answers (job, job->question, missing);
    g_ptr_array_set_size (job->answers, 0);
    command_job_prepare (job);
}

static void
on_blocked_answered (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
                     gpointer user)
{
    CommandJob *job = user;
    g_autoptr (JobRankSet) moving = session_dup_ranks_in_state (session, JOB_STATE_RUNNING);

    job->question->known = TRUE;
    job->question->answer = job_rank_set_intersect (verdict->inside, moving);
    command_job_prepare (job);
}

/* Asks the ranks what only they know of the set, one question after the other, then runs. */
void
command_job_prepare (CommandJob *job)
{
    static const JobVerb verbs[] = { [COMMAND_ASK_TRUE] = JOB_VERB_PRINT,
                                     [COMMAND_ASK_IN] = JOB_VERB_WHERE,
                                     [COMMAND_ASK_SAME] = JOB_VERB_WHERE,
                                     [COMMAND_ASK_NEAR] = JOB_VERB_QUEUE };
    g_autoptr (JobRankSet) asked = NULL;
    JobRequest *request;

    job->question = job->parsed_set != NULL ? command_set_find_question (job->session, job->parsed_set) : NULL;
    if (job->question == NULL) {
        job->request = 0;
        run_job (job);
        return;
    }
    asked = command_set_dup_asked (job->session, job->question);
    if (job->question->ask == COMMAND_ASK_BLOCKED) {
        session_why (job->session, asked, FALSE, on_blocked_answered, job);
        return;
    }
    request = job_request_new (verbs[job->question->ask], asked);
    request->text = g_strdup (job->question->ask == COMMAND_ASK_TRUE ? job->question->text : NULL);
    command_job_query (job, request, on_question_answered);
}

/* "[on SET] COMMAND [ARGUMENTS]"; FALSE without error: nothing to do. */
static gboolean
parse_line (CommandJob *job, GError **error)
{
    const char *text = command_skip_spaces (job->line);

    if (*text == '\0' || *text == '#') {
        return FALSE;
    }
    if (strncmp (text, "on", 2) == 0 && g_ascii_isspace (text[2])) {
        text += 2;
        job->parsed_set = command_set_parse (job->session, &text, error);
        if (job->parsed_set == NULL) {
            return FALSE;
        }
        if (*command_skip_spaces (text) == '\0') {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                         "a command is missing after the set; pick SET changes the focus");
            return FALSE;
        }
    }
    job->row = command_table_find (&text, error);
    if (job->row == NULL) {
        return FALSE;
    }
    job->arguments = g_strstrip (g_strdup (text));
    return TRUE;
}

static void
begin_job (CommandJob *job)
{
    g_autoptr (GError) error = NULL;

    if (!parse_line (job, &error)) {
        if (error != NULL) {
            end_invalid (job, error);
        } else {
            command_job_end (job);
        }
        return;
    }
    command_job_prepare (job);
}

static void
begin_next (CommandContext *context)
{
    if (context->active == NULL && context->suspended != NULL) {
        context->active = g_steal_pointer (&context->suspended);
        command_wait_check (context->active);
        return;
    }
    if (context->active == NULL && !g_queue_is_empty (context->jobs)) {
        context->active = g_queue_pop_head (context->jobs);
        begin_job (context->active);
    }
}

/* At a prompt, who waits can still stop the ranks or feed them. */
static gboolean
overtakes (CommandContext *context, const char *line)
{
    const CommandRow *row;
    CommandSet *set = NULL;

    if (!context->can_hand_over || !context->waiting || context->active == NULL
        || context->suspended != NULL) {
        return FALSE;
    }
    line = command_skip_spaces (line);
    if (g_str_has_prefix (line, "on ")) {
        line += 3;
        set = command_set_parse (context->session, &line, NULL);
        command_set_free (set);
    }
    row = command_table_find (&line, NULL);
    return row != NULL && (row->flags & COMMAND_URGENT);
}

guint64
command_run (CommandContext *context, const char *line, CommandDone done, gpointer user)
{
    CommandJob *job = g_new0 (CommandJob, 1);

    job->context = context;
    job->session = context->session;
    job->line = g_strdup (line);
    job->done = done;
    job->done_user = user;
    job->answers = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    if (overtakes (context, line)) {
        context->suspended = g_steal_pointer (&context->active);
        context->active = job;
        begin_job (job);
        return 0;
    }
    g_queue_push_tail (context->jobs, job);
    if (context->active != NULL) {
        return 0;
    }
    begin_next (context);
    return context->active == job ? job->request : 0;
}
