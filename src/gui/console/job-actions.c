/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/console/job-actions.h"

static void
activate_restart (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_command_panel_run (user, "restart");
}

/* Attached ranks are not ours to end. */
static void
activate_stop (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    g_autoptr (Session) session = NULL;

    g_object_get (user, "session", &session, NULL);
    gui_command_panel_run (user,
                           session_would_kill (session) ? "on all kill" : "on all detach");
}

static const GActionEntry entries[] = {
    { "restart", activate_restart, NULL, NULL, NULL, { 0 } },
    { "stop-job", activate_stop, NULL, NULL, NULL, { 0 } },
};

void
gui_job_actions_add (GActionMap *window, GuiCommandPanel *panel)
{
    g_action_map_add_action_entries (window, entries, G_N_ELEMENTS (entries), panel);
}

static void
enable (GActionMap *window, const char *name, gboolean enabled)
{
    g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (window, name)),
                                 enabled);
}

void
gui_job_actions_update (GActionMap *window, Session *session)
{
    enable (window, "restart", session_can_restart (session));
    enable (window, "stop-job",
            !session_is_core (session) && session_is_ready (session)
                && !session_is_ended (session) && !session_is_restarting (session));
}
