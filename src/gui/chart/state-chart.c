/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chart's widget: keeps the painted surface until size, scale, theme or the session's
 * generation change; the mouse and the keys make sets. Arithmetic is chart-layout's, pixels are
 * chart-paint's. */
#include "gui/chart/state-chart.h"
#include <glib/gi18n.h>
#include <gtk/gtk-a11y.h>
#include "gui/chart/chart-layout.h"
#include "gui/chart/chart-paint.h"
#include "gui/kit/palette.h"
#include "gui/kit/template.h"
#include "gui/kit/rank-set.h"
#include "gui/kit/theme.h"
#include "base/array.h"

struct _GuiStateChart {
    GtkDrawingArea parent;
    Session *session;
    cairo_surface_t *surface;
    guint64 painted_generation;
    int painted_width, painted_height, painted_scale;
    gboolean painted_dark;
    GuiChartLayout layout;
    JobRankSet *selection;
    gboolean dragging, has_cursor, is_low;
    guint32 anchor_first, anchor_end, first, end; /* the drag, or what the keys have reached */
    guint32 cursor;
    GuiSelectHow how;
    guint tick;
    guint32 height_for;
};

G_DEFINE_TYPE (GuiStateChart, gui_state_chart, GTK_TYPE_DRAWING_AREA)

enum { SET_CHOSEN, OPENED, MENU, N_SIGNALS };
static guint signals[N_SIGNALS];

/* The accessible: role chart, the sentence of counts as description. */
typedef struct {
    GtkWidgetAccessible parent;
    char *description;
} GuiStateChartAccessible;
typedef struct {
    GtkWidgetAccessibleClass parent;
} GuiStateChartAccessibleClass;
static GType gui_state_chart_accessible_get_type (void);
G_DEFINE_TYPE (GuiStateChartAccessible, gui_state_chart_accessible, GTK_TYPE_WIDGET_ACCESSIBLE)

static const char *
get_accessible_description (AtkObject *object)
{
    GuiStateChartAccessible *self = (GuiStateChartAccessible *) object;
    GtkWidget *widget = gtk_accessible_get_widget (GTK_ACCESSIBLE (object));

    if (widget == NULL || GUI_STATE_CHART (widget)->session == NULL) {
        return "";
    }
    Session *session = GUI_STATE_CHART (widget)->session;
    g_free (self->description);
    self->description = gui_state_chart_format_counts (session);
    return self->description;
}

static const char *
get_accessible_name (AtkObject *object)
{
    return _ ("Rank states");
}

static void
initialize_accessible (AtkObject *object, gpointer data)
{
    ATK_OBJECT_CLASS (gui_state_chart_accessible_parent_class)->initialize (object, data);
    object->role = ATK_ROLE_CHART;
}

static void
finalize_accessible (GObject *object)
{
    g_free (((GuiStateChartAccessible *) object)->description);
    G_OBJECT_CLASS (gui_state_chart_accessible_parent_class)->finalize (object);
}

static void
gui_state_chart_accessible_class_init (GuiStateChartAccessibleClass *klass)
{
    ATK_OBJECT_CLASS (klass)->initialize = initialize_accessible;
    ATK_OBJECT_CLASS (klass)->get_name = get_accessible_name;
    ATK_OBJECT_CLASS (klass)->get_description = get_accessible_description;
    G_OBJECT_CLASS (klass)->finalize = finalize_accessible;
}

static void
gui_state_chart_accessible_init (GuiStateChartAccessible *self)
{
}

static char *
format_count (const Session *session, JobState state, guint32 n)
{
    gboolean is_crash;
    g_autofree char *names = state == JOB_STATE_SIGNAL
                                 ? session_dup_signal_names (session, &is_crash)
                                 : NULL;

    if (names == NULL) {
        return g_strdup_printf ("%u %s", n, job_state_get_shown (state, n));
    }
    return is_crash
               /* Translators: how many ranks, and by which names. */
               ? g_strdup_printf (ngettext ("%u crashed (%s)", "%u crashed (%s)", n), n, names)
               : g_strdup_printf (ngettext ("%u stopped by %s", "%u stopped by %s", n), n,
                                  names);
}

char *
gui_state_chart_format_counts (const Session *session)
{
    static const JobState in_words[]
        = { JOB_STATE_LOST,    JOB_STATE_FAILED,     JOB_STATE_SIGNAL,  JOB_STATE_EXCEPTION,
            JOB_STATE_BLOCKED, JOB_STATE_BREAKPOINT, JOB_STATE_STOPPED, JOB_STATE_STEPPING,
            JOB_STATE_RUNNING, JOB_STATE_EXITED,     JOB_STATE_NONE };
    const guint32 *counts = session_get_counts (session);
    guint32 n_ranks = session_get_size (session);
    g_autoptr (GString) text = g_string_new (NULL);

    if (n_ranks == 0) {
        return g_strdup (_ ("No rank has reported yet"));
    }
    for (guint i = 0; i < G_N_ELEMENTS (in_words); i++) {
        guint32 n = counts[in_words[i]];

        if (n > 0) {
            g_autofree char *count = format_count (session, in_words[i], n);

            g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", count);
        }
    }
    /* Translators: the number of ranks, and a list such as "3 running, 1 stopped". */
    return g_strdup_printf (ngettext ("%u rank: %s", "%u ranks: %s", n_ranks), n_ranks,
                            text->str);
}

static void
paint_if_needed (GuiStateChart *self, int width, int height)
{
    int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
    gboolean dark = gui_theme_is_dark (GTK_WIDGET (self));
    guint64 generation = session_get_generation (self->session);
    GuiPaletteColours colours = { .foreground = dark ? 0xeeeeee : 0x2e3436,
                                  .outline_alpha = 0.5 };

    if (self->surface != NULL && self->painted_width == width && self->painted_height == height
        && self->painted_scale == scale && self->painted_dark == dark
        && self->painted_generation == generation) {
        return;
    }
    if (self->surface == NULL || self->painted_width != width || self->painted_height != height
        || self->painted_scale != scale) {
        g_clear_pointer (&self->surface, cairo_surface_destroy);
        /* in memory that the display server shares, where it can */
        self->surface = gdk_window_create_similar_image_surface (
            gtk_widget_get_window (GTK_WIDGET (self)), CAIRO_FORMAT_ARGB32, width * scale,
            height * scale, scale);
    }
    gui_theme_fill_colours (GTK_WIDGET (self), &colours);
    gui_chart_layout_init (&self->layout, session_get_size (self->session), width, height);
    gui_chart_paint (self->surface, scale, &self->layout, session_get_states (self->session),
                     session_get_counts (self->session), &colours);
    self->painted_width = width;
    self->painted_height = height;
    self->painted_scale = scale;
    self->painted_dark = dark;
    self->painted_generation = generation;
}

/* An outline round columns [from, to) of a row. */
static void
draw_outline (GuiStateChart *self, cairo_t *cr, guint32 row, guint32 from, guint32 to)
{
    double dark = self->painted_dark ? 1 : 0.1, light = self->painted_dark ? 0 : 1;
    GuiRectangle a, b;

    gui_chart_layout_get_cell (&self->layout, row, from, &a);
    gui_chart_layout_get_cell (&self->layout, row, to - 1, &b);
    cairo_rectangle (cr, a.x - 1.5, a.y - 1.5, b.x + b.width - a.x + 2, a.height + 3);
    cairo_set_line_width (cr, 3);
    cairo_set_source_rgb (cr, dark, dark, dark);
    cairo_stroke_preserve (cr);
    cairo_set_line_width (cr, 1);
    cairo_set_source_rgb (cr, light, light, light);
    cairo_stroke (cr);
}

static void
mark_columns (const GuiChartLayout *layout, guint8 *marks, const JobRankRange *range)
{
    guint64 end = MIN ((guint64) range->end, layout->n_ranks);

    for (guint64 rank = range->first; rank < end;) {
        guint32 row = (guint32) (rank / layout->ranks_per_row);
        guint32 column = (guint32) (rank % layout->ranks_per_row) / layout->ranks_per_column;

        marks[row * layout->columns_per_row + column] = 1;
        rank = (guint64) row * layout->ranks_per_row
               + MIN ((guint64) (column + 1) * layout->ranks_per_column, layout->ranks_per_row);
    }
}

/* Columns that hold a selected rank, or one of those that the mouse is dragging over. */
static void
draw_selection (GuiStateChart *self, cairo_t *cr)
{
    const GuiChartLayout *layout = &self->layout;
    gsize n = (gsize) layout->n_rows * layout->columns_per_row;
    g_autofree guint8 *marks = g_new0 (guint8, n + 1);
    const GArray *ranges = self->selection->ranges;
    JobRankRange dragged = { self->first, self->end };

    if (self->dragging) {
        mark_columns (layout, marks, &dragged);
    }
    for (guint i = 0; i < ranges->len && (!self->dragging || self->how != GUI_SELECT_ONLY);
         i++) {
        mark_columns (layout, marks, &g_array_index (ranges, JobRankRange, i));
    }
    for (guint32 row = 0; row < layout->n_rows; row++) {
        const guint8 *here = marks + (gsize) row * layout->columns_per_row;

        for (guint32 column = 0; column < layout->columns_per_row; column++) {
            guint32 to = column;

            while (to < layout->columns_per_row && here[to]) {
                to++;
            }
            if (to > column) {
                draw_outline (self, cr, row, column, to);
                column = to;
            }
        }
    }
}

/* How many ranks of each column do not answer. */
static guint32 *
count_silent (const GuiChartLayout *layout, const JobRankSet *silent)
{
    guint32 *counts = g_new0 (guint32, (gsize) layout->n_rows * layout->columns_per_row + 1);

    BASE_EACH_ROW (silent->ranges, const JobRankRange, range) {
        guint64 end = MIN ((guint64) range->end, layout->n_ranks);

        for (guint64 rank = range->first; rank < end;) {
            guint32 row = (guint32) (rank / layout->ranks_per_row);
            guint32 column = (guint32) (rank % layout->ranks_per_row)
                             / layout->ranks_per_column;
            guint64 next = (guint64) row * layout->ranks_per_row
                           + MIN ((guint64) (column + 1) * layout->ranks_per_column,
                                  layout->ranks_per_row);

            next = MIN (next, end);
            counts[row * layout->columns_per_row + column] += (guint32) (next - rank);
            rank = next;
        }
    }
    return counts;
}

/* Greys the proportion of a column whose ranks do not answer. */
static void
draw_silent (GuiStateChart *self, cairo_t *cr, const JobRankSet *silent)
{
    const GuiChartLayout *layout = &self->layout;
    g_autofree guint32 *counts = count_silent (layout, silent);
    double grey = self->painted_dark ? 0.35 : 0.6;

    cairo_set_source_rgba (cr, grey, grey, grey, 0.85);
    for (guint32 row = 0; row < layout->n_rows; row++) {
        for (guint32 column = 0; column < layout->columns_per_row; column++) {
            guint32 n = counts[row * layout->columns_per_row + column], first, end;
            GuiRectangle cell;
            int height;

            if (n == 0) {
                continue;
            }
            gui_chart_layout_get_column (layout, row, column, &first, &end);
            gui_chart_layout_get_cell (layout, row, column, &cell);
            height = MAX ((int) ((guint64) cell.height * n / (end - first)), 4);
            cairo_rectangle (cr, cell.x, cell.y + cell.height - height,
                             cell.width >= 5 ? cell.width - 1 : cell.width, height);
        }
    }
    cairo_fill (cr);
}

static gboolean
draw (GtkWidget *widget, cairo_t *cr)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);
    int width = gtk_widget_get_allocated_width (widget);
    int height = gtk_widget_get_allocated_height (widget);

    if (self->session == NULL || width < 32 || height < 32) {
        return FALSE;
    }
    paint_if_needed (self, width, height);
    cairo_set_source_surface (cr, self->surface, 0, 0);
    cairo_paint (cr);
    if (session_find_silent (self->session) != NULL && self->layout.n_rows > 0) {
        draw_silent (self, cr, session_find_silent (self->session));
    }
    if ((self->dragging || !job_rank_set_is_empty (self->selection))
        && self->layout.n_rows > 0) {
        draw_selection (self, cr);
    }
    if (gtk_widget_has_focus (widget)) {
        gtk_render_focus (gtk_widget_get_style_context (widget), cr, 2, 2, width - 4,
                          height - 4);
    }
    return FALSE;
}

static void
enter_selection (gpointer user)
{
    GuiStateChart *self = user;

    if (self->selection == NULL) {
        self->selection = job_rank_set_new ();
    }
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
choose_totals (GuiStateChart *self, double x, GuiSelectHow how)
{
    JobState order[JOB_N_STATES];
    int xs[JOB_N_STATES], widths[JOB_N_STATES];
    guint n = gui_chart_layout_get_totals (&self->layout, session_get_counts (self->session),
                                           order, xs, widths);

    for (guint i = 0; i < n; i++) {
        if (x >= xs[i] && x < xs[i] + widths[i]) {
            g_autoptr (JobRankSet) set = session_dup_ranks_in_one_state (self->session,
                                                                         order[i]);

            g_signal_emit (self, signals[SET_CHOSEN], 0, set, how);
        }
    }
}

/* A click outside of the selection takes the column first; inside it the menu is for all of it. */
static void
press_menu (GuiStateChart *self, const GdkEventButton *event)
{
    guint32 first, end;

    if (gui_chart_layout_hit (&self->layout, event->x, event->y, &first, &end)
        == GUI_CHART_STRIP) {
        g_autoptr (JobRankSet) set = job_rank_set_new_range (first, end);

        if (!job_rank_set_intersects (set, self->selection)) {
            g_signal_emit (self, signals[SET_CHOSEN], 0, set, GUI_SELECT_ONLY);
        }
    }
    if (!job_rank_set_is_empty (self->selection)) {
        g_signal_emit (self, signals[MENU], 0, event);
    }
}

static void
clear_selection (GuiStateChart *self)
{
    g_autoptr (JobRankSet) nobody = job_rank_set_new ();

    self->has_cursor = FALSE;
    g_signal_emit (self, signals[SET_CHOSEN], 0, nobody, GUI_SELECT_ONLY);
}

static gboolean
press (GtkWidget *widget, GdkEventButton *event)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);
    guint32 first, end;

    gtk_widget_grab_focus (widget);
    if (self->session == NULL) {
        return FALSE;
    }
    if (event->type == GDK_BUTTON_PRESS
        && gdk_event_triggers_context_menu ((GdkEvent *) event)) {
        press_menu (self, event);
        return TRUE;
    }
    if (event->button != GDK_BUTTON_PRIMARY) {
        return FALSE;
    }
    if (event->type == GDK_2BUTTON_PRESS) {
        self->dragging = FALSE;
        g_signal_emit (self, signals[OPENED], 0);
        return TRUE;
    }
    self->how = gui_selection_bar_get_how (event->state);
    switch (gui_chart_layout_hit (&self->layout, event->x, event->y, &first, &end)) {
    case GUI_CHART_TOTALS: choose_totals (self, event->x, self->how); break;
    case GUI_CHART_STRIP:
        self->dragging = self->has_cursor = TRUE;
        self->anchor_first = self->first = first;
        self->anchor_end = self->end = end;
        self->cursor = first; /* keys go on from here */
        break;
    default: clear_selection (self);
    }
    gtk_widget_queue_draw (widget);
    return TRUE;
}

static gboolean
motion (GtkWidget *widget, GdkEventMotion *event)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);
    const GuiRectangle *strip = &self->layout.strip;
    guint32 first, end;
    double x = CLAMP (event->x, strip->x, strip->x + strip->width - 1);
    double y = CLAMP (event->y, strip->y, strip->y + strip->height - 1);

    if (self->dragging
        && gui_chart_layout_hit (&self->layout, x, y, &first, &end) == GUI_CHART_STRIP) {
        self->first = MIN (self->anchor_first, first);
        self->end = MAX (self->anchor_end, end);
        self->cursor = first < self->anchor_first ? first : end - 1;
        gtk_widget_queue_draw (widget);
    }
    return self->dragging;
}

static void
choose_reached (GuiStateChart *self, GuiSelectHow how)
{
    g_autoptr (JobRankSet) set = job_rank_set_new_range (self->first, self->end);

    g_signal_emit (self, signals[SET_CHOSEN], 0, set, how);
}

static gboolean
release (GtkWidget *widget, GdkEventButton *event)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);

    if (self->dragging) {
        self->dragging = FALSE;
        choose_reached (self, self->how);
    }
    return TRUE;
}

/* The keys' own rank goes there; extended, all from the one where it began. */
static void
move_to (GuiStateChart *self, gint64 at, gboolean extend)
{
    guint32 rank = (guint32) CLAMP (at, 0, (gint64) session_get_size (self->session) - 1);

    if (!extend || !self->has_cursor) {
        self->anchor_first = rank;
    }
    self->cursor = rank;
    self->first = MIN (rank, self->anchor_first);
    self->end = MAX (rank, self->anchor_first) + 1;
    self->has_cursor = TRUE;
    choose_reached (self, GUI_SELECT_ONLY);
}

static void
move_by (GuiStateChart *self, gint64 by, gboolean extend)
{
    gint64 start = by > 0 ? -1 : (gint64) session_get_size (self->session);

    move_to (self, self->has_cursor ? (gint64) self->cursor + by : start + (by > 0 ? 1 : -1),
             extend);
}

/* The next rank in that direction whose state is another one. */
static void
move_to_other (GuiStateChart *self, int by)
{
    const guint8 *states = session_get_states (self->session);
    gint64 size = session_get_size (self->session), at = self->has_cursor ? self->cursor : 0;
    guint8 state = states[at];

    while (at >= 0 && at < size && states[at] == state) {
        at += by;
    }
    if (at >= 0 && at < size) {
        move_to (self, at, FALSE);
    }
}

static void
choose_all (GuiStateChart *self)
{
    g_autoptr (JobRankSet) all = session_dup_all (self->session);

    g_signal_emit (self, signals[SET_CHOSEN], 0, all, GUI_SELECT_ONLY);
}

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);
    gboolean extend = (event->state & GDK_SHIFT_MASK) != 0;

    if (self->session == NULL || session_get_size (self->session) == 0) {
        return FALSE;
    }
    gint64 row = self->layout.n_rows > 1 ? self->layout.ranks_per_row : 0;
    if ((event->state & GDK_CONTROL_MASK) != 0 && event->keyval == GDK_KEY_a) {
        choose_all (self);
        return TRUE;
    }
    if ((event->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) != 0) {
        return GTK_WIDGET_CLASS (gui_state_chart_parent_class)->key_press_event (widget, event);
    }
    switch (event->keyval) {
    case GDK_KEY_Left: move_by (self, -1, extend); return TRUE;
    case GDK_KEY_Right: move_by (self, 1, extend); return TRUE;
    case GDK_KEY_Up:
        if (row > 0) {
            move_by (self, -row, extend);
        }
        return TRUE;
    case GDK_KEY_Down:
        if (row > 0) {
            move_by (self, row, extend);
        }
        return TRUE;
    case GDK_KEY_Home: move_to (self, 0, extend); return TRUE;
    case GDK_KEY_End: move_to (self, G_MAXUINT32, extend); return TRUE;
    case GDK_KEY_n: move_to_other (self, 1); return TRUE;
    case GDK_KEY_p: move_to_other (self, -1); return TRUE;
    case GDK_KEY_Escape: clear_selection (self); return TRUE;
    case GDK_KEY_Menu: g_signal_emit (self, signals[MENU], 0, event); return TRUE;
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter: g_signal_emit (self, signals[OPENED], 0); return TRUE;
    default:
        return GTK_WIDGET_CLASS (gui_state_chart_parent_class)->key_press_event (widget, event);
    }
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);
    guint32 first, end;

    if (self->session == NULL
        || gui_chart_layout_hit (&self->layout, x, y, &first, &end) != GUI_CHART_STRIP) {
        return FALSE;
    }
    g_autoptr (JobRankSet) set = job_rank_set_new_range (first, end);
    g_autofree char *text = session_format_state (BASE_TEXT_SHOWN, self->session, set);
    gtk_tooltip_set_text (tooltip, g_strchomp (text));
    return TRUE;
}

static GtkSizeRequestMode
get_request_mode (GtkWidget *widget)
{
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
get_height_for_width (GtkWidget *widget, int width, int *minimum, int *natural)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);
    guint32 n = self->session != NULL ? session_get_size (self->session) : 0;

    *natural = self->is_low ? gui_chart_layout_get_low_height (n, width)
                            : gui_chart_layout_get_height (n, width);
    *minimum = MIN (*natural, 150);
}

static void
get_height (GtkWidget *widget, int *minimum, int *natural)
{
    get_height_for_width (widget, 700, minimum, natural);
}

static void
get_width (GtkWidget *widget, int *minimum, int *natural)
{
    *minimum = 200;
    *natural = 700;
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);

    guint32 size = self->session != NULL ? session_get_size (self->session) : 0;

    self->tick = 0;
    if (self->height_for != size) {
        self->height_for = size;
        gtk_widget_queue_resize (widget);
    }
    gtk_widget_queue_draw (widget);
    return G_SOURCE_REMOVE;
}

static void
on_states_changed (GuiStateChart *self)
{
    if (self->tick == 0) {
        self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
    }
}

static void
leave_session (gpointer user)
{
    g_signal_handlers_disconnect_by_data (GUI_STATE_CHART (user)->session, user);
}

static void
enter_session (gpointer user)
{
    GuiStateChart *self = user;

    g_clear_pointer (&self->surface, cairo_surface_destroy);
    if (self->session != NULL) {
        g_signal_connect_swapped (self->session, "states-changed",
                                  G_CALLBACK (on_states_changed), self);
    }
    on_states_changed (self);
}

static void
enter_low (gpointer self)
{
    gtk_widget_queue_resize (self);
}

GUI_DISPOSE (gui_state_chart, GuiStateChart,
             g_clear_pointer (&self->surface, cairo_surface_destroy);
             gui_properties_clear (self, GUI_TYPE_STATE_CHART))

static void
gui_state_chart_class_init (GuiStateChartClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->dispose = gui_state_chart_dispose;
    GUI_PROPERTIES (klass, GuiStateChart,
                    (session, SESSION_TYPE_SESSION, leave_session, enter_session),
                    (selection, GUI_TYPE_RANK_SET, .enter = enter_selection),
                    (is_low, G_TYPE_BOOLEAN, .enter = enter_low));
    widget->draw = draw;
    widget->button_press_event = press;
    widget->button_release_event = release;
    widget->motion_notify_event = motion;
    widget->key_press_event = press_key;
    widget->query_tooltip = query_tooltip;
    widget->get_request_mode = get_request_mode;
    widget->get_preferred_height = get_height;
    widget->get_preferred_height_for_width = get_height_for_width;
    widget->get_preferred_width = get_width;
    gtk_widget_class_set_accessible_type (widget, gui_state_chart_accessible_get_type ());
    signals[SET_CHOSEN] = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER, G_TYPE_UINT);
    signals[OPENED] = GUI_SIGNAL (klass, "opened");
    signals[MENU] = GUI_SIGNAL (klass, "menu", G_TYPE_POINTER);
}

static void
gui_state_chart_init (GuiStateChart *self)
{
    self->selection = job_rank_set_new ();
    gtk_widget_set_can_focus (GTK_WIDGET (self), TRUE);
    gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
    gtk_widget_add_events (GTK_WIDGET (self), GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK
                                                  | GDK_BUTTON1_MOTION_MASK
                                                  | GDK_KEY_PRESS_MASK);
}
