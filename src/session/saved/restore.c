/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the live job to a saved session and back; saved.c writes the files. */
#include "session/saved.h"
#include "session/private.h"
#include "session/remote.h"

static void
note_disabled (SessionSavedPoint *point, const SessionBreakpoint *breakpoint)
{
    point->is_enabled = session_breakpoint_is_enabled (breakpoint, NULL);
    if (point->is_enabled && !job_rank_set_is_empty (breakpoint->disabled)) {
        point->disabled = job_rank_set_dup (breakpoint->disabled);
    }
}

static void
add_points (const Session *session, SessionSaved *saved, const JobRankSet *all)
{
    g_autoptr (GPtrArray) requests = session_dup_breakpoint_requests (session);

    BASE_EACH (requests, const JobRequest, request) {
        SessionSavedPoint *point;

        if (request->verb == JOB_VERB_DISABLE) {
            continue;
        }
        point = g_new0 (SessionSavedPoint, 1);
        point->request = job_request_dup (request);
        point->is_for_all = job_rank_set_is_subset (all, request->ranks);
        note_disabled (point, session_find_breakpoint (session, request->number));
        g_ptr_array_add (saved->points, point);
    }
}

static gpointer
dup_display (gconstpointer display, gpointer unused)
{
    return session_saved_display_dup (display);
}

static GPtrArray *
dup_displays (const GPtrArray *displays)
{
    GPtrArray *copy = g_ptr_array_copy ((GPtrArray *) displays, dup_display, NULL);

    g_ptr_array_set_free_func (copy, session_saved_display_free);
    return copy;
}

void
session_keep_displays (Session *session, const GPtrArray *displays)
{
    g_clear_pointer (&session->displays, g_ptr_array_unref);
    session->displays = dup_displays (displays);
    g_signal_emit (session, session_signals[SESSION_SETS_CHANGED], 0); /* what is kept has */
}

SessionSaved *
session_dup_saved (const Session *session)
{
    g_autoptr (JobRankSet) all = session_dup_all (session);
    g_auto (GStrv) names = session_dup_set_names (session);
    SessionSaved *saved;

    if (session->life->argv == NULL || session->life->argv[0] == NULL) {
        return NULL;
    }
    saved = session_saved_new ();
    saved->argv = g_strdupv (session->life->argv);
    saved->environment = g_strdupv (session->restart->environment);
    saved->host = session_remote_dup_address ();
    saved->host_program = saved->host != NULL ? g_strdup (session_remote_get_program ()) : NULL;
    saved->folder = session->restart->folder != NULL ? g_strdup (session->restart->folder)
                    : saved->host == NULL            ? g_get_current_dir ()
                                                     : NULL;
    saved->stop_at = g_strdup (session->restart->stop_at);
    saved->input_ranks = g_strdup (session->restart->input_ranks);
    saved->input_file = g_strdup (session->restart->input_file);
    saved->output_folder = g_strdup (session->restart->output_folder);
    saved->source_folders = g_strdup (session_get_source_folders (session));
    saved->keep = session->life->keep;
    add_points (session, saved, all);
    if (session->displays != NULL) {
        g_ptr_array_unref (saved->displays);
        saved->displays = dup_displays (session->displays);
    }
    for (guint i = 0; names[i] != NULL; i++) {
        SessionSavedSet *set = g_new0 (SessionSavedSet, 1);
        const char *live = NULL;

        set->ranks = job_rank_set_dup (session_find_named (session, names[i], &live));
        set->name = g_strdup (names[i]);
        set->live = g_strdup (live);
        g_ptr_array_add (saved->sets, set);
    }
    return saved;
}

SessionOptions
session_saved_get_options (const SessionSaved *saved)
{
    return (SessionOptions){
        .argv = (const char *const *) saved->argv,
        .environment = (const char *const *) saved->environment,
        .folder = saved->folder,
        .stop_at = saved->stop_at,
        .input_ranks = saved->input_ranks,
        .input_file = saved->input_file,
        .output_folder = saved->output_folder,
        .source_folders = saved->source_folders,
        .keep = saved->keep,
        .timeout_s = 60,
    };
}

static gboolean
is_same (const JobRequest *a, const JobRequest *b)
{
    g_autofree char *where_a = job_where_format (&a->where),
                    *where_b = job_where_format (&b->where);

    return a->verb == b->verb && g_strcmp0 (where_a, where_b) == 0
           && g_strcmp0 (a->text, b->text) == 0 && g_strcmp0 (a->condition, b->condition) == 0
           && g_strcmp0 (a->log, b->log) == 0 && a->every == b->every && a->thread == b->thread;
}

static gboolean
is_set (GPtrArray *there, const JobRequest *request)
{
    return BASE_ANY (i, there->len, is_same (g_ptr_array_index (there, i), request));
}

static void
restore_sets (Session *session, const SessionSaved *saved, const JobRankSet *all)
{
    BASE_EACH (saved->sets, const SessionSavedSet, set) {
        if (set->live != NULL) {
            session_set_named (session, set->name, NULL, set->live);
        } else {
            g_autoptr (JobRankSet) here = job_rank_set_intersect (set->ranks, all);

            session_set_named (session, set->name, here, NULL);
        }
    }
}

static void
restore_disabled (const SessionSavedPoint *point, const JobRequest *set, GPtrArray *requests)
{
    g_autoptr (JobRankSet) ranks = point->disabled != NULL
                                       ? job_rank_set_intersect (point->disabled, set->ranks)
                                   : point->is_enabled ? job_rank_set_new ()
                                                       : job_rank_set_dup (set->ranks);
    JobRequest *disable;

    if (!job_rank_set_is_empty (ranks)) {
        disable = job_request_new (JOB_VERB_DISABLE, ranks);
        disable->number = set->number;
        g_ptr_array_add (requests, disable);
    }
}

GPtrArray *
session_restore (Session *session, const SessionSaved *saved)
{
    GPtrArray *requests = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    g_autoptr (GPtrArray) there = session_dup_breakpoint_requests (session);
    g_autoptr (JobRankSet) all = session_dup_all (session);

    restore_sets (session, saved, all);
    BASE_EACH (saved->points, const SessionSavedPoint, point) {
        g_autoptr (JobRankSet) ranks = point->is_for_all
                                           ? job_rank_set_dup (all)
                                           : job_rank_set_intersect (point->request->ranks,
                                                                     all);
        JobRequest *request;

        if (job_rank_set_is_empty (ranks) || is_set (there, point->request)) {
            continue;
        }
        request = job_request_dup (point->request);
        job_rank_set_free (request->ranks);
        request->ranks = job_rank_set_dup (ranks);
        request->number = session_next_breakpoint_number (session);
        g_ptr_array_add (requests, request);
        restore_disabled (point, request, requests);
    }
    return requests;
}
