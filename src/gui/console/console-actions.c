/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions of the console window that are not about moving ranks. */
#include "gui/console/console-window-private.h"
#include <glib/gi18n.h>
#include "base/error.h"
#include "gui/dialogs/keys-window.h"
#include "gui/group/group-window.h"
#include "gui/kit/chooser.h"
#include "gui/kit/debug-actions.h"
#include "gui/kit/theme.h"
#include "session/messages.h"

static void
activate_update (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_command_panel_run (GUI_CONSOLE_WINDOW (user)->panel, "on all show state");
    gui_group_view_refresh (GUI_CONSOLE_WINDOW (user)->view, TRUE);
}

/* Toggles auto-refresh, with the last period or 1 s. */
static void
activate_auto (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GtkComboBox *choice = GTK_COMBO_BOX (GUI_CONSOLE_WINDOW (user)->auto_update);
    const char *now = gtk_combo_box_get_active_id (choice);
    const char *before = g_object_get_data (G_OBJECT (choice), "before");

    if (g_strcmp0 (now, "0") != 0) {
        g_object_set_data_full (G_OBJECT (choice), "before", g_strdup (now), g_free);
        gtk_combo_box_set_active_id (choice, "0");
    } else {
        gtk_combo_box_set_active_id (choice, before != NULL ? before : "1");
    }
}

static void
activate_queue (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);

    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->pages),
                                   gtk_notebook_page_num (GTK_NOTEBOOK (self->pages),
                                                          GTK_WIDGET (self->waits)));
    gui_wait_view_ask (self->waits);
}

static void
activate_group (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);
    const char *text = gtk_entry_get_text (GTK_ENTRY (self->act_on_entry));
    g_autoptr (JobRankSet) set = gui_console_window_dup_focus (self);

    if (!job_rank_set_is_empty (gui_selection_bar_get (self->selection))) {
        g_action_group_activate_action (G_ACTION_GROUP (self), "selection-open", NULL);
    } else if (!job_rank_set_is_empty (set)) {
        const char *live = NULL;
        gboolean is_named = session_find_named (self->session, text, &live) != NULL;

        gui_group_window_open (self->application, self->session, set, is_named ? text : NULL);
    }
}

static void
activate_focus (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);

    gui_theme_show_page (GTK_WIDGET (self->panel));
    gui_command_panel_focus (self->panel);
}

static void
activate_end (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gtk_window_close (GTK_WINDOW (user));
}

static void
activate_restart (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_command_panel_run (GUI_CONSOLE_WINDOW (user)->panel, "restart");
}

/* Attached ranks are not ours to end. */
static void
activate_stop (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);

    gui_command_panel_run (self->panel, session_would_kill (self->session) ? "on all kill"
                                                                           : "on all detach");
}

static void
activate_keys (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_keys_window_show (GTK_WINDOW (user));
}

static void
on_chosen (GtkWidget *widget, const char *file, GtkFileChooserNative *chooser)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (widget);
    g_autoptr (GError) error = NULL;
    g_autoptr (BaseText) text = NULL;

    text = gui_session_keeper_save_as (self->keeper, file, &error)
               ? base_text_new (N_ ("Saved %s"), file)
               : base_error_dup_text (error);
    session_add_message (self->session, error != NULL ? 2 : 0, text);
}

static void
activate_save_as (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);
    const char *const *argv = session_get_argv (self->session);
    const char *program = argv != NULL && argv[0] != NULL ? session_saved_find_program (argv)
                                                          : "job";
    g_autofree char *base = g_path_get_basename (program);
    g_autofree char *name = g_strconcat (base, ".pddt", NULL);
    GtkFileChooserNative *chooser = gtk_file_chooser_native_new (_ ("Save Session"),
                                                                 GTK_WINDOW (self),
                                                                 GTK_FILE_CHOOSER_ACTION_SAVE,
                                                                 NULL, NULL);

    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), name);
    gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (chooser), TRUE);
    gui_chooser_show (chooser, GTK_WIDGET (self), on_chosen);
}

static const GActionEntry entries[] = {
    { "save-as", activate_save_as, NULL, NULL, NULL, { 0 } },
    { "update", activate_update, NULL, NULL, NULL, { 0 } },
    { "auto-update", activate_auto, NULL, NULL, NULL, { 0 } },
    { "queue", activate_queue, NULL, NULL, NULL, { 0 } },
    { "group-window", activate_group, NULL, NULL, NULL, { 0 } },
    { "focus-command", activate_focus, NULL, NULL, NULL, { 0 } },
    { "end-session", activate_end, NULL, NULL, NULL, { 0 } },
    { "restart", activate_restart, NULL, NULL, NULL, { 0 } },
    { "stop-job", activate_stop, NULL, NULL, NULL, { 0 } },
    { "keys", activate_keys, NULL, NULL, NULL, { 0 } },
};

void
gui_console_actions_add (GuiConsoleWindow *self)
{
    g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries),
                                     self);
    gui_console_profile_add (self);
    gui_debug_actions_add (G_ACTION_MAP (self), self->panel, gui_console_window_dup_focus);
    gui_selection_bar_add_actions (self->selection, G_ACTION_MAP (self));
}

static void
enable (GuiConsoleWindow *self, const char *name, gboolean enabled)
{
    g_simple_action_set_enabled (
        G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), name)), enabled);
}

void
gui_console_actions_update (GuiConsoleWindow *self)
{
    enable (self, "restart", session_can_restart (self->session));
    enable (self, "stop-job",
            !session_is_core (self->session) && session_is_ready (self->session)
                && !session_is_ended (self->session) && !session_is_restarting (self->session));
}
