/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The group window queries stacks and locals when ranks of its group have stopped, on Update
 * and after its own commands; stale data is grey. */
#include "gui/group/group-window-private.h"
#include <glib/gi18n.h>
#include "base/clock.h"
#include "gui/arrays/array-window.h"
#include "gui/dialogs/keys-window.h"
#include "gui/kit/age.h"
#include "gui/kit/debug-actions.h"
#include "gui/kit/keys.h"
#include "gui/kit/rank-choice.h"
#include "gui/kit/settings.h"
#include "gui/kit/theme.h"

enum { SETTLE_MS = 60 };

G_DEFINE_TYPE (GuiGroupWindow, gui_group_window, GTK_TYPE_APPLICATION_WINDOW)

static JobRankSet *
dup_ranks (gpointer window)
{
    return job_rank_set_dup (GUI_GROUP_WINDOW (window)->ranks);
}

JobRankSet *
gui_group_window_dup_stopped (GuiGroupWindow *self, guint64 *ret_signature)
{
    JobRankSet *set = job_rank_set_new ();
    JobRankIter iter = { 0 };
    guint64 signature = 14695981039346656037u; /* FNV-1a's beginning and prime */
    guint32 rank;

    while (job_rank_set_next (self->ranks, &iter, &rank)) {
        const SessionRank *info = session_get_rank (self->session, rank);

        if (info != NULL && job_state_get_info (info->state)->is_stopped) {
            job_rank_set_add (set, rank);
            signature = (signature ^ rank) * 1099511628211u;
            signature = (signature ^ info->stop) * 1099511628211u;
            signature = (signature ^ info->motion_us) * 1099511628211u;
        }
    }
    *ret_signature = signature;
    return set;
}

static void
set_stale (GuiGroupWindow *self, gboolean stale)
{
    GtkWidget *const panes[] = { GTK_WIDGET (self->stack),     GTK_WIDGET (self->locals),
                                 GTK_WIDGET (self->watches),   GTK_WIDGET (self->threads),
                                 GTK_WIDGET (self->registers), GTK_WIDGET (self->code) };

    for (guint i = 0; i < G_N_ELEMENTS (panes); i++) {
        GtkStyleContext *style = gtk_widget_get_style_context (panes[i]);

        (stale ? gtk_style_context_add_class : gtk_style_context_remove_class) (style,
                                                                                "pddt-stale");
    }
}

static void
update_age (GuiGroupWindow *self)
{
    gint64 silent_us = session_get_silent_since_us (self->session, self->ranks);
    gboolean stale = self->shown_us == 0 || self->shown_stops != self->seen_stops
                     || silent_us != 0;
    g_autofree char *text = NULL;

    if (stale && self->shown_us != 0) {
        text = gui_age_format (silent_us != 0 ? MIN (silent_us, self->shown_us)
                                              : self->shown_us);
    }
    gtk_label_set_text (GTK_LABEL (self->age), text != NULL ? text : "");
    set_stale (self, stale);
}

static gboolean
on_age (gpointer user)
{
    GuiGroupWindow *self = user;

    update_age (self);
    gui_rank_table_update_ages (self->table);
    if (session_find_silent (self->session) != NULL) {
        gui_face_bar_update (self->face, self->session, self->ranks);
    }
    return G_SOURCE_CONTINUE;
}

static void
update_title (GuiGroupWindow *self)
{
    g_autofree char *ranks = job_rank_set_format_brief (self->ranks);
    const JobLocation *place = session_selection_get_place (self->selection, self->shown_by);
    g_autofree char *where = place != NULL ? session_format_place (self->session, place)
                                           : g_strdup (_ ("no place known"));
    g_autofree char *title = NULL;
    g_autofree char *subtitle = g_strdup_printf (_ ("viewing rank %u · %s"), self->shown_by,
                                                 where);
    guint n = job_rank_set_get_count (self->ranks);
    g_autofree char *acts
        = g_strdup_printf (ngettext ("acts on %u rank", "acts on %u ranks", n), n);

    title = self->name != NULL ? g_strdup_printf (_ ("%s — ranks %s"), self->name, ranks)
                               : g_strdup_printf (ngettext ("Rank %s", "Ranks %s", n), ranks);
    gtk_window_set_title (GTK_WINDOW (self), title);
    gtk_header_bar_set_title (GTK_HEADER_BAR (self->header), title);
    gtk_header_bar_set_subtitle (GTK_HEADER_BAR (self->header), subtitle);
    gtk_label_set_text (GTK_LABEL (self->acts_on), acts);
}

void
gui_group_window_update_marks (GuiGroupWindow *self)
{
    gui_source_view_update_marks (self->source, self->session, self->ranks, self->shown_by);
}

/* Moves the source to the representative's place. */
static void
show_place (GuiGroupWindow *self)
{
    const JobLocation *place = session_selection_get_place (self->selection, self->shown_by);

    if (place != NULL && place->file != NULL && place->line > 0) {
        gui_place_history_visit (self->history, place->file, place->line);
        gui_source_view_show (self->source, place->file, place->line, TRUE);
    }
    gui_group_window_update_marks (self);
    update_title (self);
}

/* The stack's selected row is the representative's selected frame. */
static void
select_frame (GuiGroupWindow *self)
{
    const SessionRank *info = session_get_rank (self->session, self->shown_by);

    guint32 frame;
    gboolean is_chosen = session_selection_find_frame (self->selection, self->shown_by, &frame);

    if (info != NULL) {
        gui_stack_view_select (self->stack, self->shown_by, frame,
                               is_chosen ? NULL : info->place);
    }
}

static void
on_stacks (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GuiGroupWindow *self = user;
    g_autoptr (JobStackTree) tree = session_answer_take_tree (answer);

    gui_stack_view_set_tree (self->stack, self->session, tree);
    select_frame (self);
    self->shown_us = base_clock_get_us ();
    update_age (self);
    g_clear_pointer (&self->stack_query, session_query_free);
}

/* Updates the panes that depend on the selected frame. */
static void
refresh_values (GuiGroupWindow *self)
{
    gui_value_pane_refresh (self->locals);
    gui_value_pane_refresh (self->watches);
    gui_text_pane_refresh (self->registers, self->session, self->shown_by, self->selection);
    gui_text_pane_refresh (self->code, self->session, self->shown_by, self->selection);
}

static void follow_stopped (GuiGroupWindow *self, const JobRankSet *stopped);

/* also_running: for an Update by the user, which also samples running ranks. */
static void
refresh (GuiGroupWindow *self, gboolean also_running)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = gui_group_window_dup_stopped (self, &signature);
    const JobRankSet *asked = also_running ? self->ranks : stopped;
    JobRequest *request;

    g_clear_pointer (&self->stack_query, session_query_free);
    self->shown_stops = signature;
    follow_stopped (self, stopped);
    if (job_rank_set_is_empty (asked) || session_is_ended (self->session)) {
        return;
    }
    request = job_request_new (JOB_VERB_WHERE, asked);
    session_selection_mark (self->selection, request);
    self->shown_thread = session_selection_get_thread (self->selection, self->shown_by);
    self->stack_query = session_query_new (self->session, request, on_stacks, self);
    refresh_values (self);
    gui_text_pane_refresh (self->threads, self->session, self->shown_by, self->selection);
    show_place (self);
}

static gboolean
on_settled (gpointer user)
{
    GuiGroupWindow *self = user;

    self->settle_source = 0;
    if (self->shown_stops != self->seen_stops) {
        refresh (self, FALSE);
    }
    return G_SOURCE_REMOVE;
}

static void
update_all (GuiGroupWindow *self)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = gui_group_window_dup_stopped (self, &signature);

    gui_face_bar_update (self->face, self->session, self->ranks);
    gui_debug_actions_update (G_ACTION_MAP (self), self->session, self->ranks);
    gui_rank_table_update (self->table, self->session, self->ranks);
    gui_place_list_update (self->places, self->session, self->ranks);
    gui_group_window_update_marks (self);
    update_title (self);
    self->seen_stops = signature;
    update_age (self);
    if (self->seen_stops != self->shown_stops && self->settle_source == 0
        && !job_rank_set_is_empty (stopped)) {
        self->settle_source = g_timeout_add (SETTLE_MS, on_settled, self);
    }
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user)
{
    GuiGroupWindow *self = GUI_GROUP_WINDOW (widget);

    self->tick = 0;
    update_all (self);
    return G_SOURCE_REMOVE;
}

static void
on_states_changed (Session *session, guint first, guint end, GuiGroupWindow *self)
{
    g_autoptr (JobRankSet) changed = job_rank_set_new_range (first, end);

    if (self->tick == 0 && job_rank_set_intersects (changed, self->ranks)) {
        self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
    }
}

static void
on_progress (GuiGroupWindow *self)
{
    if (self->tick == 0) {
        self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
    }
}

static void
on_selection (GuiGroupWindow *self)
{
    if (session_selection_get_thread (self->selection, self->shown_by) != self->shown_thread) {
        refresh (self, FALSE);
        return;
    }
    select_frame (self);
    show_place (self);
    refresh_values (self);
}

static void
on_breakpoints_changed (GuiGroupWindow *self)
{
    gui_group_window_update_marks (self);
    gui_breakpoint_list_update (self->breakpoints, self->session, self->ranks);
}

static void
on_set_chosen (GuiGroupWindow *self, const JobRankSet *set)
{
    gui_group_window_open (self->application, self->session, set, NULL);
}

static void
set_shown_by (GuiGroupWindow *self, guint32 rank)
{
    self->shown_by = rank;
    gui_value_pane_set_shown_by (self->locals, rank);
    gui_value_pane_set_shown_by (self->watches, rank);
    gui_text_pane_refresh (self->threads, self->session, rank, self->selection);
    gui_text_pane_refresh (self->registers, self->session, rank, self->selection);
    gui_text_pane_refresh (self->code, self->session, rank, self->selection);
    select_frame (self);
    show_place (self);
}

static void
on_representative (GuiGroupWindow *self)
{
    const char *id = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->representative));

    if (!self->is_filling && id != NULL) {
        self->is_chosen = TRUE;
        set_shown_by (self, (guint32) g_ascii_strtoull (id, NULL, 10));
    }
}

static void
take_shown_by (GuiGroupWindow *self, guint rank)
{
    self->is_filling = TRUE;
    gui_rank_choice_select (GTK_COMBO_BOX_TEXT (self->representative), rank);
    self->is_filling = FALSE;
    set_shown_by (self, rank);
}

void
gui_group_window_set_shown_by (GuiGroupWindow *self, guint32 rank)
{
    self->is_chosen = TRUE;
    take_shown_by (self, rank);
}

static void
on_rank_chosen (GuiGroupWindow *self, guint rank)
{
    gui_group_window_set_shown_by (self, rank);
}

/* Unless the user has chosen the viewed rank, views the lowest readable one. */
static void
follow_stopped (GuiGroupWindow *self, const JobRankSet *stopped)
{
    guint32 lowest = job_rank_set_get_lowest (stopped);

    if (!self->is_chosen && !job_rank_set_is_empty (stopped) && lowest != self->shown_by) {
        take_shown_by (self, lowest);
    }
}

void
gui_group_window_run_on_ranks (GuiGroupWindow *self, const char *format, ...)
{
    g_autofree char *ranks = job_rank_set_format (self->ranks), *line = NULL;
    va_list list;

    va_start (list, format);
    line = g_strdup_vprintf (format, list);
    va_end (list);
    gui_command_panel_runf (self->panel, "on %s %s", ranks, line);
}

static void
on_done (GuiGroupWindow *self, gboolean ok)
{
    update_all (self);
    on_breakpoints_changed (self);
    refresh_values (self);
}

static void
on_run_line (GuiGroupWindow *self, const char *line)
{
    if (g_str_has_prefix (line, "on ")) {
        gui_command_panel_run (self->panel, line);
    } else {
        gui_group_window_run_on_ranks (self, "%s", line);
    }
}

static void
on_thread_line (GuiGroupWindow *self, const char *line)
{
    gui_command_panel_runf (self->panel, "on %u %s", self->shown_by, line);
}

static void
on_frame_chosen (GuiGroupWindow *self, const JobRankSet *set, guint number)
{
    g_autofree char *ranks = job_rank_set_format (set);

    gui_command_panel_runf (self->panel, "on %s frame %u", ranks, number);
}

void
gui_group_window_watch (GuiGroupWindow *self, const char *expression)
{
    gui_value_pane_add (self->watches, expression);
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->lower), 1);
}

void
gui_group_window_show_array (GuiGroupWindow *self, const char *expression)
{
    gui_array_window_open (GTK_WINDOW (self), self->session, self->selection, self->ranks,
                           self->shown_by, expression);
}

static void
activate_update (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_group_window_run_on_ranks (user, "show state");
    refresh (user, TRUE);
}

static void
activate_pane (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupWindow *self = user;
    gboolean stack = g_str_equal (g_action_get_name (G_ACTION (action)), "show-stack");

    GtkWidget *pages = stack ? self->upper : self->lower;

    gtk_notebook_set_current_page (GTK_NOTEBOOK (pages), 0);
    gtk_widget_child_focus (gtk_notebook_get_nth_page (GTK_NOTEBOOK (pages), 0),
                            GTK_DIR_TAB_FORWARD);
}

static void
activate_copy (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    g_autofree char *text = gui_stack_view_format (GUI_GROUP_WINDOW (user)->stack);

    gtk_clipboard_set_text (gtk_widget_get_clipboard (user, GDK_SELECTION_CLIPBOARD), text, -1);
}

static void
activate_focus (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_command_panel_focus (GUI_GROUP_WINDOW (user)->panel);
}

static void
activate_keys (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    gui_keys_window_show (GTK_WINDOW (user));
}

static const GActionEntry entries[] = {
    { "update", activate_update, NULL, NULL, NULL, { 0 } },
    { "show-stack", activate_pane, NULL, NULL, NULL, { 0 } },
    { "show-locals", activate_pane, NULL, NULL, NULL, { 0 } },
    { "copy-stack", activate_copy, NULL, NULL, NULL, { 0 } },
    { "focus-command", activate_focus, NULL, NULL, NULL, { 0 } },
    { "keys", activate_keys, NULL, NULL, NULL, { 0 } },
};

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    return gui_keys_prefer_text (GTK_WINDOW (widget), event)
           || GTK_WIDGET_CLASS (gui_group_window_parent_class)->key_press_event (widget, event)
           || (event->keyval == GDK_KEY_Escape
               && gui_progress_line_cancel (GUI_GROUP_WINDOW (widget)->progress));
}

static void
gui_group_window_dispose (GObject *object)
{
    GuiGroupWindow *self = GUI_GROUP_WINDOW (object);

    g_clear_handle_id (&self->settle_source, g_source_remove);
    g_clear_handle_id (&self->age_source, g_source_remove);
    g_clear_pointer (&self->stack_query, session_query_free);
    g_clear_pointer (&self->hover, gui_value_hover_free);
    if (self->session != NULL) {
        g_signal_handlers_disconnect_by_data (self->session, self);
        g_signal_handlers_disconnect_by_data (self->selection, self);
        session_find_names_cancel (self->session, self);
    }
    G_OBJECT_CLASS (gui_group_window_parent_class)->dispose (object);
    g_clear_object (&self->session);
    g_clear_object (&self->selection);
}

static void
gui_group_window_finalize (GObject *object)
{
    GuiGroupWindow *self = GUI_GROUP_WINDOW (object);

    job_rank_set_free (self->ranks);
    g_free (self->name);
    gui_place_history_free (self->history);
    G_OBJECT_CLASS (gui_group_window_parent_class)->finalize (object);
}

static void
gui_group_window_class_init (GuiGroupWindowClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->dispose = gui_group_window_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_group_window_finalize;
    widget->key_press_event = press_key;
    gtk_widget_class_set_template_from_resource (widget, "/org/pddt/Pddt/group-window.ui");
#define BIND(field) gtk_widget_class_bind_template_child (widget, GuiGroupWindow, field)
    BIND (header);
    BIND (acts_on);
    BIND (representative);
    BIND (age);
    BIND (columns);
    BIND (rows);
    BIND (source_box);
    BIND (side);
    BIND (upper);
    BIND (lower);
    BIND (bottom);
#undef BIND
}

static void
gui_group_window_init (GuiGroupWindow *self)
{
    gtk_widget_init_template (GTK_WIDGET (self));
    gui_group_build (self);
    g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries),
                                     self);
    gui_debug_actions_add (G_ACTION_MAP (self), self->panel, dup_ranks);
    gui_settings_restore_size (GTK_WINDOW (self), "group", 1360, 820);
}

static void
fill_choices (GuiGroupWindow *self)
{
    self->is_filling = TRUE;
    gui_rank_choice_fill (GTK_COMBO_BOX_TEXT (self->representative), self->ranks);
    gtk_combo_box_set_active (GTK_COMBO_BOX (self->representative), 0);
    self->is_filling = FALSE;
}

static void
connect_all (GuiGroupWindow *self)
{
    g_signal_connect_swapped (self->representative, "changed", G_CALLBACK (on_representative),
                              self);
    g_signal_connect_swapped (self->stack, "set-chosen", G_CALLBACK (on_set_chosen), self);
    g_signal_connect_swapped (self->face, "set-chosen", G_CALLBACK (on_set_chosen), self);
    g_signal_connect_swapped (self->table, "rank-chosen", G_CALLBACK (on_rank_chosen), self);
    g_signal_connect_swapped (self->stack, "frame-chosen", G_CALLBACK (on_frame_chosen), self);
    g_signal_connect_swapped (self->places, "set-chosen", G_CALLBACK (on_set_chosen), self);
    g_signal_connect_swapped (self->locals, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->watches, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->locals, "watch", G_CALLBACK (gui_group_window_watch), self);
    g_signal_connect_swapped (self->locals, "array", G_CALLBACK (gui_group_window_show_array),
                              self);
    g_signal_connect_swapped (self->watches, "array", G_CALLBACK (gui_group_window_show_array),
                              self);
    g_signal_connect_swapped (self->threads, "run-line", G_CALLBACK (on_thread_line), self);
    g_signal_connect_swapped (self->breakpoints, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->panel, "done", G_CALLBACK (on_done), self);
    g_signal_connect (self->session, "states-changed", G_CALLBACK (on_states_changed), self);
    g_signal_connect_swapped (self->session, "progress", G_CALLBACK (on_progress), self);
    g_signal_connect_swapped (self->selection, "changed", G_CALLBACK (on_selection), self);
    g_signal_connect_swapped (self->session, "breakpoints-changed",
                              G_CALLBACK (on_breakpoints_changed), self);
}

static GuiGroupWindow *
find_window (GtkApplication *application, Session *session, const JobRankSet *ranks)
{
    for (GList *link = gtk_application_get_windows (application); link != NULL;
         link = link->next) {
        if (GUI_IS_GROUP_WINDOW (link->data)) {
            GuiGroupWindow *window = GUI_GROUP_WINDOW (link->data);

            if (window->session == session && job_rank_set_equal (window->ranks, ranks)) {
                return window;
            }
        }
    }
    return NULL;
}

GtkWidget *
gui_group_window_open (GtkApplication *application, Session *session, const JobRankSet *ranks,
                       const char *name)
{
    GuiGroupWindow *self = find_window (application, session, ranks);

    if (self == NULL) {
        self = g_object_new (GUI_TYPE_GROUP_WINDOW, "application", application, NULL);
        self->application = application;
        self->session = g_object_ref (session);
        self->ranks = job_rank_set_dup (ranks);
        self->name = g_strdup (name);
        self->shown_by = job_rank_set_get_lowest (ranks);
        gui_command_panel_set_session (self->panel, session, ranks);
        self->selection = g_object_ref (gui_command_panel_get_selection (self->panel));
        gui_progress_line_set_session (self->progress, session, self->panel);
        gui_source_view_set_session (self->source, session);
        self->hover = gui_value_hover_new (session, self->selection);
        self->history = gui_place_history_new ();
        gui_value_pane_set_session (self->locals, session, ranks, self->selection);
        gui_value_pane_set_session (self->watches, session, ranks, self->selection);
        fill_choices (self);
        connect_all (self);
        gui_group_source_connect (self);
        gui_group_build_place (self);
        gtk_widget_show (GTK_WIDGET (self));
        gui_command_panel_focus (self->panel);
        self->age_source = g_timeout_add_seconds (1, on_age, self);
        show_place (self);
        update_all (self);
        on_breakpoints_changed (self);
    }
    gtk_window_present (GTK_WINDOW (self));
    return GTK_WIDGET (self);
}

Session *
gui_group_window_get_session (GuiGroupWindow *self)
{
    return self->session;
}
