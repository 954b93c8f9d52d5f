/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chart without a window: every rank stands in one column, a point finds its rank again, and
 * the pixels have the states' colours. */
#include <string.h>
#include "gui/chart/chart-layout.h"
#include "gui/chart/chart-paint.h"
#include "gui/kit/palette.h"

static const guint32 sizes[] = { 1, 2, 7, 8, 61, 512, 513, 4099, 100000, 1000000 };
static const int widths[] = { 200, 704, 1000, 2560 };

static void
test_cover (void)
{
    for (guint i = 0; i < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (widths); i++) {
        guint32 n = sizes[i / G_N_ELEMENTS (widths)], next = 0;
        GuiChartLayout layout;

        gui_chart_layout_init (&layout, n, widths[i % G_N_ELEMENTS (widths)], 260);
        for (guint32 row = 0; row < layout.n_rows; row++) {
            for (guint32 column = 0; column < layout.columns_per_row; column++) {
                guint32 first, end;
                GuiRectangle cell;

                gui_chart_layout_get_column (&layout, row, column, &first, &end);
                gui_chart_layout_get_cell (&layout, row, column, &cell);
                g_assert_cmpint (cell.width, >=, 1);
                g_assert_cmpint (cell.x + cell.width, <=, layout.width);
                g_assert_cmpint (cell.y + cell.height, <=, 260);
                if (first < end) {
                    g_assert_cmpuint (first, ==, next);
                    next = end;
                }
            }
        }
        g_assert_cmpuint (next, ==, n);
    }
}

static void
test_hit (void)
{
    for (guint i = 0; i < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (widths); i++) {
        GuiChartLayout layout;

        gui_chart_layout_init (&layout, sizes[i / G_N_ELEMENTS (widths)],
                               widths[i % G_N_ELEMENTS (widths)], 260);
        for (guint32 row = 0; row < layout.n_rows; row++) {
            for (guint32 column = 0; column < layout.columns_per_row; column++) {
                guint32 first, end, hit_first, hit_end;
                GuiRectangle cell;

                gui_chart_layout_get_column (&layout, row, column, &first, &end);
                gui_chart_layout_get_cell (&layout, row, column, &cell);
                GuiChartPart part = gui_chart_layout_hit (&layout, cell.x + cell.width - 1,
                                                          cell.y + cell.height / 2, &hit_first,
                                                          &hit_end);
                g_assert_cmpint (part, ==, first < end ? GUI_CHART_STRIP : GUI_CHART_NOWHERE);
                if (first < end) {
                    g_assert_cmpuint (hit_first, ==, first);
                    g_assert_cmpuint (hit_end, ==, end);
                }
                gui_chart_layout_hit (&layout, cell.x, cell.y, &hit_first, &hit_end);
                g_assert_cmpuint (hit_first, ==, first < end ? first : 0);
            }
        }
    }
}

static void
test_nobody (void)
{
    GuiChartLayout layout;
    guint32 first, end;

    gui_chart_layout_init (&layout, 0, 700, 120);
    g_assert_cmpuint (layout.n_rows, ==, 0);
    g_assert_cmpint (gui_chart_layout_hit (&layout, 100, 60, &first, &end), ==,
                     GUI_CHART_NOWHERE);
    g_assert_cmpint (gui_chart_layout_hit (&layout, 100, 20, &first, &end), ==,
                     GUI_CHART_TOTALS);
}

static void
test_totals (void)
{
    guint32 counts[JOB_N_STATES] = { 0 };
    JobState order[JOB_N_STATES];
    int x[JOB_N_STATES], width[JOB_N_STATES];
    GuiChartLayout layout;

    counts[JOB_STATE_RUNNING] = 999998;
    counts[JOB_STATE_LOST] = 1;
    counts[JOB_STATE_SIGNAL] = 1;
    gui_chart_layout_init (&layout, 1000000, 700, 260);
    g_assert_cmpuint (gui_chart_layout_get_totals (&layout, counts, order, x, width), ==, 3);
    g_assert_cmpint (order[0], ==, JOB_STATE_LOST);
    g_assert_cmpint (width[0], >=, 8);
    g_assert_cmpint (width[1], >=, 8);
    g_assert_cmpint (x[2] + width[2], ==, layout.totals.x + layout.totals.width);
}

/* In a low window there is no totals bar, and each rank is still found. */
static void
test_low (void)
{
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
        int height = gui_chart_layout_get_low_height (sizes[i], 1000);
        GuiChartLayout layout;
        guint32 first, end;

        g_assert_cmpint (height, <=, 72);
        gui_chart_layout_init (&layout, sizes[i], 1000, height);
        g_assert_cmpint (layout.totals.height, ==, 0);
        g_assert_cmpint (layout.strip.y + layout.strip.height, <=, height);
        g_assert_cmpint (gui_chart_layout_hit (&layout, layout.strip.x, layout.strip.y, &first,
                                               &end),
                         ==, GUI_CHART_STRIP);
        g_assert_cmpuint (first, ==, 0);
        g_assert_cmpint (gui_chart_layout_hit (&layout, layout.strip.x, 2, &first, &end), ==,
                         GUI_CHART_NOWHERE);
    }
}

static void
test_stack (void)
{
    guint32 counts[JOB_N_STATES] = { 0 };
    JobState order[JOB_N_STATES];
    int heights[JOB_N_STATES];

    counts[JOB_STATE_RUNNING] = 900;
    counts[JOB_STATE_BREAKPOINT] = 99;
    counts[JOB_STATE_FAILED] = 1;
    g_assert_cmpuint (gui_chart_paint_stack (counts, 1000, 40, order, heights), ==, 3);
    g_assert_cmpint (order[0], ==, JOB_STATE_FAILED);
    g_assert_cmpint (heights[0], ==, 2);
    g_assert_cmpint (heights[0] + heights[1] + heights[2], ==, 40);
}

static guint32
read_pixel (cairo_surface_t *surface, int x, int y)
{
    const guint8 *row = cairo_image_surface_get_data (surface)
                        + (gsize) y * (gsize) cairo_image_surface_get_stride (surface);

    return ((const guint32 *) (const void *) row)[x] & 0xffffff;
}

/* Marks of hatching in the lowest part of a rank's cell. */
static guint
count_marks (cairo_surface_t *surface, int scale, const GuiRectangle *cell, guint32 colour)
{
    guint n = 0;

    for (int x = cell->x * scale; x < (cell->x + cell->width) * scale; x++) {
        n += read_pixel (surface, x, (cell->y + cell->height - 4) * scale)
             == gui_palette_get_text (colour);
    }
    return n;
}

static void
test_colours (gconstpointer data)
{
    int scale = GPOINTER_TO_INT (data);
    guint8 states[JOB_N_STATES];
    guint32 counts[JOB_N_STATES];
    GuiPaletteColours colours = { .foreground = 0x222222, .outline_alpha = 0.5 };
    GuiChartLayout layout;
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 800 * scale,
                                                           110 * scale);

    for (guint i = 0; i < JOB_N_STATES; i++) {
        states[i] = (guint8) i;
        counts[i] = 1;
        colours.colours[i] = gui_palette_get (i, FALSE);
    }
    cairo_surface_set_device_scale (surface, scale, scale);
    gui_chart_layout_init (&layout, JOB_N_STATES, 800, 110);
    gui_chart_paint (surface, scale, &layout, states, counts, &colours);
    for (guint32 i = 0; i < JOB_N_STATES; i++) {
        GuiRectangle cell;

        gui_chart_layout_get_cell (&layout, 0, i, &cell);
        g_assert_cmphex (read_pixel (surface, (cell.x + 4) * scale, (cell.y + 4) * scale), ==,
                         colours.colours[i]);
        g_assert_cmpint (count_marks (surface, scale, &cell, colours.colours[i]) > 4, ==,
                         job_state_get_info (i)->severe);
    }
    cairo_surface_destroy (surface);
}

/* How many pixels of this part of the surface are not of that colour. */
static guint
count_others (cairo_surface_t *surface, int x, int y, int width, int height, guint32 colour)
{
    guint n = 0;

    for (int row = y; row < y + height; row++) {
        for (int column = x; column < x + width; column++) {
            n += read_pixel (surface, column, row) != colour;
        }
    }
    return n;
}

/* 64 ranks in a window of the usual width: each cell has its number above its glyph. */
static void
test_numbers (void)
{
    enum { N = 64, WIDTH = 1240 };
    int height = gui_chart_layout_get_height (N, WIDTH);
    guint8 states[N];
    guint32 counts[JOB_N_STATES] = { 0 };
    GuiPaletteColours colours = { .foreground = 0x222222, .outline_alpha = 0.5 };
    GuiChartLayout layout;
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, height);

    memset (states, JOB_STATE_BREAKPOINT, N);
    counts[JOB_STATE_BREAKPOINT] = N;
    for (guint i = 0; i < JOB_N_STATES; i++) {
        colours.colours[i] = gui_palette_get (i, FALSE);
    }
    gui_chart_layout_init (&layout, N, WIDTH, height);
    g_assert_cmpuint (layout.n_rows, ==, 1);
    gui_chart_paint (surface, 1, &layout, states, counts, &colours);
    for (guint32 i = 0; i < N; i++) {
        guint32 fill = colours.colours[JOB_STATE_BREAKPOINT];
        GuiRectangle cell;

        gui_chart_layout_get_cell (&layout, 0, i, &cell);
        g_assert_cmpuint (count_others (surface, cell.x + 1, cell.y + cell.height / 5,
                                        cell.width - 3, cell.height / 5, fill),
                          >, 8);
        g_assert_cmpuint (count_others (surface, cell.x + 1, cell.y + cell.height * 3 / 5,
                                        cell.width - 3, cell.height / 5, fill),
                          >, 8);
    }
    cairo_surface_destroy (surface);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/chart/every-rank-once", test_cover);
    g_test_add_func ("/chart/hit-inverts-layout", test_hit);
    g_test_add_func ("/chart/no-rank-yet", test_nobody);
    g_test_add_func ("/chart/totals", test_totals);
    g_test_add_func ("/chart/low", test_low);
    g_test_add_func ("/chart/stack", test_stack);
    g_test_add_data_func ("/chart/colours", GINT_TO_POINTER (1), test_colours);
    g_test_add_data_func ("/chart/colours-scale-2", GINT_TO_POINTER (2), test_colours);
    g_test_add_func ("/chart/numbers", test_numbers);
    return g_test_run ();
}
