/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-trace-views FOLDER SAMPLE: what the Performance window shows of a trace: messages and collective operations, calls,
 * the communication matrix and wait states. FOLDER: for pictures; SAMPLE: a source file. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "gui/profile/message-matrix.h"
#include "gui/profile/profile-axis.h"
#include "gui/profile/profile-window.h"
#include "gui/profile/report-view.h"
#include "gui/profile/timeline-messages.h"
#include "gui/profile/timeline-view.h"
#include "profile/losses.h"
#include "profile/messages.h"
#include "profile/page-blocks.h"
#include "profile/values.h"
#include "profile/waits.h"
#include "trace-sample.h"
#include "widgets.h"

enum { MANY = 5000 };

static const char *folder, *sample;
static GtkApplication *application;

/* ---- the window ---- */

static void
save_picture (GtkWidget *window, const char *page)
{
    g_autofree char *file = g_strdup_printf ("%s/%s.png", folder, page);
    GdkWindow *gdk = gtk_widget_get_window (window);
    g_autoptr (GdkPixbuf) picture = NULL;

    widgets_settle ();
    picture = gdk_pixbuf_get_from_window (gdk, 0, 0, gdk_window_get_width (gdk),
                                          gdk_window_get_height (gdk));
    g_assert_true (gdk_pixbuf_save (picture, file, "png", NULL, NULL));
}

static GtkWidget *
show_model (ProfileModel *model)
{
    GtkWidget *window = gui_profile_window_new (application, model, "app");

    gtk_window_present (GTK_WINDOW (window));
    widgets_settle ();
    return window;
}

static GtkWidget *
show_window (void)
{
    return show_model (trace_sample_new (sample));
}

static char *
get_cell (GtkWidget *list, const char *path, int column)
{
    GtkTreeModel *model = gtk_tree_view_get_model (GTK_TREE_VIEW (list));
    GtkTreeIter iter;
    GValue value = G_VALUE_INIT, text = G_VALUE_INIT;
    char *result;

    g_assert_true (gtk_tree_model_get_iter_from_string (model, &iter, path));
    gtk_tree_model_get_value (model, &iter, column, &value);
    g_value_init (&text, G_TYPE_STRING);
    g_assert_true (g_value_transform (&value, &text));
    result = g_value_dup_string (&text);
    g_value_unset (&value);
    g_value_unset (&text);
    return result;
}

static int
count_rows (GtkWidget *list)
{
    return gtk_tree_model_iter_n_children (gtk_tree_view_get_model (GTK_TREE_VIEW (list)),
                                           NULL);
}

#define SAYS(list, path, column, wanted)                                                       \
    do {                                                                                       \
        g_autofree char *its = get_cell (list, path, column);                                  \
        g_assert_cmpstr (its, ==, wanted);                                                     \
    } while (0)

/* ---- tests ---- */

/* A line from the middle of the sender's row to the receiver's, areas of barriers, and what they are. */
static void
test_timeline (void)
{
    GtkWidget *window = show_window (), *toggle;
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
    save_picture (window, "timeline");
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
    ProfileModel *model = trace_sample_new (sample);
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
    window = show_model (model);
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
    g_assert_cmpstr (outer, ==, "1\nmain\nmain, sample.c:3");
    inner = get_timeline_tip (view, 0.11, 3.5 * row);
    g_assert_cmpstr (inner, ==, "2\nwork\nwork, sample.c:10");
    other = get_timeline_tip (view, 0.18, 3.5 * row);
    g_assert_true (g_str_has_prefix (other, "2\nMPI_Barrier"));
    counter = get_timeline_tip (view, 0.3, 4.5 * row);
    g_assert_cmpstr (counter, ==, "residual\n1 m since 0.250000 s");
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
    save_picture (window, "levels");
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
                                 .file = (char *) sample,
                                 .line = 20,
                                 .language = JOB_LANGUAGE_C };
    guint32 outer = trace_sample_add_context (sample, tree, 0, "main", 3);
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
    GtkWidget *window = show_model (make_filled ()), *view;
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
    g_assert_cmpstr (outer, ==, "1\nmain\nmain, sample.c:3");
    inner = get_timeline_tip (view, 0.15, 2.5 * row);
    g_assert_cmpstr (inner, ==, "2\nkernel [sampled]\nkernel, sample.c:20");
    later = get_timeline_tip (view, 0.3, 2.5 * row);
    g_assert_true (later == NULL || strstr (later, "kernel") == NULL);
    gtk_widget_destroy (window);
    widgets_settle ();
}

static void
test_tips (void)
{
    g_autoptr (ProfileModel) model = trace_sample_new (sample);
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
                     "Sent at 0.135000 s, received at 0.155000 s, 20 ms later");
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
    ProfileModel *model = trace_sample_new (sample);
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
    window = show_model (model);
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
    save_picture (window, "too-many");
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

/* Exact calls, of functions and between them; a part of the time has none. */
static void
test_functions (void)
{
    GtkWidget *window = show_window (), *list, *callers;
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (window);
    g_autoptr (GtkTreePath) path = gtk_tree_path_new_from_string ("1");
    GtkTreeViewColumn *calls;

    g_assert_true (gui_profile_window_show_page (self, "functions"));
    widgets_settle ();
    list = widgets_find (window, "function-list");
    calls = gtk_tree_view_get_column (GTK_TREE_VIEW (list), 2);
    g_assert_cmpstr (gtk_tree_view_column_get_title (calls), ==, "Calls");
    g_assert_true (gtk_tree_view_column_get_visible (calls));
    SAYS (list, "1", 0, "work");
    SAYS (list, "1", 2, "40");
    gtk_tree_view_set_cursor (GTK_TREE_VIEW (list), path, NULL, FALSE);
    widgets_settle ();
    callers = widgets_find (window, "callers");
    SAYS (callers, "0", 0, "main");
    SAYS (callers, "0", 1, "40");
    save_picture (window, "functions");
    gui_profile_selection_set_time (gui_profile_window_get_selection (self), 0, 0.5);
    widgets_settle ();
    g_assert_false (gtk_tree_view_column_get_visible (calls));
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* A rank that is in a method of Python for a second, and in a function of C that it calls for another one. */
static ProfileModel *
make_python_model (void)
{
    ProfileModel *model = profile_model_new ();
    const ProfileInfo info = { .command = (char *) "mpirun -np 4 ./app.py" };
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;
    JobLocation location = { .function = (char *) "Grid.<locals>.solve",
                             .file = (char *) sample,
                             .line = 3,
                             .language = JOB_LANGUAGE_PYTHON };
    guint32 python = job_context_tree_add (tree, 0, &location, 0);
    gint64 time_us = TRACE_SAMPLE_BEGIN_US;

    trace_sample_add (samples, &time_us, TRACE_SAMPLE_BEGIN_US + 1000000, python,
                      JOB_CLASS_PYTHON);
    trace_sample_add (samples, &time_us, TRACE_SAMPLE_BEGIN_US + 1900000,
                      trace_sample_add_context (sample, tree, python, "work", 10),
                      JOB_CLASS_NATIVE);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    profile_model_set_info (model, &info);
    return model;
}

/* The item of the function's menu; the menu is open. */
static GtkWidget *
open_menu (GtkWidget *list, const char *path, const char *id)
{
    g_autoptr (GtkTreePath) row = gtk_tree_path_new_from_string (path);
    GtkWidget *view = list;
    GList *menus = NULL;
    gboolean is_shown = FALSE;
    GLogLevelFlags fatal;

    gtk_tree_view_set_cursor (GTK_TREE_VIEW (list), row, NULL, FALSE);
    widgets_settle ();
    /* GTK warns of a menu without an event. */
    fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
    g_signal_emit_by_name (list, "popup-menu", &is_shown);
    g_log_set_always_fatal (fatal);
    g_assert_true (is_shown);
    widgets_settle ();
    while (menus == NULL) {
        view = gtk_widget_get_parent (view);
        g_assert_nonnull (view);
        menus = gtk_menu_get_for_attach_widget (view);
    }
    return widgets_find (menus->data, id);
}

/* The command that counts the lines of a Python function can be copied, and is ready for a shell. */
static void
test_copied_command (void)
{
    GtkWidget *window = show_model (make_python_model ()), *list, *item;
    g_autofree char *copied = NULL;

    g_assert_true (gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "functions"));
    widgets_settle ();
    list = widgets_find (window, "function-list");
    SAYS (list, "0", 0, "Grid.<locals>.solve");
    SAYS (list, "1", 0, "work");
    item = open_menu (list, "1", "copy-lines");
    g_assert_cmpstr (gtk_menu_item_get_label (GTK_MENU_ITEM (item)), ==,
                     "Copy Command for Its _Lines");
    g_assert_false (gtk_widget_get_sensitive (item));
    gtk_menu_popdown (GTK_MENU (gtk_widget_get_parent (item)));
    widgets_settle ();
    item = open_menu (list, "0", "copy-lines");
    g_assert_true (gtk_widget_get_sensitive (item));
    gtk_menu_item_activate (GTK_MENU_ITEM (item));
    gtk_menu_popdown (GTK_MENU (gtk_widget_get_parent (item)));
    widgets_settle ();
    copied = gtk_clipboard_wait_for_text (gtk_widget_get_clipboard (window,
                                                                    GDK_SELECTION_CLIPBOARD));
    g_assert_cmpstr (copied, ==, "pddt --lines 'Grid.<locals>.solve' mpirun -np 4 ./app.py");
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* Measure Lines is for Python's functions; what it does then is tests/gui/test-measure-lines.c's. */
static void
test_measure_lines (void)
{
    GtkWidget *window = show_model (make_python_model ()), *list, *item;

    g_object_set (window, "archive-program", "/none", "archive", "/none", "pddt", "/none",
                  NULL);
    g_assert_true (gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "functions"));
    widgets_settle ();
    list = widgets_find (window, "function-list");
    item = open_menu (list, "1", "measure-lines");
    g_assert_false (gtk_widget_get_sensitive (item));
    gtk_menu_popdown (GTK_MENU (gtk_widget_get_parent (item)));
    widgets_settle ();
    item = open_menu (list, "0", "measure-lines");
    g_assert_true (gtk_widget_get_sensitive (item));
    gtk_menu_item_activate (GTK_MENU_ITEM (item));
    gtk_menu_popdown (GTK_MENU (gtk_widget_get_parent (item)));
    widgets_settle ();
    gtk_widget_destroy (window); /* and its dialog */
    widgets_settle ();
}

static void
test_communication (void)
{
    GtkWidget *window = show_window (), *list, *matrix;
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (window);
    GuiProfileSelection *selection = gui_profile_window_get_selection (self);
    g_autoptr (GtkTreePath) first = gtk_tree_path_new_first ();
    g_autofree char *cell = NULL;
    GdkEventKey key = { .type = GDK_KEY_PRESS };

    g_assert_true (gui_profile_window_show_page (self, "communication"));
    widgets_settle ();
    list = widgets_find (window, "wait-list");
    g_assert_true (gtk_widget_get_mapped (list));
    SAYS (list, "0", 0, "0");
    SAYS (list, "0", 1, "wait at barrier");
    SAYS (list, "0", 5, "work at sample.c:10");
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (widgets_find (window, "wait-sentence"))),
                     ==,
                     "The longest wait: rank 0 has waited for 0.45 s in MPI_Barrier in main at "
                     "sample.c:3 for rank 3, which came last in work at sample.c:10.");
    save_picture (window, "communication");
    matrix = widgets_find (window, "message-matrix");
    cell = gui_message_matrix_describe (GUI_MESSAGE_MATRIX (matrix), 70, 42);
    g_assert_true (g_str_has_prefix (cell, "From 0 to 0: 0 messages, "));
    /* The keyboard selects the ranks of a cell. */
    key.window = gtk_widget_get_window (matrix);
    key.keyval = GDK_KEY_Right;
    gtk_widget_grab_focus (matrix);
    gtk_widget_event (matrix, (GdkEvent *) &key);
    key.keyval = GDK_KEY_Return;
    gtk_widget_event (matrix, (GdkEvent *) &key);
    widgets_settle ();
    g_assert_cmpuint (job_rank_set_get_count (gui_profile_selection_get_ranks (selection)), ==,
                      2);
    SAYS (list, "1", 0, "1");
    g_assert_cmpint (count_rows (list), ==, 2);
    /* Enter leads to the place. */
    gtk_tree_view_set_cursor (GTK_TREE_VIEW (list), first, NULL, FALSE);
    gtk_tree_view_row_activated (GTK_TREE_VIEW (list), first,
                                 gtk_tree_view_get_column (GTK_TREE_VIEW (list), 0));
    widgets_settle ();
    g_assert_true (gtk_widget_get_mapped (widgets_find (window, "profile-files")));
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* The matrix' words for one of its cells, wherever it is. Caller owns. */
static char *
describe_cell (GtkWidget *matrix, const char *begin)
{
    for (int y = 0; y < gtk_widget_get_allocated_height (matrix); y += 4) {
        for (int x = 0; x < gtk_widget_get_allocated_width (matrix); x += 4) {
            g_autofree char *words = gui_message_matrix_describe (GUI_MESSAGE_MATRIX (matrix),
                                                                  x, y);

            if (words != NULL && g_str_has_prefix (words, begin)) {
                return g_steal_pointer (&words);
            }
        }
    }
    return NULL;
}

/* A part of the time has the messages that were in transit in it, and the waits whose longest was. */
static void
test_communication_of_time (void)
{
    GtkWidget *window = show_window (), *list, *matrix;
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (window);
    GuiProfileSelection *selection = gui_profile_window_get_selection (self);
    g_autofree char *all = NULL, *step = NULL;

    g_assert_true (gui_profile_window_show_page (self, "communication"));
    widgets_settle ();
    list = widgets_find (window, "wait-list");
    matrix = widgets_find (window, "message-matrix");
    all = describe_cell (matrix, "From 1 to 2: ");
    g_assert_nonnull (all);
    g_assert_true (g_str_has_prefix (all, "From 1 to 2: 10 messages, "));
    g_assert_cmpint (count_rows (list), ==, TRACE_SAMPLE_RANKS - 1);
    gui_profile_selection_set_time (selection, 0.105, 0.195);
    widgets_settle ();
    step = describe_cell (matrix, "From 1 to 2: ");
    g_assert_nonnull (step);
    g_assert_true (g_str_has_prefix (step, "From 1 to 2: 1 message, "));
    g_assert_cmpint (count_rows (list), ==, 0);
    gui_profile_selection_set_time (selection, 0, 0.05); /* rank 2 begins to wait at 0.055 */
    widgets_settle ();
    g_assert_cmpint (count_rows (list), ==, 2);
    gtk_widget_destroy (window);
    widgets_settle ();
}

static gboolean
has_text (const ProfilePage *page, const char *text)
{
    for (guint i = 0; i < page->sections->len; i++) {
        const ProfileSection *section = g_ptr_array_index (page->sections, i);

        for (guint j = 0; j < section->blocks->len; j++) {
            const ProfileBlock *block = g_ptr_array_index (section->blocks, j);

            if (block->text != NULL && strstr (block->text, text) != NULL) {
                return TRUE;
            }
            for (guint k = 0; block->columns != NULL && k < block->columns->len; k++) {
                if (strstr (g_array_index (block->columns, ProfileColumn, k).title, text)
                    != NULL) {
                    return TRUE;
                }
            }
        }
    }
    return FALSE;
}

/* Where there are calls there are no samples. */
static void
test_words (void)
{
    g_autoptr (ProfileModel) model = trace_sample_new (sample);
    g_autoptr (ProfilePage) page = gui_report_view_make_page (model);

    g_assert_cmpstr (page->title, ==, "Trace of mpirun -np 4 ./app");
    g_assert_true (has_text (page, "Calls"));
    g_assert_true (has_text (page, "The longest wait: rank 0"));
    g_assert_false (has_text (page, "amples"));
    g_assert_false (has_text (page, "interval"));
}

static void
test_report (void)
{
    GtkWidget *window = show_window ();

    gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "report");
    save_picture (window, "report");
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* ---- files that the menu writes ---- */

static gboolean
fail_late (gpointer what)
{
    g_error ("%s does not come", (const char *) what);
    return G_SOURCE_REMOVE;
}

static GtkFileChooser *
find_chooser (void)
{
    g_autoptr (GList) windows = gtk_window_list_toplevels ();

    for (GList *link = windows; link != NULL; link = link->next) {
        if (GTK_IS_FILE_CHOOSER_DIALOG (link->data) && gtk_widget_get_visible (link->data)) {
            return GTK_FILE_CHOOSER (link->data);
        }
    }
    return NULL;
}

/* As a user does who goes to that file and presses Save. Returns what is in it then; caller owns. */
static char *
write_file (GtkWidget *window, const char *action, GVariant *parameter, const char *name)
{
    guint limit = g_timeout_add_seconds (60, fail_late, (gpointer) "the file");
    g_autofree char *path = g_build_filename (folder, name, NULL), *wanted = NULL;
    char *text = NULL;
    GtkFileChooser *chooser;

    g_unlink (path);
    wanted = g_canonicalize_filename (path, NULL);
    g_action_group_activate_action (G_ACTION_GROUP (window), action, parameter);
    while ((chooser = find_chooser ()) == NULL) {
        g_main_context_iteration (NULL, TRUE);
    }
    gtk_file_chooser_set_current_folder (chooser, folder);
    gtk_file_chooser_set_current_name (chooser, name);
    for (;;) {
        g_autofree char *file = gtk_file_chooser_get_filename (chooser);

        if (g_strcmp0 (file, wanted) == 0) {
            break;
        }
        g_main_context_iteration (NULL, TRUE);
    }
    gtk_dialog_response (GTK_DIALOG (chooser), GTK_RESPONSE_ACCEPT);
    while (!g_file_get_contents (path, &text, NULL, NULL)) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
    return text;
}

static void
test_files (void)
{
    GtkWidget *window = show_window ();
    g_autofree char *report = write_file (window, "save-report", NULL, "report.json");
    g_autofree char *table = write_file (window, "export", g_variant_new_string ("csv"),
                                         "profile.csv");
    g_autofree char *events = write_file (window, "export", g_variant_new_string ("chrome"),
                                          "profile.chrome.json");

    g_assert_nonnull (strstr (report, "The longest wait: rank 0"));
    g_assert_nonnull (strstr (table, "MPI_Barrier"));
    g_assert_nonnull (strstr (events, "\"traceEvents\":["));
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* What a full buffer has lost is said on every page, also while only some ranks are selected. */
static void
test_losses (void)
{
    ProfileModel *model = trace_sample_new (sample);
    const ProfileLoss losses[] = {
        { 1, 1, 300, PROFILE_KEPT_LAST, TRACE_SAMPLE_BEGIN_US + TRACE_SAMPLE_STEP_US },
        { 2, 1, 500, PROFILE_KEPT_LAST, TRACE_SAMPLE_BEGIN_US + TRACE_SAMPLE_STEP_US },
        { 2, 0, 200, PROFILE_KEPT_LAST, 0 },
    };
    GtkWidget *window, *label;

    for (guint i = 0; i < G_N_ELEMENTS (losses); i++) {
        profile_model_add_loss (model, &losses[i]);
    }
    window = show_model (model);
    label = widgets_find (window, "problem");
    g_assert_true (gtk_widget_get_mapped (label));
    g_assert_cmpstr (
        gtk_label_get_text (GTK_LABEL (label)), ==,
        "The buffer was full: the first 1000 events are lost, 700 of them from rank 2");
    gtk_widget_destroy (window);
    widgets_settle ();
    window = show_window ();
    g_assert_false (gtk_widget_get_mapped (widgets_find (window, "problem")));
    gtk_widget_destroy (window);
    widgets_settle ();
}

int
main (int argc, char **argv)
{
    int status;

    application = widgets_start (&argc, &argv);
    g_assert_cmpint (argc, ==, 3);
    folder = argv[1];
    sample = argv[2];
    g_mkdir_with_parents (folder, 0700);
    g_test_add_func ("/trace-views/levels", test_levels);
    g_test_add_func ("/trace-views/filled", test_filled);
    g_test_add_func ("/trace-views/tips", test_tips);
    g_test_add_func ("/trace-views/words", test_words);
    g_test_add_func ("/trace-views/timeline", test_timeline);
    g_test_add_func ("/trace-views/too-many", test_too_many);
    g_test_add_func ("/trace-views/functions", test_functions);
    g_test_add_func ("/trace-views/copied-command", test_copied_command);
    g_test_add_func ("/trace-views/measure-lines", test_measure_lines);
    g_test_add_func ("/trace-views/communication", test_communication);
    g_test_add_func ("/trace-views/communication-of-time", test_communication_of_time);
    g_test_add_func ("/trace-views/report", test_report);
    g_test_add_func ("/trace-views/losses", test_losses);
    g_test_add_func ("/trace-views/files", test_files);
    status = g_test_run ();
    g_object_unref (application);
    return status;
}
