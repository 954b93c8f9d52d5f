/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Either way the picture has columns, each of some ranks: one rank, or as many as share a pixel, or those whose numbers
 * are in one range. A column is found by binary search, so that a million ranks cost what they cost to sort. */
#include "gui/compare/compare-plot.h"
#include <glib/gi18n.h>
#include <math.h>
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "base/array.h"

enum { MARGIN = 8, MAX_BINS = 40, MIN_PITCH = 3, MAX_MARK = 14 };

typedef struct {
    guint32 rank;
    double number;
} Point;

typedef struct {
    guint first, end; /* of the points */
    double low,
        high; /* a histogram: the range; else of the finite numbers, NAN when there are none */
    gboolean is_finite; /* every number of it */
} Column;

struct _GuiComparePlot {
    GtkDrawingArea parent;
    GArray *points;  /* of Point: by rank, of a histogram the finite ones by number */
    GArray *columns; /* of Column, for the width below */
    int width;
    double low, high; /* of the finite numbers */
    gboolean is_histogram, is_integer;
};

G_DEFINE_TYPE (GuiComparePlot, gui_compare_plot, GTK_TYPE_DRAWING_AREA)

static guint set_chosen_signal;

BASE_ORDER (compare_rank, Point, BASE_BY (rank))

BASE_ORDER (compare_number, Point, BASE_BY (number))

void
gui_compare_plot_set (GuiComparePlot *self, const JobValueRow *row)
{
    JobValueSummary summary;

    g_array_set_size (self->points, 0);
    self->width = 0;
    gtk_widget_queue_draw (GTK_WIDGET (self));
    if (row == NULL || !job_value_row_summarise (row, &summary)) {
        return;
    }
    self->low = summary.min;
    self->high = summary.max;
    self->is_integer = job_value_row_is_integer (row);
    job_value_summary_clear (&summary);
    BASE_EACH (row->groups, const JobValueGroup, group) {
        Point point = { 0, group->value->number };
        JobRankIter iter = { 0 };

        while ((!self->is_histogram || isfinite (point.number))
               && job_rank_set_next (group->ranks, &iter, &point.rank)) {
            g_array_append_val (self->points, point);
        }
    }
    g_array_sort (self->points, self->is_histogram ? compare_number : compare_rank);
}

/* ---- columns ---- */

static const Point *
get_point (GuiComparePlot *self, guint i)
{
    return &g_array_index (self->points, Point, i);
}

static void
add_column (GuiComparePlot *self, guint first, guint end)
{
    Column column = { first, end, NAN, NAN, TRUE };

    for (guint i = first; i < end; i++) {
        double number = get_point (self, i)->number;

        column.is_finite = column.is_finite && isfinite (number);
        if (isfinite (number)) {
            column.low = fmin (column.low, number);
            column.high = fmax (column.high, number);
        }
    }
    g_array_append_val (self->columns, column);
}

/* Whole numbers that are few get a bin each. */
static void
fill_bins (GuiComparePlot *self)
{
    guint n = self->points->len, at = 0;
    guint n_bins = CLAMP ((guint) ceil (sqrt (n)), 1, MAX_BINS);
    double step;

    if (self->is_integer && self->high - self->low < MAX_BINS) {
        n_bins = (guint) (self->high - self->low) + 1;
        step = 1;
    } else {
        n_bins = self->high > self->low ? n_bins : 1;
        step = self->high / n_bins - self->low / n_bins; /* their difference may be infinite */
    }
    for (guint i = 0; i < n_bins; i++) {
        double from = self->low + i * step;
        Column column = { at, at, from, i + 1 == n_bins ? self->high : from + step, TRUE };

        while (at < n && (i + 1 == n_bins || get_point (self, at)->number < from + step)) {
            at++;
        }
        column.end = at;
        g_array_append_val (self->columns, column);
    }
}

static void
fill_columns (GuiComparePlot *self, int width)
{
    guint n = self->points->len, n_columns = MIN (n, (guint) MAX (width / MIN_PITCH, 1));

    if (width == self->width) {
        return;
    }
    self->width = width;
    g_array_set_size (self->columns, 0);
    if (self->is_histogram) {
        if (n > 0) {
            fill_bins (self);
        }
        return;
    }
    for (guint i = 0; i < n_columns; i++) {
        add_column (self, (guint) ((guint64) i * n / n_columns),
                    (guint) ((guint64) (i + 1) * n / n_columns));
    }
}

/* ---- drawing ---- */

typedef struct {
    double x, y, width, height; /* of the frame */
} Area;

static int
get_text_height (GtkWidget *widget)
{
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, "0");
    int height;

    pango_layout_get_pixel_size (layout, NULL, &height);
    return height;
}

static char *
format_number (GuiComparePlot *self, double number)
{
    return isfinite (number) ? job_value_format_number (number, self->is_integer)
                             : g_strdup_printf ("%g", number);
}

static guint
find_tallest (GuiComparePlot *self)
{
    guint most = 1;

    BASE_EACH_ROW (self->columns, const Column, column) {
        most = MAX (most, column->end - column->first);
    }
    return most;
}

/* The numbers beside the picture: the highest and the lowest of it. */
static void
format_scale (GuiComparePlot *self, char **ret_high, char **ret_low)
{
    *ret_high = self->is_histogram ? g_strdup_printf ("%u", find_tallest (self))
                                   : format_number (self, self->high);
    *ret_low = self->is_histogram ? g_strdup ("0") : format_number (self, self->low);
}

static int
get_text_width (GtkWidget *widget, const char *text)
{
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, text);
    int width;

    pango_layout_get_pixel_size (layout, &width, NULL);
    return width;
}

static Area
get_area (GuiComparePlot *self)
{
    GtkWidget *widget = GTK_WIDGET (self);
    int text = get_text_height (widget), label;
    g_autofree char *high = NULL, *low = NULL;
    Area area;

    format_scale (self, &high, &low);
    label = MAX (get_text_width (widget, high), get_text_width (widget, low));
    area.x = MARGIN + label + MARGIN;
    area.y = MARGIN + MAX (text, MAX_MARK) / 2;
    area.width = MAX (gtk_widget_get_allocated_width (widget) - area.x - MARGIN, 1);
    area.height = MAX (gtk_widget_get_allocated_height (widget) - area.y - text - 2 * MARGIN,
                       1);
    return area;
}

static void
draw_text (GtkWidget *widget, cairo_t *cr, double x, double y, double align, const char *text)
{
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, text);
    int width, height;

    pango_layout_get_pixel_size (layout, &width, &height);
    gtk_render_layout (gtk_widget_get_style_context (widget), cr, x - align * width,
                       y - height / 2, layout);
}

static void
draw_labels (GuiComparePlot *self, cairo_t *cr, const Area *area)
{
    GtkWidget *widget = GTK_WIDGET (self);
    const Column *first = &g_array_index (self->columns, Column, 0);
    const Column *last = &g_array_index (self->columns, Column, self->columns->len - 1);
    double below = area->y + area->height + MARGIN + get_text_height (widget) / 2.0;
    g_autofree char *high = NULL, *low = NULL, *left = NULL, *right = NULL;

    format_scale (self, &high, &low);
    draw_text (widget, cr, area->x - MARGIN, area->y, 1, high);
    if (self->is_histogram || self->high > self->low) {
        draw_text (widget, cr, area->x - MARGIN, area->y + area->height, 1, low);
    }
    if (self->is_histogram) {
        left = format_number (self, first->low);
        right = format_number (self, self->high);
    } else {
        left = g_strdup_printf (_ ("rank %u"), get_point (self, 0)->rank);
        right = g_strdup_printf (_ ("rank %u"), get_point (self, last->end - 1)->rank);
    }
    draw_text (widget, cr, area->x, below, 0, left);
    if (self->columns->len > 1) {
        draw_text (widget, cr, area->x + area->width, below, 1, right);
    }
}

/* A histogram's bar, or a mark from the lowest to the highest number. */
static void
draw_column (GuiComparePlot *self, cairo_t *cr, const Area *area, const Column *column,
             double x, double width, guint tallest)
{
    double span = self->high - self->low, from, to;

    if (self->is_histogram) {
        from = 0;
        to = (double) (column->end - column->first) / tallest;
    } else if (isnan (column->low)) {
        return;
    } else {
        from = span > 0 ? (column->low - self->low) / span : 0.5;
        to = span > 0 ? (column->high - self->low) / span : 0.5;
    }
    double top = area->y + area->height * (1 - to), height = area->height * (to - from);
    if (!self->is_histogram) { /* a mark that can be seen; all of the column's width is hit */
        double size = MIN (width, MAX_MARK);

        x += (width - size) / 2;
        width = size;
        top -= MAX (size / 2, 2);
        height += MAX (size, 4);
    }
    if (height > 0) {
        cairo_rectangle (cr, x, top, width, height);
        cairo_fill (cr);
    }
}

static gboolean
draw (GtkWidget *widget, cairo_t *cr)
{
    GuiComparePlot *self = GUI_COMPARE_PLOT (widget);
    GtkStyleContext *style = gtk_widget_get_style_context (widget);
    Area area = get_area (self);
    guint tallest;
    double pitch;
    GdkRGBA ink, colour;

    fill_columns (self, (int) area.width);
    if (self->columns->len == 0) {
        return FALSE;
    }
    area = get_area (self); /* its labels are those of the columns */
    tallest = find_tallest (self);
    pitch = area.width / self->columns->len;
    gtk_style_context_get_color (style, gtk_style_context_get_state (style), &ink);
    if (!gtk_style_context_lookup_color (style, "theme_selected_bg_color", &colour)) {
        colour = ink;
    }
    for (guint i = 0; i < self->columns->len; i++) {
        const Column *column = &g_array_index (self->columns, Column, i);
        double x = area.x + i * pitch, width = MAX (pitch - (pitch > 2 * MIN_PITCH), 1);

        if (!column->is_finite) { /* a band from top to bottom: some number of it is none */
            cairo_set_source_rgba (cr, 0.84, 0.2, 0.04, 0.5);
            cairo_rectangle (cr, x, area.y, width, area.height);
            cairo_fill (cr);
        }
        gdk_cairo_set_source_rgba (cr, &colour);
        draw_column (self, cr, &area, column, x, width, tallest);
    }
    ink.alpha = 0.5;
    gdk_cairo_set_source_rgba (cr, &ink);
    cairo_rectangle (cr, area.x - 0.5, area.y - 0.5, area.width + 1, area.height + 1);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
    draw_labels (self, cr, &area);
    return FALSE;
}

/* ---- what is under the pointer ---- */

static const Column *
find_column (GuiComparePlot *self, double x, double y)
{
    Area area = get_area (self);
    guint index;

    if (self->columns->len == 0 || x < area.x || y < area.y || x >= area.x + area.width
        || y >= area.y + area.height) {
        return NULL;
    }
    index = (guint) ((x - area.x) * self->columns->len / area.width);
    return &g_array_index (self->columns, Column, MIN (index, self->columns->len - 1));
}

static JobRankSet *
dup_ranks (GuiComparePlot *self, const Column *column)
{
    g_autoptr (GArray) ranks = g_array_new (FALSE, FALSE, sizeof (Point));
    JobRankSet *set = job_rank_set_new ();

    g_array_append_vals (ranks, &g_array_index (self->points, Point, column->first),
                         column->end - column->first);
    g_array_sort (ranks, compare_rank); /* a set grows cheaply at its end */
    for (guint i = 0; i < ranks->len; i++) {
        job_rank_set_add (set, g_array_index (ranks, Point, i).rank);
    }
    return set;
}

static char *
format_column (GuiComparePlot *self, const Column *column)
{
    g_autoptr (JobRankSet) set = dup_ranks (self, column);
    g_autofree char *ranks = job_rank_set_format_brief (set);
    g_autofree char *low = format_number (self, column->low);
    g_autofree char *high = format_number (self, column->high);
    guint n = column->end - column->first;

    if (self->is_histogram && self->is_integer && column->high - column->low <= 1
        && self->high - self->low < MAX_BINS) {
        return g_strdup_printf (ngettext ("%s: %u rank, %s", "%s: %u ranks, %s", n), low, n,
                                ranks);
    }
    if (self->is_histogram) {
        /* Translators: a range of numbers, how many ranks have one in it, and which. */
        return g_strdup_printf (ngettext ("%s to %s: %u rank, %s", "%s to %s: %u ranks, %s", n),
                                low, high, n, ranks);
    }
    if (n == 1) {
        g_autofree char *number = format_number (self, get_point (self, column->first)->number);

        return g_strdup_printf ("%s: %s", ranks, number);
    }
    return g_strdup_printf (_ ("%s: from %s to %s"), ranks, low, high);
}

static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
    GuiComparePlot *self = GUI_COMPARE_PLOT (widget);
    const Column *column = keyboard ? NULL : find_column (self, x, y);

    if (column == NULL) {
        return FALSE;
    }
    g_autofree char *text = format_column (self, column);
    gtk_tooltip_set_text (tooltip, text);
    return TRUE;
}

static gboolean
press_button (GtkWidget *widget, GdkEventButton *event)
{
    GuiComparePlot *self = GUI_COMPARE_PLOT (widget);
    const Column *column = find_column (self, event->x, event->y);

    if (event->button == GDK_BUTTON_PRIMARY && column != NULL && column->end > column->first) {
        g_autoptr (JobRankSet) set = dup_ranks (self, column);

        g_signal_emit (self, set_chosen_signal, 0, set);
    }
    return FALSE;
}

GUI_FINALIZE (gui_compare_plot, GuiComparePlot, g_array_unref (self->points);
              g_array_unref (self->columns))

static void
gui_compare_plot_constructed (GObject *object)
{
    gboolean is_histogram = GUI_COMPARE_PLOT (object)->is_histogram;

    G_OBJECT_CLASS (gui_compare_plot_parent_class)->constructed (object);
    gui_theme_name (GTK_WIDGET (object), is_histogram ? "compare-histogram" : "compare-plot",
                    is_histogram ? _ ("How many ranks have which number")
                                 : _ ("The numbers by rank"));
}

static void
gui_compare_plot_class_init (GuiComparePlotClass *klass)
{
    GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

    G_OBJECT_CLASS (klass)->constructed = gui_compare_plot_constructed;
    G_OBJECT_CLASS (klass)->finalize = gui_compare_plot_finalize;
    GUI_PROPERTIES (klass, GuiComparePlot,
                    (is_histogram, G_TYPE_BOOLEAN, .flags = G_PARAM_CONSTRUCT_ONLY));
    widget->draw = draw;
    widget->query_tooltip = query_tooltip;
    widget->button_press_event = press_button;
    set_chosen_signal = GUI_SIGNAL (klass, "set-chosen", G_TYPE_POINTER);
}

static void
gui_compare_plot_init (GuiComparePlot *self)
{
    self->points = g_array_new (FALSE, FALSE, sizeof (Point));
    self->columns = g_array_new (FALSE, FALSE, sizeof (Column));
    gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
    gtk_widget_add_events (GTK_WIDGET (self), GDK_BUTTON_PRESS_MASK);
}
