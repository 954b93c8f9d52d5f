/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pixel by pixel: each is the share of the classes in its time. */
#include "gui/profile/timeline-rows.h"
#include "gui/profile/timeline-counters.h"
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include "profile/slice.h"
#include "gui/profile/profile-common.h"

enum { HATCH_PX = 10, MARGIN = 4 };

/* The shares of one pixel's classes; what is missing to 1 was not measured. */
typedef struct {
    float *bins; /* n × JOB_N_CLASSES */
    guint n;
    double width_s;
} Line;

char *
gui_timeline_rows_dup_label (const ProfileModel *model, const GuiTimelineRow *row)
{
    guint32 number;

    if (row->counter > 0) {
        return gui_timeline_counters_dup_label (model, row);
    }
    if (row->level > 0) {
        return g_strdup_printf ("%u", row->level);
    }
    if (row->thread == PROFILE_COUNTED_THREADS) {
        return profile_model_format_rank (BASE_TEXT_SHOWN, model, row->index);
    }
    profile_samples_get (model, row->index, row->thread, &number);
    return g_strdup_printf (_ ("thread %u"), number);
}

char *
gui_timeline_rows_dup_title (const ProfileModel *model, const GuiTimelineRow *row)
{
    g_autofree char *process = NULL;
    guint32 number;

    process = profile_model_format_rank (BASE_TEXT_SHOWN, model, row->index);
    if (row->counter > 0) {
        g_autofree char *label = gui_timeline_counters_dup_label (model, row);

        return g_strdup_printf ("%s, %s", process, label);
    }
    if (row->thread == PROFILE_COUNTED_THREADS
        || profile_samples_get_n_threads (model, row->index) < 2) {
        return g_steal_pointer (&process);
    }
    profile_samples_get (model, row->index, row->thread, &number);
    /* Translators: "rank 3" or "process 4711 (child of rank 3)", and a number */
    return g_strdup_printf (_ ("%s, thread %u"), process, number);
}

char *
gui_timeline_rows_dup_name (const JobContext *call)
{
    return call != NULL ? gui_profile_dup_name (call) : g_strdup ("");
}

/* Cairo's own text is quick, and has one font: others have the letters that this one lacks. */
void
gui_timeline_rows_paint_name (cairo_t *cr, const char *name, guint32 colour, double x, double y,
                              double width, double height)
{
    double size = CLAMP (height * 0.6, 8, 12), tall;

    cairo_save (cr);
    cairo_rectangle (cr, x, y, width, height);
    cairo_clip (cr);
    if (g_str_is_ascii (name)) {
        gui_profile_set_colour (cr, colour, 1);
        cairo_select_font_face (cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                                CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size (cr, size);
        cairo_move_to (cr, x + MARGIN, floor (y + height * 0.7));
        cairo_show_text (cr, name);
    } else {
        gui_profile_measure_text (cr, name, size, FALSE, &tall);
        gui_profile_draw_text (cr, name, size, FALSE, colour, GUI_PROFILE_LEFT, x + MARGIN,
                               floor (y + (height - tall) / 2), -1);
    }
    cairo_restore (cr);
}

void
gui_timeline_rows_paint_mark (cairo_t *cr, double x, double y, gboolean is_open, guint32 colour)
{
    gui_profile_set_colour (cr, colour, 1);
    if (is_open) {
        cairo_move_to (cr, x, y - 2.5);
        cairo_line_to (cr, x + 8, y - 2.5);
        cairo_line_to (cr, x + 4, y + 3);
    } else {
        cairo_move_to (cr, x + 1.5, y - 4);
        cairo_line_to (cr, x + 7, y);
        cairo_line_to (cr, x + 1.5, y + 4);
    }
    cairo_close_path (cr);
    cairo_fill (cr);
}

static void
count_row (const ProfileModel *model, const GuiTimelineRow *row, const GuiProfileAxis *axis,
           Line *line)
{
    memset (line->bins, 0, (gsize) line->n * JOB_N_CLASSES * sizeof *line->bins);
    profile_model_add_bins (model, row->index, row->thread, axis->begin_s, axis->end_s, line->n,
                            line->bins);
    line->width_s = (axis->end_s - axis->begin_s) / line->n;
}

/* How much of the height each class takes, in the order of the stack; returns the sum. */
static guint
share_out (const Line *line, guint pixel, guint height, guint *heights)
{
    const JobClass *order = gui_profile_colours_get_order ();
    const float *bin = line->bins + (gsize) pixel * JOB_N_CLASSES;
    double sum = 0, done = 0;
    guint taken = 0;

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        sum += bin[class];
    }
    for (guint k = 0; k < JOB_N_CLASSES; k++) {
        guint upto;

        done += bin[order[k]];
        upto = sum > 0 ? (guint) (height * done / MAX (sum, line->width_s * 0.999) + 0.5) : 0;
        heights[k] = MIN (upto, height) - taken;
        taken = MIN (upto, height);
    }
    return taken;
}

static guint32
fade (const GuiProfileColours *colours, guint32 colour)
{
    guint32 result = 0;

    for (guint shift = 0; shift < 24; shift += 8) {
        guint32 a = colour >> shift & 255, b = colours->background >> shift & 255;

        result |= (a + 3 * b) / 4 << shift;
    }
    return result;
}

static void
fill_palette (int chosen, const GuiProfileColours *colours, guint32 *palette)
{
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        palette[class]
            = 0xff000000
              | (chosen == PROFILE_ALL_CLASSES || chosen == (int) class ? colours
                                                                              ->classes[class]
                                                                        : fade (colours,
                                                                                colours->classes
                                                                                    [class]));
    }
}

/* Hatches stretches that are of one class alone. */
static void
hatch_row (cairo_t *cr, const Line *line, const GuiProfileColours *colours, double x, double y,
           double height)
{
    guint begin = 0;
    int before = -1;

    for (guint pixel = 0; pixel <= line->n; pixel++) {
        int only = -1;

        for (guint class = 0; pixel < line->n && class < JOB_N_CLASSES; class ++) {
            if (line->bins[(gsize) pixel * JOB_N_CLASSES + class] >= 0.9 * line->width_s) {
                only = (int) class;
            }
        }
        if (only != before) {
            if (before >= 0 && pixel - begin >= HATCH_PX) {
                gui_profile_hatch_class (cr, colours, before, x + begin, y, pixel - begin,
                                         height);
            }
            before = only;
            begin = pixel;
        }
    }
}

cairo_surface_t *
gui_timeline_rows_paint (const ProfileModel *model, const GuiTimelineRow *rows, guint n,
                         guint height, int class, const GuiProfileAxis *axis,
                         const GuiProfileColours *colours)
{
    guint width = (guint) axis->width, gap = height > 8 ? 2 : 1;
    const JobClass *order = gui_profile_colours_get_order ();
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) width,
                                                           (int) MAX (1, n * height));
    int stride = cairo_image_surface_get_stride (surface) / (int) sizeof (guint32);
    guint32 *pixels = (guint32 *) (void *) cairo_image_surface_get_data (surface);
    g_autofree float *bins = g_new (float, (gsize) width *JOB_N_CLASSES);
    Line line = { bins, width, 0 };
    guint32 palette[JOB_N_CLASSES];
    guint heights[JOB_N_CLASSES];
    cairo_t *cr = cairo_create (surface);

    if (pixels == NULL) { /* too large for an image */
        cairo_destroy (cr);
        return surface;
    }
    fill_palette (class, colours, palette);
    for (guint row = 0; row < n; row++) {
        guint32 *top = pixels + (gsize) row * height * (guint) stride;

        if (rows[row].index == GUI_TIMELINE_NOTHING || rows[row].level > 0
            || rows[row].counter > 0) {
            continue;
        }
        count_row (model, &rows[row], axis, &line);
        cairo_surface_flush (surface);
        for (guint x = 0; x < width; x++) {
            guint y = height - gap;

            share_out (&line, x, height - gap, heights);
            for (guint k = 0; k < JOB_N_CLASSES; k++) {
                for (guint i = 0; i < heights[k]; i++) {
                    top[(gsize) --y * (guint) stride + x] = palette[order[k]];
                }
            }
        }
        cairo_surface_mark_dirty (surface);
        if (height >= 8) {
            hatch_row (cr, &line, colours, 0, row * (double) height, height - gap);
        }
    }
    cairo_destroy (cr);
    return surface;
}
