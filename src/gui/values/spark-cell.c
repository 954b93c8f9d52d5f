/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first double of the bytes is the index of the representative's bar, the rest are bars. */
#include "gui/values/spark-cell.h"
#include <math.h>
#include "gui/kit/template.h"
#include "base/array.h"

enum { MAX_BARS = 48, BAR = 3, HEIGHT = 14 };

struct _GuiSparkCell {
    GtkCellRenderer parent;
    GBytes *bars;
};

G_DEFINE_TYPE (GuiSparkCell, gui_spark_cell, GTK_TYPE_CELL_RENDERER)

GBytes *
gui_spark_cell_make (const double *numbers, guint n, gint64 highlighted)
{
    guint n_bars = MIN (n, MAX_BARS);
    g_autofree double *bars = g_new0 (double, n_bars + 1);
    g_autofree guint *counts = g_new0 (guint, n_bars + 1);

    bars[0] = -1;
    for (guint i = 0; i < n; i++) {
        guint bar = 1 + (guint) ((guint64) i * n_bars / n);

        if (i == highlighted) {
            bars[0] = bar - 1;
        }
        if (isfinite (numbers[i])) {
            bars[bar] += numbers[i];
            counts[bar]++;
        }
    }
    for (guint i = 1; i <= n_bars; i++) {
        bars[i] = counts[i] > 0 ? bars[i] / counts[i] : NAN;
    }
    return g_bytes_new (bars, (n_bars + 1) * sizeof (double));
}

/* Of the group that has the rank; NAN: none has. */
static double
find_number (const JobValueRow *row, guint32 rank)
{
    return BASE_PICK (row->groups, const JobValueGroup, group,
                      job_rank_set_contains (group->ranks, rank), group->value->number, NAN);
}

GBytes *
gui_spark_cell_make_bars (const JobValueRow *row, const JobRankSet *ranks,
                          guint32 representative)
{
    g_autofree double *numbers = g_new (double, job_rank_set_get_count (ranks) + 1);
    gint64 highlighted = -1;
    guint32 n = 0;

    if (row->groups->len < 2) {
        return NULL;
    }
    if (BASE_HAS (row->groups, const JobValueGroup, group, !group->value->is_number)) {
        return NULL;
    }
    JOB_EACH_RANK (ranks, rank) {
        highlighted = rank == representative ? n : highlighted;
        numbers[n++] = find_number (row, rank);
    }
    return gui_spark_cell_make (numbers, n, highlighted);
}

static void
get_width (GtkCellRenderer *cell, GtkWidget *widget, int *minimum, int *natural)
{
    *minimum = 8 * BAR;
    *natural = GUI_SPARK_CELL (cell)->bars != NULL
                   ? (int) (g_bytes_get_size (GUI_SPARK_CELL (cell)->bars) / sizeof (double))
                             * BAR
                         + 4
                   : 8 * BAR;
}

static void
get_height (GtkCellRenderer *cell, GtkWidget *widget, int *minimum, int *natural)
{
    *minimum = *natural = HEIGHT;
}

static void
find_range (const double *bars, gsize n, double *ret_low, double *ret_high)
{
    *ret_low = INFINITY;
    *ret_high = -INFINITY;
    for (gsize i = 0; i < n; i++) {
        if (isfinite (bars[i])) {
            *ret_low = MIN (*ret_low, bars[i]);
            *ret_high = MAX (*ret_high, bars[i]);
        }
    }
}

static void
render (GtkCellRenderer *cell, cairo_t *cr, GtkWidget *widget, const GdkRectangle *background,
        const GdkRectangle *area, GtkCellRendererState flags)
{
    GuiSparkCell *self = GUI_SPARK_CELL (cell);
    GtkStyleContext *style = gtk_widget_get_style_context (widget);
    double low, high, width;
    const double *bars;
    GdkRGBA ink;
    gsize size;

    if (self->bars == NULL) {
        return;
    }
    bars = g_bytes_get_data (self->bars, &size);
    size = size / sizeof (double) - 1;
    find_range (bars + 1, size, &low, &high);
    gtk_style_context_get_color (style, gtk_style_context_get_state (style), &ink);
    width = CLAMP ((double) (area->width - 4) / (double) size, 1, BAR * 2);
    for (gsize i = 0; i < size && low <= high; i++) {
        double share = high > low ? (bars[i + 1] - low) / (high - low) : 0.5;
        int height = (int) (2 + share * (HEIGHT - 3));

        if (isfinite (bars[i + 1])) {
            ink.alpha = (double) i == bars[0] ? 1 : 0.5;
            gdk_cairo_set_source_rgba (cr, &ink);
            cairo_rectangle (cr, area->x + 2 + (double) i * width,
                             area->y + (area->height + HEIGHT) / 2 - height, MAX (width - 1, 1),
                             height);
            cairo_fill (cr);
        }
    }
}

static void
gui_spark_cell_class_init (GuiSparkCellClass *klass)
{
    GtkCellRendererClass *cell = GTK_CELL_RENDERER_CLASS (klass);

    G_OBJECT_CLASS (klass)->dispose = gui_properties_dispose;
    GUI_PROPERTIES (klass, GuiSparkCell, (bars, G_TYPE_BYTES));
    cell->get_preferred_width = get_width;
    cell->get_preferred_height = get_height;
    cell->render = render;
}

static void
gui_spark_cell_init (GuiSparkCell *self)
{
}
