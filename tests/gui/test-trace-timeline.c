/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Timeline of a trace: messages and collective operations, and the levels of calls. */
#include <math.h>
#include <string.h>
#include "gui/profile/profile-axis.h"
#include "gui/profile/profile-window.h"
#include "gui/profile/timeline-messages.h"
#include "gui/profile/timeline-view.h"
#include "profile/messages.h"
#include "profile/values.h"
#include "trace-rig.h"
#include "trace-sample.h"
#include "widgets.h"

enum { MANY = 5000 };

/* A line from the middle of the sender's row to the receiver's, areas of barriers, and what they are. */
static void
test_timeline (void)
{
    GtkWidget *window = trace_rig_show (), *toggle;
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (window);
    g_autoptr (GdkPixbuf) with = NULL, without = NULL;
    GdkWindow *area;
    gsize size;

    g_assert_true (gui_profile_window_show_page (self, "timeline"));
    gui_profile_selection_set_time (gui_profile_window_get_selection (self), 0.1, 0.4);
    widgets_settle ();
    toggle = widgets_find (window, "messages");
    g_assert_true (gtk_widget_get_mapped (toggle));
    area = gtk_widget_get_window (widgets_find (window, "timeline"));
    with = gdk_pixbuf_get_from_window (area, 0, 0, gdk_window_get_width (area),
                                       gdk_window_get_height (area));
    trace_rig_save_picture (window, "timeline");
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (toggle), FALSE);
    widgets_settle ();
    without = gdk_pixbuf_get_from_window (area, 0, 0, gdk_window_get_width (area),
                                          gdk_window_get_height (area));
    size = gdk_pixbuf_get_byte_length (with);
    g_assert_cmpuint (size, ==, gdk_pixbuf_get_byte_length (without));
    g_assert_cmpint (memcmp (gdk_pixbuf_read_pixels (with), gdk_pixbuf_read_pixels (without),
                             size),
                     !=, 0);
    gui_profile_window_show_page (self, "ranks");
    widgets_settle ();
    g_assert_false (gtk_widget_get_mapped (toggle));
    gtk_widget_destroy (window);
    widgets_settle ();
}

static char *
get_timeline_tip (GtkWidget *view, double time_s, double row)
{
    GuiProfileAxis axis;

    gui_profile_axis_init (&axis, 0.1, 0.4,
                           gui_profile_canvas_get_width (GUI_PROFILE_CANVAS (view)));
    return GUI_PROFILE_CANVAS_GET_CLASS (view)->get_tip (GUI_PROFILE_CANVAS (view),
                                                         gui_profile_axis_get_x (&axis, time_s),
                                                         GUI_PROFILE_AXIS + row);
}

static guint32
get_pixel (GdkPixbuf *picture, double x, double y)
{
    const guint8 *at = gdk_pixbuf_read_pixels (picture)
                       + (int) y * gdk_pixbuf_get_rowstride (picture)
                       + (int) x * gdk_pixbuf_get_n_channels (picture);

    return (guint32) (at[0] << 16 | at[1] << 8 | at[2]);
}

/* A rank of a trace opens into a row for each level of its calls: main all the time, and inside it what it calls. */
static void
test_levels (void)
{
    ProfileModel *model = trace_sample_new (trace_rig_source);
    GtkWidget *window, *view;
    GuiProfileWindow *self;
    g_autofree char *outer = NULL, *inner = NULL, *other = NULL, *counter = NULL;
    g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (ProfilePoint));
    const ProfilePoint known[] = { { TRACE_SAMPLE_BEGIN_US, 4 },
                                   { TRACE_SAMPLE_BEGIN_US + 250000, 1 } };
    const ProfileOwnMetric metric = { .rank = 1,
                                      .name = (char *) "residual",
                                      .unit = (char *) "m",
                                      .n = 2,
                                      .most = 4,
                                      .points = points };
    g_autoptr (GdkPixbuf) picture = NULL;
    GuiProfileColours colours;
    GuiProfileAxis axis;
    guint32 rank;
    guint thread;
    GdkWindow *area;
    double row, work, barrier;

    g_array_append_vals (points, known, G_N_ELEMENTS (known));
    profile_model_add_own_metric (model, &metric);
    window = trace_rig_show_model (model);
    self = GUI_PROFILE_WINDOW (window);
    g_assert_true (gui_profile_window_show_page (self, "timeline"));
    gui_profile_selection_set_time (gui_profile_window_get_selection (self), 0.1, 0.4);
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (widgets_find (window, "messages")), FALSE);
    widgets_settle ();
    view = gtk_widget_get_ancestor (widgets_find (window, "timeline"), GUI_TYPE_TIMELINE_VIEW);
    gui_timeline_view_toggle (GUI_TIMELINE_VIEW (view), 1);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (GUI_TIMELINE_VIEW (view)), ==,
                      TRACE_SAMPLE_RANKS + 3);
    widgets_settle ();
    row = floor ((gui_profile_canvas_get_height (GUI_PROFILE_CANVAS (view)) - GUI_PROFILE_AXIS
                  - 6)
                 / (TRACE_SAMPLE_RANKS + 3));
    row = CLAMP (row, 6, 26);
    g_assert_true (gui_timeline_view_hit (GUI_TIMELINE_VIEW (view),
                                          GUI_PROFILE_AXIS + 3.5 * row, &rank, &thread));
    g_assert_cmpuint (rank, ==, 1);
    outer = get_timeline_tip (view, 0.11, 2.5 * row);
    g_assert_cmpstr (outer, ==, "rank 1\nmain\nmain, sample.c:3");
    inner = get_timeline_tip (view, 0.11, 3.5 * row);
    g_assert_cmpstr (inner, ==, "rank 1\nwork\nwork, sample.c:10");
    other = get_timeline_tip (view, 0.18, 3.5 * row);
    g_assert_true (g_str_has_prefix (other, "rank 1\nMPI_Barrier"));
    counter = get_timeline_tip (view, 0.3, 4.5 * row);
    g_assert_cmpstr (counter, ==, "rank 1, residual\n1 m since 0.250000 s");
    area = gtk_widget_get_window (widgets_find (window, "timeline"));
    picture = gdk_pixbuf_get_from_window (area, 0, 0, gdk_window_get_width (area),
                                          gdk_window_get_height (area));
    gui_profile_colours_fill (window, &colours);
    gui_profile_axis_init (&axis, 0.1, 0.4,
                           gui_profile_canvas_get_width (GUI_PROFILE_CANVAS (view)));
    work = gui_profile_axis_get_x (&axis, 0.12);
    barrier = gui_profile_axis_get_x (&axis, 0.19);
    /* main has one colour, what it calls those of its classes */
    g_assert_cmphex (get_pixel (picture, work, GUI_PROFILE_AXIS + 2.9 * row), ==,
                     get_pixel (picture, barrier, GUI_PROFILE_AXIS + 2.9 * row));
    g_assert_cmphex (get_pixel (picture, work, GUI_PROFILE_AXIS + 3.8 * row), !=,
                     get_pixel (picture, barrier, GUI_PROFILE_AXIS + 3.8 * row));
    g_assert_cmphex (get_pixel (picture, barrier, GUI_PROFILE_AXIS + 3.8 * row), !=,
                     colours.background);
    /* the metric has fallen to a quarter */
    g_assert_cmphex (get_pixel (picture, work, GUI_PROFILE_AXIS + 4.2 * row), !=,
                     get_pixel (picture, gui_profile_axis_get_x (&axis, 0.3),
                                GUI_PROFILE_AXIS + 4.2 * row));
    trace_rig_save_picture (window, "levels");
    gui_timeline_view_toggle (GUI_TIMELINE_VIEW (view), 1);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (GUI_TIMELINE_VIEW (view)), ==,
                      TRACE_SAMPLE_RANKS);
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* A call of 0.4 s, of which a look has found a function inside it for the first half; in the second half nobody has looked. */
static ProfileModel *
make_filled (void)
{
    ProfileModel *model = profile_model_new ();
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) counts = g_array_new (FALSE, TRUE, sizeof (ProfileCount));
    const JobLocation inside = { .function = (char *) "kernel",
                                 .file = (char *) trace_rig_source,
                                 .line = 20,
                                 .language = JOB_LANGUAGE_C };
    guint32 outer = trace_sample_add_context (trace_rig_source, tree, 0, "main", 3);
    guint32 kernel = job_context_tree_add (tree, outer, &inside, JOB_FRAME_SAMPLED);
    JobSample one = { .context = kernel,
                      .thread = 1,
                      .class = JOB_CLASS_NATIVE,
                      .weight_us = 200000,
                      .time_us = TRACE_SAMPLE_BEGIN_US + 200000 };
    const ProfileCount known[]
        = { { 0 }, { 1, 0, JOB_CLASS_NATIVE }, { 0, 0.4, JOB_CLASS_NATIVE } };
    g_autoptr (GBytes) batch = NULL;

    g_array_append_val (samples, one);
    one.time_us += 200000;
    one.is_spread = TRUE;
    g_array_append_val (samples, one);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    g_array_append_vals (counts, known, G_N_ELEMENTS (known));
    profile_model_set_counts (model, 0, 0, counts);
    return model;
}

/* What samples have seen between calls stands inside the call, marked, and only where somebody has looked. */
static void
test_filled (void)
{
    GtkWidget *window = trace_rig_show_model (make_filled ()), *view;
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (window);
    g_autofree char *outer = NULL, *inner = NULL, *later = NULL;
    double row;

    g_assert_true (gui_profile_window_show_page (self, "timeline"));
    gui_profile_selection_set_time (gui_profile_window_get_selection (self), 0.1, 0.4);
    widgets_settle ();
    view = gtk_widget_get_ancestor (widgets_find (window, "timeline"), GUI_TYPE_TIMELINE_VIEW);
    gui_timeline_view_toggle (GUI_TIMELINE_VIEW (view), 0);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (GUI_TIMELINE_VIEW (view)), ==, 3);
    widgets_settle ();
    row = (gui_profile_canvas_get_height (GUI_PROFILE_CANVAS (view)) - GUI_PROFILE_AXIS - 6)
          / 3;
    row = CLAMP (floor (row), 6, 26);
    outer = get_timeline_tip (view, 0.3, 1.5 * row);
    g_assert_cmpstr (outer, ==, "rank 0\nmain\nmain, sample.c:3");
    inner = get_timeline_tip (view, 0.15, 2.5 * row);
    g_assert_cmpstr (inner, ==, "rank 0\nkernel [sampled]\nkernel, sample.c:20");
    later = get_timeline_tip (view, 0.3, 2.5 * row);
    g_assert_true (later == NULL || strstr (later, "kernel") == NULL);
    gtk_widget_destroy (window);
    widgets_settle ();
}

static void
test_tips (void)
{
    g_autoptr (ProfileModel) model = trace_sample_new (trace_rig_source);
    g_autoptr (GHashTable) by_rank = g_hash_table_new (NULL, NULL);
    g_autoptr (GArray) messages = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autoptr (GArray) collectives = g_array_new (FALSE, FALSE, sizeof (guint32));
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 700, 200);
    cairo_t *cr = cairo_create (surface);
    GuiTimelineRows rows = { .rows = by_rank,
                             .last_rank = TRACE_SAMPLE_RANKS - 1,
                             .top = GUI_PROFILE_AXIS,
                             .height = 20,
                             .bottom = 200 };
    GuiProfileColours colours;
    g_autofree char *message = NULL, *barrier = NULL, *none = NULL;
    double from, to;

    gui_profile_colours_fill_theme (FALSE, &colours);
    gui_profile_axis_init (&rows.axis, 0.1, 0.2, 700);
    for (guint rank = 0; rank < TRACE_SAMPLE_RANKS; rank++) {
        g_hash_table_insert (by_rank, GUINT_TO_POINTER (rank), GUINT_TO_POINTER (rank + 1));
    }
    g_assert_true (gui_timeline_messages_paint (cr, model, &rows, &colours, messages,
                                                collectives));
    /* The step's own, and what ends or begins where it does. */
    g_assert_cmpuint (messages->len, ==, TRACE_SAMPLE_RANKS - 1);
    g_assert_cmpuint (collectives->len, ==, 2);
    from = gui_profile_axis_get_x (&rows.axis,
                                   0.1 + 1e-6 * (double) trace_sample_get_work_us (1));
    to = gui_profile_axis_get_x (&rows.axis,
                                 0.1 + 1e-6 * (double) trace_sample_get_work_us (2) + 0.005);
    message = gui_timeline_messages_get_tip (model, &rows, messages, collectives,
                                             (from + to) / 2, GUI_PROFILE_AXIS + 40);
    g_assert_cmpstr (message, ==,
                     "Message from rank 1 to rank 2: 2000 bytes, tag 7\n"
                     "Sent at 0.135000 s, received at 0.155000 s, 20.0 ms later");
    barrier = gui_timeline_messages_get_tip (model, &rows, messages, collectives,
                                             gui_profile_axis_get_x (&rows.axis, 0.19),
                                             GUI_PROFILE_AXIS + 10);
    g_assert_cmpstr (barrier, ==,
                     "MPI_Barrier of 4 ranks\n"
                     "Rank 0 came at 0.125000 s; the last one, rank 3, at 0.170000 s");
    none = gui_timeline_messages_get_tip (model, &rows, messages, collectives,
                                          gui_profile_axis_get_x (&rows.axis, 0.11),
                                          GUI_PROFILE_AXIS + 75);
    g_assert_null (none);
    cairo_destroy (cr);
    cairo_surface_destroy (surface);
}

static gboolean
has_other_corner (GdkPixbuf *picture, GdkPixbuf *before)
{
    int stride = gdk_pixbuf_get_rowstride (picture), n = gdk_pixbuf_get_n_channels (picture);
    const guint8 *one = gdk_pixbuf_read_pixels (picture);
    const guint8 *other = gdk_pixbuf_read_pixels (before);

    g_assert_cmpint (stride, ==, gdk_pixbuf_get_rowstride (before));
    for (int y = 0; y < GUI_PROFILE_AXIS; y++) {
        if (memcmp (one + y * stride, other + y * stride, (gsize) n * (GUI_PROFILE_LABELS - 16))
            != 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* What stands in the corner's tooltip, and a picture of the Timeline. */
static char *
look_at_corner (GtkWidget *window, GdkPixbuf **ret_picture)
{
    GtkWidget *area = widgets_find (window, "timeline");
    GtkWidget *view = gtk_widget_get_ancestor (area, GUI_TYPE_TIMELINE_VIEW);
    GdkWindow *gdk = gtk_widget_get_window (area);

    widgets_settle ();
    *ret_picture = gdk_pixbuf_get_from_window (gdk, 0, 0, gdk_window_get_width (gdk),
                                               gdk_window_get_height (gdk));
    return GUI_PROFILE_CANVAS_GET_CLASS (view)->get_tip (GUI_PROFILE_CANVAS (view), 10,
                                                         GUI_PROFILE_AXIS / 2);
}

/* Of more messages than the picture has room for, short ones are left out, and its corner says so until the user has
 * zoomed in. */
static void
test_too_many (void)
{
    ProfileModel *model = trace_sample_new (trace_rig_source);
    const ProfileMessage longest
        = { 0, 3, 8, 5, TRACE_SAMPLE_BEGIN_US + 5003, TRACE_SAMPLE_BEGIN_US + 305000 };
    GuiTimelineRows rows = { .last_rank = TRACE_SAMPLE_RANKS - 1, .height = 20, .bottom = 200 };
    g_autoptr (GHashTable) by_rank = g_hash_table_new (NULL, NULL);
    g_autoptr (GArray) messages = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autoptr (GArray) collectives = g_array_new (FALSE, FALSE, sizeof (guint32));
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 700, 200);
    cairo_t *cr = cairo_create (surface);
    GuiProfileColours colours;
    guint n_longest = 0;
    GtkWidget *window;
    g_autoptr (GdkPixbuf) all = NULL, part = NULL;
    g_autofree char *said = NULL, *said_of_part = NULL;

    for (gint64 i = 0; i < MANY; i++) {
        ProfileMessage message = {
            0, 1, 7, 1, TRACE_SAMPLE_BEGIN_US + i * 100, TRACE_SAMPLE_BEGIN_US + i * 100 + 10
        };

        profile_model_add_message (model, &message);
    }
    profile_model_add_message (model, &longest);
    window = trace_rig_show_model (model);
    gui_profile_colours_fill_theme (FALSE, &colours);
    rows.rows = by_rank;
    rows.top = GUI_PROFILE_AXIS;
    gui_profile_axis_init (&rows.axis, 0, 1, 700);
    g_assert_false (gui_timeline_messages_paint (cr, model, &rows, &colours, messages,
                                                 collectives));
    g_assert_cmpuint (messages->len, >, 0);
    g_assert_cmpuint (messages->len, <, MANY / 2);
    for (guint i = 0; i < messages->len; i++) {
        n_longest += profile_messages_get (model, g_array_index (messages, guint32, i))->tag
                     == longest.tag;
    }
    g_assert_cmpuint (n_longest, ==, 1);
    g_assert_true (gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "timeline"));
    said = look_at_corner (window, &all);
    g_assert_cmpstr (
        said, ==, "Of neighbouring messages only the longest are drawn. Zoom in to see all.");
    trace_rig_save_picture (window, "too-many");
    gui_profile_selection_set_time (
        gui_profile_window_get_selection (GUI_PROFILE_WINDOW (window)), 0.21, 0.22);
    said_of_part = look_at_corner (window, &part);
    g_assert_null (said_of_part);
    g_assert_true (has_other_corner (all, part));
    cairo_destroy (cr);
    cairo_surface_destroy (surface);
    gtk_widget_destroy (window);
    widgets_settle ();
}

int
main (int argc, char **argv)
{
    trace_rig_start (&argc, &argv);
    g_test_add_func ("/trace-timeline/levels", test_levels);
    g_test_add_func ("/trace-timeline/filled", test_filled);
    g_test_add_func ("/trace-timeline/tips", test_tips);
    g_test_add_func ("/trace-timeline/timeline", test_timeline);
    g_test_add_func ("/trace-timeline/too-many", test_too_many);
    return trace_rig_run ();
}
