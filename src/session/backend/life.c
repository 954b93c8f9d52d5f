/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job's start and end: when it is ready and when it has ended. Who starts and ends it is the
 * backend. */
#include "session/private.h"
#include "base/error.h"
#include "base/patience.h"
#include "launch/launch.h"
#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define REFUSAL_MS 300
#define GRACE_MS 2000 /* events of ranks may still arrive after the launcher has ended */
#define NOBODY_MS 2000
#define DETACH_S 5
#define MAX_WAITING_INPUT (1 << 20) /* bytes */

static char *
name_launcher (const Session *session)
{
    return session->life->argv != NULL && session->life->argv[0] != NULL
               ? g_path_get_basename (session->life->argv[0])
               : g_strdup ("the launcher");
}

void
session_life_mark_lost (Session *session, const JobRankSet *ranks)
{
    g_autoptr (JobRankSet) gone = job_rank_set_new ();

    JOB_EACH_RANK_BELOW (ranks, rank, session->ranks->size) {
        if (!job_state_get_info ((JobState) session->ranks->states[rank])->is_ended) {
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
session_life_be_ready (Session *session)
{
    if (!session->life->ready) {
        session->life->ready = TRUE;
        if (session->relay != NULL) {
            session->relay->note (session->relay, SESSION_TOLD_READY, NULL, 0, 0);
            return;
        }
        g_signal_emit (session, session_signals[SESSION_READY], 0);
    }
}

void
session_life_check_ready (Session *session)
{
    SessionRelay *relay = session->relay;
    guint32 n_due = session->life->is_attached
                        ? session->life->n_wanted - session->life->n_refused
                              + session_children_count (session)
                        : session->ranks->size;

    if (relay != NULL && session->life->is_attached
        && (session->life->told_wanted != session->life->n_wanted
            || session->life->told_searched != session->life->n_searched)) {
        session->life->told_wanted = session->life->n_wanted;
        session->life->told_searched = session->life->n_searched;
        relay->note (relay, SESSION_TOLD_WANTED, NULL, session->life->n_wanted,
                     session->life->n_searched);
    }
    if (!session->life->ready && session->life->n_searched == 0 && session->ranks->size > 0
        && n_due > 0 && session->ranks->n_reported == n_due
        && session->ranks->n_arrived == n_due) {
        session->life->ready = TRUE;
        g_clear_handle_id (&session->life->timeout_source, g_source_remove);
        if (session->relay != NULL) {
            return; /* the user's session sees it, too */
        }
        session_options_tell (session);
        g_signal_emit (session, session_signals[SESSION_READY], 0);
    }
}

void
session_life_end (Session *session)
{
    g_clear_handle_id (&session->life->grace_source, g_source_remove);
    g_clear_handle_id (&session->life->nobody_source, g_source_remove);
    g_clear_handle_id (&session->life->timeout_source, g_source_remove);
    g_clear_handle_id (&session->life->served_source, g_source_remove);
    if (!session->life->ended) {
        session->life->ended = TRUE;
        if (session->relay != NULL) {
            session->relay->note (session->relay, SESSION_TOLD_ENDED, NULL, 0, 0);
            return;
        }
        session_restart_on_ended (session);
        g_signal_emit (session, session_signals[SESSION_ENDED], 0, session->life->wait_status);
    }
}

static void
say_never_started (Session *session)
{
    g_autofree char *name = name_launcher (session);

    if (WIFSIGNALED (session->life->wait_status)) {
        session_fail (session,
                      /* Translators: the launcher's name, and a signal's number. */
                      N_ ("cannot start the job: %s ended by signal %d before any rank "
                          "reported"),
                      name, WTERMSIG (session->life->wait_status));
    } else {
        session_fail (session,
                      /* Translators: the launcher's name, and its exit status. */
                      N_ ("cannot start the job: %s ended with status %d before any rank "
                          "reported"),
                      name, WEXITSTATUS (session->life->wait_status));
    }
}

/* Others did, so the shims of these, or their host's daemon, died on the way. */
static void
say_not_all_started (Session *session)
{
    g_autofree char *name = name_launcher (session);
    g_autoptr (JobRankSet) missing = session_ranks_dup_unreported (session);
    g_autofree char *ranks = job_rank_set_format (missing);

    /* Translators: the launcher's name, and ranks such as "0-3,5". */
    session_fail (session, N_ ("cannot start every rank: %s ended before %s reported"), name,
                  ranks);
}

/* Children may outlive the launcher: the session is theirs until they end, too. */
static gboolean
on_grace_over (gpointer data)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (data));
    g_autoptr (JobRankSet) all = session_dup_all (session);

    if (session_children_are_alive (session) && !session->life->is_measured) {
        return G_SOURCE_CONTINUE;
    }
    session->life->grace_source = 0;
    if (session_children_are_alive (session)) { /* whoever measures has seen the job's end */
        session->life->keep = TRUE;
        session_end (session);
        return G_SOURCE_REMOVE;
    }
    if (session->ranks->n_reported == 0 && session->life->failure == NULL) {
        say_never_started (session);
    } else if (session->ranks->n_reported < session->ranks->size && !session->life->is_attached
               && session->life->failure == NULL) {
        say_not_all_started (session);
    }
    session_life_mark_lost (session, all);
    session_life_end (session);
    return G_SOURCE_REMOVE;
}

/* No rank is left to inspect, but the launcher still waits before it ends the job. */
static gboolean
on_nobody_left (gpointer data)
{
    Session *session = data;

    session->life->nobody_source = 0;
    session_signal_launcher (session, SIGTERM);
    return G_SOURCE_REMOVE;
}

void
session_life_check_ended (Session *session)
{
    guint32 n_over = session->ranks->counts[JOB_STATE_EXITED]
                     + session->ranks->counts[JOB_STATE_FAILED]
                     + session->ranks->counts[JOB_STATE_LOST];

    if (session->ranks->size > 0 && n_over == session->ranks->size
        && session->life->grace_source == 0 && session->life->nobody_source == 0
        && session->ranks->counts[JOB_STATE_EXITED] < n_over
        && (!session->life->is_measured
            || session->ranks->counts[JOB_STATE_LOST] == 0) /* these run on */
        && session->backend != NULL && session->backend->lingers != NULL
        && session->backend->lingers (session)) {
        session->life->nobody_source = base_patience_add (NOBODY_MS, on_nobody_left, session,
                                                          NULL);
    }
    if (session->life->grace_source != 0 && session->ranks->size > 0
        && n_over == session->ranks->size) {
        session_life_end (session);
    } else if (session->life->is_attached && session->life->ready
               && n_over == session->ranks->n_reported) {
        session_life_end (session);
    }
}

void
session_life_note_guard_lost (Session *session)
{
    g_autofree char *name = name_launcher (session);

    if (!session->life->ending) {
        /* Translators: the launcher's name. */
        session_fail (session, N_ ("pddt-guard was killed: %s is being ended"), name);
    }
}

void
session_life_note_launcher_ended (Session *session, int wait_status)
{
    G_GNUC_UNUSED g_autoptr (Session) alive = g_object_ref (session);

    session->life->wait_status = wait_status;
    if (session->relay != NULL) {
        session->life->ended = TRUE;
        session->relay->note (session->relay, SESSION_TOLD_LAUNCHER, NULL, wait_status, 0);
        return;
    }
    if (session->life->ending
        || (session->ranks->n_reported == 0 && session->life->failure != NULL)) {
        session_life_end (session);
    } else if (session->life->grace_source == 0) {
        /* the reason why no rank reported may still arrive */
        session->life->grace_source
            = base_patience_add (session->ranks->n_reported == 0 ? REFUSAL_MS : GRACE_MS,
                                 on_grace_over, session, NULL);
        session_life_check_ended (session);
    }
}

static gboolean
on_timeout (gpointer data)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (data));

    session->life->timeout_source = 0;
    if (session->ranks->n_reported < session->ranks->size) {
        g_autoptr (JobRankSet) missing = session_ranks_dup_unreported (session);
        g_autofree char *ranks = job_rank_set_format (missing);

        /* Translators: ranks such as "0-3,5", and seconds. */
        session_fail (session,
                      N_ ("cannot start every rank: %s did not report within %u s (manual: "
                          "Troubleshooting)"),
                      ranks, session->life->timeout_s);
        session_life_be_ready (session);
    }
    return G_SOURCE_REMOVE;
}

void
session_life_begin_timeout (Session *session)
{
    if (session->relay == NULL && session->backend != NULL && session->backend->comes_late
        && session->life->timeout_source == 0 && session->life->timeout_s > 0) {
        session->life->timeout_source
            = base_patience_add (MIN (session->life->timeout_s, G_MAXUINT / 1000) * 1000,
                                 on_timeout, session, NULL);
    }
}

static void
note_options (Session *session, const SessionOptions *options)
{
    g_strfreev (session->life->argv);
    session->life->argv = g_strdupv ((char **) options->argv);
    session->life->timeout_s = options->timeout_s != 0 ? options->timeout_s : 60;
    session->life->keep = options->keep;
    session->life->is_core = options->cores != NULL;
    session->life->is_measured = options->is_measured;
    session->life->trace_folder = options->trace_folder;
}

void
session_begin_questions (const char *const *argv)
{
    if (!session_remote_is_connected ()) { /* else the other side asks its own */
        launch_line_begin (argv);
    }
}

void
session_prepare_async (const char *const *argv, GCancellable *cancellable,
                       GAsyncReadyCallback done, gpointer user)
{
    if (session_remote_is_connected ()) {
        g_autoptr (GTask) task = g_task_new (NULL, cancellable, done, user);

        g_task_set_source_tag (task, session_prepare_async);
        g_task_return_boolean (task, TRUE);
        return;
    }
    launch_line_ask_version_async (argv, cancellable, done, user);
}

gboolean
session_prepare_finish (GAsyncResult *result, GError **error)
{
    return g_task_get_source_tag (G_TASK (result)) == session_prepare_async
               ? g_task_propagate_boolean (G_TASK (result), error)
               : launch_line_ask_version_finish (result, error);
}

gboolean
session_start (Session *session, const SessionOptions *options, GError **error)
{
    if (session->life->started) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot start a job: this session has started one already");
        return FALSE;
    }
    if (options->input_ranks != NULL && strcmp (options->input_ranks, "all") != 0) {
        session->sets->input_ranks = job_rank_set_parse (options->input_ranks, 1u << 24, error);
        if (session->sets->input_ranks == NULL) {
            return FALSE;
        }
    } else if (options->input_ranks != NULL) {
        session->sets->input_ranks = job_rank_set_new_range (0, 1u << 24);
    }
    note_options (session, options);
    session_restart_note_options (session, options);
    session->backend = session_remote_is_connected () ? &session_remote_backend
                                                      : &session_tree_backend;
    session_moment_note_started (session, session->restart->is_known ? g_get_real_time () : 0);
    session->life->started = session->backend->start (session, options, error);
    if (!session->life->started) {
        session_life_clear (session);
    }
    return session->life->started;
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
    guint source = base_patience_add (DETACH_S * 1000, note_time_over, &is_over, NULL);

    while (!is_over && g_hash_table_contains (session->ask->requests, &id)) {
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

    session_restart_cancel (session);
    if (session->life->ending || session->life->is_detaching || !session->life->started) {
        return;
    }
    if (session->life->keep && !session->life->ended) {
        session->life->is_detaching = TRUE;
        detach_all (session);
        session->life->is_detaching = FALSE;
    }
    session->life->ending = TRUE;
    if (session->backend->end (session)) {
        session_life_end (session);
    }
}

gboolean
session_is_core (const Session *session)
{
    return session->life->is_core;
}

gboolean
session_would_kill (Session *session)
{
    g_autoptr (JobRankSet) alive = session_ranks_dup_alive (session);

    return session->life->started && !session->life->ended && !session->life->ending
           && !session->life->keep && !job_rank_set_is_empty (alive);
}

void
session_set_keep (Session *session, gboolean keep)
{
    session->life->keep = keep;
}

void
session_life_clear (Session *session)
{
    g_clear_handle_id (&session->life->grace_source, g_source_remove);
    g_clear_handle_id (&session->life->nobody_source, g_source_remove);
    g_clear_handle_id (&session->life->timeout_source, g_source_remove);
    g_clear_handle_id (&session->life->served_source, g_source_remove);
    if (session->backend != NULL) {
        session->backend->clear (session);
    }
    g_clear_pointer (&session->slots->map, session_slot_map_free);
}

void
session_life_send (Session *session, const JobRequest *request)
{
    if (session->backend != NULL) {
        session->backend->send (session, request);
    }
}

void
session_signal_launcher (Session *session, int number)
{
    if (session->backend != NULL && session->backend->signal != NULL) {
        session->backend->signal (session, number);
    }
}

gboolean
session_is_input_full (const Session *session)
{
    return session->backend != NULL && session->backend->get_waiting_input != NULL
           && session->backend->get_waiting_input (session) >= MAX_WAITING_INPUT;
}

void
session_hold_output (Session *session, gboolean held)
{
    if (session->backend != NULL && session->backend->hold_output != NULL) {
        session->backend->hold_output (session, held);
    }
}

static gboolean
write_own_input (Session *session, const char *data, gsize size, gboolean eof, GError **error)
{
    return session->backend != NULL && session->backend->write_input != NULL
           && session->backend->write_input (session, data, size, eof, error);
}

/* The ranks whose input pddt owns, and those with the launcher's. */
void
session_write_input (Session *session, const JobRankSet *set, const char *text, gboolean eof)
{
    g_autoptr (JobRankSet) none = job_rank_set_new ();
    const JobRankSet *own = session->sets->input_ranks != NULL ? session->sets->input_ranks
                                                               : none;
    g_autoptr (JobRankSet) fed = session->backend != NULL && session->backend->feeds_all
                                     ? job_rank_set_dup (set)
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
        if (!write_own_input (session, text, strlen (text), eof, &error)) {
            if (error != NULL) {
                session_say_error (session, 2, error);
            } else {
                session_say (session, 2, N_ ("cannot give input: the job has ended"));
            }
        }
    }
    if (!job_rank_set_is_empty (rest)) {
        g_autofree char *ranks = job_rank_set_format (rest);

        session_say (session, 1,
                     /* Translators: ranks such as "0-3,5". */
                     N_ ("the launcher gives input to rank 0 only: start pddt with --input "
                         "to give it to other ranks (%s)"),
                     ranks);
    }
}

void
session_forward_input (Session *session, const char *data, gsize size, gboolean eof)
{
    write_own_input (session, data, size, eof, NULL);
}

void
session_life_apply_refusal (Session *session, const JobEvent *event)
{
    g_autofree char *shown = job_event_dup_shown (event);
    BaseText text = { event->text, shown };

    if (session->relay != NULL) {
        session->life->n_refused++;
        session->relay->event (session->relay, session, event);
        return;
    }
    if (!session->life->is_attached) {
        if (session->life->failure == NULL) {
            session_fail_text (session, base_text_dup (&text));
        }
        return;
    }
    session->life->n_refused++;
    if (session->life->n_refused < session->life->n_wanted || session->life->n_searched > 0) {
        session_say_text (session, 2, &text);
        session_life_check_ready (session);
        return;
    }
    session_fail_text (session, base_text_dup (&text));
    session_life_end (session);
}
