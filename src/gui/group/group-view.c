/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The group view queries stacks and locals when ranks of its set have stopped, on Update and after
 * commands of its window; stale data is grey. */
#include "gui/group/group-view.h"
#include "base/clock.h"
#include "gui/group/blocked-places.h"
#include "gui/group/face-bar.h"
#include "gui/group/group-age.h"
#include "gui/group/group-panes.h"
#include "gui/group/group-room.h"
#include "gui/group/group-source.h"
#include "gui/group/value-windows.h"
#include "gui/group/viewed-rank.h"
#include "gui/kit/properties.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/values/value-pane.h"
#include "session/query.h"

enum { SETTLE_MS = 60 };
/* Looking at so many takes milliseconds: one part a turn of the loop. */
enum { MANY_RANKS = 4096, PACE_MS = 250 };
enum { PART_FACE, PART_SOURCE, PART_STOPS, N_PARTS };

struct _GuiGroupView {
    GtkBox parent;
    GtkWidget *columns;
    GuiViewedRank *chooser; /* NULL: none yet */
    GuiGroupSource *source;
    GuiGroupPanes *panes;
    GuiFaceBar *face;
    gboolean has_lists;
    GuiBreakpointList *breakpoints; /* the window's; NULL: the panes have their own */
    GuiCommandPanel *panel;         /* the window's */
    Session *session;               /* the panel's; NULL: there is none */
    SessionSelection *selection;    /* the panel's */
    JobRankSet *ranks;
    JobLocation *blocked_at;        /* the viewed rank's, shown; NULL: it is not blocked */
    guint32 shown_by, shown_thread; /* its thread in the stack; 0: the one that has stopped */
    SessionQuery *stack_query;
    guint64 shown_stops, seen_stops; /* signatures of the group's stops */
    guint64 asked_until; /* the request after the values'; 0: a line has begun since */
    guint64 blocked;     /* signature of who is blocked while nobody is stopped; 0: nobody */
    gint64 shown_us, values_us; /* 0: nothing */
    GuiGroupSampled sampled;    /* which of the shown stacks are of running ranks */
    JobLocation *sampled_at;    /* where the viewed rank was then; NULL: it was not sampled */
    char *age;                  /* of what is shown; NULL: it is of the present moment */
    guint tick, pace_source, settle_source, age_source, values_source;
    guint part;         /* of the paced update, that is next */
    gboolean is_late;   /* something has changed since its first part */
    gboolean is_chosen; /* the user chose the viewed rank */
};

G_DEFINE_TYPE (GuiGroupView, gui_group_view, GTK_TYPE_BOX)

enum { UPDATED, SET_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static void show_place (GuiGroupView *self);

static void
update_age (GuiGroupView *self)
{
    gint64 silent_us = session_get_silent_since_us (self->session, self->ranks);
    gboolean stale = self->shown_us == 0 || self->shown_stops != self->seen_stops
                     || self->stack_query != NULL || silent_us != 0
                     || self->sampled == GUI_GROUP_SAMPLED_ALL;
    gboolean is_grey;
    g_autofree char *text = NULL;

    g_object_set (self->panes, "is-stale", stale, NULL);
    g_object_get (self->panes, "is-grey", &is_grey, NULL);
    if ((is_grey || self->sampled != GUI_GROUP_SAMPLED_NONE) && self->shown_us != 0) {
        text = gui_group_age_format (self->shown_us, self->values_us, silent_us, self->sampled);
    }
    if (g_strcmp0 (text, self->age) != 0) {
        g_free (self->age);
        self->age = g_strdup (text);
        g_signal_emit (self, signals[UPDATED], 0);
    }
    if (self->chooser != NULL) {
        g_object_set (self->chooser, "age-text", text, NULL);
    }
}

static gboolean
on_age (gpointer user)
{
    GuiGroupView *self = user;

    update_age (self);
    gui_group_panes_update_ages (self->panes);
    if (session_find_silent (self->session) != NULL) {
        gui_face_bar_update (self->face);
    }
    return G_SOURCE_CONTINUE;
}

/* Where the viewed rank was sampled while it ran, else what the session knows. */
static const JobLocation *
get_place (GuiGroupView *self)
{
    return self->sampled_at != NULL
               ? self->sampled_at
               : session_selection_get_place (self->selection, self->shown_by);
}

/* The viewed rank is not where that place says, or nobody knows. */
static gboolean
is_place_old (GuiGroupView *self)
{
    const SessionRank info = session_get_rank (self->session, self->shown_by);

    return info.is_there && job_state_get_info (info.state)->is_moving && !info.is_place_new;
}

char *
gui_group_view_format_place (GuiGroupView *self)
{
    const JobLocation *place = get_place (self);
    g_autofree char *where = place != NULL
                                 ? session_format_place (BASE_TEXT_SHOWN, self->session, place)
                                 : NULL;
    return gui_group_age_format_place (self->shown_by, where, is_place_old (self), self->age);
}

/* Moves the source to the representative's place. */
static void
show_place (GuiGroupView *self)
{
    const JobLocation *place = get_place (self);

    gui_group_source_set_old (self->source, is_place_old (self));
    if (place != NULL && place->file != NULL && place->line > 0) {
        gui_group_source_show (self->source, place->file, place->line, TRUE);
    } else {
        gui_group_source_update_marks (self->source);
    }
    g_signal_emit (self, signals[UPDATED], 0);
}

/* The stacks of ranks that ran are of a moment of their own, and ranks that have gone on since they were asked
 * leave the stack old. */
static void
on_stacks (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    GuiGroupView *self = user;
    g_autoptr (JobStackTree) tree = session_answer_take_tree (answer);

    self->sampled = gui_group_age_classify (tree, answer->sampled);
    job_location_free (self->sampled_at);
    self->sampled_at = job_rank_set_contains (answer->sampled, self->shown_by)
                           ? gui_group_age_dup_own_place (tree->root, self->shown_by)
                           : NULL;
    gui_group_panes_show_stack (self->panes, tree, answer->sampled);
    self->shown_us = base_clock_get_us ();
    if (!job_rank_set_is_empty (answer->old)) {
        self->shown_stops = G_MAXUINT64; /* of no moment that will be */
    }
    g_clear_pointer (&self->stack_query, session_query_free);
    if (self->sampled != GUI_GROUP_SAMPLED_NONE) {
        show_place (self);
    }
    update_age (self);
}

static gboolean
on_values (gpointer user)
{
    GuiGroupView *self = user;

    self->values_source = 0;
    gui_group_panes_refresh_values (self->panes);
    self->asked_until = session_get_next_request (self->session);
    return G_SOURCE_REMOVE;
}

/* Updates the panes that depend on the selected frame. */
static void
refresh_values (GuiGroupView *self)
{
    g_clear_handle_id (&self->values_source, g_source_remove);
    if (job_rank_set_get_count (self->ranks) > MANY_RANKS) {
        self->values_source = g_idle_add (on_values, self);
    } else {
        on_values (self);
    }
}

static void follow_stopped (GuiGroupView *self, const JobRankSet *stopped);

void
gui_group_view_foresee (Session *session)
{
    g_autoptr (JobRankSet) any = job_rank_set_new_range (0, 1u << 24);
    g_autoptr (JobRankSet) readable = job_rank_set_new_range (0, GUI_VALUE_PANE_MAX_READ);

    session_foresee (session, job_request_new (JOB_VERB_WHERE, any));
    session_foresee (session, job_request_new (JOB_VERB_LOCALS, readable));
}

void
gui_group_view_refresh (GuiGroupView *self, GuiGroupAsk ask)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = NULL;
    const JobRankSet *asked;
    JobRequest *request;

    if (self->session == NULL) {
        return;
    }
    stopped = session_dup_stopped (self->session, self->ranks, &signature);
    asked = ask != GUI_GROUP_ASK_STOPPED ? self->ranks : stopped;
    g_clear_pointer (&self->stack_query, session_query_free);
    follow_stopped (self, stopped);
    if (job_rank_set_is_empty (asked) || session_is_ended (self->session)) {
        return; /* what is shown stays old */
    }
    self->shown_stops = signature;
    g_clear_pointer (&self->sampled_at, job_location_free);
    request = job_request_new (JOB_VERB_WHERE, asked);
    request->flags = ask == GUI_GROUP_ASK_WAITING ? JOB_REQUEST_UNSTOPPED : 0;
    session_selection_mark (self->selection, request);
    self->shown_thread = session_selection_get_thread (self->selection, self->shown_by);
    self->stack_query = session_query_new (self->session, request, on_stacks, self);
    if (!job_rank_set_is_empty (stopped)) {
        self->values_us = base_clock_get_us ();
    }
    gui_group_panes_refresh_threads (self->panes);
    refresh_values (self);
    show_place (self);
    update_age (self);
}

void
gui_group_view_update (GuiGroupView *self)
{
    g_autofree char *ranks = job_rank_set_format (self->ranks);

    gui_command_panel_runf (self->panel, "on %s show state", ranks);
    gui_group_view_refresh (self, GUI_GROUP_ASK_WAITING);
}

/* Another set's: until an answer of these ranks comes, if one of them has stopped. */
static void
drop_stack (GuiGroupView *self)
{
    g_autoptr (JobRankSet) stopped = session_dup_stopped (self->session, self->ranks, NULL);

    if (job_rank_set_is_empty (stopped)) {
        gui_group_panes_show_stack (self->panes, NULL, NULL);
    }
}

static gboolean
on_settled (gpointer user)
{
    GuiGroupView *self = user;

    self->settle_source = 0;
    if (self->shown_stops != self->seen_stops) {
        gui_group_view_refresh (self, GUI_GROUP_ASK_STOPPED);
    }
    return G_SOURCE_REMOVE;
}

/* Where the viewed rank waits in vain is known without stopping it, and newer than what it was sampled at before. */
static void
follow_blocked (GuiGroupView *self)
{
    SessionRank info;
    const JobLocation *place = gui_blocked_places_find (self->session, self->shown_by, &info)
                                   ? info.place
                                   : NULL;

    if (place != NULL && !job_location_equal (place, self->blocked_at)) {
        g_clear_pointer (&self->sampled_at, job_location_free);
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

    if (blocked != self->blocked && blocked != 0) {
        self->sampled = GUI_GROUP_SAMPLED_NONE;
        gui_group_panes_show_stack (self->panes, NULL, NULL);
    }
    self->blocked = blocked;
}

static void
update_stops (GuiGroupView *self)
{
    guint64 signature;
    g_autoptr (JobRankSet) stopped = session_dup_stopped (self->session, self->ranks,
                                                          &signature);

    follow_blocked (self);
    follow_places (self, stopped);
    self->seen_stops = signature;
    gui_group_panes_offer_sample (self->panes);
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

static void
update_part (GuiGroupView *self, guint part)
{
    switch (part) {
    case PART_FACE: gui_face_bar_update (self->face); break;
    case PART_SOURCE:
        gui_group_source_set_old (self->source, is_place_old (self));
        gui_group_source_update_marks (self->source);
        break;
    default: update_stops (self);
    }
}

static void
update_all (GuiGroupView *self)
{
    for (guint part = 0; part < N_PARTS; part++) {
        update_part (self, part);
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

static void queue_update (GuiGroupView *self);

static gboolean
on_pace (gpointer user)
{
    GuiGroupView *self = user;
    guint part = self->part;

    self->is_late = self->is_late && part != 0;
    self->part = (part + 1) % N_PARTS;
    self->pace_source = self->part != 0 ? g_idle_add (on_pace, self) : 0;
    update_part (self, part);
    if (self->part == 0 && self->is_late) {
        queue_update (self);
    }
    return G_SOURCE_REMOVE;
}

static void
queue_update (GuiGroupView *self)
{
    if (self->tick != 0 || self->pace_source != 0) {
        self->is_late = TRUE;
        return;
    }
    if (job_rank_set_get_count (self->ranks) > MANY_RANKS) {
        self->part = 0;
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

/* What is shown is of the job before. */
static void
on_restarted (GuiGroupView *self)
{
    g_clear_pointer (&self->stack_query, session_query_free);
    g_clear_pointer (&self->sampled_at, job_location_free);
    self->sampled = GUI_GROUP_SAMPLED_NONE;
    self->shown_stops = self->blocked = 0;
    self->shown_us = self->values_us = 0;
    gui_group_panes_show_stack (self->panes, NULL, NULL);
    update_age (self);
}

static void
on_selection (GuiGroupView *self)
{
    if (session_selection_get_thread (self->selection, self->shown_by) != self->shown_thread) {
        gui_group_view_refresh (self, GUI_GROUP_ASK_STOPPED);
        return;
    }
    gui_group_panes_select_frame (self->panes);
    show_place (self);
    refresh_values (self);
}

static void
on_set_chosen (GuiGroupView *self, const JobRankSet *set)
{
    g_signal_emit (self, signals[SET_CHOSEN], 0, set);
}

/* Its parts know which rank is viewed, and which ranks they are. */
static void
tell_parts (GuiGroupView *self)
{
    g_object_set (self->source, "ranks", self->ranks, "shown-by", self->shown_by, NULL);
    g_object_set (self->panes, "ranks", self->ranks, "shown-by", self->shown_by, NULL);
    g_object_set (self->face, "ranks", self->ranks, NULL);
    if (self->chooser != NULL) {
        g_object_set (self->chooser, "ranks", self->ranks, "rank", self->shown_by, NULL);
    }
}

static void
set_shown_by (GuiGroupView *self, guint32 rank)
{
    self->shown_by = rank;
    if (self->session != NULL) {
        tell_parts (self);
        gui_group_panes_select_frame (self->panes);
        show_place (self);
    }
}

void
gui_group_view_set_shown_by (GuiGroupView *self, guint32 rank)
{
    self->is_chosen = TRUE;
    set_shown_by (self, rank);
}

/* Unless the user has chosen the viewed rank, views the lowest readable one. */
static void
follow_stopped (GuiGroupView *self, const JobRankSet *stopped)
{
    guint32 lowest = job_rank_set_get_lowest (stopped);

    if (!self->is_chosen && !job_rank_set_is_empty (stopped) && lowest != self->shown_by) {
        set_shown_by (self, lowest);
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
    if (g_str_has_prefix (line, "on ") || g_str_has_prefix (line, "set option ")) {
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
on_show_value (GuiGroupView *self, const char *as, const char *expression)
{
    gui_value_window_open (GTK_WIDGET (self), as, self->session, self->selection, self->ranks,
                           self->shown_by, expression);
}

void
gui_group_view_show_source (GuiGroupView *self, const char *file, guint line)
{
    gui_group_source_show (self->source, file, line, FALSE);
}

void
gui_group_view_add_actions (GuiGroupView *self, GActionMap *window)
{
    gui_group_panes_add_actions (self->panes, window);
    gui_group_source_add_actions (self->source, window);
}

/* ---- what it shows ---- */

static void
stop_following (GuiGroupView *self)
{
    g_clear_handle_id (&self->settle_source, g_source_remove);
    g_clear_handle_id (&self->pace_source, g_source_remove);
    g_clear_handle_id (&self->values_source, g_source_remove);
    g_clear_handle_id (&self->age_source, g_source_remove);
    if (self->tick != 0) {
        gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick);
        self->tick = 0;
    }
    g_clear_pointer (&self->stack_query, session_query_free);
    g_signal_handlers_disconnect_by_data (self->session, self);
    g_signal_handlers_disconnect_by_data (self->selection, self);
    g_clear_object (&self->session);
    g_clear_object (&self->selection);
}

static void
begin_following (GuiGroupView *self)
{
    g_signal_connect (self->session, "states-changed", G_CALLBACK (on_states_changed), self);
    g_signal_connect_swapped (self->session, "progress", G_CALLBACK (queue_update), self);
    g_signal_connect_swapped (self->session, "restarted", G_CALLBACK (on_restarted), self);
    g_signal_connect_swapped (self->selection, "changed", G_CALLBACK (on_selection), self);
    self->age_source = g_timeout_add_seconds (1, on_age, self);
    self->shown_stops = self->blocked = 0;
    tell_parts (self);
    show_place (self);
    update_all (self);
}

/* The panel's session is the view's, and that of its parts. */
static void
follow_panel (GuiGroupView *self)
{
    g_autoptr (Session) session = NULL;
    g_autoptr (SessionSelection) selection = NULL;

    if (self->panel != NULL) {
        g_object_get (self->panel, "session", &session, "selection", &selection, NULL);
    }
    if (session == self->session) {
        return;
    }
    if (self->session != NULL) {
        stop_following (self);
    }
    g_object_set (self->source, "session", session, "selection", selection, NULL);
    g_object_set (self->face, "session", session, NULL);
    g_object_set (self->panes, "session", session, "selection", selection, NULL);
    if (session != NULL) {
        self->session = g_steal_pointer (&session);
        self->selection = g_steal_pointer (&selection);
        begin_following (self);
    }
    g_object_notify (G_OBJECT (self), "selection");
    g_object_notify (G_OBJECT (self), "session");
}

static void
leave_panel (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_GROUP_VIEW (user)->panel, user);
}

static void
enter_panel (gpointer user)
{
    GuiGroupView *self = user;

    if (self->panel != NULL) {
        g_signal_connect_swapped (self->panel, "busy", G_CALLBACK (on_begun), self);
        g_signal_connect_swapped (self->panel, "done", G_CALLBACK (on_done), self);
        g_signal_connect_swapped (self->panel, "notify::session", G_CALLBACK (follow_panel),
                                  self);
    }
    follow_panel (self);
}

static void
enter_ranks (gpointer user)
{
    GuiGroupView *self = user;

    if (self->ranks == NULL) {
        self->ranks = job_rank_set_new ();
    }
    if (!job_rank_set_is_empty (self->ranks)
        && !job_rank_set_contains (self->ranks, self->shown_by)) {
        self->is_chosen = FALSE;
        self->shown_by = job_rank_set_get_lowest (self->ranks);
    }
    tell_parts (self);
    if (self->session != NULL) {
        self->shown_stops = self->blocked = 0; /* the stack is another set's */
        drop_stack (self);
        show_place (self);
        update_all (self);
    }
}

static void
leave_chooser (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_GROUP_VIEW (user)->chooser, user);
}

static void
enter_chooser (gpointer user)
{
    GuiGroupView *self = user;

    if (self->chooser != NULL) {
        g_signal_connect_swapped (self->chooser, "chosen",
                                  G_CALLBACK (gui_group_view_set_shown_by), self);
    }
    tell_parts (self);
}

/* ---- its life ---- */

static void
gui_group_view_dispose (GObject *object)
{
    GuiGroupView *self = GUI_GROUP_VIEW (object);

    if (self->session != NULL) {
        stop_following (self);
    }
    gui_properties_clear (self, GUI_TYPE_GROUP_VIEW);
    G_OBJECT_CLASS (gui_group_view_parent_class)->dispose (object);
}

GUI_FINALIZE (gui_group_view, GuiGroupView, job_location_free (self->blocked_at);
              job_location_free (self->sampled_at); g_free (self->age))

static void
gui_group_view_constructed (GObject *object)
{
    GuiGroupView *self = GUI_GROUP_VIEW (object);

    G_OBJECT_CLASS (gui_group_view_parent_class)->constructed (object);
    if (self->has_lists) {
        g_object_set (self->face, "hides-places", TRUE, NULL);
    } else {
        gui_properties_share (self, "breakpoints", self->panes, NULL);
    }
}

static void
gui_group_view_class_init (GuiGroupViewClass *klass)
{
    G_OBJECT_CLASS (klass)->constructed = gui_group_view_constructed;
    G_OBJECT_CLASS (klass)->dispose = gui_group_view_dispose;
    G_OBJECT_CLASS (klass)->finalize = gui_group_view_finalize;
    GUI_PROPERTIES (klass, GuiGroupView,
                    (has_lists, G_TYPE_BOOLEAN, .flags = G_PARAM_CONSTRUCT_ONLY),
                    (session, SESSION_TYPE_SESSION, .flags = G_PARAM_READABLE),
                    (selection, SESSION_TYPE_SELECTION, .flags = G_PARAM_READABLE),
                    (panel, GUI_TYPE_COMMAND_PANEL, leave_panel, enter_panel),
                    (ranks, GUI_TYPE_RANK_SET, .enter = enter_ranks),
                    (breakpoints, GUI_TYPE_BREAKPOINT_LIST),
                    (chooser, GUI_TYPE_VIEWED_RANK, leave_chooser, enter_chooser));
    signals[UPDATED] = GUI_SIGNAL (klass, "updated");
    signals[SET_CHOSEN] = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
    GUI_ENSURE (GUI_TYPE_GROUP_SOURCE, GUI_TYPE_FACE_BAR, GUI_TYPE_GROUP_PANES);
    GUI_TEMPLATE (klass, "group-view.ui");
    GUI_CHILDREN (klass, GuiGroupView, columns, panes, source, face);
    GUI_CALLBACKS (klass, run_on_ranks, gui_group_panes_watch, gui_group_panes_set_line,
                   gui_group_source_set_inline, on_show_value, gui_group_panes_edit_breakpoint,
                   on_set_chosen, on_run_line, on_thread_line, on_frame_chosen,
                   gui_group_view_show_source, gui_group_view_set_shown_by, update_age);
}

static void
gui_group_view_init (GuiGroupView *self)
{
    self->ranks = job_rank_set_new ();
    gtk_widget_init_template (GTK_WIDGET (self));
}

void
gui_group_view_set_room (GuiGroupView *self, int width, int height)
{
    GuiGroupRoom room = gui_group_room_divide (width, height,
                                               gui_theme_get_char_width (GTK_WIDGET (self)),
                                               self->has_lists);

    gtk_orientable_set_orientation (GTK_ORIENTABLE (self->panes), room.side);
    gtk_paned_set_position (GTK_PANED (self->columns), room.source);
    gtk_paned_set_position (GTK_PANED (self->panes), room.stack);
}

/* ---- between runs of its program ---- */

void
gui_group_view_save (GuiGroupView *self, SessionSavedWindow *saved)
{
    saved->watches = gui_group_panes_dup_watches (self->panes);
    saved->tabs = gui_group_source_dup_places (self->source);
    saved->shown_by = self->is_chosen ? (gint64) self->shown_by : -1;
    saved->layout[2] = gtk_paned_get_position (GTK_PANED (self->columns));
    saved->layout[4] = gtk_paned_get_position (GTK_PANED (self->panes));
    gui_group_panes_get_pages (self->panes, &saved->layout[5], &saved->layout[6]);
}

void
gui_group_view_restore (GuiGroupView *self, const SessionSavedWindow *saved)
{
    gui_group_panes_add_watches (self->panes, saved->watches);
    gui_group_source_restore (self->source, saved->tabs);
    if (saved->shown_by >= 0
        && job_rank_set_contains (self->ranks, (guint32) saved->shown_by)) {
        gui_group_view_set_shown_by (self, (guint32) saved->shown_by);
    }
    if (saved->has_layout) {
        gtk_paned_set_position (GTK_PANED (self->columns), saved->layout[2]);
        gtk_paned_set_position (GTK_PANED (self->panes), saved->layout[4]);
        gui_group_panes_set_pages (self->panes, saved->layout[5], saved->layout[6]);
    }
    gui_group_source_update_marks (self->source);
}
