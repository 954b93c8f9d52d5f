/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks every two seconds whether the small text to save has changed, because changes occur in
 * many places. */
#include "gui/console/session-keeper.h"
#include "base/array.h"
#include "base/error.h"
#include "gui/group/group-window.h"
#include "gui/kit/settings.h"
#include "session/remote.h"

enum { INTERVAL_S = 2 };

struct _GuiSessionKeeper {
    GtkApplication *application;
    Session *session;
    GuiCommandPanel *panel;
    char *file; /* to bring back; NULL nothing */
    char *own;  /* where it is kept; NULL nowhere */
    char *written;
    SessionSaved *waiting; /* its windows are to be opened when its lines are done */
    char *loading;         /* the line that does so; NULL: none */
    gboolean is_restored;
    guint source;
};

static void
say (GuiSessionKeeper *keeper, guint severity, const GError *error)
{
    g_autoptr (BaseText) text = base_error_dup_text (error);

    session_say_text (keeper->session, severity, text);
}

static void
open_windows (GuiSessionKeeper *keeper, const SessionSaved *saved)
{
    g_autoptr (JobRankSet) all = session_dup_all (keeper->session);

    BASE_EACH (saved->windows, const SessionSavedWindow, window) {
        g_autoptr (JobRankSet) ranks = job_rank_set_intersect (window->ranks, all);

        if (!job_rank_set_is_empty (ranks)) {
            GtkWidget *widget = gui_group_window_open (keeper->application, keeper->session,
                                                       ranks, window->name);

            gui_group_window_restore (GUI_GROUP_WINDOW (widget), window);
        }
    }
}

static void
restore (GuiSessionKeeper *keeper)
{
    g_autoptr (SessionSaved) saved = g_steal_pointer (&keeper->waiting);

    keeper->is_restored = TRUE;
    open_windows (keeper, saved);
}

/* Other lines of the panel may be answered before. */
static void
on_done (GuiSessionKeeper *keeper, gboolean ok, const char *line)
{
    if (g_strcmp0 (line, keeper->loading) == 0) {
        g_signal_handlers_disconnect_by_data (keeper->panel, keeper);
        restore (keeper);
    }
}

static void
on_ready (GuiSessionKeeper *keeper)
{
    g_autoptr (GError) error = NULL;

    if (keeper->is_restored || keeper->waiting != NULL) {
        return;
    }
    if (session_remote_is_taken_over (keeper->session)) { /* sets and breakpoints are there */
        const SessionSaved *kept = session_remote_get_kept (keeper->session);

        keeper->is_restored = TRUE;
        if (kept != NULL) {
            open_windows (keeper, kept);
        }
        return;
    }
    if (keeper->file != NULL) {
        keeper->waiting = session_saved_load (keeper->file, &error);
    }
    if (keeper->waiting != NULL
        && !session_saved_may_restore (keeper->waiting, keeper->file, &error)) {
        g_clear_pointer (&keeper->waiting, session_saved_free);
    }
    if (error != NULL && !g_error_matches (error, BASE_ERROR, BASE_ERROR_NOT_FOUND)) {
        say (keeper, 2, error);
    }
    if (keeper->waiting == NULL) {
        keeper->is_restored = TRUE;
    } else if (keeper->waiting->points->len + keeper->waiting->sets->len
                   + keeper->waiting->displays->len
               > 0) {
        g_signal_connect_swapped (keeper->panel, "done", G_CALLBACK (on_done), keeper);
        keeper->loading = g_strdup_printf ("load %s", keeper->file);
        gui_command_panel_run (keeper->panel, keeper->loading);
    } else {
        restore (keeper);
    }
}

static SessionSaved *
dup_saved (GuiSessionKeeper *keeper)
{
    SessionSaved *saved = session_dup_saved (keeper->session);
    g_autoptr (GList) windows
        = g_list_reverse (g_list_copy (gtk_application_get_windows (keeper->application)));

    for (GList *link = windows; saved != NULL && link != NULL; link = link->next) {
        if (GUI_IS_GROUP_WINDOW (link->data)
            && gui_group_window_get_session (link->data) == keeper->session) {
            g_ptr_array_add (saved->windows, gui_group_window_dup_saved (link->data));
        }
    }
    return saved;
}

void
gui_session_keeper_save (GuiSessionKeeper *keeper)
{
    g_autoptr (SessionSaved) saved = NULL;
    g_autoptr (GError) error = NULL;
    g_autofree char *text = NULL;

    if (!keeper->is_restored || session_is_ended (keeper->session)
        || !session_is_ready (keeper->session)) {
        return;
    }
    saved = dup_saved (keeper);
    text = saved != NULL ? session_saved_format (saved) : NULL;
    if (text == NULL || g_strcmp0 (text, keeper->written) == 0) {
        return;
    }
    session_remote_keep (keeper->session, text);
    if (keeper->own != NULL && !session_saved_store (saved, keeper->own, &error)) {
        say (keeper, 1, error);
        g_clear_pointer (&keeper->own, g_free); /* said once */
    }
    g_free (keeper->written);
    keeper->written = g_steal_pointer (&text);
}

gboolean
gui_session_keeper_save_as (GuiSessionKeeper *keeper, const char *file, GError **error)
{
    g_autoptr (SessionSaved) saved = dup_saved (keeper);

    if (saved == NULL) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot save: pddt did not start this job");
        return FALSE;
    }
    return session_saved_store (saved, file, error);
}

static gboolean
on_interval (gpointer user)
{
    gui_session_keeper_save (user);
    return G_SOURCE_CONTINUE;
}

GuiSessionKeeper *
gui_session_keeper_new (GtkApplication *application, Session *session, GuiCommandPanel *panel,
                        const char *file)
{
    GuiSessionKeeper *keeper = g_new0 (GuiSessionKeeper, 1);
    g_autoptr (SessionSaved) saved = session_dup_saved (session);
    GSettings *settings = gui_settings_get ();
    gboolean keeps = settings == NULL || g_settings_get_boolean (settings, "keep-sessions");

    keeper->application = application;
    keeper->session = g_object_ref (session);
    keeper->panel = g_object_ref (panel);
    gui_command_panel_keep_displays (panel);
    if (saved != NULL && keeps) {
        keeper->own = session_saved_get_file ((const char *const *) saved->argv, saved->folder);
    }
    keeper->file = g_strdup (file != NULL ? file : keeper->own);
    g_signal_connect_swapped (session, "ready", G_CALLBACK (on_ready), keeper);
    keeper->source = g_timeout_add_seconds (INTERVAL_S, on_interval, keeper);
    if (session_is_ready (session)) {
        on_ready (keeper);
    }
    return keeper;
}

void
gui_session_keeper_free (GuiSessionKeeper *keeper)
{
    if (keeper == NULL) {
        return;
    }
    g_source_remove (keeper->source);
    g_signal_handlers_disconnect_by_data (keeper->session, keeper);
    g_signal_handlers_disconnect_by_data (keeper->panel, keeper);
    g_object_unref (keeper->session);
    g_object_unref (keeper->panel);
    session_saved_free (keeper->waiting);
    g_free (keeper->loading);
    g_free (keeper->file);
    g_free (keeper->own);
    g_free (keeper->written);
    g_free (keeper);
}
