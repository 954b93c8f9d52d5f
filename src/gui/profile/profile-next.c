/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-next.h"
#include "base/error.h"

static gboolean
has_point (const SessionSaved *saved, const char *file, guint line)
{
    for (guint i = 0; i < saved->points->len; i++) {
        const JobRequest *request = ((SessionSavedPoint *) saved->points->pdata[i])->request;

        if (request->verb == JOB_VERB_BREAK && request->where.kind == JOB_WHERE_LINE
            && request->where.line == line && g_strcmp0 (request->where.file, file) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

static void
add_point (SessionSaved *saved, const char *file, guint line)
{
    SessionSavedPoint *point = g_new0 (SessionSavedPoint, 1);

    point->request = job_request_new (JOB_VERB_BREAK, NULL);
    g_clear_pointer (&point->request->ranks, job_rank_set_free);
    point->request->ranks = job_rank_set_new ();
    point->request->where.kind = JOB_WHERE_LINE;
    point->request->where.file = g_strdup (file);
    point->request->where.line = line;
    point->is_for_all = point->is_enabled = TRUE;
    g_ptr_array_add (saved->points, point);
}

char *
gui_profile_next_add (const char *command, const char *file, guint line, GError **error)
{
    g_auto (GStrv) argv = NULL;
    g_autofree char *path = NULL;
    g_autoptr (SessionSaved) saved = NULL;

    if (command == NULL || !g_shell_parse_argv (command, NULL, &argv, NULL)) {
        base_error_set (
            error, BASE_ERROR_INVALID,
            "cannot set a breakpoint: the profile does not say which command was run");
        return NULL;
    }
    path = session_saved_get_file ((const char *const *) argv, NULL);
    saved = session_saved_load (path, NULL);
    if (saved == NULL || !saved->is_own) {
        g_clear_pointer (&saved, session_saved_free);
        saved = session_saved_new ();
        saved->argv = g_steal_pointer (&argv);
        saved->folder = g_get_current_dir ();
    }
    if (!has_point (saved, file, line)) {
        add_point (saved, file, line);
    }
    return session_saved_store (saved, path, error) ? g_steal_pointer (&path) : NULL;
}
