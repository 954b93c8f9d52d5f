/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Only the visible rows are counted and painted, pixel by pixel. */
#include "gui/profile/timeline-view.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/kit/template.h"
#include "gui/profile/profile-axis.h"
#include "gui/profile/profile-common.h"
#include "gui/profile/timeline-counters.h"
#include "gui/profile/timeline-detail.h"
#include "gui/profile/timeline-levels.h"
#include "gui/profile/timeline-list.h"
#include "gui/profile/timeline-messages.h"
#include "gui/profile/timeline-search.h"

enum { LEAST_ROW = 6, MOST_ROW = 26, LABEL_ROW = 13, AT_ONCE = 512, MARK = 14 };

typedef GuiTimelineRow Row;

struct _GuiTimelineView {
    GuiProfileCanvas parent;
    GuiTimelineList *list;
    GArray *rows; /* of Row: the list's */
    gboolean hides_messages, lacks_messages;
    GArray *messages, *collectives; /* of guint32: that were drawn last */
    char *archive, *archive_program;
    GuiTimelineSearch *search;
    GuiTimelineDetail *detail; /* NULL: there is no archive to ask */
    double room;               /* that rows share; 0: the widget's */
    guint current;             /* row that has the keyboard's mark */
    gboolean is_dragging, is_dragging_rows;
    double from, to;        /* s, while time is dragged */
    guint from_row, to_row; /* while ranks are dragged */
    double moment;          /* s; negative: none */
    guint32 moment_rank;
};

G_DEFINE_TYPE (GuiTimelineView, gui_timeline_view, GUI_TYPE_PROFILE_CANVAS)

static GuiProfileSelection *
get_selection (GuiTimelineView *self)
{
    return gui_profile_canvas_get_selection (GUI_PROFILE_CANVAS (self));
}

static const ProfileModel *
get_model (GuiTimelineView *self)
{
    return gui_profile_selection_get_model (get_selection (self));
}

static const Row *
get_row (const GuiTimelineView *self, guint number)
{
    return &g_array_index (self->rows, Row, number);
}

/* ---- rows ---- */

static void
build_rows (GuiTimelineView *self)
{
    gui_timeline_list_build (self->list, get_model (self),
                             gui_profile_selection_get_ranks (get_selection (self)));
    self->current = MIN (self->current, MAX (self->rows->len, 1) - 1);
}

static double
get_row_height (GuiTimelineView *self)
{
    double room = self->room > 0 ? self->room
                                 : gui_profile_canvas_get_height (GUI_PROFILE_CANVAS (self));

    return CLAMP (floor ((room - GUI_PROFILE_AXIS - 6) / MAX (self->rows->len, 1)), LEAST_ROW,
                  MOST_ROW);
}

static double
get_full_height (GuiProfileCanvas *canvas, double width)
{
    GuiTimelineView *self = GUI_TIMELINE_VIEW (canvas);

    return GUI_PROFILE_AXIS + self->rows->len * get_row_height (self) + 6;
}

static void
changed (GuiProfileCanvas *canvas, guint what)
{
    GuiTimelineView *self = GUI_TIMELINE_VIEW (canvas);

    if ((what & GUI_PROFILE_CHANGE_MODEL) != 0 && (what & GUI_PROFILE_CHANGE_PLACE) != 0) {
        gui_timeline_list_close (self->list); /* another model */
        self->moment = -1;
    }
    build_rows (self);
    gui_timeline_search_set (self->search, get_model (self),
                             gui_profile_selection_get_ranks (get_selection (self)),
                             gui_timeline_search_get_text (self->search),
                             (what & GUI_PROFILE_CHANGE_MODEL) != 0);
}

static gboolean
has_messages (GuiTimelineView *self)
{
    const ProfileModel *model = get_model (self);

    return model != NULL
           && profile_model_get_n_messages (model) + profile_model_get_n_collectives (model)
                  > 0;
}

void
gui_timeline_view_show_messages (GuiTimelineView *self, gboolean are_shown)
{
    self->hides_messages = !are_shown;
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self));
}

guint
gui_timeline_view_get_n_rows (GuiTimelineView *self)
{
    return self->rows->len;
}

void
gui_timeline_view_set_room (GuiTimelineView *self, double height)
{
    self->room = height;
}

void
gui_timeline_view_toggle (GuiTimelineView *self, guint32 rank)
{
    gui_timeline_list_toggle_rank (self->list, rank);
    build_rows (self);
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self));
}

static void
toggle_row (GuiTimelineView *self, const Row *row)
{
    gui_timeline_list_toggle (self->list, get_model (self), row);
    build_rows (self);
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self));
}

/* FALSE: there is none. */
static gboolean
find_row (GuiTimelineView *self, double y, guint *ret_row)
{
    double at = y - GUI_PROFILE_AXIS
                + gui_profile_canvas_get_offset (GUI_PROFILE_CANVAS (self));

    *ret_row = at >= 0 ? (guint) (at / get_row_height (self)) : 0;
    return y >= GUI_PROFILE_AXIS && *ret_row < self->rows->len;
}

gboolean
gui_timeline_view_hit (GuiTimelineView *self, double y, guint32 *ret_rank, guint *ret_thread)
{
    guint row;

    if (!find_row (self, y, &row)) {
        return FALSE;
    }
    *ret_rank = profile_model_get_rank (get_model (self), get_row (self, row)->index);
    *ret_thread = get_row (self, row)->thread;
    return TRUE;
}

/* ---- painting ---- */

static gboolean
can_open (GuiTimelineView *self, const Row *row)
{
    return row->level == 0 && row->counter == 0
           && (row->thread != PROFILE_COUNTED_THREADS
               || profile_samples_get_n_threads (get_model (self), row->index) > 0);
}

static void
paint_labels (GuiTimelineView *self, cairo_t *cr, guint first, guint end, double top,
              double height, const GuiProfilePainting *painting)
{
    guint every = (guint) MAX (1, ceil (LABEL_ROW / height));
    double size = CLAMP (height - 4, 9, 12);

    for (guint row = first; row < end; row++) {
        const Row *at = get_row (self, row);
        gboolean is_rank = at->thread == PROFILE_COUNTED_THREADS && at->counter == 0;
        double y = top + (row - first) * height;
        g_autofree char *label = is_rank ? gui_profile_dup_label (get_model (self), at->index)
                                         : gui_timeline_rows_dup_label (get_model (self), at);
        double left = is_rank ? MARK + 4 : at->level > 0 ? 2 * MARK + 14 : MARK + 14;

        if (row % every != 0) {
            continue;
        }
        if (height >= 10 && can_open (self, at)) {
            gui_timeline_rows_paint_mark (cr, is_rank ? 4 : MARK, y + height / 2 - 1,
                                          gui_timeline_list_is_open (self->list,
                                                                     get_model (self), at),
                                          painting->colours->muted);
        }
        gui_profile_draw_text (cr, label, size,
                               painting->is_screen && row == self->current && is_rank,
                               is_rank ? painting->colours->foreground
                                       : painting->colours->muted,
                               GUI_PROFILE_LEFT, left, y + (height - size * 1.5) / 2,
                               GUI_PROFILE_LABELS - left - 4);
    }
}

static void
paint_moment (GuiTimelineView *self, cairo_t *cr, const GuiProfileAxis *axis,
              const GuiProfilePainting *painting)
{
    double x = gui_profile_axis_get_x (axis, self->moment);

    if (self->moment >= axis->begin_s && self->moment <= axis->end_s) {
        gui_profile_set_colour (cr, painting->colours->selection, 0.9);
        cairo_rectangle (cr, floor (x), GUI_PROFILE_AXIS, 1,
                         painting->height - GUI_PROFILE_AXIS);
        cairo_fill (cr);
    }
}

static void
paint_drag (GuiTimelineView *self, cairo_t *cr, const GuiProfileAxis *axis, double row_height,
            const GuiProfilePainting *painting)
{
    double x = axis->x, width = axis->width;
    double y = GUI_PROFILE_AXIS, height = painting->height - GUI_PROFILE_AXIS;

    if (self->is_dragging_rows) {
        guint low = MIN (self->from_row, self->to_row),
              high = MAX (self->from_row, self->to_row);

        y += low * row_height - painting->offset;
        height = (high - low + 1) * row_height;
        x = 0;
        width += axis->x;
    } else {
        double one = gui_profile_axis_get_x (axis, self->from);
        double other = gui_profile_axis_get_x (axis, self->to);

        x = MIN (one, other);
        width = fabs (one - other);
    }
    gui_profile_set_colour (cr, painting->colours->selection, 0.18);
    cairo_rectangle (cr, x, y, width, height);
    cairo_fill_preserve (cr);
    gui_profile_set_colour (cr, painting->colours->selection, 1);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
}

static void
get_axis (GuiTimelineView *self, double width, GuiProfileAxis *axis)
{
    GuiProfileSelection *selection = get_selection (self);

    gui_profile_axis_init (axis, gui_profile_selection_get_begin (selection),
                           gui_profile_selection_get_end (selection), width);
}

/* Where the rows are while `height` of the picture is visible from `offset` on. */
static void
get_places (GuiTimelineView *self, double width, double height, double offset,
            GuiTimelineRows *ret)
{
    double row_height = get_row_height (self);
    guint last = self->rows->len - 1;

    get_axis (self, width, &ret->axis);
    ret->rows = gui_timeline_list_get_by_rank (self->list);
    ret->height = row_height;
    ret->top = GUI_PROFILE_AXIS - offset;
    ret->bottom = height;
    ret->first_rank
        = profile_model_get_rank (get_model (self),
                                  get_row (self, MIN (last, (guint) (offset / row_height)))
                                      ->index);
    ret->last_rank = profile_model_get_rank (
        get_model (self),
        get_row (self, MIN (last, (guint) ((offset + height) / row_height)))->index);
}

static void
paint_messages (GuiTimelineView *self, cairo_t *cr, const GuiProfilePainting *painting)
{
    GuiTimelineRows rows;

    g_array_set_size (self->messages, 0);
    g_array_set_size (self->collectives, 0);
    self->lacks_messages = FALSE;
    if (self->hides_messages || self->rows->len == 0 || !has_messages (self)) {
        return;
    }
    get_places (self, painting->width, painting->height, painting->offset, &rows);
    self->lacks_messages = !gui_timeline_messages_paint (cr, get_model (self), &rows,
                                                         painting->colours, self->messages,
                                                         self->collectives);
    if (self->lacks_messages) {
        gui_profile_draw_text (cr, _ ("Not all messages"), 9, FALSE, painting->colours->muted,
                               GUI_PROFILE_LEFT, 2, 7, GUI_PROFILE_LABELS - 16);
    }
}

static void
paint (GuiProfileCanvas *canvas, cairo_t *cr, const GuiProfilePainting *painting)
{
    GuiTimelineView *self = GUI_TIMELINE_VIEW (canvas);
    double height = get_row_height (self), top;
    guint first = (guint) (painting->offset / height);
    guint end = (guint) MIN (self->rows->len,
                             ceil ((painting->offset + painting->height - GUI_PROFILE_AXIS)
                                   / height));
    GuiProfileAxis axis;

    get_axis (self, painting->width, &axis);
    if (get_model (self) != NULL) {
        gui_timeline_detail_want (self->detail, get_model (self), &axis);
    }
    top = GUI_PROFILE_AXIS + first * height - painting->offset;
    first = MIN (first, end);
    cairo_save (cr);
    cairo_rectangle (cr, 0, GUI_PROFILE_AXIS, painting->width, painting->height);
    cairo_clip (cr);
    for (guint row = first; row < end; row += AT_ONCE) { /* images cannot be of any height */
        gui_timeline_detail_paint (self->detail, cr, get_model (self), get_row (self, row),
                                   MIN (end, row + AT_ONCE) - row, (guint) height,
                                   gui_profile_selection_get_class (get_selection (self)),
                                   &axis, top + (row - first) * height, painting->colours);
    }
    paint_labels (self, cr, first, end, top, height, painting);
    cairo_restore (cr);
    gui_profile_axis_draw (&axis, cr, painting->colours, GUI_PROFILE_AXIS);
    paint_messages (self, cr, painting);
    if (painting->is_screen) {
        paint_moment (self, cr, &axis, painting);
        gui_timeline_search_paint (self->search, cr, self->rows, &axis, height, painting);
        if (self->is_dragging) {
            paint_drag (self, cr, &axis, height, painting);
        }
    }
}

/* ---- the pointer ---- */

static void
select_rows (GuiTimelineView *self)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new ();
    guint low = MIN (self->from_row, self->to_row), high = MAX (self->from_row, self->to_row);

    for (guint row = low; row <= high && row < self->rows->len; row++) {
        job_rank_set_add (ranks, profile_model_get_rank (get_model (self),
                                                         get_row (self, row)->index));
    }
    gui_profile_selection_set_ranks (get_selection (self), ranks);
}

static void
drag (GuiProfileCanvas *canvas, double from_x, double from_y, double x, double y,
      gboolean is_end)
{
    GuiTimelineView *self = GUI_TIMELINE_VIEW (canvas);
    GuiProfileAxis axis;

    if (self->rows->len == 0) {
        return;
    }
    get_axis (self, gui_profile_canvas_get_width (canvas), &axis);
    self->is_dragging_rows = from_x < axis.x;
    self->is_dragging = !is_end;
    if (!find_row (self, from_y, &self->from_row)) {
        self->from_row = from_y < GUI_PROFILE_AXIS ? 0 : self->rows->len - 1;
    }
    if (!find_row (self, y, &self->to_row)) {
        self->to_row = y < GUI_PROFILE_AXIS ? 0 : self->rows->len - 1;
    }
    self->from = gui_profile_axis_get_time (&axis, from_x);
    self->to = gui_profile_axis_get_time (&axis, x);
    if (is_end && self->is_dragging_rows) {
        select_rows (self);
    } else if (is_end) {
        gui_profile_selection_set_time (get_selection (self), self->from, self->to);
    }
    gui_profile_canvas_queue (canvas);
}

/* The thread that stands for the row. */
static guint
get_thread (GuiTimelineView *self, const Row *row)
{
    guint thread = row->thread;

    if (thread == PROFILE_COUNTED_THREADS
        && !profile_model_find_first_thread (get_model (self), row->index, &thread)) {
        thread = 0;
    }
    return thread;
}

static void
append_marks (GuiTimelineView *self, GString *text, guint32 context)
{
    const JobContextTree *tree = profile_model_get_contexts (get_model (self));
    g_autofree char *marks = job_frame_format_marks (BASE_TEXT_SHOWN,
                                                     job_context_tree_get (tree, context)->flags
                                                         & JOB_FRAME_SAMPLED);

    g_string_append (text, marks);
}

static const JobLocation *
find_location (GuiTimelineView *self, const Row *row, double time_s, guint32 *ret_context)
{
    const ProfileModel *model = get_model (self);
    ProfileSample sample;

    *ret_context = 0;
    if (profile_model_find_sample (model, row->index, get_thread (self, row), time_s, &sample)
        && sample.context != 0) {
        *ret_context = row->level > 0
                           ? gui_timeline_levels_find (model, row->index, &sample, row->level)
                           : profile_samples_get_seen (model, row->index, &sample);
    }
    return *ret_context != 0
               ? &job_context_tree_get (profile_model_get_contexts (model), *ret_context)
                      ->location
               : NULL;
}

static void
choose_moment (GuiTimelineView *self, guint row, double time_s)
{
    const Row *at = get_row (self, row);
    guint32 context;

    find_location (self, at, time_s, &context);
    self->moment = time_s;
    self->moment_rank = profile_model_get_rank (get_model (self), at->index);
    gui_profile_selection_set_context (get_selection (self), context);
    gui_profile_canvas_emit_moment (GUI_PROFILE_CANVAS (self), time_s, self->moment_rank,
                                    get_thread (self, at));
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self));
}

static void
click (GuiProfileCanvas *canvas, const GdkEventButton *event)
{
    GuiTimelineView *self = GUI_TIMELINE_VIEW (canvas);
    GuiProfileAxis axis;
    guint row;
    guint32 context;
    const JobLocation *location;

    get_axis (self, gui_profile_canvas_get_width (canvas), &axis);
    if (!find_row (self, event->y, &row)) {
        return;
    }
    self->current = row;
    if (event->x < axis.x && event->button == GDK_BUTTON_PRIMARY) {
        toggle_row (self, get_row (self, row));
    } else if (event->button == GDK_BUTTON_PRIMARY) {
        choose_moment (self, row, gui_profile_axis_get_time (&axis, event->x));
    } else if (event->button == GDK_BUTTON_SECONDARY) {
        location = find_location (self, get_row (self, row),
                                  gui_profile_axis_get_time (&axis, event->x), &context);
        if (location != NULL) {
            gui_profile_view_popup_menu (GUI_PROFILE_VIEW (self), location,
                                         (const GdkEvent *) event);
        }
    }
}

static void
zoom (GuiTimelineView *self, double time_s, double steps)
{
    GuiProfileSelection *selection = get_selection (self);
    double begin = gui_profile_selection_get_begin (selection);
    double end = gui_profile_selection_get_end (selection);

    gui_profile_axis_zoom (&begin, &end, time_s, steps,
                           self->detail != NULL && profile_model_is_traced (get_model (self))
                               ? GUI_PROFILE_LEAST_TRACED
                               : GUI_PROFILE_LEAST_SAMPLED,
                           gui_profile_selection_get_duration (selection));
    gui_profile_selection_set_time (selection, begin, end);
}

static void
pan (GuiTimelineView *self, double share)
{
    GuiProfileSelection *selection = get_selection (self);
    double begin = gui_profile_selection_get_begin (selection);
    double span = gui_profile_selection_get_end (selection) - begin;

    begin = CLAMP (begin + share * span, 0,
                   MAX (0, gui_profile_selection_get_duration (selection) - span));
    gui_profile_selection_set_time (selection, begin, begin + span);
}

static gboolean
wheel (GuiProfileCanvas *canvas, double x, double y, double steps, guint state)
{
    GuiTimelineView *self = GUI_TIMELINE_VIEW (canvas);
    GuiProfileAxis axis;

    get_axis (self, gui_profile_canvas_get_width (canvas), &axis);
    if (x < axis.x || (state & GDK_CONTROL_MASK) != 0) {
        return FALSE;
    }
    if ((state & GDK_SHIFT_MASK) != 0) {
        pan (self, steps * 0.1);
    } else {
        zoom (self, gui_profile_axis_get_time (&axis, x), steps);
    }
    return TRUE;
}

/* ---- the row that has the keyboard's mark ---- */

static void
move_to (GuiTimelineView *self, guint row)
{
    double height = get_row_height (self);

    self->current = MIN (row, MAX (self->rows->len, 1) - 1);
    gui_profile_canvas_reveal (GUI_PROFILE_CANVAS (self), self->current * height,
                               GUI_PROFILE_AXIS + (self->current + 1) * height);
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self));
}

/* ---- search ---- */

void
gui_timeline_view_search (GuiTimelineView *self, const char *text)
{
    gui_timeline_search_set (self->search, get_model (self),
                             gui_profile_selection_get_ranks (get_selection (self)), text,
                             FALSE);
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self));
}

void
gui_timeline_view_step (GuiTimelineView *self, gboolean is_back)
{
    GuiProfileSelection *selection = get_selection (self);
    double begin = gui_profile_selection_get_begin (selection);
    double end = gui_profile_selection_get_end (selection);
    const GuiTimelineFound *found = gui_timeline_search_step (self->search, is_back, begin);

    if (found == NULL) {
        return;
    }
    gui_timeline_list_open (self->list, get_model (self), found->index, found->thread);
    gui_timeline_search_choose_time (found,
                                     gui_profile_canvas_get_width (GUI_PROFILE_CANVAS (self)),
                                     gui_profile_selection_get_duration (selection), &begin,
                                     &end);
    gui_profile_selection_set_time (selection, begin, end);
    build_rows (self); /* the time may be the same as before */
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (self)); /* it scrolls over all of them now */
    move_to (self, gui_timeline_search_find_row (self->search, self->rows));
}

char *
gui_timeline_view_dup_found (GuiTimelineView *self)
{
    return gui_timeline_search_dup_line (self->search, get_model (self));
}

/* ---- the keyboard ---- */

static gboolean
key (GuiProfileCanvas *canvas, const GdkEventKey *event)
{
    GuiTimelineView *self = GUI_TIMELINE_VIEW (canvas);
    GuiProfileSelection *selection = get_selection (self);
    double middle = (gui_profile_selection_get_begin (selection)
                     + gui_profile_selection_get_end (selection))
                    / 2;

    if (self->rows->len == 0) {
        return FALSE;
    }
    switch (event->keyval) {
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add: zoom (self, middle, -1); return TRUE;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract: zoom (self, middle, 1); return TRUE;
    case GDK_KEY_Left: pan (self, -0.1); return TRUE;
    case GDK_KEY_Right: pan (self, 0.1); return TRUE;
    case GDK_KEY_Home: zoom (self, middle, 1000); return TRUE;
    case GDK_KEY_Up: move_to (self, self->current > 0 ? self->current - 1 : 0); return TRUE;
    case GDK_KEY_Down: move_to (self, self->current + 1); return TRUE;
    case GDK_KEY_space: toggle_row (self, get_row (self, self->current)); return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
        choose_moment (self, self->current,
                       self->moment >= gui_profile_selection_get_begin (selection)
                               && self->moment <= gui_profile_selection_get_end (selection)
                           ? self->moment
                           : middle);
        return TRUE;
    default: return FALSE;
    }
}

/* ---- words ---- */

/* NULL: none is there. */
static char *
get_message_tip (GuiTimelineView *self, double x, double y)
{
    GuiProfileCanvas *canvas = GUI_PROFILE_CANVAS (self);
    GuiTimelineRows rows;

    get_places (self, gui_profile_canvas_get_width (canvas),
                gui_profile_canvas_get_height (canvas), gui_profile_canvas_get_offset (canvas),
                &rows);
    return gui_timeline_messages_get_tip (get_model (self), &rows, self->messages,
                                          self->collectives, x, y);
}

static char *
get_tip (GuiProfileCanvas *canvas, double x, double y)
{
    GuiTimelineView *self = GUI_TIMELINE_VIEW (canvas);
    GString *text = g_string_new (NULL);
    g_autofree char *label = NULL, *above = NULL, *exact = NULL;
    ProfileSample sample;
    GuiProfileAxis axis;
    guint row;
    guint32 context;
    const JobLocation *location;
    double time_s;

    get_axis (self, gui_profile_canvas_get_width (canvas), &axis);
    time_s = gui_profile_axis_get_time (&axis, x);
    if (!find_row (self, y, &row)) {
        g_string_free (text, TRUE);
        return self->lacks_messages && x < axis.x ? g_strdup (_ (
                   "Of neighbouring messages only the longest are drawn. Zoom in to see all."))
                                                  : NULL;
    }
    if (x >= axis.x) {
        above = get_message_tip (self, x, y);
    }
    label = gui_timeline_rows_dup_title (get_model (self), get_row (self, row));
    g_string_printf (text, "%s%s%s", above != NULL ? above : "", above != NULL ? "\n" : "",
                     label);
    if (x >= axis.x && x < axis.x + axis.width) {
        exact = get_row (self, row)->counter > 0
                    ? gui_timeline_counters_dup_tip (get_model (self), get_row (self, row),
                                                     time_s)
                : get_row (self, row)->level > 0
                    ? gui_timeline_detail_dup_call_tip (self->detail, get_model (self),
                                                        get_row (self, row), &axis, x)
                    : gui_timeline_detail_dup_tip (self->detail, get_model (self),
                                                   get_row (self, row), &axis, x);
    }
    if (exact != NULL) {
        g_string_append_printf (text, "\n%s", exact);
    } else if (get_row (self, row)->level == 0 && get_row (self, row)->counter == 0
               && x >= axis.x && x < axis.x + axis.width
               && profile_model_find_sample (get_model (self), get_row (self, row)->index,
                                             get_thread (self, get_row (self, row)), time_s,
                                             &sample)) {
        location = find_location (self, get_row (self, row), time_s, &context);
        g_string_append (text, ", ");
        g_string_append_printf (text, _ ("at %.*f s"),
                                (int) gui_profile_axis_get_digits (axis.end_s - axis.begin_s),
                                time_s);
        g_string_append_printf (text, "\n%s", gui_profile_colours_get_title (sample.class));
        if (location != NULL) {
            g_autofree char *name = profile_dup_name (location);

            g_string_append_printf (text, ": %s", name);
            append_marks (self, text, context);
            gui_timeline_detail_append_place (get_model (self), text, context);
        }
    }
    return g_string_free (text, FALSE);
}

static char *
describe (GuiProfileCanvas *canvas)
{
    GuiTimelineView *self = GUI_TIMELINE_VIEW (canvas);
    g_autofree char *what = gui_profile_selection_format (get_selection (self));

    return g_strdup_printf (ngettext ("%u row: %s", "%u rows: %s", self->rows->len),
                            self->rows->len, what);
}

/* ---- the object ---- */

static void
on_ready (gpointer user)
{
    gui_profile_canvas_queue (GUI_PROFILE_CANVAS (user));
}

static void
enter_archive (gpointer user)
{
    GuiTimelineView *self = user;

    g_clear_pointer (&self->detail, gui_timeline_detail_free);
    if (self->archive != NULL && self->archive_program != NULL) {
        self->detail = gui_timeline_detail_new (self->archive_program, self->archive, on_ready,
                                                self);
    }
}

GUI_FINALIZE (gui_timeline_view, GuiTimelineView, gui_timeline_detail_free (self->detail);
              gui_properties_clear (self, GUI_TYPE_TIMELINE_VIEW);
              gui_timeline_list_free (self->list); gui_timeline_search_free (self->search);
              g_array_unref (self->messages); g_array_unref (self->collectives))

static void
gui_timeline_view_class_init (GuiTimelineViewClass *klass)
{
    GuiProfileCanvasClass *canvas = GUI_PROFILE_CANVAS_CLASS (klass);

    G_OBJECT_CLASS (klass)->finalize = gui_timeline_view_finalize;
    GUI_PROPERTIES (klass, GuiTimelineView, (archive, G_TYPE_STRING, .enter = enter_archive),
                    (archive_program, G_TYPE_STRING, .enter = enter_archive));
    canvas->id = "timeline";
    canvas->title = N_ ("Timeline");
    canvas->needs_times = TRUE;
    canvas->paint = paint;
    canvas->get_full_height = get_full_height;
    canvas->changed = changed;
    canvas->click = click;
    canvas->drag = drag;
    canvas->wheel = wheel;
    canvas->key = key;
    canvas->get_tip = get_tip;
    canvas->describe = describe;
}

static void
gui_timeline_view_init (GuiTimelineView *self)
{
    self->list = gui_timeline_list_new ();
    self->search = gui_timeline_search_new ();
    self->rows = gui_timeline_list_get_rows (self->list);
    self->messages = g_array_new (FALSE, FALSE, sizeof (guint32));
    self->collectives = g_array_new (FALSE, FALSE, sizeof (guint32));
    self->moment = -1;
}

gboolean
gui_timeline_view_is_settled (GuiTimelineView *self)
{
    return self->detail == NULL || gui_timeline_detail_is_idle (self->detail);
}

GtkWidget *
gui_timeline_view_new (GuiProfileSelection *selection)
{
    return g_object_new (GUI_TYPE_TIMELINE_VIEW, "selection", selection, NULL);
}
