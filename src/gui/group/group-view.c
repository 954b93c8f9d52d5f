/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The group view queries stacks and locals when ranks of its set have stopped, on Update and after
 * commands of its window; stale data is grey. */
#include "gui/group/group-view.h"
#include <glib/gi18n.h>
#include "base/clock.h"
#include "gui/arrays/array-length.h"
#include "gui/group/blocked-places.h"
#include "gui/group/face-bar.h"
#include "gui/group/grey-panes.h"
#include "gui/group/group-pages.h"
#include "gui/group/group-room.h"
#include "gui/group/group-source.h"
#include "gui/group/stack-view.h"
#include "gui/kit/age.h"
#include "gui/kit/rank-choice.h"
#include "gui/kit/theme.h"
#include "session/query.h"

enum { SETTLE_MS = 60 };
enum { MANY_RANKS = 4096, PACE_MS = 250 }; /* looking at so many takes milliseconds */

struct _GuiGroupView {
    GtkBox parent;
    GtkWidget *columns, *side, *upper, *lower, *chooser, *representative, *age;
    GuiGroupSource *source;
    GuiStackView *stack;
    GuiGroupPages pages;
    GuiFaceBar *face;
    gboolean has_lists;
    GuiCommandPanel *panel; /* the window's */
    Session *session;
    SessionSelection *selection; /* the panel's */
    JobRankSet *ranks;
    JobLocation *blocked_at;        /* the viewed rank's, shown; NULL: it is not blocked */
    guint32 shown_by, shown_thread; /* its thread in the stack; 0: the one that has stopped */
    SessionQuery *stack_query;
    guint64 shown_stops, seen_stops; /* signatures of the group's stops */
    guint64 asked_until; /* the request after the values'; 0: a line has begun since */
    guint64 blocked;     /* signature of who is blocked while nobody is stopped; 0: nobody */
    gint64 shown_us;
    guint tick, pace_source, settle_source, age_source;
    GuiGreyPanes *grey;
    gboolean is_filling, is_chosen; /* the list of ranks is being filled; the user chose one */
};

G_DEFINE_TYPE (GuiGroupView, gui_group_view, GTK_TYPE_BOX)

enum { UPDATED, SET_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
update_age (GuiGroupView *self)
{
    gint64 silent_us = session_get_silent_since_us (self->session, self->ranks);
    gboolean stale = self->shown_us == 0 || self->shown_stops != self->seen_stops
                     || self->stack_query != NULL || silent_us != 0;
    g_autofree char *text = NULL;

    gui_grey_panes_follow (self->grey, stale);
    if (gui_grey_panes_are_grey (self->grey) && self->shown_us != 0) {
        text = gui_age_format (silent_us != 0 ? MIN (silent_us, self->shown_us)
                                              : self->shown_us);
    }
    gtk_label_set_text (GTK_LABEL (self->age), text != NULL ? text : "");
}

static gboolean
on_age (gpointer user)
{
    GuiGroupView *self = user;

    update_age (self);
    if (self->pages.table != NULL) {
        gui_rank_table_update_ages (self->pages.table);
        gui_place_list_update_ages (self->pages.places);
    }
    gui_stack_view_update_ages (self->stack);
    if (session_find_silent (self->session) != NULL) {
        gui_face_bar_update (self->face, self->session, self->ranks);
    }
    return G_SOURCE_CONTINUE;
}

char *
gui_group_view_format_place (GuiGroupView *self)
{
    const JobLocation *place = session_selection_get_place (self->selection, self->shown_by);
    g_autofree char *where = place != NULL
                                 ? session_format_place (BASE_TEXT_SHOWN, self->session, place)
                                 : g_strdup (_ ("no place known"));

    return g_strdup_printf (_ ("viewing rank %u · %s"), self->shown_by, where);
}

/* Moves the source to the representative's place. */
static void
show_place (GuiGroupView *self)
{
    const JobLocation *place = session_selection_get_place (self->selection, self->shown_by);

    if (place != NULL && place->file != NULL && place->line > 0) {
        gui_group_source_show (self->source, place->file, place->line, TRUE);
    } else {
        gui_group_source_update_marks (self->source);
    }
    g_signal_emit (self, signals[UPDATED], 0);
}

/* The stack's selected row is the representative's selected frame. */
static void
select_frame (GuiGroupView *self)
{
    const SessionRank *info = session_get_rank (self->session, self->shown_by);
    guint32 frame;
    gboolean is_chosen = session_selection_find_frame (self->selection, self->shown_by, &frame);

    if (info != NULL) {
        gui_stack_view_select (self->stack, self->shown_by, frame,
                               is_chosen ? NULL : info->place);
    }
}

/* tree NULL: there is none, only what is known of the ranks without asking them, which is never stale. */
static void
show_tree (GuiGroupView *self, const JobStackTree *tree)
{
    g_autoptr (JobRankSet) others = tree != NULL
                                        ? job_rank_set_subtract (self->ranks, tree->root->ranks)
                                        : job_rank_set_dup (self->ranks);

    gui_grey_panes_except (self->grey, tree == NULL ? self->stack : NULL);
    gui_stack_view_set_tree (self->stack, self->session, tree);
    gui_stack_view_set_others (self->stack, self->session, others);
    select_frame (self);
}

static void
on_stacks (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GuiGroupView *self = user;
    g_autoptr (JobStackTree) tree = session_answer_take_tree (answer);

    show_tree (self, tree);
    self->shown_us = base_clock_get_us ();
    g_clear_pointer (&self->stack_query, session_query_free);
    update_age (self);
}

/* Updates the panes that depend on the selected frame. */
static void
refresh_values (GuiGroupView *self)
{
    gui_value_pane_refresh (self->pages.locals);
    gui_value_pane_refresh (self->pages.watches);
    gui_text_pane_refresh (self->pages.registers, self->session, self->shown_by,
                           self->selection);
    gui_text_pane_refresh (self->pages.code, self->session, self->shown_by, self->selection);
    self->asked_until = session_get_next_request (self->session);
}

static void follow_stopped (GuiGroupView *self, const JobRankSet *stopped);

void
gui_group_view_refresh (GuiGroupView *self, gboolean also_running)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = session_dup_stopped (self->session, self->ranks,
                                                          &signature);
    const JobRankSet *asked = also_running ? self->ranks : stopped;
    JobRequest *request;

    g_clear_pointer (&self->stack_query, session_query_free);
    follow_stopped (self, stopped);
    if (job_rank_set_is_empty (asked) || session_is_ended (self->session)) {
        return; /* what is shown stays old */
    }
    self->shown_stops = signature;
    request = job_request_new (JOB_VERB_WHERE, asked);
    session_selection_mark (self->selection, request);
    self->shown_thread = session_selection_get_thread (self->selection, self->shown_by);
    self->stack_query = session_query_new (self->session, request, on_stacks, self);
    gui_text_pane_refresh (self->pages.threads, self->session, self->shown_by, self->selection);
    refresh_values (self);
    show_place (self);
    update_age (self);
}

/* Another set's: until an answer of these ranks comes, if one of them has stopped. */
static void
drop_stack (GuiGroupView *self)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = gui_group_source_dup_stopped (self->session, self->ranks,
                                                                   &signature);

    if (job_rank_set_is_empty (stopped)) {
        show_tree (self, NULL);
    }
}

static gboolean
on_settled (gpointer user)
{
    GuiGroupView *self = user;

    self->settle_source = 0;
    if (self->shown_stops != self->seen_stops) {
        gui_group_view_refresh (self, FALSE);
    }
    return G_SOURCE_REMOVE;
}

/* Where the viewed rank waits in vain is known without stopping it. */
static void
follow_blocked (GuiGroupView *self)
{
    const SessionRank *info = session_get_rank (self->session, self->shown_by);
    const JobLocation *place = info != NULL && info->state == JOB_STATE_BLOCKED
                                       && info->is_place_new
                                   ? info->place
                                   : NULL;

    if (place != NULL && !job_location_equal (place, self->blocked_at)) {
        show_place (self);
    }
    job_location_free (self->blocked_at);
    self->blocked_at = place != NULL ? job_location_dup (place) : NULL;
}

/* Once nobody of the group is stopped, what is known of those that are blocked is newer than the last stop. */
static void
follow_places (GuiGroupView *self, const JobRankSet *stopped)
{
    guint64 blocked = job_rank_set_is_empty (stopped)
                          ? gui_blocked_places_sign (self->session, self->ranks)
                          : 0;

    if (blocked == self->blocked) {
        return;
    }
    self->blocked = blocked;
    if (blocked != 0) {
        show_tree (self, NULL);
    }
}

static void
update_all (GuiGroupView *self)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = session_dup_stopped (self->session, self->ranks,
                                                          &signature);

    gui_face_bar_update (self->face, self->session, self->ranks);
    if (self->has_lists) {
        gui_rank_table_set_ranks (self->pages.table, self->session, self->ranks);
        gui_place_list_set_ranks (self->pages.places, self->session, self->ranks);
    }
    gui_group_source_update_marks (self->source);
    follow_blocked (self);
    follow_places (self, stopped);
    self->seen_stops = signature;
    update_age (self);
    g_signal_emit (self, signals[UPDATED], 0);
    if (self->seen_stops == self->shown_stops || job_rank_set_is_empty (stopped)) {
        return;
    }
    if (job_rank_set_equal (stopped, self->ranks)) { /* nobody else can arrive */
        g_clear_handle_id (&self->settle_source, g_source_remove);
        on_settled (self);
    } else if (self->settle_source == 0) {
        self->settle_source = g_timeout_add (SETTLE_MS, on_settled, self);
    }
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user)
{
    GuiGroupView *self = GUI_GROUP_VIEW (widget);

    self->tick = 0;
    update_all (self);
    return G_SOURCE_REMOVE;
}

static gboolean
on_pace (gpointer user)
{
    GuiGroupView *self = user;

    self->pace_source = 0;
    update_all (self);
    return G_SOURCE_REMOVE;
}

static void
queue_update (GuiGroupView *self)
{
    if (self->tick != 0 || self->pace_source != 0) {
        return;
    }
    if (job_rank_set_get_count (self->ranks) > MANY_RANKS) {
        self->pace_source = g_timeout_add (PACE_MS, on_pace, self);
    } else {
        self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
    }
}

static void
on_states_changed (Session *session, guint first, guint end, GuiGroupView *self)
{
    g_autoptr (JobRankSet) changed = job_rank_set_new_range (first, end);

    if (job_rank_set_intersects (changed, self->ranks)) {
        queue_update (self);
    }
}

static void
on_selection (GuiGroupView *self)
{
    if (session_selection_get_thread (self->selection, self->shown_by) != self->shown_thread) {
        gui_group_view_refresh (self, FALSE);
        return;
    }
    select_frame (self);
    show_place (self);
    refresh_values (self);
}

static void
on_set_chosen (GuiGroupView *self, const JobRankSet *set)
{
    g_signal_emit (self, signals[SET_CHOSEN], 0, set);
}

static void
set_shown_by (GuiGroupView *self, guint32 rank)
{
    self->shown_by = rank;
    gui_group_source_set_ranks (self->source, self->ranks, rank);
    gui_value_pane_set_shown_by (self->pages.locals, rank);
    gui_value_pane_set_shown_by (self->pages.watches, rank);
    gui_text_pane_refresh (self->pages.threads, self->session, rank, self->selection);
    gui_text_pane_refresh (self->pages.registers, self->session, rank, self->selection);
    gui_text_pane_refresh (self->pages.code, self->session, rank, self->selection);
    select_frame (self);
    show_place (self);
}

static void
on_representative (GuiGroupView *self)
{
    const char *id = gtk_combo_box_get_active_id (GTK_COMBO_BOX (self->representative));

    if (!self->is_filling && id != NULL) {
        self->is_chosen = TRUE;
        set_shown_by (self, (guint32) g_ascii_strtoull (id, NULL, 10));
    }
}

static void
take_shown_by (GuiGroupView *self, guint rank)
{
    self->is_filling = TRUE;
    gui_rank_choice_select (GTK_COMBO_BOX_TEXT (self->representative), rank);
    self->is_filling = FALSE;
    set_shown_by (self, rank);
}

void
gui_group_view_set_shown_by (GuiGroupView *self, guint32 rank)
{
    self->is_chosen = TRUE;
    take_shown_by (self, rank);
}

guint32
gui_group_view_get_shown_by (GuiGroupView *self)
{
    return self->shown_by;
}

static void
on_rank_chosen (GuiGroupView *self, guint rank)
{
    gui_group_view_set_shown_by (self, rank);
}

/* Unless the user has chosen the viewed rank, views the lowest readable one. */
static void
follow_stopped (GuiGroupView *self, const JobRankSet *stopped)
{
    guint32 lowest = job_rank_set_get_lowest (stopped);

    if (!self->is_chosen && !job_rank_set_is_empty (stopped) && lowest != self->shown_by) {
        take_shown_by (self, lowest);
    }
}

static void
run_on_ranks (GuiGroupView *self, const char *line)
{
    g_autofree char *ranks = job_rank_set_format (self->ranks);

    gui_command_panel_runf (self->panel, "on %s %s", ranks, line);
}

static void
on_begun (GuiGroupView *self)
{
    self->asked_until = 0;
}

/* The line may have changed values or options. They are not asked for again where that was done after all that it
 * has sent, as when its ranks have stopped or a frame was selected, or is done next. */
static void
on_done (GuiGroupView *self, gboolean ok)
{
    update_all (self);
    gui_group_source_update_marks (self->source);
    if (self->settle_source == 0
        && self->asked_until != session_get_next_request (self->session)) {
        refresh_values (self);
    }
}

static void
on_run_line (GuiGroupView *self, const char *line)
{
    if (g_str_has_prefix (line, "on ")) {
        gui_command_panel_run (self->panel, line);
    } else {
        run_on_ranks (self, line);
    }
}

static void
on_thread_line (GuiGroupView *self, const char *line)
{
    gui_command_panel_runf (self->panel, "on %u %s", self->shown_by, line);
}

static void
on_frame_chosen (GuiGroupView *self, const JobRankSet *set, guint number)
{
    g_autofree char *ranks = job_rank_set_format (set);

    gui_command_panel_runf (self->panel, "on %s frame %u", ranks, number);
}

static void
on_watch (GuiGroupView *self, const char *expression)
{
    gui_value_pane_add (self->pages.watches, expression);
    gui_theme_show_page (GTK_WIDGET (self->pages.watches));
}

static void
on_array (GuiGroupView *self, const char *expression)
{
    gui_array_length_open (GTK_WINDOW (gtk_widget_get_toplevel (GTK_WIDGET (self))),
                           self->session, self->selection, self->ranks, self->shown_by,
                           expression);
}

static void
on_edit_breakpoint (GuiGroupView *self, guint number, const char *text)
{
    if (self->pages.breakpoints == NULL) {
        return;
    }
    gui_theme_show_page (GTK_WIDGET (self->pages.breakpoints));
    if (number != 0) {
        gui_breakpoint_list_edit (self->pages.breakpoints, number);
    } else {
        gui_breakpoint_list_begin (self->pages.breakpoints, text);
    }
}

void
gui_group_view_show_source (GuiGroupView *self, const char *file, guint line)
{
    gui_group_source_show (self->source, file, line, FALSE);
}

static void
activate_pane (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    GuiGroupView *self = user;
    gboolean stack = g_str_equal (g_action_get_name (G_ACTION (action)), "show-stack");
    GtkWidget *pages = stack ? self->upper : self->lower;

    gtk_notebook_set_current_page (GTK_NOTEBOOK (pages), 0);
    gtk_widget_child_focus (gtk_notebook_get_nth_page (GTK_NOTEBOOK (pages), 0),
                            GTK_DIR_TAB_FORWARD);
}

static void
activate_copy (GSimpleAction *action, GVariant *parameter, gpointer user)
{
    g_autofree char *text = gui_stack_view_format (GUI_GROUP_VIEW (user)->stack);

    gtk_clipboard_set_text (gtk_widget_get_clipboard (user, GDK_SELECTION_CLIPBOARD), text, -1);
}

static const GActionEntry entries[] = {
    { "show-stack", activate_pane, NULL, NULL, NULL, { 0 } },
    { "show-locals", activate_pane, NULL, NULL, NULL, { 0 } },
    { "copy-stack", activate_copy, NULL, NULL, NULL, { 0 } },
};

void
gui_group_view_add_actions (GuiGroupView *self, GActionMap *window)
{
    g_action_map_add_action_entries (window, entries, G_N_ELEMENTS (entries), self);
    gui_group_source_add_actions (self->source, window);
}

static void
gui_group_view_dispose (GObject *object)
{
    GuiGroupView *self = GUI_GROUP_VIEW (object);

    g_clear_handle_id (&self->settle_source, g_source_remove);
    g_clear_handle_id (&self->pace_source, g_source_remove);
    g_clear_handle_id (&self->age_source, g_source_remove);
    g_clear_pointer (&self->grey, gui_grey_panes_free);
    g_clear_pointer (&self->stack_query, session_query_free);
    if (self->session != NULL) {
        g_signal_handlers_disconnect_by_data (self->session, self);
        g_signal_handlers_disconnect_by_data (self->selection, self);
        g_signal_handlers_disconnect_by_data (self->panel, self);
    }
    g_clear_object (&self->chooser);
    G_OBJECT_CLASS (gui_group_view_parent_class)->dispose (object);
    g_clear_object (&self->session);
    g_clear_object (&self->selection);
    g_clear_object (&self->panel);
}

static void
gui_group_view_finalize (GObject *object)
{
    GuiGroupView *self = GUI_GROUP_VIEW (object);

    job_rank_set_free (self->ranks);
    job_location_free (self->blocked_at);
    G_OBJECT_CLASS (gui_group_view_parent_class)->finalize (object);
}

static void
gui_group_view_class_init (GuiGroupViewClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->dispose = gui_group_view_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_group_view_finalize;
    signals[UPDATED] = g_signal_new ("updated", GUI_TYPE_GROUP_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                                     NULL, NULL, G_TYPE_NONE, 0);
    signals[SET_CHOSEN] = g_signal_new ("set-chosen", GUI_TYPE_GROUP_VIEW, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
    g_type_ensure (GUI_TYPE_GROUP_SOURCE);
    g_type_ensure (GUI_TYPE_STACK_VIEW);
    g_type_ensure (GUI_TYPE_FACE_BAR);
    gtk_widget_class_set_template_from_resource (widget, "/org/pddt/Pddt/group-view.ui");
#define BIND(field) gtk_widget_class_bind_template_child (widget, GuiGroupView, field)
    BIND (columns);
    BIND (source);
    BIND (stack);
    BIND (face);
    BIND (side);
    BIND (upper);
    BIND (lower);
    BIND (chooser);
    BIND (representative);
    BIND (age);
#undef BIND
#define CALL(function) gtk_widget_class_bind_template_callback (widget, function)
    CALL (run_on_ranks);
    CALL (on_watch);
    CALL (on_array);
    CALL (on_edit_breakpoint);
    CALL (gui_group_view_show_source);
    CALL (on_set_chosen);
    CALL (on_frame_chosen);
    CALL (on_representative);
#undef CALL
}

static void
gui_group_view_init (GuiGroupView *self)
{
    self->ranks = job_rank_set_new ();
    gtk_widget_init_template (GTK_WIDGET (self));
    g_object_ref (self->chooser); /* stands in the window's toolbar */
}

static void
fill_choices (GuiGroupView *self)
{
    GtkComboBoxText *combo = GTK_COMBO_BOX_TEXT (self->representative);

    self->is_filling = TRUE;
    gtk_combo_box_text_remove_all (combo);
    gui_rank_choice_fill (combo, self->ranks);
    if (!job_rank_set_is_empty (self->ranks)) {
        gui_rank_choice_select (combo, self->shown_by);
    }
    self->is_filling = FALSE;
}

static void
connect_panes (GuiGroupView *self)
{
    g_signal_connect_swapped (self->pages.locals, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->pages.watches, "run-line", G_CALLBACK (on_run_line), self);
    g_signal_connect_swapped (self->pages.locals, "watch", G_CALLBACK (on_watch), self);
    g_signal_connect_swapped (self->pages.locals, "array", G_CALLBACK (on_array), self);
    g_signal_connect_swapped (self->pages.watches, "array", G_CALLBACK (on_array), self);
    g_signal_connect_swapped (self->pages.threads, "run-line", G_CALLBACK (on_thread_line),
                              self);
    if (self->has_lists) {
        g_signal_connect_swapped (self->pages.table, "rank-chosen", G_CALLBACK (on_rank_chosen),
                                  self);
        g_signal_connect_swapped (self->pages.places, "set-chosen", G_CALLBACK (on_set_chosen),
                                  self);
        g_signal_connect_swapped (self->pages.breakpoints, "run-line", G_CALLBACK (on_run_line),
                                  self);
    }
}

/* Everything that depends on which ranks they are. */
static void
take_ranks (GuiGroupView *self, const JobRankSet *ranks)
{
    JobRankSet *taken = job_rank_set_dup (ranks);

    job_rank_set_free (self->ranks);
    self->ranks = taken;
    gui_value_pane_set_ranks (self->pages.locals, taken);
    gui_value_pane_set_ranks (self->pages.watches, taken);
    if (!job_rank_set_is_empty (taken) && !job_rank_set_contains (taken, self->shown_by)) {
        self->is_chosen = FALSE;
        self->shown_by = job_rank_set_get_lowest (taken);
    }
    gui_group_source_set_ranks (self->source, taken, self->shown_by);
    gui_value_pane_set_shown_by (self->pages.locals, self->shown_by);
    gui_value_pane_set_shown_by (self->pages.watches, self->shown_by);
    fill_choices (self);
}

void
gui_group_view_set_session (GuiGroupView *self, Session *session, GuiCommandPanel *panel,
                            const JobRankSet *ranks)
{
    g_return_if_fail (self->session == NULL);
    self->session = g_object_ref (session);
    self->panel = g_object_ref (panel);
    self->selection = g_object_ref (gui_command_panel_get_selection (panel));
    gui_group_source_set_session (self->source, session, self->selection);
    gui_value_pane_set_session (self->pages.locals, session, ranks, self->selection);
    gui_value_pane_set_session (self->pages.watches, session, ranks, self->selection);
    take_ranks (self, ranks);
    connect_panes (self);
    g_signal_connect_swapped (self->panel, "busy", G_CALLBACK (on_begun), self);
    g_signal_connect_swapped (self->panel, "done", G_CALLBACK (on_done), self);
    g_signal_connect (self->session, "states-changed", G_CALLBACK (on_states_changed), self);
    g_signal_connect_swapped (self->session, "progress", G_CALLBACK (queue_update), self);
    g_signal_connect_swapped (self->selection, "changed", G_CALLBACK (on_selection), self);
    self->age_source = g_timeout_add_seconds (1, on_age, self);
    show_place (self);
    if (self->has_lists) {
        gui_breakpoint_list_set_session (self->pages.breakpoints, session, ranks);
    }
    update_all (self);
    gui_group_source_update_marks (self->source);
}

void
gui_group_view_set_ranks (GuiGroupView *self, const JobRankSet *ranks)
{
    if (job_rank_set_equal (self->ranks, ranks)) {
        return;
    }
    take_ranks (self, ranks);
    self->shown_stops = self->blocked = 0; /* the stack is another set's */
    drop_stack (self);
    show_place (self);
    update_all (self);
}

void
gui_group_view_set_breakpoints (GuiGroupView *self, GuiBreakpointList *list)
{
    g_return_if_fail (!self->has_lists);
    self->pages.breakpoints = list;
}

void
gui_group_view_set_room (GuiGroupView *self, int width, int height)
{
    GuiGroupRoom room = gui_group_room_divide (width, height,
                                               gui_theme_get_char_width (GTK_WIDGET (self)),
                                               self->has_lists);

    gtk_orientable_set_orientation (GTK_ORIENTABLE (self->side), room.side);
    gtk_paned_set_position (GTK_PANED (self->columns), room.source);
    gtk_paned_set_position (GTK_PANED (self->side), room.stack);
}

GtkWidget *
gui_group_view_get_chooser (GuiGroupView *self)
{
    return self->chooser;
}

/* ---- between runs of its program ---- */

void
gui_group_view_save (GuiGroupView *self, SessionSavedWindow *saved)
{
    saved->watches = gui_value_pane_dup_expressions (self->pages.watches);
    saved->tabs = gui_group_source_dup_places (self->source);
    saved->shown_by = self->is_chosen ? (gint64) self->shown_by : -1;
    saved->layout[2] = gtk_paned_get_position (GTK_PANED (self->columns));
    saved->layout[4] = gtk_paned_get_position (GTK_PANED (self->side));
    saved->layout[5] = MAX (gtk_notebook_get_current_page (GTK_NOTEBOOK (self->upper)), 0);
    saved->layout[6] = MAX (gtk_notebook_get_current_page (GTK_NOTEBOOK (self->lower)), 0);
}

static void
restore_layout (GuiGroupView *self, const int *layout)
{
    gtk_paned_set_position (GTK_PANED (self->columns), layout[2]);
    gtk_paned_set_position (GTK_PANED (self->side), layout[4]);
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->upper), layout[5]);
    gtk_notebook_set_current_page (GTK_NOTEBOOK (self->lower), layout[6]);
}

void
gui_group_view_restore (GuiGroupView *self, const SessionSavedWindow *saved)
{
    for (guint i = 0; saved->watches != NULL && saved->watches[i] != NULL; i++) {
        gui_value_pane_add (self->pages.watches, saved->watches[i]);
    }
    gui_group_source_restore (self->source, saved->tabs);
    if (saved->shown_by >= 0
        && job_rank_set_contains (self->ranks, (guint32) saved->shown_by)) {
        gui_group_view_set_shown_by (self, (guint32) saved->shown_by);
    }
    if (saved->has_layout) {
        restore_layout (self, saved->layout);
    }
    gui_group_source_update_marks (self->source);
}

/* ---- its parts ---- */

static void
on_grey (gpointer user)
{
    update_age (user);
}

static void
build_grey (GuiGroupView *self)
{
    gpointer const panes[] = { self->stack,         self->pages.locals,    self->pages.watches,
                               self->pages.threads, self->pages.registers, self->pages.code };

    self->grey = gui_grey_panes_new (on_grey, self);
    for (guint i = 0; i < G_N_ELEMENTS (panes); i++) {
        gui_grey_panes_add (self->grey, panes[i]);
    }
}

GtkWidget *
gui_group_view_new (gboolean has_lists)
{
    GuiGroupView *self = g_object_new (GUI_TYPE_GROUP_VIEW, NULL);

    self->has_lists = has_lists;
    if (has_lists) {
        gui_face_bar_hide_places (self->face);
    }
    gui_group_pages_build (&self->pages, self->upper, self->lower, has_lists);
    build_grey (self);
    gui_theme_name (self->representative, "representative", _ ("View Rank"));
    gui_theme_name (self->age, "view-age", NULL);
    gtk_widget_show (GTK_WIDGET (self));
    return GTK_WIDGET (self);
}
