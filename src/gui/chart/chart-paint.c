/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The painter. Counting the states of a column is most of its time at a million ranks; a rectangle
 * for each rank would be seventy times slower. */
#include "gui/chart/chart-paint.h"
#include <string.h>
#include "gui/kit/palette.h"

typedef struct {
    cairo_surface_t *surface;
    guint8 *data;
    int stride, width, height, scale;
    const GuiChartLayout *layout;
    const GuiPaletteColours *colours;
    cairo_t *cr;
    guint8 *worst; /* a state a column, found while counting */
} Painter;

static double
get_text (const Painter *painter)
{
    return painter->colours->text > 0 ? painter->colours->text : 1;
}

static void
set_colour (cairo_t *cr, guint32 colour, double alpha)
{
    cairo_set_source_rgba (cr, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                           (colour & 255) / 255.0, alpha);
}

static void
fill_pixels (Painter *painter, int x, int y, int width, int height, guint32 colour)
{
    int x0 = MAX (x * painter->scale, 0),
        x1 = MIN ((x + width) * painter->scale, painter->width);
    int y0 = MAX (y * painter->scale, 0),
        y1 = MIN ((y + height) * painter->scale, painter->height);

    for (int row = y0; row < y1; row++) {
        guint32 *pixels = (guint32 *) (void *) (painter->data + (gsize) row * painter->stride);

        for (int i = x0; i < x1; i++) {
            pixels[i] = 0xff000000u | colour;
        }
    }
}

/* Only the lowest 8 px, because text is not legible over hatching. */
static void
hatch_pixels (Painter *painter, int x, int y, int width, int height, guint32 colour)
{
    int top = MAX (y, y + height - 8);
    int x0 = x * painter->scale, x1 = MIN ((x + width) * painter->scale, painter->width);
    int y0 = top * painter->scale, y1 = MIN ((y + height) * painter->scale, painter->height);
    guint32 ink = gui_palette_get_text (colour);

    for (int row = MAX (y0, 0); row < y1; row++) {
        guint32 *pixels = (guint32 *) (void *) (painter->data + (gsize) row * painter->stride);

        for (int i = x0; i < x1; i++) {
            if ((i / painter->scale + row / painter->scale) % 4 == 0) {
                pixels[i] = 0xff000000u | ink;
            }
        }
    }
}

guint
gui_chart_paint_stack (const guint32 *counts, guint32 n_ranks, int height, JobState *ret_order,
                       int *ret_heights)
{
    const JobState *order = gui_chart_layout_get_order ();
    guint n = 0;
    int left = height;

    for (guint i = 0; i < JOB_N_STATES; i++) {
        if (counts[order[i]] > 0) {
            ret_order[n++] = order[i];
        }
    }
    for (guint i = 0; i < n; i++) {
        int rest = 2 * (int) (n - 1 - i);
        int share = (int) ((guint64) height * counts[ret_order[i]] / MAX (n_ranks, 1));

        ret_heights[i] = i + 1 == n ? left : CLAMP (share, MIN (2, left), MAX (left - rest, 0));
        left -= ret_heights[i];
    }
    return n;
}

static JobState
find_worst (const guint32 *counts)
{
    const JobState *order = gui_chart_layout_get_order ();
    guint i = 0;

    while (i + 1 < JOB_N_STATES && counts[order[i]] == 0) {
        i++;
    }
    return order[i];
}

/* Four counters a state, since neighbours mostly share a state and one counter would wait for
 * itself. States are JobState: the session promises that. */
static guint
count_states (const guint8 *states, guint32 first, guint32 end, guint32 *counts)
{
    guint32 parts[4][JOB_N_STATES] = { { 0 } };
    guint32 rank = first;

    for (; rank + 4 <= end; rank += 4) {
        parts[0][states[rank]]++;
        parts[1][states[rank + 1]]++;
        parts[2][states[rank + 2]]++;
        parts[3][states[rank + 3]]++;
    }
    for (; rank < end; rank++) {
        parts[0][states[rank]]++;
    }
    for (guint i = 0; i < JOB_N_STATES; i++) {
        counts[i] = parts[0][i] + parts[1][i] + parts[2][i] + parts[3][i];
    }
    return end - first;
}

static void
draw_text (cairo_t *cr, const char *text, double x, double y, double size, gboolean bold)
{
    cairo_text_extents_t extents;

    cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                            bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size (cr, size);
    cairo_text_extents (cr, text, &extents);
    cairo_move_to (cr, x - extents.width / 2 - extents.x_bearing,
                   y - extents.height / 2 - extents.y_bearing);
    cairo_show_text (cr, text);
}

/* The size at which the number stands in a cell of that width; 0: it does not. */
static double
find_size (const Painter *painter, const char *number, int width, gboolean bold)
{
    cairo_t *cr = painter->cr;
    cairo_text_extents_t extents;

    cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                            bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    for (double size = 11 * get_text (painter); size >= 9; size--) {
        cairo_set_font_size (cr, size);
        cairo_text_extents (cr, number, &extents);
        if (extents.width <= width - 2) {
            return size;
        }
    }
    return 0;
}

static void
draw_cell_text (Painter *painter, const GuiRectangle *cell, int width, guint32 rank,
                JobState state)
{
    cairo_t *cr = painter->cr;
    g_autofree char *number = width >= 11 ? g_strdup_printf ("%u", rank) : NULL;
    double middle = cell->x + width / 2.0;
    double text = get_text (painter);
    double size = number != NULL ? find_size (painter, number, width, width >= 20) : 0;

    set_colour (cr, gui_palette_get_text (painter->colours->colours[state]), 1);
    if (size > 0 && cell->height >= 36) {
        draw_text (cr, number, middle, cell->y + cell->height * 0.32, size, width >= 20);
        draw_text (cr, job_state_get_info (state)->glyph, middle, cell->y + cell->height * 0.68,
                   MIN (11 * text, width), FALSE);
    } else if (size > 0 && width >= 44 * text) {
        g_autofree char *both = g_strdup_printf ("%s %s", number,
                                                 job_state_get_info (state)->glyph);

        draw_text (cr, both, middle, cell->y + cell->height / 2.0, MIN (size, 10 * text),
                   FALSE);
    } else if (size > 0 && width >= 20) {
        draw_text (cr, number, middle, cell->y + cell->height / 2.0, MIN (size, 10 * text),
                   FALSE);
    } else if (width >= 11) {
        draw_text (cr, job_state_get_info (state)->glyph, middle, cell->y + cell->height / 2.0,
                   MIN (10 * text, width), FALSE);
    }
}

/* A triangle, 9 px wide and 8 high, with a light edge; by pixels, as there may be a thousand. */
static void
fill_beacon (Painter *painter, const GuiRectangle *cell, guint32 colour)
{
    int scale = painter->scale, size = 9 * scale;
    int middle = cell->x * scale + cell->width * scale / 2, top = (cell->y - 2) * scale;

    for (int i = 0; i < size; i++) {
        int half = (size - i) / 2, y = top + i;
        guint32 *pixels = (guint32 *) (void *) (painter->data + (gsize) y * painter->stride);

        if (y < 0 || y >= painter->height) {
            continue;
        }
        for (int x = MAX (middle - half - scale, 0);
             x <= MIN (middle + half + scale, painter->width - 1); x++) {
            gboolean is_edge = x < middle - half || x > middle + half || i < scale;

            pixels[x] = 0xff000000u | (is_edge ? 0xffffff : colour);
        }
    }
}

static void
draw_outline (Painter *painter, double x, double y, double width, double height)
{
    cairo_rectangle (painter->cr, x + 0.5, y + 0.5, width - 1, height - 1);
    set_colour (painter->cr, painter->colours->foreground, painter->colours->outline_alpha);
    cairo_set_line_width (painter->cr, 1);
    cairo_stroke (painter->cr);
}

static void
fill_column (Painter *painter, const GuiRectangle *cell, int width, const guint32 *counts,
             guint32 n_ranks)
{
    JobState order[JOB_N_STATES];
    int heights[JOB_N_STATES], y = cell->y;
    guint n = gui_chart_paint_stack (counts, n_ranks, cell->height, order, heights);

    for (guint i = 0; i < n; i++) {
        guint32 colour = painter->colours->colours[order[i]];

        fill_pixels (painter, cell->x, y, width, heights[i], colour);
        if (job_state_get_info (order[i])->severe && width >= 6 && heights[i] >= 8) {
            hatch_pixels (painter, cell->x, y, width, heights[i], colour);
        }
        y += heights[i];
    }
}

static void
paint_beacons (Painter *painter)
{
    const GuiChartLayout *layout = painter->layout;

    for (guint32 row = 0; row < layout->n_rows; row++) {
        int last_x = G_MININT / 2;

        for (guint32 column = 0; column < layout->columns_per_row; column++) {
            JobState worst = painter->worst[(gsize) row * layout->columns_per_row + column];
            GuiRectangle cell;

            if (!job_state_get_info (worst)->severe) {
                continue;
            }
            gui_chart_layout_get_cell (layout, row, column, &cell);
            if (cell.width < 14 && cell.x - last_x >= 6) {
                fill_beacon (painter, &cell, painter->colours->colours[worst]);
                last_x = cell.x;
            }
        }
    }
}

static void
paint_strip (Painter *painter, const guint8 *states, gboolean over)
{
    const GuiChartLayout *layout = painter->layout;

    for (guint32 row = 0; row < layout->n_rows; row++) {
        for (guint32 column = 0; column < layout->columns_per_row; column++) {
            guint32 counts[JOB_N_STATES], first, end;
            GuiRectangle cell;

            gui_chart_layout_get_column (layout, row, column, &first, &end);
            if (first == end) {
                break;
            }
            gui_chart_layout_get_cell (layout, row, column, &cell);
            int width = cell.width >= 5 ? cell.width - 1 : cell.width;
            if (!over) {
                guint32 n = count_states (states, first, end, counts);

                fill_column (painter, &cell, width, counts, n);
                painter->worst[(gsize) row * layout->columns_per_row + column]
                    = (guint8) find_worst (counts);
            } else if (end - first == 1) {
                JobState state = states[first];

                if (layout->n_ranks <= 2048) {
                    draw_cell_text (painter, &cell, width, first, state);
                }
                if (width >= 5) {
                    draw_outline (painter, cell.x, cell.y, width, cell.height);
                }
            }
        }
    }
}

static void
paint_labels (Painter *painter)
{
    const GuiChartLayout *layout = painter->layout;
    cairo_t *cr = painter->cr;

    if (layout->label_width == 0) {
        return;
    }
    cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                            CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size (cr, 11 * get_text (painter));
    for (guint32 row = 0; row < layout->n_rows; row++) {
        g_autofree char *text = g_strdup_printf ("%u", row * layout->ranks_per_row);
        cairo_text_extents_t extents;
        GuiRectangle cell;

        gui_chart_layout_get_cell (layout, row, 0, &cell);
        cairo_text_extents (cr, text, &extents);
        set_colour (cr, painter->colours->foreground, 0.8);
        cairo_move_to (cr, layout->strip.x - 8 - extents.x_advance,
                       cell.y + cell.height / 2.0 + 4);
        cairo_show_text (cr, text);
    }
}

static void
paint_totals (Painter *painter, const guint32 *counts, gboolean over)
{
    const GuiRectangle *totals = &painter->layout->totals;
    JobState order[JOB_N_STATES];
    int xs[JOB_N_STATES], widths[JOB_N_STATES];
    guint n = gui_chart_layout_get_totals (painter->layout, counts, order, xs, widths);

    if (totals->height == 0) {
        return;
    }
    for (guint i = 0; i < n; i++) {
        const JobStateInfo *info = job_state_get_info (order[i]);
        guint32 colour = painter->colours->colours[order[i]];

        if (!over) {
            fill_pixels (painter, xs[i], totals->y, widths[i], totals->height, colour);
            if (info->severe) {
                hatch_pixels (painter, xs[i], totals->y, widths[i], totals->height, colour);
            }
            continue;
        }
        g_autofree char *text = widths[i] >= 44 * get_text (painter)
                                    ? g_strdup_printf ("%s %u", info->glyph, counts[order[i]])
                                    : g_strdup (widths[i] >= 14 ? info->glyph : "");
        set_colour (painter->cr, gui_palette_get_text (colour), 1);
        draw_text (painter->cr, text, xs[i] + widths[i] / 2.0,
                   totals->y + (info->severe ? 11 : 15), 12 * get_text (painter), TRUE);
        draw_outline (painter, xs[i], totals->y, widths[i], totals->height);
    }
    if (n == 0 && over) {
        draw_outline (painter, totals->x, totals->y, totals->width, totals->height);
    }
}

void
gui_chart_paint (cairo_surface_t *surface, int scale, const GuiChartLayout *layout,
                 const guint8 *states, const guint32 *counts, const GuiPaletteColours *colours)
{
    Painter painter
        = { .surface = surface, .scale = scale, .layout = layout, .colours = colours };

    cairo_surface_flush (surface);
    painter.data = cairo_image_surface_get_data (surface);
    painter.stride = cairo_image_surface_get_stride (surface);
    painter.width = cairo_image_surface_get_width (surface);
    painter.height = cairo_image_surface_get_height (surface);
    memset (painter.data, 0, (gsize) painter.stride * (gsize) painter.height);
    painter.worst = g_malloc0 ((gsize) layout->n_rows * layout->columns_per_row + 1);
    paint_totals (&painter, counts, FALSE);
    paint_strip (&painter, states, FALSE);
    if (layout->ranks_per_column > 1) {
        paint_beacons (&painter);
    }
    cairo_surface_mark_dirty (surface);
    painter.cr = cairo_create (surface);
    paint_totals (&painter, counts, TRUE);
    if (layout->ranks_per_column == 1) {
        paint_strip (&painter, states, TRUE);
        cairo_surface_flush (surface);
        paint_beacons (&painter);
        cairo_surface_mark_dirty (surface);
    }
    paint_labels (&painter);
    cairo_destroy (painter.cr);
    g_free (painter.worst);
}
