/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the protocol has no request for: `cancel` aside, the requests pddt/… of doc/editors.md. */
#include "dap/private.h"

#define VERSION 1 /* of these requests */

/* ---- cancel ---- */

void
dap_run_cancel (DapRequest *request)
{
    DapServer *server = request->server;
    gint64 id = dap_request_get_number (request, request->arguments, "requestId", 0);
    g_autofree char *progress = g_strdup (dap_request_get_text (request, request->arguments,
                                                                "progressId"));
    DapRequest *other = NULL;

    if (!dap_request_is_good (request)) {
        return;
    }
    BASE_EACH (server->requests, DapRequest, open) {
        if (open != request && open->seq == id) {
            other = open;
        }
    }
    dap_answer (request, NULL); /* that nothing of that number is open is no error */
    if (dap_progress_cancel (server, progress) || other == NULL) {
        return;
    }
    if (other == g_queue_peek_head (server->lines)) {
        command_cancel (server->context);
    } else if (other->query != NULL && session_query_is_open (other->query)) {
        other->is_cancelled = TRUE;
        session_query_cancel (other->query);
    }
}

/* ---- the state of the job ---- */

static const char *
name_face (AnalysisFaceKind kind)
{
    static const char *const names[] = {
        [ANALYSIS_FACE_TOGETHER] = "together", [ANALYSIS_FACE_DIVERGED] = "diverged",
        [ANALYSIS_FACE_UNKNOWN] = "unknown",   [ANALYSIS_FACE_ENDED] = "ended",
        [ANALYSIS_FACE_BLOCKED] = "blocked",   [ANALYSIS_FACE_CRASHED] = "crashed",
    };

    return names[kind];
}

static void
write_state (DapServer *server, GString *body, const JobEvent *event)
{
    g_autofree char *ranks = job_rank_set_format (event->ranks);
    g_autofree char *text = session_format_event_state (BASE_TEXT_ENGLISH, server->session,
                                                        event);
    const JobStateInfo *info = job_state_get_info (event->state);

    dap_write_begin (body, NULL, '{');
    dap_write_text (body, "ranks", ranks);
    dap_write_number (body, "count", job_rank_set_get_count (event->ranks));
    dap_write_text (body, "state", info->word);
    dap_write_text (body, "text", text);
    dap_write_flag (body, "stopped", info->is_stopped);
    if (event->place != NULL) {
        dap_write_text (body, "function", event->place->function);
        dap_write_text (body, "file", event->place->file);
        dap_write_number (body, "line", dap_line_out (server, event->place->line));
    }
    dap_write_number (body, "threadId", dap_threads_find (server, event->ranks));
    dap_write_end (body, '}');
}

static void
write_states (DapServer *server, GString *body)
{
    g_autoptr (JobRankSet) all = session_dup_all (server->session);
    g_autoptr (GPtrArray) events = session_dup_state_groups (server->session, all);
    g_autoptr (AnalysisFace) face = session_dup_face (server->session, all);

    dap_threads_refresh (server);
    dap_write_number (body, "version", VERSION);
    dap_write_number (body, "size", session_get_size (server->session));
    dap_write_text (body, "face", name_face (face->kind));
    dap_write_text (body, "text", face->text);
    dap_write_begin (body, "states", '[');
    for (guint i = 0; i < events->len; i++) {
        write_state (server, body, g_ptr_array_index (events, i));
    }
    dap_write_end (body, ']');
}

static void
on_states (DapRequest *request, SessionAnswer *answer)
{
    GString *body = dap_body_new ();

    write_states (request->server, body);
    dap_answer (request, body);
}

/* "update": true asks the ranks first, as the Update button does. */
void
dap_run_state (DapRequest *request)
{
    DapServer *server = request->server;
    gboolean asks = dap_request_get_flag (request, request->arguments, "update", FALSE);
    g_autoptr (JobRankSet) all = session_dup_all (server->session);
    GString *body;

    if (!dap_request_is_good (request)) {
        return;
    }
    if (asks) {
        dap_ask (request, job_request_new (JOB_VERB_STATE, all), on_states);
        return;
    }
    body = dap_body_new ();
    write_states (server, body);
    dap_answer (request, body);
}

void
dap_run_groups (DapRequest *request)
{
    DapServer *server = request->server;
    GString *body = dap_body_new ();

    dap_threads_refresh (server);
    dap_write_number (body, "version", VERSION);
    dap_write_flag (body, "ranksAreThreads", dap_threads_are_ranks (server));
    dap_write_begin (body, "groups", '[');
    BASE_EACH (server->groups, const DapGroup, group) {
        g_autofree char *ranks = job_rank_set_format (group->ranks);

        dap_write_begin (body, NULL, '{');
        dap_write_number (body, "threadId", group->id);
        dap_write_text (body, "ranks", ranks);
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

/* The ranks of the argument "ranks", a SET of the command language; absent: all. NULL: the request has failed. */
static JobRankSet *
take_set (DapRequest *request)
{
    const char *text = dap_request_get_text (request, request->arguments, "ranks");
    g_autoptr (GError) error = NULL;
    JobRankSet *ranks;

    if (!dap_request_is_good (request)) {
        return NULL;
    }
    if (text == NULL) {
        return session_dup_all (request->server->session);
    }
    ranks = command_parse_set (request->server->session, text, &error);
    if (ranks == NULL) {
        dap_fail (request, "%s", error->message);
    }
    return ranks;
}

static void
on_verdict (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
            const JobMessageTable *table, gpointer user)
{
    DapRequest *request = user;
    g_autofree char *unanswered = job_rank_set_format (missing);
    GString *body = dap_body_new ();

    dap_write_number (body, "version", VERSION);
    dap_write_begin (body, "sentences", '[');
    for (; verdict != NULL; verdict = verdict->next) {
        g_autofree char *waiting = job_rank_set_format (verdict->waiting);

        dap_write_begin (body, NULL, '{');
        dap_write_text (body, "kind", analysis_verdict_kind_get_name (verdict->kind));
        dap_write_text (body, "ranks", waiting);
        dap_write_text (body, "text", verdict->text->english);
        dap_write_text (body, "command", verdict->command);
        dap_write_flag (body, "certain", verdict->is_certain);
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
    dap_write_text (body, "missing", unanswered);
    dap_answer (request, body);
}

void
dap_run_why (DapRequest *request)
{
    g_autoptr (JobRankSet) ranks = take_set (request);

    if (ranks != NULL) {
        session_why (request->server->session, ranks, SESSION_LOOK_OPEN, on_verdict, request);
    }
}

/* Nobody has asked: a message, which stops nobody. */
static void
on_unasked (Session *session, const AnalysisVerdict *verdict, DapServer *server)
{
    g_autofree char *ranks = job_rank_set_format (verdict->waiting);
    g_autofree char *text = analysis_verdict_dup_text (verdict, BASE_TEXT_ENGLISH, "\n");
    GString *body = dap_body_new ();

    dap_write_text (body, "kind", analysis_verdict_kind_get_name (verdict->kind));
    dap_write_text (body, "ranks", ranks);
    dap_write_text (body, "text", text);
    dap_send_event (server, "pddt/verdict", body);
}

void
dap_custom_init (DapServer *server)
{
    g_signal_connect (server->session, "verdict", G_CALLBACK (on_unasked), server);
}

/* ---- a line of the command language, answered in its JSON ---- */

static void
on_write (CommandOutKind kind, int stream, const char *text, gpointer data)
{
    DapServer *server = data;
    DapRequest *request = g_queue_peek_head (server->scripted);

    if (request != NULL && (kind == COMMAND_OUT_ANSWER || kind == COMMAND_OUT_ERROR)) {
        g_ptr_array_add (request->data, g_strdup (text));
    }
}

static void
on_done (gboolean ok, gpointer user)
{
    DapRequest *request = user;
    DapServer *server = request->server;
    GPtrArray *lines = request->data;
    GString *body = dap_body_new ();

    g_queue_remove (server->scripted, request);
    dap_write_number (body, "version", VERSION);
    dap_write_flag (body, "ok", ok);
    dap_write_begin (body, "events", '[');
    for (guint i = 0; i < lines->len; i++) {
        dap_write_raw (body, NULL, g_ptr_array_index (lines, i));
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
    if (command_context_is_quit (server->scripts)) {
        session_end (server->session);
    }
}

static void
run_script (DapRequest *request, const char *line)
{
    DapServer *server = request->server;

    if (server->scripts == NULL) {
        server->scripts = command_context_new (server->session, TRUE, on_write, server);
    }
    request->data = g_ptr_array_new_with_free_func (g_free);
    request->free_data = (GDestroyNotify) g_ptr_array_unref;
    g_queue_push_tail (server->scripted, request);
    command_run (server->scripts, line, on_done, request);
}

void
dap_run_command (DapRequest *request)
{
    const char *line = dap_request_need_text (request, request->arguments, "line");

    if (dap_request_is_good (request)) {
        run_script (request, line);
    }
}

/* The messages that the ranks have open, as `show queue` says them. */
void
dap_run_queue (DapRequest *request)
{
    g_autoptr (JobRankSet) ranks = take_set (request);
    g_autofree char *text = ranks != NULL ? job_rank_set_format (ranks) : NULL;
    g_autofree char *line = g_strdup_printf ("on %s show queue", text);

    if (ranks != NULL) {
        run_script (request, line);
    }
}

/* ---- one expression in many ranks ---- */

static void
write_number_of (GString *body, const char *name, double number)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];

    dap_write_raw (body, name, g_ascii_dtostr (buffer, sizeof buffer, number));
}

static void
on_compared (DapRequest *request, SessionAnswer *answer)
{
    const JobValueRow *row = dap_find_row (answer);
    g_autofree char *why = dap_format_failures (answer);
    g_autofree char *missing = job_rank_set_format (answer->missing);
    JobValueSummary summary = { 0 };
    GString *body;

    if (row == NULL) {
        dap_fail (request, "%s", why != NULL ? why : "no rank has this value");
        return;
    }
    body = dap_body_new ();
    dap_write_number (body, "version", VERSION);
    dap_write_begin (body, "groups", '[');
    BASE_EACH (row->groups, const JobValueGroup, group) {
        g_autofree char *ranks = job_rank_set_format (group->ranks);
        g_autofree char *text = job_value_print (BASE_TEXT_ENGLISH, group->value);

        dap_write_begin (body, NULL, '{');
        dap_write_text (body, "ranks", ranks);
        dap_write_number (body, "count", job_rank_set_get_count (group->ranks));
        dap_write_text (body, "value", text);
        dap_write_text (body, "type", group->value->type);
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
    if (job_value_row_summarise (row, &summary) && summary.n_finite > 0) {
        write_number_of (body, "min", summary.min);
        write_number_of (body, "max", summary.max);
        write_number_of (body, "mean", summary.mean);
        dap_write_number (body, "minRank", summary.min_rank);
        dap_write_number (body, "maxRank", summary.max_rank);
    }
    job_value_summary_clear (&summary);
    dap_write_text (body, "failed", why);
    dap_write_text (body, "missing", missing);
    dap_answer (request, body);
}

void
dap_run_compare (DapRequest *request)
{
    const char *expression = dap_request_need_text (request, request->arguments, "expression");
    g_autoptr (JobRankSet) ranks = take_set (request);
    JobRequest *asked;

    if (ranks == NULL) {
        return;
    }
    asked = job_request_new (JOB_VERB_PRINT, ranks);
    asked->text = g_strdup (expression);
    dap_ask (request, asked, on_compared);
}

/* ---- sets and pins ---- */

void
dap_run_sets (DapRequest *request)
{
    Session *session = request->server->session;
    g_auto (GStrv) names = session_dup_set_names (session);
    g_autofree char *focus = job_rank_set_format (session_get_focus (session));
    GString *body = dap_body_new ();

    dap_write_number (body, "version", VERSION);
    dap_write_text (body, "focus", focus);
    dap_write_begin (body, "sets", '[');
    for (guint i = 0; names[i] != NULL; i++) {
        const char *live = NULL;
        const JobRankSet *ranks = session_find_named (session, names[i], &live);
        g_autofree char *text = ranks != NULL ? job_rank_set_format (ranks) : NULL;

        dap_write_begin (body, NULL, '{');
        dap_write_text (body, "name", names[i]);
        dap_write_text (body, "ranks", live == NULL ? text : NULL);
        dap_write_text (body, "live", live);
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

/* The ranks are threads of their own from now on; "": none is. */
void
dap_run_pin (DapRequest *request)
{
    DapServer *server = request->server;
    const char *text = dap_request_need_text (request, request->arguments, "ranks");
    g_autoptr (JobRankSet) ranks = NULL, stood = NULL;
    g_autofree char *pinned = NULL;
    GString *body;

    if (*text == '\0' && request->problem == NULL) {
        ranks = job_rank_set_new ();
    } else {
        ranks = take_set (request);
    }
    if (ranks == NULL) {
        return;
    }
    if (job_rank_set_get_count (ranks) > server->ranks_as_threads) {
        dap_fail (request, "%u ranks are too many to be threads of their own: at most %u",
                  job_rank_set_get_count (ranks), server->ranks_as_threads);
        return;
    }
    job_rank_set_free (server->pinned);
    server->pinned = job_rank_set_dup (ranks);
    pinned = job_rank_set_format (server->pinned);
    body = dap_body_new ();
    dap_write_number (body, "version", VERSION);
    dap_write_text (body, "ranks", pinned);
    dap_answer (request, body);
    dap_stops_tell_threads (server);
    stood = session_dup_stopped (server->session, ranks, NULL);
    job_rank_set_merge (server->news, stood); /* as threads of their own they are not told of */
    dap_stops_schedule (server);
}
