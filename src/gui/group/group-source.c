/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breakpoints by a click, running to the cursor, values under the pointer, going to lines, files and
 * functions. */
#include "gui/group/group-source.h"
#include <glib/gi18n.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "command/command.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/source/open-bar.h"
#include "gui/source/place-history.h"
#include "gui/source/source-editor.h"
#include "gui/source/source-marks.h"
#include "gui/source/source-view.h"
#include "gui/values/value-hover.h"
#include "session/sources.h"

enum { MAX_NAMES = 100 };

struct _GuiGroupSource {
    GtkBox parent;
    GuiOpenBar *open_bar;
    GuiSourceView *source;
    Session *session;
    SessionSelection *selection;
    GuiValueHover *hover;
    GuiPlaceHistory *history;
    GActionMap *window; /* that has its actions; not owned */
    JobRankSet *ranks;
    guint32 shown_by;
};

G_DEFINE_TYPE (GuiGroupSource, gui_group_source, GTK_TYPE_BOX)

enum { RUN_LINE, WATCH, SHOW_VALUE, EDIT_BREAKPOINT, HERE, N_SIGNALS };
static guint signals[N_SIGNALS];

static void run_on_ranks (GuiGroupSource *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
run_on_ranks (GuiGroupSource *self, const char *format, ...)
{
    g_autofree char *line = NULL;
    va_list list;

    va_start (list, format);
    line = g_strdup_vprintf (format, list);
    va_end (list);
    g_signal_emit (self, signals[RUN_LINE], 0, line);
}

void
gui_group_source_update_marks (GuiGroupSource *self)
{
    gui_source_view_update_marks (self->source, self->ranks, self->shown_by);
}

void
gui_group_source_set_old (GuiGroupSource *self, gboolean is_old)
{
    gui_source_view_set_old (self->source, is_old);
}

void
gui_group_source_set_inline (GuiGroupSource *self, const char *text)
{
    gui_source_view_set_inline (self->source, text);
}

static void
on_here (GuiGroupSource *self)
{
    g_auto (GStrv) words = gui_source_view_list_here (self->source);

    g_signal_emit (self, signals[HERE], 0, words);
}

void
gui_group_source_show (GuiGroupSource *self, const char *file, guint line, gboolean is_here)
{
    gui_place_history_visit (self->history, file, line);
    gui_source_view_show (self->source, file, line, is_here);
    gui_group_source_update_marks (self);
}

/* The breakpoint at that line in ranks of this view; NULL. */
static const SessionBreakpoint *
find_breakpoint (GuiGroupSource *self, const char *file, guint line)
{
    GPtrArray *breakpoints = session_get_breakpoints (self->session);

    return BASE_FIND (breakpoints, const SessionBreakpoint, bp,
                      gui_source_marks_is_at (bp, file, line)
                          && (job_rank_set_is_empty (bp->set_ranks)
                              || job_rank_set_intersects (bp->set_ranks, self->ranks)));
}

/* FILE:LINE as a word of the command language. Caller owns. */
static char *
dup_place (GuiGroupSource *self, const char *file, guint line)
{
    g_autofree char *name = session_dup_short_file (self->session, file);
    g_autofree char *place = g_strdup_printf ("%s:%u", name, line);

    return command_quote_word (place);
}

static void
toggle_breakpoint (GuiGroupSource *self, const char *file, guint line)
{
    const SessionBreakpoint *bp = find_breakpoint (self, file, line);

    if (bp != NULL) {
        run_on_ranks (self, "delete %u", bp->number);
    } else {
        g_autofree char *place = dup_place (self, file, line);

        run_on_ranks (self, "break %s", place);
    }
}

static char *
on_hover (GuiGroupSource *self, const char *expression)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = session_dup_stopped (self->session, self->ranks,
                                                          &signature);

    return self->hover != NULL
               ? gui_value_hover_dup (self->hover, expression, stopped, signature)
               : NULL;
}

static void
on_source_chosen (GuiGroupSource *self, const char *verb, const char *expression)
{
    if (g_str_equal (verb, "print")) {
        run_on_ranks (self, "print %s", expression);
    } else if (g_str_equal (verb, "watch")) {
        g_signal_emit (self, signals[WATCH], 0, expression);
    } else if (g_str_equal (verb, "stop")) {
        run_on_ranks (self, "watch %s", expression);
    } else if (g_str_equal (verb, "array") || g_str_equal (verb, "compare")) {
        g_signal_emit (self, signals[SHOW_VALUE], 0, verb, expression);
    } else {
        g_action_group_activate_action (G_ACTION_GROUP (self->window), verb, NULL);
    }
}

/* Functions that are known here: where ranks are, and where breakpoints stand. */
static void
add_known_functions (GuiGroupSource *self)
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
    BASE_EACH (breakpoints, const SessionBreakpoint, bp) {
        BASE_EACH (bp->places, const JobLocation, place) {
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
    GuiGroupSource *self = user;

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
on_lookup (GuiGroupSource *self, const char *text)
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
on_open (GuiGroupSource *self, const char *file, guint line)
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
        gui_group_source_update_marks (self);
    }
}

static void
activate_cursor (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupSource *self = user;
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
    g_autofree char *place = dup_place (self, file, line);
    run_on_ranks (self, "%s %s", g_str_equal (verb, "run-to-cursor") ? "until" : "jump", place);
}

/* The breakpoint at the cursor: enabled ones are disabled, disabled ones enabled. */
static void
activate_enabled (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupSource *self = user;
    guint line;
    const char *file = gui_source_view_get_cursor (self->source, &line);
    const SessionBreakpoint *bp = file != NULL ? find_breakpoint (self, file, line) : NULL;

    if (bp != NULL) {
        run_on_ranks (self, "%s %u",
                      session_breakpoint_is_enabled (bp, self->ranks) ? "disable" : "enable",
                      bp->number);
    }
}

/* Of the breakpoint at the cursor, in the list; one that is not there is begun with it. */
static void
activate_condition (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupSource *self = user;
    guint line;
    const char *file = gui_source_view_get_cursor (self->source, &line);
    const SessionBreakpoint *bp = file != NULL ? find_breakpoint (self, file, line) : NULL;

    if (bp != NULL) {
        g_signal_emit (self, signals[EDIT_BREAKPOINT], 0, bp->number, NULL);
    } else if (file != NULL) {
        g_autofree char *place = dup_place (self, file, line);
        g_autofree char *text = g_strdup_printf ("%s if ", place);

        g_signal_emit (self, signals[EDIT_BREAKPOINT], 0, 0u, text);
    }
}

/* A new breakpoint that writes and does not stop, begun in the list. */
static void
activate_logpoint (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupSource *self = user;
    guint line;
    const char *file = gui_source_view_get_cursor (self->source, &line);
    g_autofree char *name = NULL, *text = NULL;

    if (file == NULL) {
        return;
    }
    name = dup_place (self, file, line);
    text = g_strdup_printf ("%s log \"\"", name);
    g_signal_emit (self, signals[EDIT_BREAKPOINT], 0, 0u, text);
}

static void
activate_history (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupSource *self = user;
    gboolean back = g_str_equal (g_action_get_name (G_ACTION (action)), "place-back");
    guint line = 0;
    const char *file = gui_place_history_go (self->history, back ? -1 : 1, &line);

    if (file != NULL) {
        gui_source_view_show (self->source, file, line, FALSE);
        gui_group_source_update_marks (self);
    }
}

/* The innermost frame, or on all ranks the one that is selected on the representative. */
static void
activate_frame (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupSource *self = user;
    guint32 frame;
    gboolean is_chosen = session_selection_find_frame (self->selection, self->shown_by, &frame);
    gboolean align = g_str_equal (g_action_get_name (G_ACTION (action)), "align-stacks");

    if (align && !is_chosen) {
        return; /* every rank shows its own place */
    }
    run_on_ranks (self, "frame %u", align ? frame : 0);
}

static void
activate_find (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_source_view_find (GUI_GROUP_SOURCE (user)->source);
}

static void
activate_close (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_source_view_close (GUI_GROUP_SOURCE (user)->source);
}

static void
activate_open (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupSource *self = user;
    g_auto (GStrv) files = gui_source_view_dup_files (self->source);

    gui_open_bar_show (self->open_bar, files,
                       g_str_equal (g_action_get_name (G_ACTION (action)), "go-to-line"));
}

static void
show_problem (GuiGroupSource *self, const GError *error)
{
    GtkWidget *window = gtk_widget_get_toplevel (GTK_WIDGET (self));
    GtkWidget *dialog
        = gtk_message_dialog_new (GTK_IS_WINDOW (window) ? GTK_WINDOW (window) : NULL,
                                  GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_WARNING,
                                  GTK_BUTTONS_CLOSE, "%s", _ ("Cannot open the editor"));

    gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s",
                                              base_error_get_shown (error));
    g_signal_connect (dialog, "response", G_CALLBACK (gtk_widget_destroy), NULL);
    gtk_window_present (GTK_WINDOW (dialog));
}

/* The file and line at the cursor, in the editor of the user's choice. */
static void
activate_editor (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupSource *self = user;
    guint line;
    const char *file = gui_source_view_get_cursor (self->source, &line);
    g_autofree char *there = NULL;
    g_autoptr (GError) error = NULL;

    if (file == NULL) {
        return;
    }
    there = session_dup_local_source (self->session, file);
    if (!gui_source_editor_open (there, line, &error)) {
        show_problem (self, error);
    }
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
    { "open-in-editor", activate_editor, NULL, NULL, NULL, { 0 } },
    { "close-file", activate_close, NULL, NULL, NULL, { 0 } },
    { "find", activate_find, NULL, NULL, NULL, { 0 } },
};

void
gui_group_source_add_actions (GuiGroupSource *self, GActionMap *window)
{
    self->window = window;
    g_action_map_add_action_entries (window, entries, G_N_ELEMENTS (entries), self);
}

char **
gui_group_source_dup_places (GuiGroupSource *self)
{
    return gui_source_view_dup_places (self->source);
}

void
gui_group_source_restore (GuiGroupSource *self, char **places)
{
    for (guint i = 0; places != NULL && places[i] != NULL; i++) {
        const char *colon = strrchr (places[i], ':');
        guint64 line = 0;

        if (colon != NULL
            && g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXINT, &line, NULL)) {
            g_autofree char *file = g_strndup (places[i], (gsize) (colon - places[i]));

            gui_source_view_restore (self->source, file, (guint) line);
        }
    }
}

/* Values under the pointer are the session's, in the frames that are selected. */
static void
renew_hover (gpointer user)
{
    GuiGroupSource *self = user;

    g_clear_pointer (&self->hover, gui_value_hover_free);
    if (self->session != NULL && self->selection != NULL) {
        self->hover = gui_value_hover_new (self->session, self->selection);
    }
}

static void
leave_session (gpointer user)
{
    GuiGroupSource *self = user;

    g_clear_pointer (&self->hover, gui_value_hover_free);
    session_find_names_cancel (self->session, self);
    g_signal_handlers_disconnect_by_data (self->session, self);
}

static void
enter_session (gpointer user)
{
    GuiGroupSource *self = user;

    renew_hover (self);
    if (self->session != NULL) {
        g_signal_connect_swapped (self->session, "breakpoints-changed",
                                  G_CALLBACK (gui_group_source_update_marks), self);
    }
}

static void
enter_ranks (gpointer user)
{
    GuiGroupSource *self = user;

    if (self->ranks == NULL) {
        self->ranks = job_rank_set_new ();
    }
}

GUI_DISPOSE (gui_group_source, GuiGroupSource,
             gui_properties_clear (self, GUI_TYPE_GROUP_SOURCE);
             g_clear_pointer (&self->hover, gui_value_hover_free))

GUI_FINALIZE (gui_group_source, GuiGroupSource, gui_place_history_free (self->history))

static void
gui_group_source_class_init (GuiGroupSourceClass *klass)
{
    G_OBJECT_CLASS (klass)->dispose = gui_group_source_dispose;
    GUI_PROPERTIES (klass, GuiGroupSource,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (selection, SESSION_TYPE_SELECTION, .enter = renew_hover),
                    (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks), (shown_by, G_TYPE_UINT));
    G_OBJECT_CLASS (klass)->finalize = gui_group_source_finalize;
    signals[RUN_LINE] = GUI_SIGNAL (klass, "run-line", G_TYPE_STRING);
    signals[WATCH] = GUI_SIGNAL (klass, "watch", G_TYPE_STRING);
    signals[SHOW_VALUE] = GUI_SIGNAL (klass, "show-value", G_TYPE_STRING, G_TYPE_STRING);
    signals[EDIT_BREAKPOINT] = GUI_SIGNAL (klass, "edit-breakpoint", G_TYPE_UINT,
                                           G_TYPE_STRING);
    signals[HERE] = GUI_SIGNAL (klass, "here", G_TYPE_STRV);
    GUI_ENSURE (GUI_TYPE_OPEN_BAR, GUI_TYPE_SOURCE_VIEW);
    GUI_TEMPLATE (klass, "group-source.ui");
    GUI_CHILDREN (klass, GuiGroupSource, open_bar, source);
    GUI_CALLBACKS (klass, toggle_breakpoint, on_hover, on_source_chosen, on_lookup, on_open,
                   on_here);
}

static void
gui_group_source_init (GuiGroupSource *self)
{
    self->ranks = job_rank_set_new ();
    self->history = gui_place_history_new ();
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_properties_share (self, "session", self->open_bar, self->source, NULL);
}
