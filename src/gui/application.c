/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A GtkApplication that is never shared with another process: folder, environment and exit status
 * belong to the process that was started. */
#include "gui/application.h"
#include <glib/gi18n.h>
#include "gui/console-window.h"
#include "gui/keys.h"
#include "gui/run-dialog.h"
#include "gui/settings.h"
#include "gui/theme.h"

typedef struct {
    GtkApplication *application;
    Session *session; /* NULL: asked for by the Run dialog */
} Life;

static void
on_start (GtkWidget *dialog, const SessionOptions *options, Life *life)
{
    g_autoptr (Session) session = session_new ();
    g_autoptr (GError) error = NULL;

    if (!session_start (session, options, &error)) {
        gui_run_dialog_show_error (GUI_RUN_DIALOG (dialog), error->message);
        return;
    }
    gtk_window_present (GTK_WINDOW (gui_console_window_new (life->application, session)));
    gtk_widget_destroy (dialog);
}

static void
show_dialog (Life *life)
{
    GtkWidget *dialog = gui_run_dialog_new (life->application);

    g_signal_connect (dialog, "start", G_CALLBACK (on_start), life);
    gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_activate (GApplication *application, Life *life)
{
    if (life->session != NULL) {
        gtk_window_present (GTK_WINDOW (gui_console_window_new (life->application, life->session)));
    } else {
        show_dialog (life);
    }
}

static void
activate_new (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    show_dialog (user);
}

static void
activate_quit (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    g_autoptr (GList) windows
        = g_list_copy (gtk_application_get_windows (((Life *) user)->application));

    for (GList *link = windows; link != NULL; link = link->next) {
        if (!GUI_IS_CONSOLE_WINDOW (link->data)) {
            gtk_widget_destroy (link->data);
        }
    }
    for (GList *link = windows; link != NULL; link = link->next) {
        if (g_list_find (gtk_application_get_windows (((Life *) user)->application), link->data)) {
            gtk_window_close (link->data);
        }
    }
}

static void
change_key_set (GSimpleAction *action, GVariant *value, gpointer user)
{
    const char *name = g_variant_get_string (value, NULL);

    gui_keys_apply (((Life *) user)->application, gui_keys_find_set (name));
    g_simple_action_set_state (action, g_variant_new_string (name));
    if (gui_settings_get () != NULL) {
        g_settings_set_string (gui_settings_get (), "key-set", name);
    }
}

static const GActionEntry entries[] = {
    { "new-session", activate_new, NULL, NULL, NULL, { 0 } },
    { "quit", activate_quit, NULL, NULL, NULL, { 0 } },
    { "key-set", NULL, "s", "'vscode'", change_key_set, { 0 } },
};

static void
on_startup (GApplication *application, Life *life)
{
    static const char *const quit_keys[] = { "<Control>q", NULL };
    g_autofree char *name = gui_settings_get () != NULL
                          ? g_settings_get_string (gui_settings_get (), "key-set") : NULL;

    gui_theme_init ();
    g_action_map_add_action_entries (G_ACTION_MAP (application), entries, G_N_ELEMENTS (entries),
                                     life);
    g_action_group_change_action_state (G_ACTION_GROUP (application), "key-set",
        g_variant_new_string (name != NULL ? name : "vscode"));
    gtk_application_set_accels_for_action (life->application, "app.quit", quit_keys);
    gtk_window_set_default_icon_name ("org.pddt.Pddt");
}

int
gui_application_run (Session *session)
{
    Life life = { gtk_application_new ("org.pddt.Pddt", G_APPLICATION_NON_UNIQUE), session };
    int status;

    g_signal_connect (life.application, "startup", G_CALLBACK (on_startup), &life);
    g_signal_connect (life.application, "activate", G_CALLBACK (on_activate), &life);
    status = g_application_run (G_APPLICATION (life.application), 0, NULL);
    g_object_unref (life.application);
    return status;
}
