/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench-profile-views EXAMPLES: milliseconds of the processor to compute and paint the views Calls, Functions and Source
 * of 64 ranks with 10,000 samples each in 3,000 contexts, median of 15; the peer in the same run paints
 * a rectangle for each call, and a picture for each change must take less than 16 ms. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "../gui/profile-sample.h"
#include "gui/profile/profile-call-paint.h"
#include "profile/file-lines.h"
#include "profile/function-table.h"

enum { RANKS = 64, SAMPLES = 10000, CONTEXTS = 3000, ROUNDS = 15, WIDTH = 1280, HEIGHT = 800 };

typedef struct {
    ProfileModel *model;
    ProfileCosts *costs;
    ProfileCallTree *tree;
    const char *file;
    cairo_surface_t *surface;
} Bench;

/* Of this process alone, in µs: the machine may have other work. */
static gint64
get_time_us (void)
{
    struct timespec now;

    clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
    return *(const gint64 *) a > *(const gint64 *) b ? 1 : -1;
}

static void
measure (const char *name, void (*work) (Bench *), Bench *bench)
{
    gint64 times_us[ROUNDS];

    for (guint i = 0; i < ROUNDS; i++) {
        gint64 begin_us = get_time_us ();

        work (bench);
        times_us[i] = get_time_us () - begin_us;
    }
    qsort (times_us, ROUNDS, sizeof *times_us, compare);
    printf ("%-44s %7.2f ms\n", name, (double) times_us[ROUNDS / 2] / 1000);
}

static void
make_costs (Bench *bench)
{
    profile_costs_free (profile_costs_new (bench->model));
}

static void
make_tree (Bench *bench)
{
    profile_call_tree_free (profile_call_tree_new (bench->costs));
}

static void
make_table (Bench *bench)
{
    profile_function_table_free (profile_function_table_new (bench->costs, TRUE));
}

static void
make_lines (Bench *bench)
{
    profile_file_lines_free (profile_file_lines_new (bench->costs, bench->file, 0.001, 48));
}

static void
paint (Bench *bench, gboolean is_polar, guint max_levels, double least)
{
    GuiProfileColours colours;
    GuiProfileCallLayout layout;
    GuiProfileCallFrame frame;
    cairo_t *cr = cairo_create (bench->surface);
    GuiProfileCallPicture picture = { bench->costs, bench->tree, &layout, &colours,
                                      13,           NULL,        -1,      -1 };

    gui_profile_colours_fill_theme (FALSE, &colours);
    gui_profile_call_layout_init (&layout, bench->tree, 0, max_levels, least);
    gui_profile_call_frame_init (&frame, is_polar, WIDTH, HEIGHT, layout.n_levels, 13);
    gui_profile_call_paint (cr, &frame, &picture);
    gui_profile_call_layout_clear (&layout);
    cairo_destroy (cr);
}

static void
paint_icicle (Bench *bench)
{
    paint (bench, FALSE, 40, 0.001);
}

static void
paint_sunburst (Bench *bench)
{
    paint (bench, TRUE, 9, 0.001);
}

/* What is done while the pointer moves and nothing else changes. */
static void
paint_marks (Bench *bench)
{
    cairo_surface_t *screen = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t *cr = cairo_create (screen);

    cairo_set_source_surface (cr, bench->surface, 0, 0);
    cairo_paint (cr);
    cairo_destroy (cr);
    cairo_surface_destroy (screen);
}

static void
paint_rectangles (Bench *bench)
{
    cairo_t *cr = cairo_create (bench->surface);
    double scale = WIDTH / bench->costs->total;

    for (guint i = 0; i < bench->tree->calls->len; i++) {
        const ProfileCall *call = profile_call_tree_get (bench->tree, i);

        cairo_set_source_rgb (cr, 0.2, (i % 10) / 10.0, 0.5);
        cairo_rectangle (cr, call->begin * scale, call->depth * 20, call->total * scale, 19);
        cairo_fill (cr);
    }
    cairo_destroy (cr);
}

int
main (int argc, char **argv)
{
    g_autoptr (GArray) files = NULL;
    Bench bench = { NULL };

    if (argc != 2) {
        return 2;
    }
    bench.model = profile_sample_new (RANKS, SAMPLES, CONTEXTS, argv[1]);
    bench.costs = profile_costs_new (bench.model);
    bench.tree = profile_call_tree_new (bench.costs);
    files = profile_file_lines_dup_files (bench.costs);
    bench.file = g_array_index (files, ProfileFile, 0).file;
    bench.surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
    measure ("costs of another selection", make_costs, &bench);
    measure ("tree of calls", make_tree, &bench);
    measure ("table of functions, inclusive", make_table, &bench);
    measure ("lines of the most expensive file with sparklines", make_lines, &bench);
    measure ("icicle, 40 levels, cut-off 0.1 %", paint_icicle, &bench);
    measure ("sunburst, 9 levels, cut-off 0.1 %", paint_sunburst, &bench);
    measure ("either again, only the pointer moved", paint_marks, &bench);
    measure ("peer: a rectangle for each call", paint_rectangles, &bench);
    cairo_surface_destroy (bench.surface);
    profile_call_tree_free (bench.tree);
    profile_costs_free (bench.costs);
    profile_model_free (bench.model);
    return 0;
}
