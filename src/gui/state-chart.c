/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chart's widget: keeps the painted surface until size, scale, theme or the session's
 * generation change; the mouse and the keys make sets. Arithmetic is chart-layout's, pixels are
 * chart-paint's. */
#include "gui/state-chart.h"
#include <glib/gi18n.h>
#include <gtk/gtk-a11y.h>
#include "gui/chart-layout.h"
#include "gui/chart-paint.h"
#include "gui/palette.h"
#include "gui/theme.h"

struct _GuiStateChart {
    GtkDrawingArea parent;
    Session *session;
    cairo_surface_t *surface;
    guint64 painted_generation;
    int painted_width, painted_height, painted_scale;
    gboolean painted_dark;
    GuiChartLayout layout;
    gboolean dragging, has_selection;
    guint32 anchor_first, anchor_end, first, end; /* the selection is [first, end) */
    guint tick;
    guint32 height_for;
};

G_DEFINE_TYPE (GuiStateChart, gui_state_chart, GTK_TYPE_DRAWING_AREA)

enum { SET_CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

/* The accessible: role chart, the sentence of counts as description. */
typedef struct { GtkWidgetAccessible parent; char *description; } GuiStateChartAccessible;
typedef struct { GtkWidgetAccessibleClass parent; } GuiStateChartAccessibleClass;
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
    self->description = gui_state_chart_format_counts (session_get_counts (session),
                                                       session_get_size (session));
    return self->description;
}

static const char *
get_accessible_name (AtkObject *object)
{
    return _("Rank states");
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

char *
gui_state_chart_format_counts (const guint32 *counts, guint32 n_ranks)
{
    static const JobState in_words[] = { JOB_STATE_LOST, JOB_STATE_FAILED, JOB_STATE_SIGNAL,
        JOB_STATE_EXCEPTION, JOB_STATE_BLOCKED, JOB_STATE_BREAKPOINT, JOB_STATE_STOPPED,
        JOB_STATE_STEPPING, JOB_STATE_RUNNING, JOB_STATE_EXITED, JOB_STATE_NONE };
    g_autoptr (GString) text = g_string_new (NULL);

    if (n_ranks == 0) {
        return g_strdup (_("No rank has reported yet"));
    }
    for (guint i = 0; i < G_N_ELEMENTS (in_words); i++) {
        const JobStateInfo *info = job_state_get_info (in_words[i]);

        if (counts[in_words[i]] > 0) {
            g_autofree char *title = g_utf8_strdown (_(info->title), -1);

            g_string_append_printf (text, "%s%u %s", text->len > 0 ? ", " : "",
                                    counts[in_words[i]], title);
        }
    }
    g_string_prepend (text, ngettext (" rank: ", " ranks: ", n_ranks));
    g_autofree char *number = g_strdup_printf ("%u", n_ranks);
    g_string_prepend (text, number);
    return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
paint_if_needed (GuiStateChart *self, int width, int height)
{
    int scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
    gboolean dark = gui_theme_is_dark (GTK_WIDGET (self));
    guint64 generation = session_get_generation (self->session);
    GuiChartColours colours = { .foreground = dark ? 0xeeeeee : 0x2e3436, .outline_alpha = 0.5 };

    if (self->surface != NULL && self->painted_width == width && self->painted_height == height
        && self->painted_scale == scale && self->painted_dark == dark
        && self->painted_generation == generation) {
        return;
    }
    if (self->surface == NULL || self->painted_width != width || self->painted_height != height
        || self->painted_scale != scale) {
        g_clear_pointer (&self->surface, cairo_surface_destroy);
        self->surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width * scale,
                                                    height * scale);
        cairo_surface_set_device_scale (self->surface, scale, scale);
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

static void
draw_selection (GuiStateChart *self, cairo_t *cr)
{
    const GuiChartLayout *layout = &self->layout;
    gboolean dark = self->painted_dark;

    for (guint32 row = 0; row < layout->n_rows; row++) {
        guint64 begin = (guint64) row * layout->ranks_per_row;
        guint64 end = MIN (begin + layout->ranks_per_row, layout->n_ranks);
        guint64 from = MAX (begin, self->first), to = MIN (end, self->end);
        GuiRectangle a, b;

        if (from >= to) {
            continue;
        }
        gui_chart_layout_get_cell (layout, row, (guint32) (from - begin) / layout->ranks_per_column,
                                   &a);
        gui_chart_layout_get_cell (layout, row,
                                   (guint32) (to - 1 - begin) / layout->ranks_per_column, &b);
        cairo_rectangle (cr, a.x - 1.5, a.y - 1.5, b.x + b.width - a.x + 2, a.height + 3);
        cairo_set_line_width (cr, 3);
        cairo_set_source_rgb (cr, dark ? 1 : 0.1, dark ? 1 : 0.1, dark ? 1 : 0.1);
        cairo_stroke_preserve (cr);
        cairo_set_line_width (cr, 1);
        cairo_set_source_rgb (cr, dark ? 0 : 1, dark ? 0 : 1, dark ? 0 : 1);
        cairo_stroke (cr);
    }
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
    if (self->has_selection) {
        draw_selection (self, cr);
    }
    if (gtk_widget_has_focus (widget)) {
        gtk_render_focus (gtk_widget_get_style_context (widget), cr, 2, 2, width - 4, height - 4);
    }
    return FALSE;
}

static void
choose (GuiStateChart *self, const JobRankSet *set)
{
    if (!job_rank_set_is_empty (set)) {
        g_signal_emit (self, signals[SET_CHOSEN], 0, set);
    }
}

static void
choose_totals (GuiStateChart *self, double x)
{
    JobState order[JOB_N_STATES];
    int xs[JOB_N_STATES], widths[JOB_N_STATES];
    guint n = gui_chart_layout_get_totals (&self->layout, session_get_counts (self->session),
                                           order, xs, widths);

    for (guint i = 0; i < n; i++) {
        if (x >= xs[i] && x < xs[i] + widths[i]) {
            g_autoptr (JobRankSet) set = session_dup_ranks_in_state (self->session, order[i]);

            choose (self, set);
        }
    }
}

static gboolean
press (GtkWidget *widget, GdkEventButton *event)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);
    guint32 first, end;

    gtk_widget_grab_focus (widget);
    if (self->session == NULL || event->button != GDK_BUTTON_PRIMARY
        || event->type != GDK_BUTTON_PRESS) {
        return FALSE;
    }
    switch (gui_chart_layout_hit (&self->layout, event->x, event->y, &first, &end)) {
    case GUI_CHART_TOTALS:
        choose_totals (self, event->x);
        break;
    case GUI_CHART_STRIP:
        self->dragging = self->has_selection = TRUE;
        self->anchor_first = self->first = first;
        self->anchor_end = self->end = end;
        break;
    default:
        self->has_selection = FALSE;
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
        gtk_widget_queue_draw (widget);
    }
    return self->dragging;
}

static void
choose_selection (GuiStateChart *self)
{
    g_autoptr (JobRankSet) set = job_rank_set_new_range (self->first, self->end);

    choose (self, set);
}

static gboolean
release (GtkWidget *widget, GdkEventButton *event)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);

    if (self->dragging) {
        self->dragging = FALSE;
        choose_selection (self);
    }
    return TRUE;
}

static void
move_selection (GuiStateChart *self, int by, gboolean extend)
{
    guint32 size = session_get_size (self->session);
    gint64 at = self->has_selection ? (gint64) self->end - 1 + by : by > 0 ? 0 : (gint64) size - 1;

    at = CLAMP (at, 0, (gint64) size - 1);
    if (!extend || !self->has_selection) {
        self->first = self->anchor_first = (guint32) at;
    }
    self->end = MAX ((guint32) at, self->first) + 1;
    self->has_selection = TRUE;
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
press_key (GtkWidget *widget, GdkEventKey *event)
{
    GuiStateChart *self = GUI_STATE_CHART (widget);
    gboolean extend = (event->state & GDK_SHIFT_MASK) != 0;

    if (self->session == NULL || session_get_size (self->session) == 0) {
        return FALSE;
    }
    int far = (int) MIN (session_get_size (self->session), (guint32) G_MAXINT);
    int row = (int) self->layout.ranks_per_row;
    switch (event->keyval) {
    case GDK_KEY_Left: move_selection (self, -1, extend); return TRUE;
    case GDK_KEY_Right: move_selection (self, 1, extend); return TRUE;
    case GDK_KEY_Up: if (self->layout.n_rows > 1) { move_selection (self, -row, extend); } return TRUE;
    case GDK_KEY_Down: if (self->layout.n_rows > 1) { move_selection (self, row, extend); } return TRUE;
    case GDK_KEY_Home: move_selection (self, -far, extend); return TRUE;
    case GDK_KEY_End: move_selection (self, far, extend); return TRUE;
    case GDK_KEY_Escape:
        self->has_selection = FALSE;
        gtk_widget_queue_draw (widget);
        return TRUE;
    case GDK_KEY_Return: case GDK_KEY_KP_Enter:
        if (self->has_selection) {
            choose_selection (self);
        }
        return TRUE;
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
    g_autofree char *text = session_format_state (self->session, set);
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

    *minimum = MIN (gui_chart_layout_get_height (n, width), 150);
    *natural = gui_chart_layout_get_height (n, width);
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

    self->tick = 0;
    if (self->height_for != session_get_size (self->session)) {
        self->height_for = session_get_size (self->session);
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

void
gui_state_chart_set_session (GuiStateChart *self, Session *session)
{
    g_return_if_fail (self->session == NULL);
    self->session = g_object_ref (session);
    g_signal_connect_object (session, "states-changed", G_CALLBACK (on_states_changed), self,
                             G_CONNECT_SWAPPED);
    on_states_changed (self);
}

static void
gui_state_chart_dispose (GObject *object)
{
    GuiStateChart *self = GUI_STATE_CHART (object);

    g_clear_pointer (&self->surface, cairo_surface_destroy);
    g_clear_object (&self->session);
    G_OBJECT_CLASS (gui_state_chart_parent_class)->dispose (object);
}

static void
gui_state_chart_class_init (GuiStateChartClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->dispose = gui_state_chart_dispose;
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
    signals[SET_CHOSEN] = g_signal_new ("set-chosen", GUI_TYPE_STATE_CHART, G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void
gui_state_chart_init (GuiStateChart *self)
{
    gtk_widget_set_can_focus (GTK_WIDGET (self), TRUE);
    gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
    gtk_widget_add_events (GTK_WIDGET (self), GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK
                           | GDK_BUTTON1_MOTION_MASK | GDK_KEY_PRESS_MASK);
}

GtkWidget *
gui_state_chart_new (void)
{
    return g_object_new (GUI_TYPE_STATE_CHART, NULL);
}
