/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Profile button: samples the ranks that the window acts on, and shows the Performance window
 * meanwhile. */
#include "gui/console/console-window-private.h"
#include "gui/group/group-window.h"
#include "gui/profile/profile-window.h"

/* In this window, or in one of the ranks that are selected. */
static void
on_go_to_source (GtkWidget *window, const char *file, guint line, GuiConsoleWindow *self)
{
    const JobRankSet *ranks = gui_profile_selection_get_ranks (
        gui_profile_window_get_selection (GUI_PROFILE_WINDOW (window)));
    GtkWidget *group;

    if (ranks == NULL) {
        gui_group_view_show_source (self->view, file, line);
        gtk_window_present (GTK_WINDOW (self));
        return;
    }
    group = gui_group_window_open (self->application, self->session, ranks, NULL);
    gui_group_window_show_source (GUI_GROUP_WINDOW (group), file, line);
}

/* Now, and at the next run: the session keeps it. */
static void
on_debug_here (GtkWidget *window, const char *file, guint line, GuiConsoleWindow *self)
{
    g_autofree char *name = session_dup_short_file (self->session, file);

    gui_command_panel_runf (self->panel, "on all break %s:%u", name, line);
    gtk_window_present (GTK_WINDOW (self));
}

static void
show_window (GuiConsoleWindow *self)
{
    GtkWidget *window = gui_profile_window_open (self->application, self->session);

    if (g_object_get_data (G_OBJECT (window), "console") == NULL) {
        g_object_set_data (G_OBJECT (window), "console", self);
        g_signal_connect_object (window, "go-to-source", G_CALLBACK (on_go_to_source), self, 0);
        g_signal_connect_object (window, "debug-here", G_CALLBACK (on_debug_here), self, 0);
    }
    gtk_window_present (GTK_WINDOW (window));
}

/* The state follows the panel's commands: the user can type them, too. */
static void
change_state (GSimpleAction *action, GVariant *wanted, gpointer user)
{
    GuiConsoleWindow *self = GUI_CONSOLE_WINDOW (user);
    g_autoptr (JobRankSet) focus = gui_console_window_dup_focus (self);
    g_autofree char *ranks = job_rank_set_format (focus);

    if (!g_variant_get_boolean (wanted)) {
        gui_command_panel_run (self->panel, "profile stop");
    } else if (*ranks != '\0') {
        show_window (self);
        gui_command_panel_runf (self->panel, "on %s profile start", ranks);
    }
    gui_console_profile_update (self);
}

static void
activate_show (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    show_window (GUI_CONSOLE_WINDOW (user));
}

static const GActionEntry entries[] = {
    { "profile", NULL, NULL, "false", change_state, { 0 } },
    { "performance", activate_show, NULL, NULL, NULL, { 0 } },
};

void
gui_console_profile_update (GuiConsoleWindow *self)
{
    GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "profile");
    gboolean is_profiling = gui_command_panel_is_profiling (self->panel);

    g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_boolean (is_profiling));
    g_simple_action_set_enabled (G_SIMPLE_ACTION (action),
                                 session_get_size (self->session) > 0
                                     && !session_is_ended (self->session));
}

void
gui_console_profile_add (GuiConsoleWindow *self)
{
    g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries),
                                     self);
}
