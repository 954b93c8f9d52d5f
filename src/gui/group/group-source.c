/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions of a group view's source: breakpoints by a click, running to the cursor, values
 * under the pointer, going to lines, files and functions. */
#include "gui/group/group-view-private.h"
#include "gui/kit/theme.h"
#include "gui/source/source-marks.h"
#include <string.h>

enum { MAX_NAMES = 100 };

/* The breakpoint at that line in ranks of this view; NULL. */
static const SessionBreakpoint *
find_breakpoint (GuiGroupView *self, const char *file, guint line)
{
    GPtrArray *breakpoints = session_get_breakpoints (self->session);

    for (guint i = 0; i < breakpoints->len; i++) {
        const SessionBreakpoint *bp = breakpoints->pdata[i];

        if (gui_source_marks_is_at (bp, file, line)
            && (job_rank_set_is_empty (bp->set_ranks)
                || job_rank_set_intersects (bp->set_ranks, self->ranks))) {
            return bp;
        }
    }
    return NULL;
}

static void
toggle_breakpoint (GuiGroupView *self, const char *file, guint line)
{
    const SessionBreakpoint *bp = find_breakpoint (self, file, line);

    if (bp != NULL) {
        gui_group_view_run_on_ranks (self, "delete %u", bp->number);
    } else {
        g_autofree char *name = session_dup_short_file (self->session, file);

        gui_group_view_run_on_ranks (self, "break %s:%u", name, line);
    }
}

void
gui_group_view_show_source (GuiGroupView *self, const char *file, guint line)
{
    gui_place_history_visit (self->history, file, line);
    gui_source_view_show (self->source, file, line, FALSE);
    gui_group_view_update_marks (self);
}

static char *
on_hover (GuiGroupView *self, const char *expression)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = gui_group_view_dup_stopped (self, &signature);

    return gui_value_hover_dup (self->hover, expression, stopped, signature);
}

static void
on_source_chosen (GuiGroupView *self, const char *verb, const char *expression)
{
    if (g_str_equal (verb, "print")) {
        gui_group_view_run_on_ranks (self, "print %s", expression);
    } else if (g_str_equal (verb, "watch")) {
        gui_group_view_watch (self, expression);
    } else if (g_str_equal (verb, "array")) {
        gui_group_view_show_array (self, expression);
    } else {
        g_action_group_activate_action (G_ACTION_GROUP (self->window), verb, NULL);
    }
}

/* Functions that are known here: where ranks are, and where breakpoints stand. */
static void
add_known_functions (GuiGroupView *self)
{
    GPtrArray *breakpoints = session_get_breakpoints (self->session);
    g_autoptr (GPtrArray) groups = session_dup_state_groups (self->session, self->ranks);

    for (guint i = 0; i < groups->len; i++) {
        const JobLocation *place = ((const JobEvent *) groups->pdata[i])->place;

        if (place != NULL && place->function != NULL && place->file != NULL) {
            gui_open_bar_add_function (self->open_bar, place->function, place->file,
                                       place->line, FALSE);
        }
    }
    for (guint i = 0; i < breakpoints->len; i++) {
        const SessionBreakpoint *bp = breakpoints->pdata[i];

        for (guint j = 0; bp->places != NULL && j < bp->places->len; j++) {
            const JobLocation *place = bp->places->pdata[j];

            if (place->function != NULL && place->file != NULL) {
                gui_open_bar_add_function (self->open_bar, place->function, place->file,
                                           place->line, FALSE);
            }
        }
    }
}

static void
on_names (Session *session, const GPtrArray *names, gpointer user)
{
    GuiGroupView *self = user;

    for (guint i = 0; i < names->len; i++) {
        const JobName *name = g_ptr_array_index ((GPtrArray *) names, i);
        gboolean is_library = (name->score & JOB_NAME_IS_LIBRARY) != 0;

        if (name->kind == JOB_NAME_FILE) {
            g_autofree char *text = session_dup_short_file (session, name->name);

            gui_open_bar_add_function (self->open_bar, text, name->name, 1, is_library);
        } else {
            gui_open_bar_add_function (self->open_bar, name->name, name->file,
                                       MAX (name->line, 1), is_library);
        }
    }
    gui_open_bar_finish (self->open_bar);
}

/* Names known here and in the program; for FILE:LINE the file. */
static void
on_lookup (GuiGroupView *self, const char *text)
{
    const char *colon = strrchr (text, ':');
    g_autofree char *name = colon != NULL && colon > text && colon[-1] != ':'
                                ? g_strndup (text, (gsize) (colon - text))
                                : g_strdup (text);

    add_known_functions (self);
    session_find_names_cancel (self->session, self);
    if (session_is_ended (self->session)) {
        gui_open_bar_finish (self->open_bar);
    } else {
        session_find_names (self->session, self->ranks, name, JOB_NAME_FUNCTION | JOB_NAME_FILE,
                            MAX_NAMES, on_names, self);
    }
}

static void
on_open (GuiGroupView *self, const char *file, guint line)
{
    guint before;
    const char *shown = gui_source_view_get_cursor (self->source, &before);

    if (*file != '\0' || shown != NULL) {
        gui_place_history_visit (self->history, *file != '\0' ? file : shown, line);
    }
    if (*file == '\0') {
        gui_source_view_go_to_line (self->source, line);
    } else {
        gui_source_view_show (self->source, file, line, FALSE);
        gui_group_view_update_marks (self);
    }
}

static void
activate_cursor (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupView *self = user;
    const char *verb = g_action_get_name (G_ACTION (action));
    guint line;
    const char *file = gui_source_view_get_cursor (self->source, &line);

    if (file == NULL) {
        return;
    }
    if (g_str_equal (verb, "toggle-breakpoint")) {
        toggle_breakpoint (self, file, line);
        return;
    }
    g_autofree char *name = session_dup_short_file (self->session, file);
    gui_group_view_run_on_ranks (self, "%s %s:%u",
                                 g_str_equal (verb, "run-to-cursor") ? "until" : "jump", name,
                                 line);
}

/* The breakpoint at the cursor: enabled ones are disabled, disabled ones enabled. */
static void
activate_enabled (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupView *self = user;
    guint line;
    const char *file = gui_source_view_get_cursor (self->source, &line);
    const SessionBreakpoint *bp = file != NULL ? find_breakpoint (self, file, line) : NULL;

    if (bp != NULL) {
        gui_group_view_run_on_ranks (self, "%s %u",
                                     session_breakpoint_is_enabled (bp, self->ranks) ? "disable"
                                                                                     : "enable",
                                     bp->number);
    }
}

/* Of the breakpoint at the cursor, in the list; one that is not there is begun with it. */
static void
activate_condition (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupView *self = user;
    guint line;
    const char *file = gui_source_view_get_cursor (self->source, &line);
    const SessionBreakpoint *bp = file != NULL ? find_breakpoint (self, file, line) : NULL;

    if (file == NULL || self->breakpoints == NULL) {
        return;
    }
    gui_theme_show_page (GTK_WIDGET (self->breakpoints));
    if (bp != NULL) {
        gui_breakpoint_list_edit (self->breakpoints, bp->number);
    } else {
        g_autofree char *name = session_dup_short_file (self->session, file);
        g_autofree char *text = g_strdup_printf ("%s:%u if ", name, line);

        gui_breakpoint_list_begin (self->breakpoints, text);
    }
}

/* A new breakpoint that writes and does not stop, begun in the list. */
static void
activate_logpoint (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupView *self = user;
    guint line;
    const char *file = gui_source_view_get_cursor (self->source, &line);
    g_autofree char *name = NULL, *text = NULL;

    if (file == NULL || self->breakpoints == NULL) {
        return;
    }
    name = session_dup_short_file (self->session, file);
    text = g_strdup_printf ("%s:%u log \"\"", name, line);
    gui_theme_show_page (GTK_WIDGET (self->breakpoints));
    gui_breakpoint_list_begin (self->breakpoints, text);
}

static void
activate_history (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupView *self = user;
    gboolean back = g_str_equal (g_action_get_name (G_ACTION (action)), "place-back");
    guint line = 0;
    const char *file = gui_place_history_go (self->history, back ? -1 : 1, &line);

    if (file != NULL) {
        gui_source_view_show (self->source, file, line, FALSE);
        gui_group_view_update_marks (self);
    }
}

/* The innermost frame, or on all ranks the one that is selected on the representative. */
static void
activate_frame (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupView *self = user;
    guint32 frame;
    gboolean is_chosen = session_selection_find_frame (self->selection, self->shown_by, &frame);
    gboolean align = g_str_equal (g_action_get_name (G_ACTION (action)), "align-stacks");

    if (align && !is_chosen) {
        return; /* every rank shows its own place */
    }
    gui_group_view_run_on_ranks (self, "frame %u", align ? frame : 0);
}

static void
activate_find (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_source_view_find (GUI_GROUP_VIEW (user)->source);
}

static void
activate_close (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_source_view_close (GUI_GROUP_VIEW (user)->source);
}

static void
activate_open (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupView *self = user;
    g_auto (GStrv) files = gui_source_view_dup_files (self->source);

    gui_open_bar_show (self->open_bar, files,
                       g_str_equal (g_action_get_name (G_ACTION (action)), "go-to-line"));
}

static const GActionEntry entries[] = {
    { "run-to-cursor", activate_cursor, NULL, NULL, NULL, { 0 } },
    { "jump-to-cursor", activate_cursor, NULL, NULL, NULL, { 0 } },
    { "toggle-breakpoint", activate_cursor, NULL, NULL, NULL, { 0 } },
    { "add-logpoint", activate_logpoint, NULL, NULL, NULL, { 0 } },
    { "go-to-line", activate_open, NULL, NULL, NULL, { 0 } },
    { "open", activate_open, NULL, NULL, NULL, { 0 } },
    { "toggle-enabled", activate_enabled, NULL, NULL, NULL, { 0 } },
    { "edit-condition", activate_condition, NULL, NULL, NULL, { 0 } },
    { "place-back", activate_history, NULL, NULL, NULL, { 0 } },
    { "place-forward", activate_history, NULL, NULL, NULL, { 0 } },
    { "frame-bottom", activate_frame, NULL, NULL, NULL, { 0 } },
    { "align-stacks", activate_frame, NULL, NULL, NULL, { 0 } },
    { "close-file", activate_close, NULL, NULL, NULL, { 0 } },
    { "find", activate_find, NULL, NULL, NULL, { 0 } },
};

void
gui_group_source_connect (GuiGroupView *self, GActionMap *window)
{
    self->window = window;
    g_action_map_add_action_entries (window, entries, G_N_ELEMENTS (entries), self);
    g_signal_connect_swapped (self->source, "toggled", G_CALLBACK (toggle_breakpoint), self);
    g_signal_connect_swapped (self->source, "hover", G_CALLBACK (on_hover), self);
    g_signal_connect_swapped (self->source, "chosen", G_CALLBACK (on_source_chosen), self);
    g_signal_connect_swapped (self->stack, "place-chosen",
                              G_CALLBACK (gui_group_view_show_source), self);
    g_signal_connect_swapped (self->open_bar, "lookup", G_CALLBACK (on_lookup), self);
    g_signal_connect_swapped (self->open_bar, "open", G_CALLBACK (on_open), self);
}
