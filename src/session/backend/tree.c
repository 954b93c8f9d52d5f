/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The backend of real jobs: starts the launcher and the net, or attaches, and handles their events and
 * lost hosts. */
#include "base/limits.h"
#include "launch/guard.h"
#include "session/backend/tree-private.h"
#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>

#define ABORT_DELAY_S 120 /* a launcher's own abort, if a user is watching */
#define CRASH_LOOK_MS 200
#define CRASH_LOOKS 20u
#define CRASH_AGE_S 5  /* clocks of hosts differ */
#define SILENT_MS 5000 /* before the net reports it */

SessionTree *
session_tree_get (const Session *session)
{
    return session->backend_data;
}

static LaunchJob *
get_job (const Session *session)
{
    const SessionTree *tree = session_tree_get (session);

    return tree != NULL ? tree->job : NULL;
}

static const char *
get_host (Session *session, guint host_index)
{
    const SessionTree *tree = session_tree_get (session);

    return host_index < tree->hosts->len && g_ptr_array_index (tree->hosts, host_index) != NULL
               ? g_ptr_array_index (tree->hosts, host_index)
               : "unknown";
}

static void
on_host (NetRoot *root, guint host_index, const char *host, gpointer user)
{
    GPtrArray *hosts = session_tree_get (user)->hosts;

    if (host_index >= hosts->len) {
        g_ptr_array_set_size (hosts, (int) host_index + 1);
    }
    g_free (g_ptr_array_index (hosts, host_index));
    g_ptr_array_index (hosts, host_index) = g_strdup (host);
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
    const SessionTree *tree = session_tree_get (session);
    g_autoptr (JobRankSet) slots = NULL;
    guint32 first, end;

    if (tree->net == NULL || !net_root_find_slots (tree->net, host_index, &first, &end)) {
        return job_rank_set_new ();
    }
    slots = job_rank_set_new_range (first, end);
    return session_slots_to_ranks (session, slots);
}

/* What becomes of the ranks of a host whose daemon has ended. */
static const char *
find_fate (const Session *session)
{
    return session->life->is_core       ? N_ ("host %s is lost: its daemon has ended")
           : session->life->is_measured ? N_ (
                 "host %s is lost: its daemon has ended. Its ranks run on, and are not measured any more")
           : session->life->is_attached
               ? N_ (
                   "host %s is lost: its daemon has ended. Its ranks run on without pddt, but for one that met a breakpoint at that moment and handles, blocks or ignores SIGTRAP itself")
               : N_ (
                   "host %s is lost: its daemon has ended. Its ranks have been ended with it");
}

/* A daemon whose log its guard keeps: here, or on another host with the same home. */
typedef struct {
    Session *session; /* its tree owns the look, and ends it */
    char *host, *directory;
    gint64 since_s; /* a log that is older is another one's */
    guint n_looks;
} Crash;

BASE_FREE (free_crash, Crash, crash, g_free (crash->host); g_free (crash->directory))

/* The guard writes it when the daemon's memory is gone, some time after its link. */
static gboolean
look_for_log (gpointer data)
{
    Crash *crash = data;
    g_autofree char *path = NULL;

    if (crash->session->life->ending || crash->n_looks-- == 0) {
        return G_SOURCE_REMOVE;
    }
    path = launch_host_guard_find_crash (crash->directory, crash->host, crash->since_s);
    if (path != NULL) {
        session_say (crash->session, 1,
                     N_ ("the daemon of host %s has crashed: %s tells where"), crash->host,
                     path);
    }
    return path == NULL ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
end_look (gpointer look)
{
    g_source_destroy (look);
    g_source_unref (look);
}

static void
await_log (Session *session, guint host_index)
{
    SessionTree *tree = session_tree_get (session);
    GSource *look = g_timeout_source_new (CRASH_LOOK_MS);
    Crash *crash = g_new (Crash, 1);

    *crash = (Crash){ session, g_strdup (get_host (session, host_index)),
                      g_strdup (tree->launch_session->directory),
                      g_get_real_time () / G_USEC_PER_SEC - CRASH_AGE_S, CRASH_LOOKS };
    g_source_set_callback (look, look_for_log, crash, free_crash);
    g_source_attach (look, NULL);
    g_ptr_array_add (tree->looks, look);
}

static void
lose_host (Session *session, guint host_index, const JobRankSet *ranks, const char *what)
{
    g_autoptr (JobRankSet) alive = session_ranks_dup_alive (session);

    if (strcmp (what, "lost") == 0) {
        if (job_rank_set_intersects (alive, ranks)) {
            session_fail (session, N_ ("host %s is lost: its daemon does not answer"),
                          get_host (session, host_index));
        }
    } else if (job_rank_set_intersects (alive, ranks) || !session->life->ready) {
        session_fail (session, find_fate (session), get_host (session, host_index));
        await_log (session, host_index);
    }
    session_life_mark_lost (session, ranks);
    if (!session->life->ready && session->life->is_attached) {
        session_life_be_ready (session); /* those that are missing cannot come any more */
    }
}

/* Queries all ranks of a host that is back, including those that count as lost, which commands
 * leave out. */
static void
ask_states (Session *session, const JobRankSet *ranks)
{
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_STATE, ranks);

    request->id = ++session->ask->last_id;
    session_life_send (session, request);
}

/* Nobody can answer for them, whatever has become of them before, until they are back. */
static void
note_cut_off (Session *session, const JobRankSet *ranks, const char *what)
{
    g_autoptr (JobRankSet) before = session->silences->cut_off != NULL
                                        ? session->silences->cut_off
                                        : job_rank_set_new ();

    session->silences->cut_off = strcmp (what, "silent") == 0 ? job_rank_set_dup (before)
                                 : strcmp (what, "back") == 0
                                     ? job_rank_set_subtract (before, ranks)
                                     : job_rank_set_union (before, ranks);
    if (session->relay != NULL) {
        session->relay->note (session->relay, SESSION_TOLD_CUT_OFF, session->silences->cut_off,
                              0, 0);
    }
}

static void
on_liveness (NetRoot *root, guint host_index, const char *what, gpointer user)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (user));
    g_autoptr (JobRankSet) ranks = dup_ranks_of_host (session, host_index);

    if (session->life->ending) {
        return;
    }
    note_cut_off (session, ranks, what);
    if (strcmp (what, "lost") == 0 || strcmp (what, "closed") == 0) {
        session_set_silent (session, ranks, 0);
        lose_host (session, host_index, ranks, what);
    } else if (strcmp (what, "silent") == 0) {
        session_say (session, 1, N_ ("host %s has not answered for 5 s"),
                     get_host (session, host_index));
        session_set_silent (session, ranks, SILENT_MS);
    } else if (strcmp (what, "back") == 0) {
        session_say (session, 0, N_ ("host %s answers again"), get_host (session, host_index));
        session_set_silent (session, ranks, 0);
        ask_states (session, ranks);
    } else {
        session_requests_drop (session, ranks);
    }
}

static void
on_clock (NetRoot *root, guint host_index, const NetClockReading *reading, gpointer user)
{
    const SessionClockReading told = { get_host (user, host_index), reading->sent_us,
                                       reading->received_us, reading->there_us };

    g_signal_emit (user, session_signals[SESSION_CLOCK], 0, &told);
}

static void
ask_clocks (Session *session)
{
    const SessionTree *tree = session_tree_get (session);

    if (tree != NULL && tree->net != NULL) {
        net_root_ask_clocks (tree->net);
    }
}

static void
on_output (LaunchJob *job, guint32 rank, int stream, GBytes *text, gpointer user)
{
    Session *session = user;
    g_autoptr (JobRankSet) set = NULL;

    if (session->life->ending) {
        return;
    }
    if (rank != G_MAXUINT32) {
        set = job_rank_set_new_range (rank, rank + 1);
    }
    g_signal_emit (session, session_signals[SESSION_OUTPUT], 0, set, (guint) stream, text);
}

static void
on_launcher_ended (LaunchJob *job, int wait_status, gpointer user)
{
    session_life_note_launcher_ended (SESSION_SESSION (user), wait_status);
}

static void
on_guard_lost (LaunchJob *job, gpointer user)
{
    session_life_note_guard_lost (SESSION_SESSION (user));
}

static void
send_to_tree (Session *session, const JobRequest *request)
{
    const SessionTree *tree = session_tree_get (session);
    g_autoptr (JobRequest) mapped = NULL;

    if (tree == NULL || tree->net == NULL) {
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
    net_root_send (tree->net, mapped);
}

gboolean
session_tree_open_net (Session *session, GError **error)
{
    static const NetRootHandler handler = { on_host, on_events, on_liveness, on_clock };
    char public_key[41], secret_key[41], daemon_key[41], daemon_secret[41];
    const NetRootKeys keys = { public_key, secret_key, daemon_key };

    SessionTree *tree = g_new0 (SessionTree, 1);

    session->backend = &session_tree_backend;
    session->backend_data = tree;
    tree->hosts = g_ptr_array_new_with_free_func (g_free);
    tree->looks = g_ptr_array_new_with_free_func (end_look);
    base_limits_protect (); /* this process holds the keys from now on */
    if (!net_make_keys (public_key, secret_key, error)
        || !net_make_keys (daemon_key, daemon_secret, error)) {
        return FALSE;
    }
    tree->launch_session = launch_session_new (public_key, daemon_key, daemon_secret, error);
    if (tree->launch_session != NULL) {
        tree->launch_session->randomise = session_option_is_on (session, "randomise");
        tree->launch_session->is_measured = session->life->is_measured;
        tree->launch_session->trace_folder = g_strdup (session->life->trace_folder);
        tree->net = net_root_new (tree->launch_session->id, tree->launch_session->directory,
                                  &keys, &handler, session, error);
    }
    explicit_bzero (secret_key, sizeof secret_key);
    explicit_bzero (daemon_secret, sizeof daemon_secret);
    return tree->net != NULL
           && launch_session_publish (tree->launch_session, net_root_get_endpoint (tree->net),
                                      error);
}

gboolean
session_tree_listen_beyond (SessionTree *tree, GError **error)
{
    return net_root_listen_beyond (tree->net, error)
           && launch_session_publish (tree->launch_session, net_root_get_endpoint (tree->net),
                                      error);
}

/* Listens beyond this host only if the job may use other hosts. */
static gboolean
reach_other_hosts (SessionTree *tree, const char *folder, GError **error)
{
    if (!tree->line->leaves_host) {
        return TRUE;
    }
    if (!session_tree_listen_beyond (tree, error)) {
        return FALSE;
    }
    gboolean has_agent = launch_carry_by_agent (tree->line, tree->launch_session);
    if (!launch_parcel_send (tree->line, has_agent, error)) {
        return FALSE;
    }
    if (!has_agent && !launch_session_is_shared (tree->launch_session)) {
        launch_batch_carry_key (tree->line, tree->launch_session, folder);
    }
    return TRUE;
}

void
session_tree_send_start (Session *session, const SessionOptions *options)
{
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_START, NULL);

    if (session->relay != NULL) {
        session->life->start_request = session->relay->start->id;
        session->life->stop_at_none = g_strcmp0 (session->relay->start->text, "none") == 0;
        send_to_tree (session, session->relay->start);
        return;
    }
    request->text = g_strdup (options->is_measured       ? "none"
                              : options->stop_at != NULL ? options->stop_at
                                                         : "main");
    request->flags = (options->is_measured ? JOB_REQUEST_MEASURED : 0)
                     | (options->is_unsampled ? JOB_REQUEST_UNSAMPLED : 0);
    request->rate = options->rate;
    request->metrics = options->metrics;
    session->life->stop_at_none = strcmp (request->text, "none") == 0;
    session_submit (session, g_steal_pointer (&request));
}

static gboolean
start_tree (Session *session, const SessionOptions *options, GError **error)
{
    SessionTree *tree;

    if (options->carry) {
        launch_parcel_want ();
    }
    if (options->attach != NULL || options->attach_job != NULL || options->cores != NULL) {
        return session_attach_start (session, options, error);
    }
    if (!session_files_open (session, options, error)
        || !session_tree_open_net (session, error)) {
        return FALSE;
    }
    tree = session_tree_get (session);
    tree->line = launch_line_new (options->argv, tree->launch_session, options->input_ranks,
                                  error);
    if (tree->line == NULL || !reach_other_hosts (tree, options->folder, error)) {
        return FALSE;
    }
    if (options->is_patient) {
        launch_line_delay_abort (tree->line, ABORT_DELAY_S);
    }
    session_tree_send_start (session, options);
    tree->job = launch_job_start (tree->line, options->folder, options->environment, on_output,
                                  on_launcher_ended, session, error);
    if (tree->job == NULL) {
        return FALSE;
    }
    launch_job_watch_guard (tree->job, on_guard_lost);
    session_files_feed (session);
    return TRUE;
}

static gboolean
end_tree (Session *session)
{
    const SessionTree *tree = session_tree_get (session);

    if (tree != NULL && tree->net != NULL) {
        net_root_end (tree->net);
    }
    if (get_job (session) != NULL && !session->life->keep) {
        launch_job_end (tree->job);
    }
    return session->life->keep || get_job (session) == NULL || session->life->ended;
}

static void
clear_tree (Session *session)
{
    SessionTree *tree = session_tree_get (session);

    session_files_close (session);
    if (tree == NULL) {
        return;
    }
    if (session->life->keep && tree->job != NULL && launch_job_get_pid (tree->job) != 0) {
        launch_job_keep (g_steal_pointer (&tree->job));
    }
    g_clear_pointer (&tree->job, launch_job_free);
    g_clear_pointer (&tree->line, launch_line_free);
    g_clear_pointer (&tree->net, net_root_free);
    g_clear_pointer (&tree->launch_session, launch_session_remove);
    g_ptr_array_unref (tree->hosts);
    g_ptr_array_unref (tree->looks);
    session->backend_data = NULL;
    g_free (tree);
}

static void
signal_launcher (Session *session, int number)
{
    LaunchJob *job = get_job (session);
    pid_t launcher = job != NULL ? launch_job_get_pid (job) : 0;

    if (launcher != 0 && number == SIGTERM) {
        launch_job_end (job);
    } else if (launcher != 0) {
        kill (launcher, number);
    }
}

static guint32
find_line_size (const Session *session)
{
    const SessionTree *tree = session_tree_get (session);

    return tree != NULL && tree->line != NULL ? launch_line_find_size (tree->line) : 0;
}

static gboolean
lingers (const Session *session)
{
    const SessionTree *tree = session_tree_get (session);

    return tree != NULL && tree->line != NULL && tree->line->is_abort_delayed;
}

static gsize
get_waiting_input (const Session *session)
{
    const LaunchJob *job = get_job (session);

    return job != NULL ? launch_job_get_waiting_input (job) : 0;
}

char *
session_dup_program_name (const char *const *argv)
{
    return launch_line_dup_program_name (argv);
}

static gboolean
write_launcher_input (Session *session, const char *data, gsize size, gboolean eof,
                      GError **error)
{
    LaunchJob *job = get_job (session);

    return job != NULL && launch_job_write_input (job, data, size, eof, error);
}

static void
hold_launcher_output (Session *session, gboolean held)
{
    LaunchJob *job = get_job (session);

    if (job != NULL) {
        launch_job_hold_output (job, held);
    }
}

const SessionBackend session_tree_backend = {
    .start = start_tree,
    .send = send_to_tree,
    .end = end_tree,
    .clear = clear_tree,
    .ask_clocks = ask_clocks,
    .find_size = find_line_size,
    .signal = signal_launcher,
    .lingers = lingers,
    .get_waiting_input = get_waiting_input,
    .write_input = write_launcher_input,
    .hold_output = hold_launcher_output,
    .read_source = session_sources_read_here,
    .time_source = session_sources_time_here,
    .list_folder = session_sources_list_here,
    .list_running = session_sources_list_running_here,
    .list_cores = session_sources_list_cores_here,
    .find_program = session_sources_find_program_here,
    .name_process = session_sources_name_process_here,
    .ask_queue = session_queues_ask_here,
    .comes_late = TRUE,
    .is_polled = TRUE,
};
