/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-performance EXAMPLES FOLDER SAMPLE: the views of the Performance window, on a profile that was never measured. FOLDER: for pictures and paper; SAMPLE: a source file. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "gui/profile/activity-view.h"
#include "gui/profile/comparison-view.h"
#include "gui/profile/page-paint.h"
#include "gui/profile/profile-axis.h"
#include "gui/profile/profile-canvas.h"
#include "profile/command.h"
#include "gui/profile/profile-next.h"
#include "gui/profile/profile-save.h"
#include "gui/profile/profile-window.h"
#include "gui/profile/profile-common.h"
#include "gui/profile/ranks-view.h"
#include "gui/profile/report-view.h"
#include "gui/profile/timeline-levels.h"
#include "gui/profile/timeline-rows.h"
#include "gui/profile/timeline-view.h"
#include "performance-sample.h"
#include "profile-sample.h"
#include "widgets.h"

#define NEAR(a, b) g_assert_cmpfloat (fabs ((a) - (b)), <, 1e-6)

enum { WIDTH = 700, HEIGHT = 400 };

static const char *examples, *folder, *sample;
static GtkApplication *application;

static cairo_surface_t *
paint (GtkWidget *view, double height, const GuiProfileColours *colours)
{
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH,
                                                           (int) height);
    cairo_t *cr = cairo_create (surface);

    gui_profile_view_draw (GUI_PROFILE_VIEW (view), cr, WIDTH, height, colours);
    cairo_destroy (cr);
    cairo_surface_flush (surface);
    return surface;
}

static guint32
get_pixel (cairo_surface_t *surface, int x, int y)
{
    const guint8 *row = cairo_image_surface_get_data (surface)
                        + (gsize) y * (gsize) cairo_image_surface_get_stride (surface);

    return ((const guint32 *) (const void *) row)[x] & 0xffffff;
}

typedef struct {
    GuiProfileSelection *selection;
    ProfileModel *model;
    GuiProfileColours colours;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer n_idle)
{
    fixture->model = performance_sample_new (sample, 8, GPOINTER_TO_UINT (n_idle));
    fixture->selection = gui_profile_selection_new ();
    gui_profile_selection_set_model (fixture->selection, fixture->model);
    gui_profile_colours_fill_theme (FALSE, &fixture->colours);
}

static void
tear_down (Fixture *fixture, gconstpointer n_idle)
{
    g_object_unref (fixture->selection);
    profile_model_free (fixture->model);
}

/* ---- the selection ---- */

static void
count (GuiProfileSelection *selection, guint what, gpointer user)
{
    ((guint *) user)[0]++;
    ((guint *) user)[1] |= what;
}

static void
test_selection (Fixture *fixture, gconstpointer data)
{
    GuiProfileSelection *selection = fixture->selection;
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (2, 4);
    g_autoptr (JobRankSet) none = job_rank_set_new_range (90, 99);
    g_autofree char *all = gui_profile_selection_format (selection), *text = NULL;
    guint heard[2] = { 0 };

    g_signal_connect (selection, "changed", G_CALLBACK (count), heard);
    g_assert_cmpstr (all, ==, "0.0–4.0 s, ranks 0-7");
    gui_profile_selection_set_time (selection, 3, 1);
    gui_profile_selection_set_time (selection, 1, 3); /* the same */
    g_assert_cmpuint (heard[0], ==, 1);
    g_assert_cmpuint (heard[1], ==, GUI_PROFILE_CHANGE_SLICE);
    gui_profile_selection_set_ranks (selection, ranks);
    gui_profile_selection_set_class (selection, JOB_CLASS_MPI);
    text = gui_profile_selection_format (selection);
    g_assert_cmpstr (text, ==, "1.0–3.0 s, ranks 2-3, MPI");
    NEAR (profile_model_get_class (gui_profile_selection_get_slice (selection), 0,
                                   JOB_CLASS_MPI),
          1);
    g_assert_cmpuint (profile_model_get_n_ranks (gui_profile_selection_get_slice (selection)),
                      ==, 2);
    gui_profile_selection_set_time (selection, -5, 99);
    g_assert_true (gui_profile_selection_is_all_time (selection));
    gui_profile_selection_set_ranks (selection, none); /* none of the profile's: all */
    g_assert_null (gui_profile_selection_get_ranks (selection));
    gui_profile_selection_set_context (selection, 2);
    g_assert_cmpstr (gui_profile_selection_get_location (selection)->function, ==, "work");
    gui_profile_selection_reset (selection);
    g_assert_cmpint (gui_profile_selection_get_class (selection), ==, PROFILE_ALL_CLASSES);
    g_assert_cmpuint (gui_profile_selection_get_context (selection), ==, 2);
    gui_profile_selection_set_context (selection, 999);
    g_assert_null (gui_profile_selection_get_location (selection));
}

/* ---- the axis ---- */

static void
test_axis (void)
{
    GuiProfileAxis axis;
    double begin = 2, end = 4;
    guint digits;

    gui_profile_axis_init (&axis, 10, 20, GUI_PROFILE_LABELS + GUI_PROFILE_MARGIN + 500);
    NEAR (axis.width, 500);
    NEAR (gui_profile_axis_get_x (&axis, 15), GUI_PROFILE_LABELS + 250);
    NEAR (gui_profile_axis_get_time (&axis, GUI_PROFILE_LABELS + 250), 15);
    NEAR (gui_profile_axis_get_time (&axis, 0), 10);
    NEAR (gui_profile_axis_get_time (&axis, 9999), 20);
    NEAR (gui_profile_axis_get_step (&axis, 5, &digits), 2);
    g_assert_cmpuint (digits, ==, 0);
    NEAR (gui_profile_axis_get_step (&axis, 30, &digits), 0.5);
    g_assert_cmpuint (digits, ==, 1);
    g_assert_cmpuint (gui_profile_axis_get_digits (20), ==, 3);
    g_assert_cmpuint (gui_profile_axis_get_digits (0.02), ==, 5); /* its thousandth: 0.00002 */
    g_assert_cmpuint (gui_profile_axis_get_digits (1e-9), ==, 9);
    /* What is under the pointer stays there. */
    gui_profile_axis_zoom (&begin, &end, 2.5, -1, GUI_PROFILE_LEAST_SAMPLED, 8);
    NEAR ((2.5 - begin) / (end - begin), 0.25);
    NEAR (end - begin, 1.6);
    gui_profile_axis_zoom (&begin, &end, 2.5, 99, GUI_PROFILE_LEAST_SAMPLED, 8);
    NEAR (begin, 0);
    NEAR (end, 8);
}

/* ---- pictures ---- */

static void
test_activity (Fixture *fixture, gconstpointer data)
{
    GtkWidget *view = g_object_ref_sink (gui_activity_view_new (fixture->selection));
    cairo_surface_t *surface = paint (view, HEIGHT, &fixture->colours);
    int quarter = GUI_PROFILE_LABELS + (WIDTH - GUI_PROFILE_LABELS - GUI_PROFILE_MARGIN) / 4;
    int late = GUI_PROFILE_LABELS + (WIDTH - GUI_PROFILE_LABELS - GUI_PROFILE_MARGIN) * 3 / 4;

    /* Two of eight ranks are idle: MPI has the upper quarter at first, then all. */
    g_assert_cmphex (get_pixel (surface, quarter, 40), ==,
                     fixture->colours.classes[JOB_CLASS_MPI]);
    g_assert_cmphex (get_pixel (surface, quarter, HEIGHT - 40), ==,
                     fixture->colours.classes[JOB_CLASS_NATIVE]);
    g_assert_cmphex (get_pixel (surface, late, HEIGHT - 40), ==,
                     fixture->colours.classes[JOB_CLASS_MPI]);
    cairo_surface_destroy (surface);
    /* What is not selected is paler. */
    gui_profile_selection_set_time (fixture->selection, 2.2, 4);
    surface = paint (view, HEIGHT, &fixture->colours);
    g_assert_cmphex (get_pixel (surface, quarter, HEIGHT - 40), !=,
                     fixture->colours.classes[JOB_CLASS_NATIVE]);
    g_assert_cmphex (get_pixel (surface, late, HEIGHT - 40), ==,
                     fixture->colours.classes[JOB_CLASS_MPI]);
    cairo_surface_destroy (surface);
    g_object_unref (view);
}

static void
test_timeline (Fixture *fixture, gconstpointer data)
{
    GtkWidget *widget = g_object_ref_sink (gui_timeline_view_new (fixture->selection));
    GuiTimelineView *view = GUI_TIMELINE_VIEW (widget);
    double row = 20;
    cairo_surface_t *surface;
    int early = GUI_PROFILE_LABELS + 20, late = WIDTH - GUI_PROFILE_MARGIN - 20;
    guint32 rank;
    guint thread;

    gui_timeline_view_set_room (view, GUI_PROFILE_AXIS + 6 + 8 * row);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (view), ==, 8);
    surface = paint (widget, HEIGHT, &fixture->colours);
    /* Ranks 0 and 1 are idle. */
    g_assert_cmphex (get_pixel (surface, early, (int) (GUI_PROFILE_AXIS + 0.5 * row)), ==,
                     fixture->colours.classes[JOB_CLASS_MPI]);
    g_assert_cmphex (get_pixel (surface, early, (int) (GUI_PROFILE_AXIS + 2.5 * row)), ==,
                     fixture->colours.classes[JOB_CLASS_NATIVE]);
    g_assert_cmphex (get_pixel (surface, late, (int) (GUI_PROFILE_AXIS + 2.5 * row)), ==,
                     fixture->colours.classes[JOB_CLASS_MPI]);
    cairo_surface_destroy (surface);
    g_assert_false (gui_timeline_view_hit (view, GUI_PROFILE_AXIS - 1, &rank, &thread));
    g_assert_true (gui_timeline_view_hit (view, GUI_PROFILE_AXIS + 2.5 * row, &rank, &thread));
    g_assert_cmpuint (rank, ==, 2);
    g_assert_cmpuint (thread, ==, PROFILE_COUNTED_THREADS);
    g_assert_false (gui_timeline_view_hit (view, GUI_PROFILE_AXIS + 8.5 * row, &rank, &thread));
    /* The threads of a rank, and only the selected ranks. */
    gui_timeline_view_toggle (view, 1);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (view), ==, 10);
    gui_timeline_view_set_room (view, GUI_PROFILE_AXIS + 6 + 10 * row);
    g_assert_true (gui_timeline_view_hit (view, GUI_PROFILE_AXIS + 3.5 * row, &rank, &thread));
    g_assert_cmpuint (rank, ==, 1);
    g_assert_cmpuint (thread, ==, 1);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (1, 2);
    gui_profile_selection_set_ranks (fixture->selection, one);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (view), ==, 3);
    /* Zoomed to where rank 2 works. */
    gui_profile_selection_reset (fixture->selection);
    gui_timeline_view_toggle (view, 1);
    gui_timeline_view_set_room (view, GUI_PROFILE_AXIS + 6 + 8 * row);
    gui_profile_selection_set_time (fixture->selection, 0.5, 1.5);
    surface = paint (widget, HEIGHT, &fixture->colours);
    g_assert_cmphex (get_pixel (surface, late, (int) (GUI_PROFILE_AXIS + 2.5 * row)), ==,
                     fixture->colours.classes[JOB_CLASS_NATIVE]);
    cairo_surface_destroy (surface);
    g_object_unref (widget);
}

/* Main goes from line to line, and calls work from each of them; it is one call of main, and many of work. */
static ProfileModel *
make_lines (void)
{
    ProfileModel *model = profile_model_new ();
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    guint32 outer[] = { performance_sample_add_context (sample, tree, 0, "main", 3),
                        performance_sample_add_context (sample, tree, 0, "main", 4) };
    guint32 inner = performance_sample_add_context (sample, tree, outer[1], "work", 10);
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;

    for (guint i = 0; i < 40; i++) {
        guint32 context = i % 4 == 0 ? outer[0] : i % 4 == 1 ? outer[1] : inner;
        JobSample one = { 1000000 + 100000 * (i + 1), 100000, context, 1,
                          JOB_CLASS_NATIVE,           FALSE };

        g_array_append_val (samples, one);
    }
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    return model;
}

/* Pixels of the background in a row of the picture. */
static guint
count_gaps (cairo_surface_t *surface, double y, const GuiProfileColours *colours)
{
    guint n = 0;

    for (int x = GUI_PROFILE_LABELS + 20; x < WIDTH - GUI_PROFILE_MARGIN - 60; x++) {
        n += get_pixel (surface, x, (int) y) == colours->background;
    }
    return n;
}

static GBytes *
paint_name (const char *name)
{
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 60, 20);
    cairo_t *cr = cairo_create (surface);
    GBytes *pixels;

    gui_timeline_rows_paint_name (cr, name, 0xffffff, 0, 0, 60, 20);
    g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
    cairo_destroy (cr);
    cairo_surface_flush (surface);
    pixels = g_bytes_new (cairo_image_surface_get_data (surface),
                          (gsize) cairo_image_surface_get_stride (surface) * 20);
    cairo_surface_destroy (surface);
    return pixels;
}

/* Letters that the font lacks are not all the same box; what has no function is
 * named by its library, and a module of Python by its file, too. */
static void
test_names (void)
{
    g_autoptr (GBytes) one = paint_name ("計"), other = paint_name ("算"),
                       plain = paint_name ("f"), nothing = paint_name ("");
    const JobContext nameless = { .location = { .module = (char *) "libm.so.6",
                                                .offset = 0x2600 } };
    const JobContext module = { .location = { .function = (char *) "<module>",
                                              .file = (char *) "/src/app.py",
                                              .language = JOB_LANGUAGE_PYTHON } };
    g_autofree char *name = gui_timeline_rows_dup_name (&nameless),
                    *script = gui_timeline_rows_dup_name (&module),
                    *none = gui_timeline_rows_dup_name (NULL);

    g_assert_false (g_bytes_equal (one, other));
    g_assert_false (g_bytes_equal (one, nothing));
    g_assert_false (g_bytes_equal (plain, nothing));
    g_assert_cmpstr (name, ==, "libm.so.6+0x2600");
    g_assert_cmpstr (script, ==, "<module> (app.py)");
    g_assert_cmpstr (none, ==, "");
}

/* A rank of a profile opens into its calls over time, too. */
static void
test_levels (Fixture *fixture, gconstpointer data)
{
    ProfileModel *model = make_lines ();
    GtkWidget *widget;
    GuiTimelineView *view;
    cairo_surface_t *surface;
    const GuiTimelineRow main_row = { 0, PROFILE_COUNTED_THREADS, 1, 0 },
                         work_row = { 0, PROFILE_COUNTED_THREADS, 2, 0 };
    double row = 20, begin_s, end_s;

    /* What the tooltip says is as long as what is painted. */
    g_assert_cmpuint (gui_timeline_levels_find_call (model, &main_row, 1.05, &begin_s, &end_s),
                      !=, 0);
    NEAR (begin_s, 0);
    NEAR (end_s, 4);
    g_assert_cmpuint (gui_timeline_levels_find_call (model, &work_row, 0.85, &begin_s, &end_s),
                      ==, 0);
    g_assert_cmpuint (gui_timeline_levels_find_call (model, &work_row, 0.75, &begin_s, &end_s),
                      !=, 0);
    NEAR (end_s - begin_s, 0.2);
    gui_profile_selection_set_model (fixture->selection, model);
    widget = g_object_ref_sink (gui_timeline_view_new (fixture->selection));
    view = GUI_TIMELINE_VIEW (widget);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (view), ==, 1);
    gui_timeline_view_toggle (view, 0);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (view), ==, 3);
    gui_timeline_view_set_room (view, GUI_PROFILE_AXIS + 6 + 3 * row);
    surface = paint (widget, HEIGHT, &fixture->colours);
    g_assert_cmpuint (count_gaps (surface, GUI_PROFILE_AXIS + 1.8 * row, &fixture->colours), ==,
                      0);
    g_assert_cmpuint (count_gaps (surface, GUI_PROFILE_AXIS + 2.8 * row, &fixture->colours), >,
                      100); /* half of the time, in ten parts */
    cairo_surface_destroy (surface);
    gui_timeline_view_toggle (view, 0);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (view), ==, 1);
    g_object_unref (widget);
    gui_profile_selection_set_model (fixture->selection, NULL);
    profile_model_free (model);
}

static void
test_ranks (Fixture *fixture, gconstpointer data)
{
    GtkWidget *widget = g_object_ref_sink (gui_ranks_view_new (fixture->selection));
    GuiRanksView *view = GUI_RANKS_VIEW (widget);
    g_autofree char *sentence = gui_ranks_view_dup_sentence (view), *later = NULL, *late = NULL;
    cairo_surface_t *surface;
    double row = 20, top = 52;
    guint32 rank;

    g_assert_cmpstr (sentence, ==,
                     "2 of 8 ranks did nothing: ranks 0-1 worked less than 5 % as long as "
                     "rank 2, the busiest.");
    gui_ranks_view_set_room (view, top + 6 + 8 * row);
    surface = paint (widget, HEIGHT, &fixture->colours);
    g_assert_cmphex (get_pixel (surface, GUI_PROFILE_LABELS + 10, (int) (top + 0.4 * row)), ==,
                     fixture->colours.classes[JOB_CLASS_MPI]);
    g_assert_cmphex (get_pixel (surface, GUI_PROFILE_LABELS + 10, (int) (top + 3.4 * row)), ==,
                     fixture->colours.classes[JOB_CLASS_NATIVE]);
    cairo_surface_destroy (surface);
    g_assert_true (gui_ranks_view_hit (view, top + 3.5 * row, &rank));
    g_assert_cmpuint (rank, ==, 3);
    g_assert_false (gui_ranks_view_hit (view, top + 8.5 * row, &rank));
    gui_profile_selection_set_class (fixture->selection, JOB_CLASS_MPI);
    late = gui_ranks_view_dup_sentence (view);
    g_assert_cmpstr (
        late, ==,
        "Rank 0 spends the most time in this class, 4.00 s; rank 2 the least, 2.00 s.");
    gui_profile_selection_reset (fixture->selection);
    gui_profile_selection_set_time (fixture->selection, 3, 4); /* all wait then */
    later = gui_ranks_view_dup_sentence (view);
    g_assert_cmpstr (later, ==, "");
    g_object_unref (widget);
}

/* What ranks have forked is nowhere called a rank. */
static void
test_children (Fixture *fixture, gconstpointer data)
{
    GtkWidget *widget = g_object_ref_sink (gui_ranks_view_new (fixture->selection));
    const ProfileProcess child = { .parent = 1, .pid = 4711 };
    g_autoptr (JobRankSet) last = job_rank_set_new_range (7, 8), some = NULL;
    g_autofree char *all = NULL, *one = NULL, *column = NULL, *label = NULL, *work = NULL,
                    *of_class = NULL;

    for (guint32 rank = 2; rank < 8; rank++) {
        profile_model_set_process (fixture->model, rank, &child);
    }
    gui_profile_selection_update (fixture->selection);
    all = gui_profile_selection_format (fixture->selection);
    g_assert_cmpstr (all, ==, "0.0–4.0 s, ranks 0-1, 6 child processes");
    some = job_rank_set_new_range (1, 3);
    column = gui_profile_format_set (fixture->model, some, FALSE);
    g_assert_cmpstr (column, ==, "1, 1 child process");
    label = gui_profile_dup_label (fixture->model, 7);
    g_assert_cmpstr (label, ==, "pid 4711");
    work = gui_ranks_view_dup_sentence (GUI_RANKS_VIEW (widget));
    g_assert_cmpstr (work, ==, "All 2 ranks work for about the same time, 2 s to 2 s.");
    gui_profile_selection_set_class (fixture->selection, JOB_CLASS_LOCK);
    of_class = gui_ranks_view_dup_sentence (GUI_RANKS_VIEW (widget));
    g_assert_cmpstr (of_class, ==, "");
    gui_profile_selection_set_class (fixture->selection, PROFILE_ALL_CLASSES);
    gui_profile_selection_set_ranks (fixture->selection, last);
    one = gui_profile_selection_format (fixture->selection);
    g_assert_cmpstr (one, ==, "0.0–4.0 s, 1 child process");
    g_object_unref (widget);
}

static void
test_time (void)
{
    static const struct {
        double seconds;
        const char *text;
    } rows[] = { { 0, "0 s" },         { 2.1, "2.10 s" },     { 11.96, "12.0 s" },
                 { 99.96, "100 s" },   { 1234, "1234 s" },    { 0.9996, "1.00 s" },
                 { 0.85, "850 ms" },   { 0.0599, "59.9 ms" }, { 0.99951e-3, "1.00 ms" },
                 { 40e-6, "40.0 µs" }, { 5e-8, "0.05 µs" } };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autofree char *text = gui_profile_format_time (rows[i].seconds);

        g_assert_cmpstr (text, ==, rows[i].text);
    }
}

/* Everything that the report says is drawn, in the width that there is. */
static void
test_report (Fixture *fixture, gconstpointer data)
{
    GuiPagePaint *wide = gui_page_paint_new (gui_report_view_make_page (fixture->model), 1200);
    GuiPagePaint *narrow = gui_page_paint_new (gui_report_view_make_page (fixture->model), 420);
    GtkWidget *view = g_object_ref_sink (gui_report_view_new (fixture->selection));
    double height = gui_profile_view_get_height (GUI_PROFILE_VIEW (view), WIDTH);
    cairo_surface_t *surface = paint (view, height, &fixture->colours);
    guint n_ink = 0, n_last = 0;

    g_assert_cmpfloat (gui_page_paint_get_height (narrow), >,
                       gui_page_paint_get_height (wide) * 1.1);
    for (int y = 0; y < (int) height; y++) {
        for (int x = 0; x < WIDTH; x++) {
            gboolean is_ink = get_pixel (surface, x, y) != fixture->colours.background;

            n_ink += is_ink;
            n_last += is_ink && y > height - 80;
        }
    }
    g_assert_cmpuint (n_ink, >, 5000);
    g_assert_cmpuint (n_last, >, 20);
    cairo_surface_destroy (surface);
    g_object_unref (view);
    gui_page_paint_free (wide);
    gui_page_paint_free (narrow);
}

/* How dark a page with one long word is. */
static double
get_ink (Fixture *fixture, double width)
{
    ProfilePage *page = profile_page_new ("");
    GuiPagePaint *text;
    cairo_surface_t *surface;
    cairo_t *cr;
    double ink = 0, height;

    profile_page_add_text (page, "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllll",
                           FALSE);
    text = gui_page_paint_new (page, width);
    height = gui_page_paint_get_height (text);
    surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) width, (int) height);
    cr = cairo_create (surface);
    cairo_set_source_rgb (cr, 1, 1, 1);
    cairo_paint (cr);
    gui_page_paint_draw (text, cr, 0, height, &fixture->colours);
    cairo_destroy (cr);
    for (int y = 0; y < (int) height; y++) {
        for (int x = 0; x < (int) width; x++) {
            ink += 255 - (get_pixel (surface, x, y) >> 8 & 0xff);
        }
    }
    cairo_surface_destroy (surface);
    gui_page_paint_free (text);
    return ink;
}

/* A name that is broken into lines has its own letters alone, and no hyphens. */
static void
test_broken (Fixture *fixture, gconstpointer data)
{
    double wide = get_ink (fixture, 800), narrow = get_ink (fixture, 80);

    g_assert_cmpfloat (wide, >, 1000);
    g_assert_cmpfloat (fabs (narrow / wide - 1), <, 0.03);
}

/* Two profiles beside each other; whatever was measured earlier is "before". */
static void
test_comparison (Fixture *fixture, gconstpointer data)
{
    GtkWidget *view = g_object_ref_sink (gui_comparison_view_new (fixture->selection));
    double empty = gui_profile_view_get_height (GUI_PROFILE_VIEW (view), WIDTH);
    double height;
    cairo_surface_t *surface;
    guint n_ink = 0;

    gui_comparison_view_set_other (GUI_COMPARISON_VIEW (view),
                                   performance_sample_new (sample, 4, 0), "other", "mine");
    height = gui_profile_view_get_height (GUI_PROFILE_VIEW (view), WIDTH);
    g_assert_cmpfloat (height, >, empty + 200);
    surface = paint (view, height, &fixture->colours);
    for (int y = 0; y < (int) height; y++) {
        for (int x = 0; x < WIDTH; x++) {
            n_ink += get_pixel (surface, x, y) != fixture->colours.background;
        }
    }
    g_assert_cmpuint (n_ink, >, 3000);
    cairo_surface_destroy (surface);
    gui_profile_selection_set_model (fixture->selection,
                                     NULL); /* nothing is left to compare with */
    g_assert_cmpfloat (gui_profile_view_get_height (GUI_PROFILE_VIEW (view), WIDTH), <, height);
    g_object_unref (view);
}

/* Until the window says that. */
static void
await_problem (GtkWidget *window, const char *part)
{
    GtkWidget *problem = widgets_find (window, "problem");
    gint64 end_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

    while ((!gtk_widget_get_visible (problem)
            || strstr (gtk_label_get_text (GTK_LABEL (problem)), part) == NULL)
           && g_get_monotonic_time () < end_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (problem)), part));
}

/* Another window's pddt that cannot show the archive is heard, whatever keeps it from that. */
static void
test_not_opened (void)
{
    GtkWidget *window
        = gui_profile_window_new (application, performance_sample_new (sample, 2, 0), "sample");
    g_autofree char *program = g_build_filename (folder, "pddt-fails", NULL);

    g_assert_true (
        g_file_set_contents (program,
                             "#!/bin/sh\n[ \"$1\" = /silent ] && exit 3\n"
                             "echo \"pddt: cannot read $1: it is damaged\" >&2\nexit 3\n",
                             -1, NULL));
    g_chmod (program, 0700);
    gtk_window_present (GTK_WINDOW (window));
    widgets_settle ();
    g_object_set (window, "pddt", program, NULL);
    gui_profile_window_open_other (GUI_PROFILE_WINDOW (window), "/some/archive");
    await_problem (window, "cannot read /some/archive: it is damaged");
    g_assert_true (g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widgets_find (window,
                                                                                  "problem"))),
                                     "cannot"));
    gui_profile_window_open_other (GUI_PROFILE_WINDOW (window), "/silent");
    await_problem (window, "/silent could not be opened.");
    g_object_set (window, "pddt", "/no/such/pddt", NULL);
    gui_profile_window_open_other (GUI_PROFILE_WINDOW (window), "/some/archive");
    await_problem (window, "/no/such/pddt");
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* An archive that cannot be read is said, and nothing is compared; the window may be closed while it is read. */
static void
test_other (void)
{
    GtkWidget *window
        = gui_profile_window_new (application, performance_sample_new (sample, 2, 0), "sample");
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (window);
    GtkWidget *page = widgets_find (window, "comparison");
    g_autofree char *inside = g_build_filename (folder, "outer", "traces", NULL);
    g_autofree char *anchor = g_build_filename (folder, "outer", "traces.otf2", NULL);

    g_assert_cmpint (g_mkdir_with_parents (inside, 0700), ==, 0);
    g_assert_true (g_file_set_contents (anchor, "", 0, NULL));
    gtk_window_present (GTK_WINDOW (window));
    widgets_settle ();
    g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "compare"));
    g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window),
                                                       "open-archive"));
    g_object_set (window, "archive-program", "/no/such/pddt-archive", "archive", "/no/such/one",
                  "pddt", "/no/such/pddt", NULL);
    g_assert_true (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "compare"));
    g_assert_true (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "open-archive"));
    gui_profile_window_compare (self, "/no/such/folder");
    await_problem (window, "Reading folder…"); /* it may be large */
    await_problem (window, "/no/such/");
    gui_profile_window_compare (self, "/no/such/archive/traces.otf2");
    await_problem (window, "Reading archive…");
    await_problem (window, "/no/such/");
    gui_profile_window_compare (self, inside); /* a dialog for folders leads into it */
    await_problem (window, "Reading outer…");
    await_problem (window, "/no/such/");
    g_assert_true (page != NULL && !gtk_widget_is_visible (page));
    gui_profile_window_compare (self, "/no/such/folder");
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* ---- files and paper ---- */

static void
test_save (Fixture *fixture, gconstpointer data)
{
    GtkWidget *view = g_object_ref_sink (gui_timeline_view_new (fixture->selection));
    static const char *const names[] = { "view.svg", "view.png", "view.pdf" };
    static const char *const heads[] = { "<?xml", "\x89PNG", "%PDF" };
    g_autoptr (GError) error = NULL;

    gui_timeline_view_set_room (GUI_TIMELINE_VIEW (view), 300);
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        g_autofree char *path = g_build_filename (folder, names[i], NULL), *text = NULL;
        gboolean is_done
            = i < 2 ? gui_profile_save (GUI_PROFILE_VIEW (view), "heading", path, 900, &error)
                    : gui_profile_print_to (GUI_PROFILE_VIEW (view), "heading", path, &error);
        gsize size;

        g_assert_no_error (error);
        g_assert_true (is_done);
        g_assert_true (g_file_get_contents (path, &text, &size, NULL));
        g_assert_cmpuint (size, >, 1000);
        g_assert_true (g_str_has_prefix (text, heads[i]));
    }
    g_assert_false (gui_profile_save (GUI_PROFILE_VIEW (view), "", "/tmp/view.gif", 900,
                                      &error));
    g_assert_nonnull (strstr (error->message, ".svg or .png"));
    g_clear_error (&error);
    g_assert_false (gui_profile_save (GUI_PROFILE_VIEW (view), "", "/nonexistent/view.svg", 900,
                                      &error));
    g_assert_nonnull (strstr (error->message, "/nonexistent/view.svg"));
    g_object_unref (view);
}

/* The breakpoint is in what pddt keeps of the program, once. */
static void
test_next (void)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *path = gui_profile_next_add ("mpirun -np 4 python3 'my app.py'", "/a/b.py",
                                                  12, &error);
    g_autofree char *again = gui_profile_next_add ("mpirun -np 4 python3 'my app.py'",
                                                   "/a/b.py", 12, &error);
    g_autofree char *other = gui_profile_next_add ("mpirun -np 4 python3 'my app.py'",
                                                   "/a/b.py", 13, &error);
    g_autoptr (SessionSaved) saved = NULL;
    const SessionSavedPoint *point;

    g_assert_no_error (error);
    g_assert_cmpstr (path, ==, again);
    g_assert_cmpstr (path, ==, other);
    saved = session_saved_load (path, &error);
    g_assert_no_error (error);
    g_assert_true (saved->is_own);
    g_assert_cmpstr (saved->argv[4], ==, "my app.py");
    g_assert_cmpuint (saved->points->len, ==, 2);
    point = saved->points->pdata[0];
    g_assert_true (point->is_for_all && point->is_enabled);
    g_assert_cmpstr (point->request->where.file, ==, "/a/b.py");
    g_assert_cmpuint (point->request->where.line, ==, 12);
    g_assert_null (gui_profile_next_add (NULL, "/a/b.py", 12, &error));
    g_assert_nonnull (strstr (error->message, "does not say which command"));
}

static void
test_command (void)
{
    g_autofree char *tidy = profile_command_tidy ("'mpirun' '-np' \"8\" 'my app' ''");
    g_autofree char *broken = profile_command_tidy ("mpirun 'app");
    const char *const none[] = { NULL };

    g_assert_cmpstr (tidy, ==, "mpirun -np 8 'my app' ''");
    g_assert_cmpstr (broken, ==, "mpirun 'app");
    g_assert_null (profile_command_format (none));
    g_assert_null (profile_command_tidy (NULL));
}

int
main (int argc, char **argv)
{
    int status;

    application = widgets_start (&argc, &argv);
    g_assert_cmpint (argc, ==, 4);
    examples = argv[1];
    folder = argv[2];
    sample = argv[3];
    g_mkdir_with_parents (folder, 0700);
#define ADD(name, n_idle, function)                                                            \
    g_test_add ("/performance/" name, Fixture, GUINT_TO_POINTER (n_idle), set_up, function,    \
                tear_down)
    ADD ("selection", 0, test_selection);
    g_test_add_func ("/performance/axis", test_axis);
    ADD ("activity", 2, test_activity);
    ADD ("timeline", 2, test_timeline);
    ADD ("levels", 2, test_levels);
    g_test_add_func ("/performance/names", test_names);
    ADD ("ranks", 2, test_ranks);
    ADD ("children", 0, test_children);
    g_test_add_func ("/performance/time", test_time);
    ADD ("report", 2, test_report);
    ADD ("broken", 2, test_broken);
    ADD ("save", 2, test_save);
    ADD ("comparison", 2, test_comparison);
    g_test_add_func ("/performance/other", test_other);
    g_test_add_func ("/performance/not-opened", test_not_opened);
    g_test_add_func ("/performance/next", test_next);
    g_test_add_func ("/performance/command", test_command);
    status = g_test_run ();
    g_object_unref (application);
    return status;
}
