/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job's start and end: starts the launcher and the net and handles their events and lost
 * hosts, and decides when the job is ready and when it has ended. */
#include "session/private.h"
#include "base/limits.h"
#include "base/error.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define REFUSAL_MS 300
#define GRACE_MS 2000     /* events of ranks may still arrive after the launcher has ended */
#define ABORT_DELAY_S 120 /* a launcher's own abort, if a user is watching */
#define NOBODY_MS 2000
#define DETACH_S 5
#define SILENT_MS 5000      /* before the net reports it */
#define SCRIPTED_HOST 16384 /* ranks that report at once */

static char *
name_launcher (const Session *session)
{
    return session->argv != NULL && session->argv[0] != NULL
               ? g_path_get_basename (session->argv[0])
               : g_strdup ("the launcher");
}

static void
mark_lost (Session *session, const JobRankSet *ranks)
{
    g_autoptr (JobRankSet) gone = job_rank_set_new ();
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (ranks, &iter, &rank) && rank < session->size) {
        if (!job_state_get_info ((JobState) session->states[rank])->is_ended) {
            job_rank_set_add (gone, rank);
        }
    }
    if (!job_rank_set_is_empty (gone)) {
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, gone);

        event->state = JOB_STATE_LOST;
        session_apply (session, event);
    }
    session_requests_drop (session, ranks);
}

void
session_life_check_ready (Session *session)
{
    guint32 n_due = session->is_attached ? session->n_wanted - session->n_refused
                                               + session_children_count (session)
                                         : session->size;

    if (!session->ready && session->n_searched == 0 && session->size > 0 && n_due > 0
        && session->n_reported == n_due && session->n_arrived == n_due) {
        session->ready = TRUE;
        g_clear_handle_id (&session->timeout_source, g_source_remove);
        session_options_tell (session);
        g_signal_emit (session, session_signals[SESSION_READY], 0);
    }
}

void
session_life_end (Session *session)
{
    g_clear_handle_id (&session->grace_source, g_source_remove);
    g_clear_handle_id (&session->nobody_source, g_source_remove);
    g_clear_handle_id (&session->timeout_source, g_source_remove);
    if (!session->ended) {
        session->ended = TRUE;
        session_restart_on_ended (session);
        g_signal_emit (session, session_signals[SESSION_ENDED], 0, session->wait_status);
    }
}

static void
say_never_started (Session *session)
{
    g_autofree char *name = name_launcher (session);

    if (WIFSIGNALED (session->wait_status)) {
        session_fail (session,
                      "cannot start the job: %s ended by signal %d before any rank reported",
                      name, WTERMSIG (session->wait_status));
    } else {
        session_fail (session,
                      "cannot start the job: %s ended with status %d before any rank "
                      "reported",
                      name, WEXITSTATUS (session->wait_status));
    }
}

/* Others did, so the shims of these, or their host's daemon, died on the way. */
static void
say_not_all_started (Session *session)
{
    g_autofree char *name = name_launcher (session);
    g_autoptr (JobRankSet) missing = session_ranks_dup_unreported (session);
    g_autofree char *ranks = job_rank_set_format (missing);

    session_fail (session, "cannot start every rank: %s ended before %s reported", name, ranks);
}

/* Children may outlive the launcher: the session is theirs until they end, too. */
static gboolean
on_grace_over (gpointer data)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (data));
    g_autoptr (JobRankSet) all = session_dup_all (session);

    if (session_children_are_alive (session) && !session->is_measured) {
        return G_SOURCE_CONTINUE;
    }
    session->grace_source = 0;
    if (session_children_are_alive (session)) { /* whoever measures has seen the job's end */
        session->keep = TRUE;
        session_end (session);
        return G_SOURCE_REMOVE;
    }
    if (session->n_reported == 0 && session->failure == NULL) {
        say_never_started (session);
    } else if (session->n_reported < session->size && !session->is_attached
               && session->failure == NULL) {
        say_not_all_started (session);
    }
    mark_lost (session, all);
    session_life_end (session);
    return G_SOURCE_REMOVE;
}

/* No rank is left to inspect, but the launcher still waits before it ends the job. */
static gboolean
on_nobody_left (gpointer data)
{
    Session *session = data;

    session->nobody_source = 0;
    if (session->job != NULL && launch_job_get_pid (session->job) != 0) {
        launch_job_end (session->job);
    }
    return G_SOURCE_REMOVE;
}

void
session_life_check_ended (Session *session)
{
    guint32 n_over = session->counts[JOB_STATE_EXITED] + session->counts[JOB_STATE_FAILED]
                     + session->counts[JOB_STATE_LOST];

    if (session->size > 0 && n_over == session->size && session->grace_source == 0
        && session->nobody_source == 0 && session->counts[JOB_STATE_EXITED] < n_over
        && session->line != NULL && session->line->is_abort_delayed) {
        session->nobody_source = g_timeout_add (NOBODY_MS, on_nobody_left, session);
    }
    if (session->grace_source != 0 && session->size > 0 && n_over == session->size) {
        session_life_end (session);
    } else if (session->is_attached && session->ready && n_over == session->n_reported) {
        session_life_end (session);
    }
}

static gboolean
on_timeout (gpointer data)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (data));

    session->timeout_source = 0;
    if (session->n_reported < session->size) {
        g_autoptr (JobRankSet) missing = session_ranks_dup_unreported (session);
        g_autofree char *ranks = job_rank_set_format (missing);

        session_fail (session, "cannot start every rank: %s did not report within %u s", ranks,
                      session->timeout_s);
        if (!session->ready) {
            session->ready = TRUE;
            g_signal_emit (session, session_signals[SESSION_READY], 0);
        }
    }
    return G_SOURCE_REMOVE;
}

void
session_life_begin_timeout (Session *session)
{
    if (!session->scripted && session->timeout_source == 0 && session->timeout_s > 0) {
        session->timeout_source = g_timeout_add_seconds (session->timeout_s, on_timeout,
                                                         session);
    }
}

static const char *
get_host (Session *session, guint host_index)
{
    return host_index < session->hosts->len
                   && g_ptr_array_index (session->hosts, host_index) != NULL
               ? g_ptr_array_index (session->hosts, host_index)
               : "unknown";
}

static void
on_host (NetRoot *root, guint host_index, const char *host, gpointer user)
{
    Session *session = user;

    if (host_index >= session->hosts->len) {
        g_ptr_array_set_size (session->hosts, (int) host_index + 1);
    }
    g_free (g_ptr_array_index (session->hosts, host_index));
    g_ptr_array_index (session->hosts, host_index) = g_strdup (host);
}

static void
on_events (NetRoot *root, GPtrArray *events, gpointer user)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (user));

    for (guint i = 0; i < events->len; i++) {
        JobEvent *event = g_ptr_array_index (events, i);

        if (i + SESSION_EXPECT_AHEAD < events->len) { /* mostly a rank is its slot */
            session_expect (session, g_ptr_array_index (events, i + SESSION_EXPECT_AHEAD));
        }
        if (event->kind == JOB_EVENT_RANKS) {
            session_children_number (session, event);
            session_slots_learn (session, event);
        }
        session_slots_map_event (session, event);
        session_apply (session, event);
    }
}

static JobRankSet *
dup_ranks_of_host (Session *session, guint host_index)
{
    g_autoptr (JobRankSet) slots = NULL;
    guint32 first, end;

    if (session->net == NULL || !net_root_find_slots (session->net, host_index, &first, &end)) {
        return job_rank_set_new ();
    }
    slots = job_rank_set_new_range (first, end);
    return session_slots_to_ranks (session, slots);
}

static void
lose_host (Session *session, guint host_index, const JobRankSet *ranks, const char *what)
{
    g_autoptr (JobRankSet) alive = session_ranks_dup_alive (session);

    if (job_rank_set_intersects (alive, ranks)) {
        session_fail (session, "host %s is lost: its daemon %s", get_host (session, host_index),
                      strcmp (what, "lost") == 0 ? "does not answer" : "has ended");
    }
    mark_lost (session, ranks);
}

/* Queries all ranks of a host that is back, including those that count as lost, which commands
 * leave out. */
static void
ask_states (Session *session, const JobRankSet *ranks)
{
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_STATE, ranks);

    request->id = ++session->last_id;
    session_life_send (session, request);
}

/* Nobody can answer for them, whatever has become of them before, until they are back. */
static void
note_cut_off (Session *session, const JobRankSet *ranks, const char *what)
{
    g_autoptr (JobRankSet) before = session->cut_off != NULL ? session->cut_off
                                                             : job_rank_set_new ();

    session->cut_off = strcmp (what, "silent") == 0 ? job_rank_set_dup (before)
                       : strcmp (what, "back") == 0 ? job_rank_set_subtract (before, ranks)
                                                    : job_rank_set_union (before, ranks);
}

static void
on_liveness (NetRoot *root, guint host_index, const char *what, gpointer user)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (user));
    g_autoptr (JobRankSet) ranks = dup_ranks_of_host (session, host_index);

    if (session->ending) {
        return;
    }
    note_cut_off (session, ranks, what);
    if (strcmp (what, "lost") == 0 || strcmp (what, "closed") == 0) {
        session_set_silent (session, ranks, 0);
        lose_host (session, host_index, ranks, what);
    } else if (strcmp (what, "silent") == 0) {
        session_say (session, 1, "host %s has not answered for 5 s",
                     get_host (session, host_index));
        session_set_silent (session, ranks, SILENT_MS);
    } else if (strcmp (what, "back") == 0) {
        session_say (session, 0, "host %s answers again", get_host (session, host_index));
        session_set_silent (session, ranks, 0);
        ask_states (session, ranks);
    } else {
        session_requests_drop (session, ranks);
    }
}

static void
on_output (LaunchJob *job, guint32 rank, int stream, GBytes *text, gpointer user)
{
    Session *session = user;
    g_autoptr (JobRankSet) set = NULL;

    if (session->ending) {
        return;
    }
    if (rank != G_MAXUINT32) {
        set = job_rank_set_new_range (rank, rank + 1);
    }
    g_signal_emit (session, session_signals[SESSION_OUTPUT], 0, set, (guint) stream, text);
}

void
session_hold_output (Session *session, gboolean held)
{
    if (session->job != NULL) {
        launch_job_hold_output (session->job, held);
    }
}

static void
on_launcher_ended (LaunchJob *job, int wait_status, gpointer user)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (user));

    session->wait_status = wait_status;
    if (session->ending || (session->n_reported == 0 && session->failure != NULL)) {
        session_life_end (session);
    } else if (session->grace_source == 0) {
        /* the reason why no rank reported may still arrive */
        session->grace_source = g_timeout_add (session->n_reported == 0 ? REFUSAL_MS : GRACE_MS,
                                               on_grace_over, session);
        session_life_check_ended (session);
    }
}

void
session_life_send (Session *session, const JobRequest *request)
{
    g_autoptr (JobRequest) mapped = NULL;

    if (session->scripted) {
        if (session->send != NULL) {
            session->send (request, session->send_user);
        }
        return;
    }
    if (session->net == NULL) {
        return;
    }
    mapped = job_request_dup (request);
    job_rank_set_free (mapped->ranks);
    mapped->ranks = session_slots_from_ranks (session, request->ranks);
    for (guint i = 0; mapped->selections != NULL && i < mapped->selections->len; i++) {
        JobSelection *selection = g_ptr_array_index (mapped->selections, i);
        JobRankSet *slots = session_slots_from_ranks (session, selection->ranks);

        job_rank_set_free (selection->ranks);
        selection->ranks = slots;
    }
    net_root_send (session->net, mapped);
}

gboolean
session_life_open_net (Session *session, GError **error)
{
    static const NetRootHandler handler = { on_host, on_events, on_liveness };
    char public_key[41], secret_key[41], daemon_key[41], daemon_secret[41];
    const NetRootKeys keys = { public_key, secret_key, daemon_key };

    base_limits_protect (); /* this process holds the keys from now on */
    if (!net_make_keys (public_key, secret_key, error)
        || !net_make_keys (daemon_key, daemon_secret, error)) {
        return FALSE;
    }
    session->launch_session = launch_session_new (public_key, daemon_key, daemon_secret, error);
    if (session->launch_session != NULL) {
        session->launch_session->randomise = session_option_is_on (session, "randomise");
        session->launch_session->is_measured = session->is_measured;
        session->net = net_root_new (session->launch_session->id,
                                     session->launch_session->directory, &keys, &handler,
                                     session, error);
    }
    explicit_bzero (secret_key, sizeof secret_key);
    explicit_bzero (daemon_secret, sizeof daemon_secret);
    return session->net != NULL
           && launch_session_publish (session->launch_session,
                                      net_root_get_endpoint (session->net), error);
}

/* Listens beyond this host only if the job may use other hosts. */
static gboolean
reach_other_hosts (Session *session, const char *folder, GError **error)
{
    if (!session->line->leaves_host) {
        return TRUE;
    }
    if (!net_root_listen_beyond (session->net, error)
        || !launch_session_publish (session->launch_session,
                                    net_root_get_endpoint (session->net), error)) {
        return FALSE;
    }
    if (!launch_carry_by_agent (session->line, session->launch_session)
        && !launch_session_is_shared (session->launch_session)) {
        launch_batch_carry_key (session->line, session->launch_session, folder);
    }
    return TRUE;
}

void
session_life_send_start (Session *session, const SessionOptions *options)
{
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_START, NULL);

    request->text = g_strdup (options->is_measured       ? "none"
                              : options->stop_at != NULL ? options->stop_at
                                                         : "main");
    request->flags = options->is_measured ? JOB_REQUEST_MEASURED : 0;
    request->number = options->rate;
    session->stop_at_none = strcmp (request->text, "none") == 0;
    session_submit (session, g_steal_pointer (&request));
}

static void
note_options (Session *session, const SessionOptions *options)
{
    g_strfreev (session->argv);
    session->argv = g_strdupv ((char **) options->argv);
    session->timeout_s = options->timeout_s != 0 ? options->timeout_s : 60;
    session->keep = options->keep;
    session->is_measured = options->is_measured;
    if (session->hosts == NULL) {
        session->hosts = g_ptr_array_new_with_free_func (g_free);
    }
}

void
session_prepare_async (const char *const *argv, GCancellable *cancellable,
                       GAsyncReadyCallback done, gpointer user)
{
    launch_line_ask_version_async (argv, cancellable, done, user);
}

gboolean
session_prepare_finish (GAsyncResult *result, GError **error)
{
    return launch_line_ask_version_finish (result, error);
}

gboolean
session_start (Session *session, const SessionOptions *options, GError **error)
{
    if (session->started) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID,
                     "cannot start a job: this session has started one already");
        return FALSE;
    }
    if (options->input_ranks != NULL && strcmp (options->input_ranks, "all") != 0) {
        session->input_ranks = job_rank_set_parse (options->input_ranks, 1u << 24, error);
        if (session->input_ranks == NULL) {
            return FALSE;
        }
    } else if (options->input_ranks != NULL) {
        session->input_ranks = job_rank_set_new_range (0, 1u << 24);
    }
    note_options (session, options);
    session_restart_note_options (session, options);
    if (options->attach != NULL || options->attach_job != NULL || options->cores != NULL) {
        session->started = session_attach_start (session, options, error);
        if (!session->started) {
            session_life_clear (session);
        }
        return session->started;
    }
    if (!session_files_open (session, options, error)
        || !session_life_open_net (session, error)) {
        session_life_clear (session);
        return FALSE;
    }
    session->line = launch_line_new (options->argv, session->launch_session,
                                     options->input_ranks, error);
    if (session->line == NULL || !reach_other_hosts (session, options->folder, error)) {
        session_life_clear (session);
        return FALSE;
    }
    if (options->is_patient) {
        launch_line_delay_abort (session->line, ABORT_DELAY_S);
    }
    session_life_send_start (session, options);
    session->job = launch_job_start (session->line, options->folder, options->environment,
                                     on_output, on_launcher_ended, session, error);
    session->started = session->job != NULL;
    if (!session->started) {
        session_life_clear (session);
    } else {
        session_files_feed (session);
    }
    return session->started;
}

static void
report_scripted (Session *session, guint32 first, guint32 end, guint32 n_ranks)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (JobEvent) there = job_event_new (JOB_EVENT_RANKS, 0, ranks);

    there->processes = job_process_list_new ();
    for (guint32 rank = first; rank < end; rank++) {
        const JobProcess process = { .slot = rank,
                                     .rank = rank,
                                     .size = n_ranks,
                                     .pid = (gint32) (1000 + rank),
                                     .host = (char *) "localhost" };

        job_process_list_add (there->processes, &process);
    }
    session_apply (session, there);
}

void
session_start_scripted (Session *session, guint32 n_ranks,
                        void (*send) (const JobRequest *request, gpointer user), gpointer user)
{
    g_autoptr (JobRankSet) all = NULL;
    g_autoptr (JobEvent) stopped = NULL;

    session->scripted = session->started = TRUE;
    session->send = send;
    session->send_user = user;
    session->hosts = g_ptr_array_new_with_free_func (g_free);
    if (n_ranks == 0) {
        return;
    }
    for (guint32 first = 0; first < n_ranks; first += SCRIPTED_HOST) {
        report_scripted (session, first, MIN (first + SCRIPTED_HOST, n_ranks), n_ranks);
    }
    all = job_rank_set_new_range (0, n_ranks);
    stopped = job_event_new (JOB_EVENT_STATE, 0, all);
    stopped->state = JOB_STATE_STOPPED;
    session_apply (session, stopped);
}

static gboolean
note_time_over (gpointer data)
{
    *(gboolean *) data = TRUE;
    return G_SOURCE_REMOVE;
}

/* Lets the ranks run on, and waits for the hosts' confirmation in a nested main loop: meanwhile
 * the window may be closed again, leaving the caller with the only reference. */
static void
detach_all (Session *session)
{
    g_autoptr (JobRankSet) alive = session_ranks_dup_alive (session);
    guint64 id = session_submit (session, job_request_new (JOB_VERB_DETACH, alive));
    gboolean is_over = FALSE;
    guint source = g_timeout_add_seconds (DETACH_S, note_time_over, &is_over);

    while (!is_over && g_hash_table_contains (session->requests, &id)) {
        g_main_context_iteration (NULL, TRUE);
    }
    if (!is_over) {
        g_source_remove (source);
    }
}

void
session_end (Session *session)
{
    G_GNUC_UNUSED g_autoptr (Session) alive = g_object_ref (session);

    if (session->ending || session->is_detaching || !session->started) {
        return;
    }
    if (session->keep && !session->ended) {
        session->is_detaching = TRUE;
        detach_all (session);
        session->is_detaching = FALSE;
    }
    session->ending = TRUE;
    if (session->scripted) {
        session_life_end (session);
        return;
    }
    if (session->net != NULL) {
        net_root_end (session->net);
    }
    if (session->job != NULL && !session->keep) {
        launch_job_end (session->job);
    }
    if (session->keep || session->job == NULL || session->ended) {
        session_life_end (session);
    }
}

void
session_signal_launcher (Session *session, int number)
{
    pid_t launcher = session->job != NULL ? launch_job_get_pid (session->job) : 0;

    if (launcher != 0 && number == SIGTERM) {
        launch_job_end (session->job);
    } else if (launcher != 0) {
        kill (launcher, number);
    }
}

char *
session_dup_program_name (const char *const *argv)
{
    return launch_line_dup_program_name (argv);
}

void
session_life_clear (Session *session)
{
    g_clear_handle_id (&session->grace_source, g_source_remove);
    g_clear_handle_id (&session->nobody_source, g_source_remove);
    g_clear_handle_id (&session->timeout_source, g_source_remove);
    if (session->keep && session->job != NULL && launch_job_get_pid (session->job) != 0) {
        launch_job_keep (g_steal_pointer (&session->job));
    }
    session_files_close (session);
    g_clear_pointer (&session->job, launch_job_free);
    g_clear_pointer (&session->line, launch_line_free);
    g_clear_pointer (&session->net, net_root_free);
    g_clear_pointer (&session->launch_session, launch_session_remove);
    g_clear_pointer (&session->hosts, g_ptr_array_unref);
    g_clear_pointer (&session->slot_map, session_slot_map_free);
}

/* The ranks whose input pddt owns, and those with the launcher's. */
void
session_write_input (Session *session, const JobRankSet *set, const char *text, gboolean eof)
{
    g_autoptr (JobRankSet) none = job_rank_set_new ();
    const JobRankSet *own = session->input_ranks != NULL ? session->input_ranks : none;
    g_autoptr (JobRankSet) fed = session->scripted ? job_rank_set_dup (set)
                                                   : job_rank_set_intersect (set, own);
    g_autoptr (JobRankSet) rest = job_rank_set_subtract (set, fed);
    g_autoptr (GError) error = NULL;

    if (!job_rank_set_is_empty (fed)) {
        JobRequest *request = job_request_new (JOB_VERB_INPUT, fed);

        request->text = g_strdup (text);
        request->flags = eof ? JOB_REQUEST_EOF : 0;
        session_submit (session, request);
    }
    if (job_rank_set_contains (rest, 0)) {
        job_rank_set_remove (rest, 0);
        if (session->job == NULL
            || !launch_job_write_input (session->job, text, strlen (text), eof, &error)) {
            session_say (session, 2, "%s",
                         error != NULL ? error->message
                                       : "cannot give input: the job has ended");
        }
    }
    if (!job_rank_set_is_empty (rest)) {
        g_autofree char *ranks = job_rank_set_format (rest);

        session_say (session, 1,
                     "the launcher gives input to rank 0 only: start pddt with --input "
                     "to give it to other ranks (%s)",
                     ranks);
    }
}

void
session_forward_input (Session *session, const char *data, gsize size, gboolean eof)
{
    if (session->job != NULL) {
        launch_job_write_input (session->job, data, size, eof, NULL);
    }
}
