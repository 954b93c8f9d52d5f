/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From `initialize` to `disconnect`: how a client's job begins, begins again and ends. */
#include "dap/private.h"
#include "base/patience.h"
#include "session/launchers.h"
#include "session/options.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define CLOSE_S 10 /* for the job to end after it was told to */

void
dap_run_initialize (DapRequest *request)
{
    DapServer *server = request->server;
    const char *format = dap_request_get_text (request, request->arguments, "pathFormat");
    GString *body;

    server->lines_start_at_0 = !dap_request_get_flag (request, request->arguments,
                                                      "linesStartAt1", TRUE);
    server->columns_start_at_0 = !dap_request_get_flag (request, request->arguments,
                                                        "columnsStartAt1", TRUE);
    server->has_paging = dap_request_get_flag (request, request->arguments,
                                               "supportsVariablePaging", FALSE);
    server->has_invalidated = dap_request_get_flag (request, request->arguments,
                                                    "supportsInvalidatedEvent", FALSE);
    server->has_memory_event = dap_request_get_flag (request, request->arguments,
                                                     "supportsMemoryEvent", FALSE);
    server->has_progress = dap_request_get_flag (request, request->arguments,
                                                 "supportsProgressReporting", FALSE);
    server->has_terminal = dap_request_get_flag (request, request->arguments,
                                                 "supportsRunInTerminalRequest", FALSE);
    server->wants_uris = g_strcmp0 (format, "uri") == 0;
    if (server->is_initialized) {
        dap_fail (request, "initialize comes once");
        return;
    }
    if (!dap_request_is_good (request)) {
        return;
    }
    server->is_initialized = TRUE;
    body = dap_body_new ();
    dap_write_capabilities (body);
    dap_answer (request, body);
    dap_send_event (server, "initialized", NULL);
}

gboolean
dap_life_check (DapRequest *request)
{
    DapServer *server = request->server;

    if (server->session != NULL && !session_is_ended (server->session)
        && session_get_size (server->session) > 0) {
        return TRUE;
    }
    if (server->session != NULL && session_is_ended (server->session)) {
        dap_fail (request, "%s: the job has ended", request->command);
    } else {
        dap_fail (request, "%s: no rank is there yet; launch or attach comes first",
                  request->command);
    }
    return FALSE;
}

/* ---- what happens to the job ---- */

static void
on_begun (SessionQuery *query, SessionAnswer *answer, gpointer data)
{
    DapServer *server = data;

    session_query_free (g_steal_pointer (&server->beginning));
    server->n_motions--;
    dap_stops_schedule (server);
}

/* Who stands where it has started: what crashed before has something to say. */
static JobRankSet *
dup_beginning (DapServer *server)
{
    g_autoptr (JobRankSet) all = session_dup_all (server->session);
    g_autoptr (JobRankSet) stopped = session_dup_stopped (server->session, all, NULL);
    JobRankSet *there = job_rank_set_new ();

    JOB_EACH_RANK (stopped, rank) {
        if (session_get_rank (server->session, rank).state == JOB_STATE_STOPPED) {
            job_rank_set_add (there, rank);
        }
    }
    return there;
}

/* Nobody is told of a stop from which the ranks go on at once. */
static void
run_on (DapServer *server, const JobRankSet *stopped)
{
    dap_ranks_cut (&server->news, stopped);
    server->n_motions++;
    server->beginning = session_query_new (server->session,
                                           job_request_new (JOB_VERB_CONTINUE, stopped),
                                           on_begun, server);
}

void
dap_life_begin_if_ready (DapServer *server)
{
    g_autoptr (JobRankSet) there = NULL;

    if (!server->is_configured || server->is_begun || server->session == NULL
        || server->is_restarting || server->n_setup > 0 || !session_is_ready (server->session)
        || dap_points_are_open (server)) {
        return;
    }
    server->is_begun = TRUE;
    there = dup_beginning (server);
    dap_stops_add_all (server);
    if (server->runs_at_start && !job_rank_set_is_empty (there)) {
        run_on (server, there);
    }
}

static void
send_process (DapServer *server)
{
    const SessionRank first = session_get_rank (server->session, 0);
    g_autofree char *name
        = server->argv != NULL && server->argv->len > 1
              ? session_dup_program_name ((const char *const *) server->argv->pdata)
              : g_strdup ("ranks");
    GString *body = dap_body_new ();

    dap_write_text (body, "name", name);
    if (first.is_there && first.pid > 0) {
        dap_write_number (body, "systemProcessId", first.pid);
    }
    dap_write_text (body, "startMethod",
                    session_can_restart (server->session) ? "launch" : "attach");
    dap_send_event (server, "process", body);
}

static void
on_ready (Session *session, DapServer *server)
{
    if (server->is_restarting) {
        return;
    }
    dap_progress_end (server);
    if (server->launch != NULL) {
        dap_answer (g_steal_pointer (&server->launch), NULL);
    }
    send_process (server);
    dap_points_set_all (server);
    dap_setup_run (server);
    dap_life_begin_if_ready (server);
}

static gboolean
close_now (gpointer data)
{
    DapServer *server = data;

    server->closing_source = 0;
    if (server->ending != NULL) {
        dap_answer (g_steal_pointer (&server->ending), NULL);
    }
    dap_server_end (server, 0);
    return G_SOURCE_REMOVE;
}

static void
on_ended (Session *session, int wait_status, DapServer *server)
{
    const char *failure = session_get_failure (session);
    GString *body;

    if (server->is_restarting || server->is_over) {
        return;
    }
    server->is_over = TRUE;
    dap_progress_clear (server);
    if (server->launch != NULL) {
        server->status = 3;
        dap_fail (g_steal_pointer (&server->launch), "%s",
                  failure != NULL ? failure : "the job has ended before its first stop");
    }
    dap_stops_clear (server);
    command_context_flush (server->context);
    command_context_flush_output (server->context);
    body = dap_body_new ();
    dap_write_number (body, "exitCode",
                      WIFSIGNALED (wait_status) ? 128 + WTERMSIG (wait_status)
                                                : WEXITSTATUS (wait_status));
    dap_send_event (server, "exited", body);
    dap_send_event (server, "terminated", NULL);
    if (server->is_closing && server->closing_source != 0) {
        g_source_remove (server->closing_source);
        server->closing_source = g_idle_add (close_now, server);
    }
}

static void
begin_session (DapServer *server)
{
    server->session = session_new ();
    /* a client shows elements in a list, not in a line; those who come are told before "ready" */
    job_request_free (session_set_option (server->session, "limit-items", DAP_ELEMENTS));
    server->context = command_context_new (server->session, FALSE, dap_repl_write, server);
    dap_stops_init (server);
    dap_points_init (server);
    dap_custom_init (server);
    dap_terminal_connect (server);
    g_signal_connect (server->session, "ready", G_CALLBACK (on_ready), server);
    g_signal_connect (server->session, "ended", G_CALLBACK (on_ended), server);
}

static void
forget_session (DapServer *server)
{
    server->launch = NULL;
    dap_terminal_disconnect (server);
    dap_stops_clear (server);
    command_context_free (g_steal_pointer (&server->context));
    g_signal_handlers_disconnect_by_data (server->session, server);
    g_clear_object (&server->session);
}

/* A start that fails leaves nothing, so that the client may try again. */
static void
start (DapRequest *request, SessionOptions *options)
{
    DapServer *server = request->server;
    g_autoptr (GError) error = NULL;

    options->timeout_s = options->timeout_s != 0 ? options->timeout_s
                                                 : server->options->timeout_s;
    options->keep = server->options->keep;
    options->is_patient = TRUE;
    begin_session (server);
    if (!dap_setup_apply (request)) {
        forget_session (server);
        return;
    }
    server->launch = request;
    if (!session_start (server->session, options, &error)) {
        forget_session (server);
        dap_fail (request, "%s", error->message);
    } else if (session_is_ready (server->session)) {
        on_ready (server->session, server);
    } else {
        dap_progress_begin (server, options->argv != NULL ? "Starting the job" : "Attaching");
    }
}

/* ---- launch ---- */

static GPtrArray *
take_words (DapRequest *request, const char *name)
{
    const json_t *value = json_object_get (request->arguments, name);
    g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
    g_auto (GStrv) parsed = NULL;
    g_autoptr (GError) error = NULL;
    const json_t *word;
    size_t i;

    if (json_is_string (value)) {
        if (g_shell_parse_argv (json_string_value (value), NULL, &parsed, &error)) {
            for (i = 0; parsed[i] != NULL; i++) {
                g_ptr_array_add (words, g_strdup (parsed[i]));
            }
        } else if (!g_error_matches (error, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING)
                   && request->problem == NULL) {
            request->problem = g_strdup_printf ("\"%s\": %s", name, error->message);
        }
        return g_steal_pointer (&words);
    }
    value = dap_request_get_list (request, request->arguments, name);
    json_array_foreach (value, i, word)
    {
        if (!json_is_string (word)) {
            g_free (request->problem);
            request->problem = g_strdup_printf ("\"%s\" must be a text or a list of texts",
                                                name);
            break;
        }
        g_ptr_array_add (words, g_strdup (json_string_value (word)));
    }
    return g_steal_pointer (&words);
}

static void
append_words (GPtrArray *argv, DapRequest *request, const char *name)
{
    g_autoptr (GPtrArray) words = take_words (request, name);

    for (guint i = 0; i < words->len; i++) {
        g_ptr_array_add (argv, g_strdup (g_ptr_array_index (words, i)));
    }
}

/* "mpi": the launcher's name, or its words; "ranks"; "python": true, or the interpreter. */
static GPtrArray *
take_command (DapRequest *request)
{
    g_autoptr (GPtrArray) argv = take_words (request, "command");
    const char *program = dap_request_get_text (request, request->arguments, "program");
    gint64 ranks = dap_request_get_number (request, request->arguments, "ranks", 0);
    const json_t *python = json_object_get (request->arguments, "python");
    gboolean is_python = json_is_string (python) || json_is_true (python)
                         || (python == NULL && program != NULL
                             && g_str_has_suffix (program, ".py"));

    if (argv->len > 0 && program != NULL && request->problem == NULL) {
        request->problem = g_strdup ("give \"command\" or \"program\", not both");
    }
    if (argv->len == 0 && program == NULL && request->problem == NULL) {
        request->problem
            = g_strdup ("nothing to debug: give \"command\", as after pddt, or \"program\"");
    }
    if ((ranks < 0 || ranks > G_MAXINT32) && request->problem == NULL) {
        request->problem = g_strdup ("\"ranks\" must be a number from 1 on");
    }
    if (argv->len == 0 && program != NULL) {
        append_words (argv, request, "mpi");
        if (argv->len == 0 && ranks > 0) {
            g_ptr_array_add (argv, g_strdup (session_launchers_list ()[0]));
        }
        if (ranks > 0) {
            g_ptr_array_add (
                argv, g_strdup (session_launchers_get_size_word (g_ptr_array_index (argv, 0))));
            g_ptr_array_add (argv, g_strdup_printf ("%" G_GINT64_FORMAT, ranks));
        }
        append_words (argv, request, "launcherArgs");
        if (is_python) {
            g_ptr_array_add (argv,
                             g_strdup (json_is_string (python) ? json_string_value (python)
                                                               : "python3"));
            g_ptr_array_add (argv, g_strdup ("%python_debug%"));
        }
        g_ptr_array_add (argv, g_strdup (program));
        append_words (argv, request, "args");
    }
    g_ptr_array_add (argv, NULL);
    return g_steal_pointer (&argv);
}

/* "env": an object of texts; null takes nothing away, as the session only adds. Caller owns. */
static char **
take_environment (DapRequest *request)
{
    const json_t *object = dap_request_get_object (request, request->arguments, "env");
    g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
    const char *name;
    json_t *value;

    json_object_foreach ((json_t *) object, name, value)
    {
        if (!json_is_string (value) || *name == '\0' || strchr (name, '=') != NULL) {
            if (request->problem == NULL) {
                request->problem = g_strdup ("\"env\" must be an object of texts");
            }
            break;
        }
        g_ptr_array_add (lines, g_strdup_printf ("%s=%s", name, json_string_value (value)));
    }
    g_ptr_array_add (lines, NULL);
    return (char **) g_ptr_array_free (g_steal_pointer (&lines), FALSE);
}

/* What the client's settings say of threads and motions. */
static void
take_settings (DapRequest *request)
{
    DapServer *server = request->server;
    gint64 number = dap_request_get_number (request, request->arguments, "ranksAsThreads",
                                            server->ranks_as_threads);
    const char *moves = dap_request_get_text (request, request->arguments, "moves");
    static const char *const ways[] = { "thread", "focus", "all", NULL };

    dap_take_source_map (request);
    if (moves != NULL && !g_strv_contains (ways, moves) && request->problem == NULL) {
        request->problem = g_strdup ("\"moves\" must be thread, focus or all");
    }
    if ((number < 0 || number > 100000) && request->problem == NULL) {
        request->problem = g_strdup ("\"ranksAsThreads\" must be a number from 0 to 100000");
    }
    if (request->problem == NULL) {
        server->ranks_as_threads = (guint32) number;
        if (moves != NULL) {
            g_free (server->moves);
            server->moves = g_strdup (moves);
        }
    }
}

static gboolean
may_start (DapRequest *request)
{
    if (request->server->session == NULL && !request->server->is_closing
        && !dap_terminal_is_awaited (request->server)) {
        return TRUE;
    }
    dap_fail (request, "%s: there is a job already; one pddt serves one job", request->command);
    return FALSE;
}

void
dap_run_launch (DapRequest *request)
{
    DapServer *server = request->server;
    static const char *const places[] = { "main", "mpi-init", "none", "start", NULL };
    const char *stop_at = dap_request_get_text (request, request->arguments, "stopAt");
    gboolean stops = dap_request_get_flag (request, request->arguments, "stopOnEntry", TRUE);
    gboolean is_bare = dap_request_get_flag (request, request->arguments, "noDebug", FALSE);
    g_auto (GStrv) environment = NULL;
    SessionOptions options = { 0 };

    if (!may_start (request)) {
        return;
    }
    g_clear_pointer (&server->argv, g_ptr_array_unref);
    server->argv = take_command (request);
    environment = take_environment (request);
    take_settings (request);
    dap_setup_take (request, &options.timeout_s);
    options.folder = dap_request_get_text (request, request->arguments, "cwd");
    options.input_ranks = dap_request_get_text (request, request->arguments, "input");
    options.source_folders = dap_request_get_text (request, request->arguments,
                                                   "sourceFolders");
    if (stop_at != NULL && !g_strv_contains (places, stop_at) && request->problem == NULL) {
        request->problem = g_strdup ("\"stopAt\" must be main, mpi-init, none or start");
    }
    if (dap_terminal_take (request, dap_run_launch) || !dap_request_is_good (request)) {
        return;
    }
    /* breakpoints are to be set before anything runs */
    server->runs_at_start = stop_at != NULL ? strcmp (stop_at, "none") == 0 : !stops;
    options.stop_at = is_bare ? "none" : server->runs_at_start ? "main" : stop_at;
    options.argv = (const char *const *) server->argv->pdata;
    options.environment = environment[0] != NULL ? (const char *const *) environment : NULL;
    start (request, &options);
}

/* "processes": a number, a text "PID,PID", or a list of numbers. Caller owns; NULL: absent. */
static char *
take_processes (DapRequest *request)
{
    const json_t *value = json_object_get (request->arguments, "processes");
    GString *text = g_string_new (NULL);
    const json_t *pid;
    size_t i;

    if (json_is_integer (value)) {
        g_string_append_printf (text, "%" JSON_INTEGER_FORMAT, json_integer_value (value));
    } else if (json_is_string (value)) {
        g_string_append (text, json_string_value (value));
    } else {
        value = dap_request_get_list (request, request->arguments, "processes");
        json_array_foreach (value, i, pid)
        {
            if (!json_is_integer (pid) && request->problem == NULL) {
                request->problem = g_strdup ("\"processes\" must be numbers of processes");
            }
            g_string_append_printf (text, "%s%" JSON_INTEGER_FORMAT, i > 0 ? "," : "",
                                    json_integer_value (pid));
        }
    }
    return g_string_free (text, text->len == 0);
}

void
dap_run_attach (DapRequest *request)
{
    g_autofree char *processes = take_processes (request);
    g_autoptr (GPtrArray) cores = take_words (request, "cores");
    gint64 launcher = dap_request_get_number (request, request->arguments, "launcherPid", 0);
    g_autofree char *launcher_text = launcher != 0
                                         ? g_strdup_printf ("%" G_GINT64_FORMAT, launcher)
                                         : NULL;
    SessionOptions options = { .attach = processes, .attach_job = launcher_text };

    options.attach_ranks = dap_request_get_text (request, request->arguments, "ranks");
    options.folder = dap_request_get_text (request, request->arguments, "cwd");
    options.source_folders = dap_request_get_text (request, request->arguments,
                                                   "sourceFolders");
    take_settings (request);
    dap_setup_take (request, &options.timeout_s);
    if ((processes != NULL) + (launcher_text != NULL) + (cores->len > 0) != 1
        && request->problem == NULL) {
        request->problem
            = g_strdup ("give one of \"processes\", \"launcherPid\" and \"cores\"");
    }
    if (!may_start (request) || !dap_request_is_good (request)) {
        return;
    }
    if (cores->len > 0) {
        g_ptr_array_add (cores, NULL);
        options.cores = (const char *const *) cores->pdata;
    }
    start (request, &options);
}

void
dap_run_configured (DapRequest *request)
{
    DapServer *server = request->server;

    server->is_configured = TRUE;
    dap_answer (request, NULL);
    dap_life_begin_if_ready (server);
}

/* ---- the end ---- */

static void
begin_close (DapServer *server)
{
    server->is_closing = TRUE;
    if (server->closing_source != 0) {
        return;
    }
    if (server->session == NULL || session_is_ended (server->session)) {
        server->closing_source = g_idle_add (close_now, server);
        return;
    }
    server->closing_source = base_patience_add (CLOSE_S * 1000, close_now, server, NULL);
    if (!session_is_ready (server->session) && !server->is_over) {
        session_give_up_beginning (server->session);
    }
    session_end (server->session);
}

void
dap_life_close (DapServer *server)
{
    begin_close (server);
}

void
dap_run_disconnect (DapRequest *request)
{
    DapServer *server = request->server;
    gboolean kills = server->session != NULL && session_would_kill (server->session);
    gboolean ends = dap_request_get_flag (request, request->arguments, "terminateDebuggee",
                                          kills);

    if (dap_request_get_flag (request, request->arguments, "restart", FALSE)) {
        ends = kills;
    }
    if (!dap_request_is_good (request)) {
        return;
    }
    if (server->ending != NULL) {
        dap_fail (request, "disconnect comes once");
        return;
    }
    if (server->session != NULL) {
        session_set_keep (server->session, !ends);
    }
    server->ending = request;
    begin_close (server);
}

void
dap_run_terminate (DapRequest *request)
{
    DapServer *server = request->server;

    if (!session_can_restart (server->session)) {
        dap_fail (request, "pddt did not start this job: disconnect lets go of it");
        return;
    }
    session_signal_launcher (server->session, SIGTERM);
    dap_answer (request, NULL);
}

static void
on_restarted (gboolean ok, gpointer user)
{
    DapRequest *request = user;
    DapServer *server = request->server;

    server->is_restarting = FALSE;
    dap_progress_end (server);
    if (!ok) {
        dap_fail (request, "the job could not be started again; the console says why");
        if (session_is_ended (server->session)) {
            on_ended (server->session, 0, server);
        }
        return;
    }
    dap_answer (request, NULL);
    send_process (server);
    dap_points_set_all (server); /* those that were done */
    dap_life_begin_if_ready (server);
}

void
dap_run_restart (DapRequest *request)
{
    DapServer *server = request->server;

    if (!session_can_restart (server->session)) {
        dap_fail (request, "pddt did not start this job, so it cannot start it again");
        return;
    }
    g_hash_table_remove_all (server->known_addresses);
    for (guint i = 0; i < server->points->len; i++) {
        ((DapPoint *) g_ptr_array_index (server->points, i))->is_done = FALSE;
    }
    server->is_restarting = TRUE;
    server->is_begun = FALSE;
    dap_progress_begin (server, "Starting the job again");
    command_run (server->context, "restart", on_restarted, request);
}
