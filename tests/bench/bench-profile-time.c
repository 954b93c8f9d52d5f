/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench-profile-time EXAMPLES: milliseconds of the processor for one frame while the user zooms, of 64 ranks with
 * 10,000 samples each, also with 1,000,000 messages, median of 30; the peer in the same run paints a rectangle for each sample. Fails when a
 * frame of the Timeline or the Activity takes longer than the 16 ms that it may. Needs a display. */
#include <gtk/gtk.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "../gui/profile-sample.h"
#include "gui/kit/theme.h"
#include "gui/profile/activity-view.h"
#include "gui/profile/ranks-view.h"
#include "gui/profile/timeline-view.h"
#include "profile/messages.h"

enum { RANKS = 64, SAMPLES = 10000, FRAMES = 30, WIDTH = 1280, HEIGHT = 800, FRAME_US = 16000 };
enum { MESSAGES = 1000000, COLLECTIVES = 15000 };

typedef struct {
    GuiProfileSelection *selection;
    const ProfileModel *model;
    GtkWidget *view;
    cairo_surface_t *surface;
    double duration;
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
paint_view (Bench *bench)
{
    cairo_t *cr = cairo_create (bench->surface);
    GuiProfileColours colours;

    gui_profile_colours_fill_theme (FALSE, &colours);
    gui_profile_view_draw (GUI_PROFILE_VIEW (bench->view), cr, WIDTH, HEIGHT, &colours);
    cairo_destroy (cr);
}

/* The Activity is zoomed by itself. */
static void
paint_zoom (Bench *bench)
{
    gui_activity_view_set_shown (GUI_ACTIVITY_VIEW (bench->view),
                                 gui_profile_selection_get_begin (bench->selection),
                                 gui_profile_selection_get_end (bench->selection));
    paint_view (bench);
}

static void
paint_samples (Bench *bench)
{
    cairo_t *cr = cairo_create (bench->surface);
    double begin = gui_profile_selection_get_begin (bench->selection);
    double scale = WIDTH / (gui_profile_selection_get_end (bench->selection) - begin);

    for (guint i = 0; i < RANKS; i++) {
        guint32 number;
        const GArray *samples = profile_samples_get (bench->model, i, 0, &number);

        for (guint j = 0; j < samples->len; j++) {
            const ProfileSample *sample = &g_array_index (samples, ProfileSample, j);
            double end = (double) (sample->time_us - 1000000) / G_USEC_PER_SEC;
            double width = (double) sample->weight_us / G_USEC_PER_SEC * scale;

            cairo_set_source_rgb (cr, 0.2, sample->class / 10.0, 0.5);
            cairo_rectangle (cr, (end - begin) * scale - width, i * 12.0, width, 11);
            cairo_fill (cr);
        }
    }
    cairo_destroy (cr);
}

/* To the neighbours, and a barrier of all now and then, over the time of the samples. */
static void
add_messages (ProfileModel *model, double duration_s)
{
    g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (ProfileMember));
    gint64 first_us = 0;

    while (profile_messages_get_seconds (model, first_us) < 0) {
        first_us += 1000; /* the first sample's time */
    }
    for (guint i = 0; i < MESSAGES; i++) {
        gint64 at_us = first_us + (gint64) (duration_s * G_USEC_PER_SEC * i / MESSAGES);
        ProfileMessage message = { i % RANKS, (i * 7 + 1) % RANKS, 0, 8,
                                   at_us,     at_us + 20 + i % 500 };

        profile_model_add_message (model, &message);
    }
    g_array_set_size (members, RANKS);
    for (guint i = 0; i < COLLECTIVES; i++) {
        gint64 at_us = first_us + (gint64) (duration_s * G_USEC_PER_SEC * i / COLLECTIVES);

        for (guint rank = 0; rank < RANKS; rank++) {
            g_array_index (members, ProfileMember, rank) = (ProfileMember){ rank, at_us + rank,
                                                                            at_us + 200 };
        }
        profile_model_add_collective (model, "MPI_Barrier", members);
    }
}

/* Each frame is another stretch of time, as while the wheel turns. */
static gint64
measure (const char *name, void (*work) (Bench *), Bench *bench)
{
    gint64 times_us[FRAMES];

    for (guint i = 0; i < FRAMES; i++) {
        double span = bench->duration / exp (i * 0.35);
        gint64 begin_us = get_time_us ();

        gui_profile_selection_set_time (bench->selection, (bench->duration - span) / 2,
                                        (bench->duration + span) / 2);
        work (bench);
        times_us[i] = get_time_us () - begin_us;
    }
    qsort (times_us, FRAMES, sizeof *times_us, compare);
    printf ("%-44s %7.2f ms, worst %7.2f ms\n", name, (double) times_us[FRAMES / 2] / 1000,
            (double) times_us[FRAMES - 1] / 1000);
    return times_us[FRAMES / 2];
}

int
main (int argc, char **argv)
{
    ProfileModel *model;
    Bench bench = { NULL };
    gint64 timeline_us, messages_us, activity_us;

    if (argc != 2 || !gtk_init_check (NULL, NULL)) {
        fprintf (stderr, "usage: bench-profile-time EXAMPLES, with a display\n");
        return 2;
    }
    gui_theme_init ();
    model = profile_sample_new (RANKS, SAMPLES, 3000, argv[1]);
    bench.model = model;
    bench.surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
    bench.selection = gui_profile_selection_new ();
    gui_profile_selection_set_model (bench.selection, model);
    bench.duration = gui_profile_selection_get_duration (bench.selection);
    bench.view = g_object_ref_sink (gui_timeline_view_new (bench.selection));
    gui_timeline_view_set_room (GUI_TIMELINE_VIEW (bench.view), HEIGHT);
    timeline_us = measure ("Timeline of 64 ranks, another zoom", paint_view, &bench);
    add_messages (model, bench.duration);
    paint_view (&bench); /* which sorts them */
    messages_us = measure ("the same with 1,000,000 messages", paint_view, &bench);
    g_object_unref (bench.view);
    bench.view = g_object_ref_sink (gui_activity_view_new (bench.selection));
    activity_us = measure ("Activity of 64 ranks, another zoom", paint_zoom, &bench);
    g_object_unref (bench.view);
    bench.view = g_object_ref_sink (gui_ranks_view_new (bench.selection));
    gui_ranks_view_set_room (GUI_RANKS_VIEW (bench.view), HEIGHT);
    measure ("Ranks, another selection", paint_view, &bench);
    g_object_unref (bench.view);
    measure ("peer: a rectangle for each sample", paint_samples, &bench);
    cairo_surface_destroy (bench.surface);
    g_object_unref (bench.selection);
    profile_model_free (model);
    return MAX (MAX (timeline_us, messages_us), activity_us) <= FRAME_US ? 0 : 1;
}
