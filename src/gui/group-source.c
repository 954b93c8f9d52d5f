/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the source of a group window does for it: breakpoints by a click, running to the cursor,
 * values under the pointer, lines, files and functions by name. */
#include "gui/group-window-private.h"

static void
toggle_breakpoint (GuiGroupWindow *self, const char *file, guint line)
{
    GPtrArray *breakpoints = session_get_breakpoints (self->session);
    g_autofree char *name = NULL;

    for (guint i = 0; i < breakpoints->len; i++) {
        const SessionBreakpoint *bp = breakpoints->pdata[i];

        for (guint j = 0; bp->places != NULL && j < bp->places->len; j++) {
            const JobLocation *place = bp->places->pdata[j];

            if (g_strcmp0 (place->file, file) == 0 && place->line == line
                && job_rank_set_intersects (bp->set_ranks, self->ranks)) {
                gui_group_window_run_on_ranks (self, "delete %u", bp->number);
                return;
            }
        }
    }
    name = session_dup_short_file (self->session, file);
    gui_group_window_run_on_ranks (self, "break %s:%u", name, line);
}

static void
on_stack_place (GuiGroupWindow *self, const char *file, guint line)
{
    gui_source_view_show (self->source, file, line, FALSE);
    gui_group_window_update_marks (self);
}

static char *
on_hover (GuiGroupWindow *self, const char *expression)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = gui_group_window_dup_stopped (self, &signature);

    return gui_value_hover_dup (self->hover, expression, stopped, signature);
}

static void
on_source_chosen (GuiGroupWindow *self, const char *verb, const char *expression)
{
    if (g_str_equal (verb, "print")) {
        gui_group_window_run_on_ranks (self, "print %s", expression);
    } else if (g_str_equal (verb, "watch")) {
        gui_group_window_watch (self, expression);
    } else if (g_str_equal (verb, "array")) {
        gui_group_window_show_array (self, expression);
    } else {
        g_action_group_activate_action (G_ACTION_GROUP (self), verb, NULL);
    }
}

/* Functions that are known here: where ranks are, and where breakpoints stand. */
static void
on_lookup (GuiGroupWindow *self, const char *text)
{
    GPtrArray *breakpoints = session_get_breakpoints (self->session);
    g_autoptr (GPtrArray) groups = session_dup_state_groups (self->session, self->ranks);

    for (guint i = 0; i < groups->len; i++) {
        const JobLocation *place = ((const JobEvent *) groups->pdata[i])->place;

        if (place != NULL && place->function != NULL && place->file != NULL) {
            gui_open_bar_add_function (self->open_bar, place->function, place->file, place->line);
        }
    }
    for (guint i = 0; i < breakpoints->len; i++) {
        const SessionBreakpoint *bp = breakpoints->pdata[i];

        for (guint j = 0; bp->places != NULL && j < bp->places->len; j++) {
            const JobLocation *place = bp->places->pdata[j];

            if (place->function != NULL && place->file != NULL) {
                gui_open_bar_add_function (self->open_bar, place->function, place->file,
                                           place->line);
            }
        }
    }
}

static void
on_open (GuiGroupWindow *self, const char *file, guint line)
{
    if (*file == '\0') {
        gui_source_view_go_to_line (self->source, line);
    } else {
        gui_source_view_show (self->source, file, line, FALSE);
        gui_group_window_update_marks (self);
    }
}

static void
activate_cursor (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupWindow *self = user;
    gboolean run = g_str_equal (g_action_get_name (G_ACTION (action)), "run-to-cursor");
    guint line;
    const char *file = gui_source_view_get_cursor (self->source, &line);

    if (file == NULL) {
        return;
    }
    if (!run) {
        toggle_breakpoint (self, file, line);
        return;
    }
    g_autofree char *name = session_dup_short_file (self->session, file);
    gui_group_window_run_on_ranks (self, "until %s:%u", name, line);
}

static void
activate_find (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_source_view_find (GUI_GROUP_WINDOW (user)->source);
}

static void
activate_open (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupWindow *self = user;
    g_auto (GStrv) files = gui_source_view_dup_files (self->source);

    gui_open_bar_show (self->open_bar, files,
                       g_str_equal (g_action_get_name (G_ACTION (action)), "go-to-line"));
}

static const GActionEntry entries[] = {
    { "run-to-cursor", activate_cursor, NULL, NULL, NULL, { 0 } },
    { "toggle-breakpoint", activate_cursor, NULL, NULL, NULL, { 0 } },
    { "go-to-line", activate_open, NULL, NULL, NULL, { 0 } },
    { "open", activate_open, NULL, NULL, NULL, { 0 } },
    { "find", activate_find, NULL, NULL, NULL, { 0 } },
};

void
gui_group_source_connect (GuiGroupWindow *self)
{
    g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
    g_signal_connect_swapped (self->source, "toggled", G_CALLBACK (toggle_breakpoint), self);
    g_signal_connect_swapped (self->source, "hover", G_CALLBACK (on_hover), self);
    g_signal_connect_swapped (self->source, "chosen", G_CALLBACK (on_source_chosen), self);
    g_signal_connect_swapped (self->stack, "place-chosen", G_CALLBACK (on_stack_place), self);
    g_signal_connect_swapped (self->open_bar, "lookup", G_CALLBACK (on_lookup), self);
    g_signal_connect_swapped (self->open_bar, "open", G_CALLBACK (on_open), self);
}
