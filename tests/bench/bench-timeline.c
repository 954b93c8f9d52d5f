/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench-timeline PDDT-ARCHIVE ARCHIVE [PICTURE]: opens the archive of a trace and zooms into its middle, from all of the
 * time to 2 µs, in Timeline. Prints the time until it was open, milliseconds of the processor for a frame while it
 * zooms and when it has the events themselves, and how long these took to come. PICTURE: a PNG of the last frame. Needs a
 * display. Fails when a frame takes longer than the 16 ms that it may. */
#include <gtk/gtk.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include "gui/kit/theme.h"
#include "gui/profile/timeline-view.h"
#include "profile/archive.h"

enum { WIDTH = 1280, HEIGHT = 800, STEPS = 70, EXACT = 30, FRAME_US = 16000 };
#define LEAST_S 2e-6

typedef struct {
    GuiProfileSelection *selection;
    GtkWidget *view;
    cairo_surface_t *surface;
    GArray *frames; /* of gint64: µs */
} Bench;

static gint64
get_cpu_us (int who)
{
    struct rusage usage;

    getrusage (who, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC
           + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* Of this thread alone: the machine may have other work. */
static gint64
get_time_us (void)
{
    struct timespec now;

    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static void
paint (Bench *bench)
{
    gint64 before_us = get_time_us (), spent_us;
    cairo_t *cr = cairo_create (bench->surface);
    GuiProfileColours colours;

    gui_profile_colours_fill_theme (FALSE, &colours);
    gui_profile_view_draw (GUI_PROFILE_VIEW (bench->view), cr, WIDTH, HEIGHT, &colours);
    cairo_destroy (cr);
    spent_us = get_time_us () - before_us;
    g_array_append_val (bench->frames, spent_us);
}

static void
turn (void)
{
    while (gtk_events_pending ()) {
        gtk_main_iteration ();
    }
}

static gint
compare (gconstpointer a, gconstpointer b)
{
    return *(const gint64 *) a > *(const gint64 *) b ? 1 : -1;
}

/* FALSE: the median takes too long. */
static gboolean
report (Bench *bench, const char *what)
{
    gint64 median, worst;

    g_array_sort (bench->frames, compare);
    median = g_array_index (bench->frames, gint64, bench->frames->len / 2);
    worst = g_array_index (bench->frames, gint64, bench->frames->len - 1);
    printf ("%s: %.2f ms, at most %.2f\n", what, (double) median / 1000, (double) worst / 1000);
    g_array_set_size (bench->frames, 0);
    return median <= FRAME_US;
}

/* As the wheel does it, by a factor each time. */
static void
zoom (Bench *bench)
{
    double duration = gui_profile_selection_get_duration (bench->selection), span = duration;

    for (guint i = 0; i < STEPS; i++) {
        span = MAX (LEAST_S, span * 0.8);
        gui_profile_selection_set_time (bench->selection, duration / 2 - span / 2,
                                        duration / 2 + span / 2);
        paint (bench);
        turn ();
    }
}

static ProfileModel *
open_archive (char **argv)
{
    gint64 before_us = g_get_monotonic_time ();
    gint64 cpu_us = get_cpu_us (RUSAGE_SELF) + get_cpu_us (RUSAGE_CHILDREN);
    g_autoptr (GError) error = NULL;
    ProfileModel *model = profile_archive_read (argv[1], argv[2], &error);

    if (model == NULL) {
        g_error ("%s", error->message);
    }
    printf ("open: %.2f s, %.2f s of processors, %" G_GUINT64_FORMAT " calls\n",
            (double) (g_get_monotonic_time () - before_us) / G_USEC_PER_SEC,
            (double) (get_cpu_us (RUSAGE_SELF) + get_cpu_us (RUSAGE_CHILDREN) - cpu_us)
                / G_USEC_PER_SEC,
            profile_model_get_n_calls (model));
    return model;
}

int
main (int argc, char **argv)
{
    Bench bench = { .frames = g_array_new (FALSE, FALSE, sizeof (gint64)) };
    g_autoptr (ProfileModel) model = NULL;
    gboolean is_fast;
    gint64 before_us;

    gtk_init (&argc, &argv);
    g_assert_cmpint (argc, >=, 3);
    gui_theme_init ();
    model = open_archive (argv);
    bench.selection = gui_profile_selection_new ();
    gui_profile_selection_set_model (bench.selection, model);
    bench.view = g_object_ref_sink (gui_timeline_view_new (bench.selection));
    g_object_set (bench.view, "archive-program", argv[1], "archive", argv[2], NULL);
    gui_timeline_view_set_room (GUI_TIMELINE_VIEW (bench.view), HEIGHT);
    bench.surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
    paint (&bench);
    g_array_set_size (bench.frames, 0);
    zoom (&bench);
    is_fast = report (&bench, "a frame while zooming");
    before_us = g_get_monotonic_time ();
    while (!gui_timeline_view_is_settled (GUI_TIMELINE_VIEW (bench.view))) {
        gtk_main_iteration ();
        if (gui_timeline_view_is_settled (GUI_TIMELINE_VIEW (bench.view))) {
            paint (&bench); /* may ask for more */
        }
    }
    printf ("exact after %.2f s\n",
            (double) (g_get_monotonic_time () - before_us) / G_USEC_PER_SEC);
    g_array_set_size (bench.frames, 0);
    for (guint i = 0; i < EXACT; i++) {
        paint (&bench);
    }
    is_fast &= report (&bench, "a frame with the events themselves");
    gui_timeline_view_toggle (GUI_TIMELINE_VIEW (bench.view),
                              profile_model_get_rank (model, 0));
    for (guint i = 0; i < EXACT; i++) {
        paint (&bench);
    }
    is_fast &= report (&bench, "a frame with the calls of a rank inside each other");
    gui_profile_selection_set_time (bench.selection, 0,
                                    gui_profile_selection_get_duration (bench.selection));
    for (guint i = 0; i < EXACT; i++) {
        paint (&bench);
    }
    is_fast &= report (&bench, "all of the time so");
    if (argc > 3) {
        cairo_surface_write_to_png (bench.surface, argv[3]);
    }
    gtk_widget_destroy (bench.view);
    g_object_unref (bench.view);
    g_object_unref (bench.selection);
    return is_fast ? 0 : 1;
}
