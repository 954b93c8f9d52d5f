/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Action names and the words that they run. */
#include "gui/kit/debug-actions.h"

static const struct {
    const char *name, *line;
    gboolean for_stopped, for_moving, for_core;
} actions[] = {
    { "continue", "continue", TRUE, FALSE, FALSE },
    { "pause", "pause", FALSE, TRUE, FALSE },
    { "step-over", "next", TRUE, FALSE, FALSE },
    { "step-in", "step", TRUE, FALSE, FALSE },
    { "step-out", "finish", TRUE, FALSE, FALSE },
    { "instruction-over", "nexti", TRUE, FALSE, FALSE },
    { "instruction-in", "stepi", TRUE, FALSE, FALSE },
    { "frame-up", "up", TRUE, FALSE, TRUE },
    { "frame-down", "down", TRUE, FALSE, TRUE },
};

/* The source's, which a window may lack. */
static const char *const at_cursor[] = { "run-to-cursor", "jump-to-cursor" };

typedef struct {
    GuiCommandPanel *panel; /* lives as long as the window */
    GuiDebugSet get_set;
    gpointer window;
} Target;

static void
on_activate (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    Target *target = user;
    g_autoptr (JobRankSet) set = target->get_set (target->window);
    g_autofree char *ranks = job_rank_set_format (set);
    const char *name = g_action_get_name (G_ACTION (action));

    for (guint i = 0; i < G_N_ELEMENTS (actions) && *ranks != '\0'; i++) {
        if (g_str_equal (actions[i].name, name)) {
            gui_command_panel_runf (target->panel, "on %s %s", ranks, actions[i].line);
        }
    }
}

static void
free_target (gpointer data, GClosure *closure)
{
    g_free (data);
}

void
gui_debug_actions_add (GActionMap *window, GuiCommandPanel *panel, GuiDebugSet get_set)
{
    for (guint i = 0; i < G_N_ELEMENTS (actions); i++) {
        g_autoptr (GSimpleAction) action = g_simple_action_new (actions[i].name, NULL);
        Target *target = g_new (Target, 1);

        *target = (Target){ panel, get_set, window };
        g_signal_connect_data (action, "activate", G_CALLBACK (on_activate), target,
                               free_target, 0);
        g_action_map_add_action (window, G_ACTION (action));
    }
}

void
gui_debug_actions_update (GActionMap *window, Session *session, const JobRankSet *set)
{
    gboolean stopped = FALSE, moving = FALSE;
    JobRankIter iter = { 0 };
    guint32 rank;
    const guint8 *states = session_get_states (session);

    while ((!stopped || !moving) && job_rank_set_next (set, &iter, &rank)
           && rank < session_get_size (session)) {
        stopped = stopped || job_state_get_info (states[rank])->is_stopped;
        moving = moving || job_state_get_info (states[rank])->is_moving;
    }
    for (guint i = 0; i < G_N_ELEMENTS (actions); i++) {
        GAction *action = g_action_map_lookup_action (window, actions[i].name);

        gboolean can = (actions[i].for_stopped && stopped) || (actions[i].for_moving && moving);

        g_simple_action_set_enabled (G_SIMPLE_ACTION (action),
                                     can
                                         && (actions[i].for_core
                                             || !session_is_core (session)));
    }
    for (guint i = 0; i < G_N_ELEMENTS (at_cursor); i++) {
        GAction *action = g_action_map_lookup_action (window, at_cursor[i]);

        if (action != NULL) {
            g_simple_action_set_enabled (G_SIMPLE_ACTION (action),
                                         stopped && !session_is_core (session));
        }
    }
}
