/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A GtkApplication with G_APPLICATION_NON_UNIQUE: working directory, environment and exit
 * status belong to this process. */
#include "gui/application.h"
#include <glib-unix.h>
#include <glib/gi18n.h>
#include "base/error.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "gui/console/console-window.h"
#include "gui/dialogs/preferences.h"
#include "gui/dialogs/run-dialog.h"
#include "gui/group/group-view.h"
#include "gui/group/group-window.h"
#include "gui/kit/manual.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"
#include "gui/profile/profile-window.h"
#include "profile/archive.h"

enum { READING_MS = 300 };

typedef struct {
    GtkApplication *application;
    Session *session;  /* NULL: the Run dialog asks for it */
    GuiStart start;    /* NULL: it is started already */
    gpointer user;     /* of start */
    GtkWidget *window; /* of session; NULL: none yet */
    const char *choose;
    const char *saved;                  /* file that the dialog begins with; NULL none */
    const char *archive;                /* path; its profile is to be shown; NULL: none */
    const char *archive_program, *pddt; /* paths */
    GtkWidget *reading;                 /* says so; NULL: it does not take long */
    guint reading_source;
    int status; /* of the process */
} Life;

static void
on_start (GtkWidget *dialog, const SessionOptions *options, const char *saved, Life *life)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (GError) error = NULL;

    if (!session_start (session, options, &error)) {
        gui_run_dialog_show_error (GUI_RUN_DIALOG (dialog), base_error_get_shown (error));
        return;
    }
    gtk_window_present (GTK_WINDOW (gui_console_window_new (life->application, session,
                                                            saved)));
    gtk_widget_destroy (dialog);
}

static void
show_dialog (Life *life)
{
    GtkWidget *dialog = gui_run_dialog_new (life->application);

    g_signal_connect (dialog, "start", G_CALLBACK (on_start), life);
    gtk_window_present (GTK_WINDOW (dialog));
    if (life->saved != NULL) {
        gui_run_dialog_open (GUI_RUN_DIALOG (dialog), life->saved);
        life->saved = NULL; /* the next dialog begins empty */
    } else if (life->choose != NULL) {
        gui_run_dialog_choose (GUI_RUN_DIALOG (dialog), life->choose);
        life->choose = NULL;
    }
}

/* ---- an archive ---- */

static void
read_archive (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const Life *life = data;
    GError *error = NULL;
    ProfileModel *model = profile_archive_read (life->archive_program, life->archive, &error);

    if (model != NULL) {
        g_task_return_pointer (task, model, (GDestroyNotify) profile_model_free);
    } else {
        g_task_return_error (task, error);
    }
}

static void
on_archive (GObject *source, GAsyncResult *result, gpointer user)
{
    Life *life = user;
    g_autoptr (GError) error = NULL;
    g_autofree char *name = profile_archive_dup_name (life->archive);
    ProfileModel *model = g_task_propagate_pointer (G_TASK (result), &error);

    g_clear_handle_id (&life->reading_source, g_source_remove);
    g_clear_pointer (&life->reading, gtk_widget_destroy);
    if (model != NULL) {
        GtkWidget *window = gui_profile_window_new (life->application, model, name);

        g_object_set (window, "archive-program", life->archive_program, "archive",
                      life->archive, "pddt", life->pddt, NULL);
        gtk_window_present (GTK_WINDOW (window));
    } else {
        fprintf (stderr, "pddt: %s\n", error->message);
        life->status = 3;
    }
    g_application_release (G_APPLICATION (life->application));
}

/* Nothing is half done then: what reads it ends when nobody takes what it has read. */
static void
on_not_wanted (GtkDialog *dialog, int response, Life *life)
{
    exit (0);
}

static gboolean
show_reading (gpointer user)
{
    Life *life = user;
    g_autofree char *name = profile_archive_dup_name (life->archive);

    life->reading_source = 0;
    life->reading = gtk_message_dialog_new (NULL, 0, GTK_MESSAGE_INFO, GTK_BUTTONS_CANCEL,
                                            _ ("Reading %s…"), name);
    gtk_window_set_title (GTK_WINDOW (life->reading), name);
    gtk_window_set_application (GTK_WINDOW (life->reading), life->application);
    g_signal_connect (life->reading, "response", G_CALLBACK (on_not_wanted), life);
    gtk_window_present (GTK_WINDOW (life->reading));
    return G_SOURCE_REMOVE;
}

/* Large ones take minutes. */
static void
open_archive (Life *life)
{
    g_autoptr (GTask) task = g_task_new (life->application, NULL, on_archive, life);

    g_application_hold (G_APPLICATION (life->application));
    life->reading_source = g_timeout_add (READING_MS, show_reading, life);
    g_task_set_task_data (task, life, NULL);
    g_task_run_in_thread (task, read_archive);
}

static Life *starting; /* whose session is being started; NULL: none */

void
gui_application_make_window (void)
{
    if (starting != NULL && starting->window == NULL) {
        starting->window = gui_console_window_new (starting->application, starting->session,
                                                   NULL);
    }
}

static void
show_session (Life *life)
{
    gboolean is_started;

    if (life->start != NULL) {
        gui_group_view_foresee (life->session);
    }
    starting = life;
    is_started = life->start == NULL || life->start (life->session, life->user);
    if (is_started) {
        gui_application_make_window ();
        gtk_window_present (GTK_WINDOW (life->window));
    } else if (life->window != NULL) {
        gtk_widget_destroy (life->window);
    }
    starting = NULL;
}

static void
on_activate (GApplication *application, Life *life)
{
    if (life->archive != NULL) {
        open_archive (life);
    } else if (life->session != NULL) {
        show_session (life);
    } else {
        show_dialog (life);
    }
}

static void
activate_new (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    show_dialog (user);
}

/* The Run dialog with a saved session. */
static void
activate_open (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    Life *life = user;

    life->saved = g_variant_get_string (parameter, NULL);
    show_dialog (life);
}

/* Group windows close with their console window, which first saves the list of them. */
static void
activate_quit (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    g_autoptr (GList) windows
        = g_list_copy (gtk_application_get_windows (((Life *) user)->application));

    for (GList *link = windows; link != NULL; link = link->next) {
        if (!GUI_IS_CONSOLE_WINDOW (link->data) && !GUI_IS_GROUP_WINDOW (link->data)) {
            gtk_widget_destroy (link->data);
        }
    }
    for (GList *link = windows; link != NULL; link = link->next) {
        if (g_list_find (gtk_application_get_windows (((Life *) user)->application),
                         link->data)) {
            gtk_window_close (link->data);
        }
    }
}

static void
activate_preferences (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_preferences_show (gtk_application_get_active_window (((Life *) user)->application));
}

static void
activate_about (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_preferences_show_about (gtk_application_get_active_window (((Life *) user)
                                                                       ->application));
}

static void
activate_manual (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_manual_show (gtk_application_get_active_window (((Life *) user)->application));
}

/* The n-th window by the order of opening, counted from 1. */
static void
activate_window (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GList *windows = gtk_application_get_windows (((Life *) user)->application);
    guint number = g_variant_get_uint32 (parameter);
    GtkWindow *chosen = NULL;

    for (GList *link = windows; link != NULL; link = link->next) {
        guint n_before = 0;

        for (GList *other = windows; other != NULL; other = other->next) {
            n_before += gtk_application_window_get_id (other->data)
                        < gtk_application_window_get_id (link->data);
        }
        chosen = n_before + 1 == number ? link->data : chosen;
    }
    if (chosen != NULL) {
        gtk_window_present (chosen);
    }
}

static const GActionEntry entries[] = {
    { "window", activate_window, "u", NULL, NULL, { 0 } },
    { "new-session", activate_new, NULL, NULL, NULL, { 0 } },
    { "open-session", activate_open, "s", NULL, NULL, { 0 } },
    { "quit", activate_quit, NULL, NULL, NULL, { 0 } },
    { "preferences", activate_preferences, NULL, NULL, NULL, { 0 } },
    { "manual", activate_manual, NULL, NULL, NULL, { 0 } },
    { "about", activate_about, NULL, NULL, NULL, { 0 } },
};

static void
on_startup (GApplication *application, Life *life)
{
    static const char *const quit_keys[] = { "<Control>q", NULL };
    static const char *const preferences_keys[] = { "<Control>comma", NULL };

    gui_theme_init ();
    g_action_map_add_action_entries (G_ACTION_MAP (application), entries,
                                     G_N_ELEMENTS (entries), life);
    gui_preferences_apply (life->application);
    g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (
                                     G_ACTION_MAP (application), "preferences")),
                                 gui_settings_get () != NULL);
    gtk_application_set_accels_for_action (life->application, "app.preferences",
                                           preferences_keys);
    gtk_application_set_accels_for_action (life->application, "app.quit", quit_keys);
}

static void
keep_sessions (GtkApplication *application)
{
    for (GList *link = gtk_application_get_windows (application); link != NULL;
         link = link->next) {
        if (GUI_IS_CONSOLE_WINDOW (link->data)) {
            gui_console_window_keep_session (link->data);
        }
    }
}

/* The desktop session ends or the terminal closes: saves the session and exits. The guard ends
 * the ranks. */
static gboolean
end_by_signal (GtkApplication *application, int signal_number)
{
    keep_sessions (application);
    signal (signal_number, SIG_DFL);
    raise (signal_number);
    return G_SOURCE_CONTINUE;
}

static gboolean
on_terminate (gpointer user)
{
    return end_by_signal (((Life *) user)->application, SIGTERM);
}

static gboolean
on_hang_up (gpointer user)
{
    return end_by_signal (((Life *) user)->application, SIGHUP);
}

static int
run (Life *life)
{
    guint sources[2];
    int status;

    life->application = gtk_application_new ("org.pddt.Pddt", G_APPLICATION_NON_UNIQUE);
    g_signal_connect (life->application, "startup", G_CALLBACK (on_startup), life);
    g_signal_connect (life->application, "activate", G_CALLBACK (on_activate), life);
    sources[0] = g_unix_signal_add (SIGTERM, on_terminate, life);
    sources[1] = g_unix_signal_add (SIGHUP, on_hang_up, life);
    status = g_application_run (G_APPLICATION (life->application), 0, NULL);
    g_source_remove (sources[0]);
    g_source_remove (sources[1]);
    g_object_unref (life->application);
    return status != 0 ? status : life->status;
}

int
gui_application_run (Session *session, const char *saved, const char *choose)
{
    Life life = { .session = session, .choose = choose, .saved = saved };

    return run (&life);
}

int
gui_application_run_started (Session *session, GuiStart start, gpointer user)
{
    Life life = { .session = session, .start = start, .user = user };

    return run (&life);
}

int
gui_application_run_archive (const char *path, const char *program, const char *pddt)
{
    Life life = { .archive = path, .archive_program = program, .pddt = pddt };

    return run (&life);
}
