/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Action names and the words that they run. */
#include "gui/kit/debug-actions.h"

#define PANEL "pddt-debug-panel"

static const struct {
    const char *name, *line;
    gboolean for_stopped, for_moving, for_core;
    gboolean is_step; /* refused while some rank of the set moves */
} actions[] = {
    { "continue", "continue", TRUE, FALSE, FALSE, FALSE },
    { "pause", "pause", FALSE, TRUE, FALSE, FALSE },
    { "step-over", "next", TRUE, FALSE, FALSE, TRUE },
    { "step-in", "step", TRUE, FALSE, FALSE, TRUE },
    { "step-out", "finish", TRUE, FALSE, FALSE, TRUE },
    { "instruction-over", "nexti", TRUE, FALSE, FALSE, TRUE },
    { "instruction-in", "stepi", TRUE, FALSE, FALSE, TRUE },
    { "frame-up", "up", TRUE, FALSE, TRUE, FALSE },
    { "frame-down", "down", TRUE, FALSE, TRUE, FALSE },
};

/* The source's, which a window may lack. */
static const char *const at_cursor[] = { "run-to-cursor", "jump-to-cursor" };

typedef struct {
    GuiCommandPanel *panel; /* lives as long as the window */
    GuiDebugSet get_set;
    gpointer window;
} Target;

/* A step of the set has ended for all of them. */
static gboolean
are_at_rest (Session *session, const JobRankSet *set)
{
    g_autoptr (JobRankSet) unfinished = session_dup_unfinished (session, set);
    const guint8 *states = session_get_states (session);

    if (!job_rank_set_is_empty (unfinished)) {
        return FALSE;
    }
    JOB_EACH_RANK_BELOW (set, rank, session_get_size (session)) {
        if (job_state_get_info (states[rank])->is_moving) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
can_step (GuiCommandPanel *panel, const JobRankSet *set)
{
    g_autoptr (Session) session = NULL;

    g_object_get (panel, "session", &session, NULL);
    return session != NULL && are_at_rest (session, set);
}

/* Keys that are held repeat faster than ranks may step: a step that some cannot take yet is dropped, or the others
 * would take it alone. */
static void
on_activate (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    Target *target = user;
    g_autoptr (JobRankSet) set = target->get_set (target->window);
    g_autofree char *ranks = job_rank_set_format (set);
    const char *name = g_action_get_name (G_ACTION (action));

    for (guint i = 0; i < G_N_ELEMENTS (actions) && *ranks != '\0'; i++) {
        if (g_str_equal (actions[i].name, name)
            && (!actions[i].is_step || can_step (target->panel, set))) {
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
    g_object_set_data (G_OBJECT (window), PANEL, panel);
    for (guint i = 0; i < G_N_ELEMENTS (actions); i++) {
        g_autoptr (GSimpleAction) action = g_simple_action_new (actions[i].name, NULL);
        Target *target = g_new (Target, 1);

        *target = (Target){ panel, get_set, window };
        g_signal_connect_data (action, "activate", G_CALLBACK (on_activate), target,
                               free_target, 0);
        g_action_map_add_action (window, G_ACTION (action));
    }
}

/* The lines of its breakpoint may let it go on before a click at Pause arrives. */
static gboolean
may_go_on (GActionMap *window, Session *session, guint32 rank)
{
    const SessionRank info = session_get_rank (session, rank);

    return info.state == JOB_STATE_BREAKPOINT
           && gui_command_panel_has_hooks (g_object_get_data (G_OBJECT (window), PANEL),
                                           (guint32) info.number);
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
        moving = moving || job_state_get_info (states[rank])->is_moving
                 || may_go_on (window, session, rank);
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
