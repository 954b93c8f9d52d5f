/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same job once more: the running one ends, what was known of its ranks is forgotten, and the
 * same line is started with the same options. Breakpoints, what is done with signals, options, sets and
 * the focus stay; who says them to the new ranks, and when, is the caller's. */
#include "session/private.h"
#include "base/error.h"

void
session_restart_note_options (Session *session, const SessionOptions *options)
{
    SessionRestart *again = session->restart;

    if (options == &again->options) {
        return;
    }
    session_restart_clear (session);
    again->options = *options;
    again->options.argv
        = (const char *const *) (again->argv = g_strdupv ((char **) options->argv));
    again->options.environment
        = (const char *const *) (again->environment
                                 = g_strdupv ((char **) options->environment));
    again->options.stop_at = again->stop_at = g_strdup (options->stop_at);
    again->options.input_ranks = again->input_ranks = g_strdup (options->input_ranks);
    again->options.folder = again->folder = g_strdup (options->folder);
    again->options.input_file = again->input_file = g_strdup (options->input_file);
    again->options.output_folder = again->output_folder = g_strdup (options->output_folder);
    again->options.source_folders = NULL; /* as it is */
    again->options.living = 0;            /* once more is from its start */
    again->is_known = options->argv != NULL && options->attach == NULL
                      && options->attach_job == NULL && options->cores == NULL;
}

/* One of the same name and ranks is said no more. */
static gboolean
is_replaced (const JobRequest *before, const JobRequest *request)
{
    return before->verb == request->verb && g_strcmp0 (before->text, request->text) == 0
           && job_rank_set_is_subset (before->ranks, request->ranks)
           && (request->verb == JOB_VERB_OPTION
               || g_strcmp0 (before->text2, request->text2) == 0);
}

void
session_restart_note_setting (Session *session, const JobRequest *request)
{
    SessionRestart *again = session->restart;

    if (request->verb != JOB_VERB_HANDLE && request->verb != JOB_VERB_OPTION) {
        return;
    }
    if (again->settings == NULL) {
        again->settings = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    }
    for (guint i = again->settings->len; i-- > 0;) {
        if (is_replaced (g_ptr_array_index (again->settings, i), request)) {
            g_ptr_array_remove_index (again->settings, i);
        }
    }
    g_ptr_array_add (again->settings, job_request_dup (request));
}

void
session_restart_clear (Session *session)
{
    SessionRestart *again = session->restart;

    g_clear_pointer (&again->settings, g_ptr_array_unref);
    g_clear_handle_id (&again->source, g_source_remove);
    g_cancellable_cancel (again->asking);
    g_clear_pointer (&again->argv, g_strfreev);
    g_clear_pointer (&again->environment, g_strfreev);
    g_clear_pointer (&again->stop_at, g_free);
    g_clear_pointer (&again->input_ranks, g_free);
    g_clear_pointer (&again->folder, g_free);
    g_clear_pointer (&again->input_file, g_free);
    g_clear_pointer (&again->output_folder, g_free);
    again->is_known = FALSE;
}

void
session_restart_forget (Session *session)
{
    const SessionChange change = { .kind = SESSION_CHANGE_RESTART };

    session_why_clear (session);
    session_names_clear (session);
    session_hang_clear (session);
    session_collectives_clear (session);
    session_diverged_clear (session);
    session_diverged_init (session);
    session_life_clear (session);
    session_selections_forget (session);
    session_apply_change (session, &change);
    session->slots->differ = FALSE;
    session->life->started = session->life->ready = session->life->ended = session->life->ending
        = FALSE;
    session->life->is_given_up = FALSE;
    session->life->wait_status = 0;
    g_clear_pointer (&session->life->failure, g_free);
    g_clear_pointer (&session->sets->input_ranks, job_rank_set_free);
    session_requests_give_up (session);
    g_signal_emit (session, session_signals[SESSION_RESTARTED], 0);
}

static void
fail_again (Session *session, const GError *problem)
{
    session_fail_text (session, base_error_dup_text (problem));
    session->life->ended = TRUE;
    g_signal_emit (session, session_signals[SESSION_ENDED], 0, 0);
}

static void
on_prepared (GObject *source, GAsyncResult *result, gpointer user)
{
    g_autoptr (Session) session = user;
    g_autoptr (GError) error = NULL;
    gboolean is_ready = session_prepare_finish (result, &error);

    g_clear_object (&session->restart->asking);
    session->restart->is_running = FALSE;
    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
        return;
    }
    session_restart_forget (session);
    if (!is_ready || !session_start (session, &session->restart->options, &error)) {
        fail_again (session, error);
    }
}

/* The launcher may be another one since, which is asked what it is, and may not answer. */
static gboolean
start_again (gpointer data)
{
    Session *session = data;

    session->restart->source = 0;
    session->restart->asking = g_cancellable_new ();
    session_prepare_async (session->restart->options.argv, session->restart->asking,
                           on_prepared, g_object_ref (session));
    return G_SOURCE_REMOVE;
}

/* Outside of the stack in which the job has ended. */
void
session_restart_on_ended (Session *session)
{
    if (session->restart->is_running && session->restart->source == 0
        && session->restart->asking == NULL) {
        session->restart->source = g_idle_add (start_again, session);
    }
}

void
session_restart_cancel (Session *session)
{
    g_cancellable_cancel (session->restart->asking);
    while (session->restart->asking != NULL) {
        g_main_context_iteration (NULL, TRUE);
    }
}

gboolean
session_restart (Session *session, GError **error)
{
    if (!session->restart->is_known) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot restart the job: pddt did not start it");
        return FALSE;
    }
    if (session->restart->is_running) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot restart the job: it is already being "
                        "restarted");
        return FALSE;
    }
    session->restart->is_running = TRUE;
    session->life->keep = FALSE;
    if (session->life->ended) {
        session_end (session);
        session_restart_on_ended (session);
    } else {
        session_end (session);
    }
    return TRUE;
}

gboolean
session_can_restart (const Session *session)
{
    return session->restart->is_known && !session->restart->is_running;
}

gboolean
session_is_restarting (const Session *session)
{
    return session->restart->is_running || session->restart->source != 0;
}

GPtrArray *
session_dup_breakpoint_requests (const Session *session)
{
    GPtrArray *requests = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);

    for (guint i = 0; i < session->breakpoints->all->len; i++) {
        const SessionBreakpoint *breakpoint = g_ptr_array_index (session->breakpoints->all, i);

        g_ptr_array_add (requests,
                         session_breakpoint_make_request (breakpoint, breakpoint->ranks));
        if (!job_rank_set_is_empty (breakpoint->disabled)) {
            JobRequest *request = job_request_new (JOB_VERB_DISABLE, breakpoint->disabled);

            request->number = breakpoint->number;
            g_ptr_array_add (requests, request);
        }
    }
    return requests;
}

GPtrArray *
session_dup_restart_requests (const Session *session)
{
    GPtrArray *requests = session_dup_breakpoint_requests (session);
    const GPtrArray *settings = session->restart->settings;

    for (guint i = 0; settings != NULL && i < settings->len; i++) {
        g_ptr_array_insert (requests, (gint) i,
                            job_request_dup (g_ptr_array_index ((GPtrArray *) settings, i)));
    }
    return requests;
}
