/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/profile-actions.h"
#include "gui/group/group-window.h"
#include "gui/kit/template.h"
#include "gui/profile/profile-window.h"

struct _GuiProfileActions {
    GObject parent;
    GtkApplicationWindow *window;
    Session *session;
    GuiCommandPanel *panel;
};

G_DEFINE_TYPE (GuiProfileActions, gui_profile_actions, G_TYPE_OBJECT)

static guint show_source_signal;

/* In the window, or in one of the ranks that are selected. */
static void
on_go_to_source (GtkWidget *profile, const char *file, guint line, GuiProfileActions *self)
{
    const JobRankSet *ranks = gui_profile_selection_get_ranks (
        gui_profile_window_get_selection (GUI_PROFILE_WINDOW (profile)));
    GtkWidget *group;

    if (ranks == NULL) {
        g_signal_emit (self, show_source_signal, 0, file, line);
        return;
    }
    group = gui_group_window_open (gtk_window_get_application (GTK_WINDOW (self->window)),
                                   self->session, ranks, NULL);
    gui_group_window_show_source (GUI_GROUP_WINDOW (group), file, line);
}

/* Now, and at the next run: the session keeps it. */
static void
on_debug_here (GtkWidget *profile, const char *file, guint line, GuiProfileActions *self)
{
    g_autofree char *name = session_dup_short_file (self->session, file);

    gui_command_panel_runf (self->panel, "on all break %s:%u", name, line);
    gtk_window_present (GTK_WINDOW (self->window));
}

static void
show_window (GuiProfileActions *self)
{
    GtkWidget *profile
        = gui_profile_window_open (gtk_window_get_application (GTK_WINDOW (self->window)),
                                   self->session);

    if (g_signal_handler_find (profile, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, self) == 0) {
        g_signal_connect_object (profile, "go-to-source", G_CALLBACK (on_go_to_source), self,
                                 0);
        g_signal_connect_object (profile, "debug-here", G_CALLBACK (on_debug_here), self, 0);
    }
    gtk_window_present (GTK_WINDOW (profile));
}

/* The state follows the panel's commands: the user can type them, too. */
static void
change_state (GSimpleAction *action, GVariant *wanted, gpointer user)
{
    GuiProfileActions *self = user;
    const JobRankSet *focus = session_get_focus (self->session);

    if (!g_variant_get_boolean (wanted)) {
        gui_command_panel_run (self->panel, "profile stop");
    } else if (focus != NULL && !job_rank_set_is_empty (focus)) {
        g_autofree char *ranks = job_rank_set_format (focus);

        show_window (self);
        gui_command_panel_runf (self->panel, "on %s profile start", ranks);
    }
    gui_profile_actions_update (self);
}

static void
activate_show (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    show_window (user);
}

static const GActionEntry entries[] = {
    { "profile", NULL, NULL, "false", change_state, { 0 } },
    { "performance", activate_show, NULL, NULL, NULL, { 0 } },
};

void
gui_profile_actions_update (GuiProfileActions *self)
{
    GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->window), "profile");
    gboolean is_profiling = self->panel != NULL && gui_command_panel_is_profiling (self->panel);

    g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_boolean (is_profiling));
    g_simple_action_set_enabled (G_SIMPLE_ACTION (action),
                                 self->session != NULL && session_get_size (self->session) > 0
                                     && !session_is_ended (self->session));
}

static void
gui_profile_actions_constructed (GObject *object)
{
    G_OBJECT_CLASS (gui_profile_actions_parent_class)->constructed (object);
    g_action_map_add_action_entries (G_ACTION_MAP (GUI_PROFILE_ACTIONS (object)->window),
                                     entries, G_N_ELEMENTS (entries), object);
}

static void
gui_profile_actions_class_init (GuiProfileActionsClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_profile_actions_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiProfileActions,
                    (window, GTK_TYPE_APPLICATION_WINDOW, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (session, SESSION_TYPE_SESSION), (panel, GUI_TYPE_COMMAND_PANEL));
    show_source_signal = GUI_SIGNAL (klass, "show-source", G_TYPE_STRING, G_TYPE_UINT);
}

static void
gui_profile_actions_init (GuiProfileActions *self)
{
}

GuiProfileActions *
gui_profile_actions_new (GtkApplicationWindow *window)
{
    return g_object_new (GUI_TYPE_PROFILE_ACTIONS, "window", window, NULL);
}
