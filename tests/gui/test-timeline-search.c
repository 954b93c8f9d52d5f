/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-timeline-search FOLDER SAMPLE: functions that are searched for in the Timeline of a trace. FOLDER: for a picture; SAMPLE:
 * a source file. */
#include <math.h>
#include "gui/profile/profile-axis.h"
#include "gui/profile/profile-window.h"
#include "gui/profile/timeline-search.h"
#include "gui/profile/timeline-view.h"
#include "trace-sample.h"
#include "widgets.h"

enum { MANY = 24000 };

static const char *folder, *sample;
static GtkApplication *application;

static void
type_key (GtkWidget *entry, guint key, guint state)
{
    GdkEventKey event = { .type = GDK_KEY_PRESS,
                          .window = gtk_widget_get_window (entry),
                          .keyval = key,
                          .state = state };
    g_autofree GdkKeymapKey *keys = NULL;
    int n;

    g_assert_true (gdk_keymap_get_entries_for_keyval (
        gdk_keymap_get_for_display (gtk_widget_get_display (entry)), key, &keys, &n));
    event.hardware_keycode = (guint16) keys[0].keycode;
    gtk_widget_grab_focus (entry);
    g_assert_true (gtk_widget_event (entry, (GdkEvent *) &event));
    widgets_settle ();
}

#define FINDS(window, wanted)                                                                  \
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (widgets_find (window, "timeline-found"))), \
                     ==, wanted)

static void
search (GtkWidget *window, const char *text)
{
    gtk_entry_set_text (GTK_ENTRY (widgets_find (window, "timeline-search")), text);
    g_signal_emit_by_name (widgets_find (window, "timeline-search"), "search-changed");
    widgets_settle ();
}

static double
get_middle (GuiProfileSelection *selection)
{
    return (gui_profile_selection_get_begin (selection)
            + gui_profile_selection_get_end (selection))
           / 2;
}

/* Whether a pixel there has the colour. */
static gboolean
has_colour (GdkPixbuf *picture, double x, double y, double width, double height, guint32 colour)
{
    for (int row = (int) y; row < y + height; row++) {
        for (int column = (int) x; column < x + width; column++) {
            const guint8 *at = gdk_pixbuf_read_pixels (picture)
                               + row * gdk_pixbuf_get_rowstride (picture)
                               + column * gdk_pixbuf_get_n_channels (picture);

            if (((guint32) at[0] << 16 | (guint32) at[1] << 8 | at[2]) == (colour & 0xffffff)) {
                return TRUE;
            }
        }
    }
    return FALSE;
}

/* The row of the rank's second level has a frame where the call is, and none elsewhere. */
static void
check_mark (GtkWidget *window, GuiProfileSelection *selection, guint row, double begin_s,
            double end_s)
{
    GtkWidget *view = gtk_widget_get_ancestor (widgets_find (window, "timeline"),
                                               GUI_TYPE_TIMELINE_VIEW);
    double height = gui_profile_canvas_get_height (GUI_PROFILE_CANVAS (view)), top;
    guint n = gui_timeline_view_get_n_rows (GUI_TIMELINE_VIEW (view));
    GdkWindow *area = gtk_widget_get_window (widgets_find (window, "timeline"));
    g_autofree char *file = g_strdup_printf ("%s/search.png", folder);
    g_autoptr (GdkPixbuf) picture = NULL, all = NULL;
    GuiProfileColours colours;
    GuiProfileAxis axis;

    gui_profile_colours_fill (window, &colours);
    gui_profile_axis_init (&axis, gui_profile_selection_get_begin (selection),
                           gui_profile_selection_get_end (selection),
                           gui_profile_canvas_get_width (GUI_PROFILE_CANVAS (view)));
    height = CLAMP (floor ((height - GUI_PROFILE_AXIS - 6) / n), 6, 26);
    top = GUI_PROFILE_AXIS + row * height;
    picture = gdk_pixbuf_get_from_window (area, 0, 0, gdk_window_get_width (area),
                                          gdk_window_get_height (area));
    area = gtk_widget_get_window (window);
    all = gdk_pixbuf_get_from_window (area, 0, 0, gdk_window_get_width (area),
                                      gdk_window_get_height (area));
    g_assert_true (gdk_pixbuf_save (all, file, "png", NULL, NULL));
    g_assert_true (has_colour (picture, gui_profile_axis_get_x (&axis, begin_s) - 3,
                               top + height / 2, 4, 1, colours.selection));
    g_assert_true (has_colour (picture, gui_profile_axis_get_x (&axis, end_s) - 1,
                               top + height / 2, 4, 1, colours.selection));
    g_assert_false (has_colour (picture, axis.x, top + height + 2, axis.width, height - 4,
                                colours.selection));
    g_assert_false (has_colour (picture, axis.x, top - height + 2, axis.width, height - 5,
                                colours.selection));
}

/* From one barrier to the next by the keyboard, in the order of their times, and round. */
static void
test_window (void)
{
    GtkWidget *window = gui_profile_window_new (application, trace_sample_new (sample), "app");
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (window);
    GuiProfileSelection *selection = gui_profile_window_get_selection (self);
    g_autoptr (JobRankSet) one = job_rank_set_new ();
    GtkWidget *entry, *view;

    gtk_window_present (GTK_WINDOW (window));
    g_assert_true (gui_profile_window_show_page (self, "ranks"));
    widgets_settle ();
    entry = widgets_find (window, "timeline-search");
    g_assert_false (gtk_widget_get_mapped (entry));
    g_assert_true (gui_profile_window_show_page (self, "timeline"));
    widgets_settle ();
    g_assert_true (gtk_widget_get_mapped (entry));
    view = gtk_widget_get_ancestor (widgets_find (window, "timeline"), GUI_TYPE_TIMELINE_VIEW);
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (widgets_find (window, "messages")), FALSE);
    search (window, "pi_BARR");
    FINDS (window, "40: press Enter for the next one");
    g_assert_true (gui_profile_selection_is_all_time (selection));
    gui_profile_selection_set_time (selection, 0.2, 0.3);
    type_key (entry, GDK_KEY_Return, 0);
    FINDS (window, "9 of 40: MPI_Barrier, rank 0, 0.225000 s, lasts 75 ms");
    g_assert_cmpfloat_with_epsilon (get_middle (selection), 0.2625, 1e-6);
    g_assert_cmpfloat_with_epsilon (gui_profile_selection_get_end (selection)
                                        - gui_profile_selection_get_begin (selection),
                                    0.1, 1e-6);
    g_assert_cmpuint (gui_timeline_view_get_n_rows (GUI_TIMELINE_VIEW (view)), ==,
                      TRACE_SAMPLE_RANKS + 2);
    check_mark (window, selection, 2, 0.225, 0.3);
    type_key (entry, GDK_KEY_Return, 0);
    FINDS (window, "10 of 40: MPI_Barrier, rank 1, 0.240000 s, lasts 60 ms");
    type_key (entry, GDK_KEY_Return, GDK_SHIFT_MASK);
    type_key (entry, GDK_KEY_Return, GDK_SHIFT_MASK);
    FINDS (window, "8 of 40: MPI_Barrier, rank 3, 0.170000 s, lasts 30 ms");
    for (guint i = 0; i < 8; i++) {
        type_key (entry, GDK_KEY_Return, GDK_SHIFT_MASK);
    }
    FINDS (window, "40 of 40: MPI_Barrier, rank 3, 0.970000 s, lasts 30 ms");
    job_rank_set_add (one, 2);
    gui_profile_selection_set_ranks (selection, one); /* says how many these have */
    FINDS (window, "10: press Enter for the next one");
    search (window, "main"); /* it does not fit in what was shown */
    type_key (entry, GDK_KEY_Return, 0);
    FINDS (window, "1 of 1: main, rank 2, 0.000000 s, lasts 1 s");
    g_assert_true (gui_profile_selection_is_all_time (selection));
    search (window, "no such");
    FINDS (window, "No match");
    type_key (entry, GDK_KEY_Return, 0);
    FINDS (window, "No match");
    type_key (entry, GDK_KEY_Escape, 0);
    FINDS (window, "");
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* Two threads of a rank: f for 1 µs, g for 2 µs that calls f, and so on. */
static ProfileModel *
make_model (guint n, guint32 f_us)
{
    ProfileModel *model = profile_model_new ();
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    guint32 f = trace_sample_add_context (sample, tree, 0, "f", 3);
    guint32 g = trace_sample_add_context (sample, tree, 0, "g", 4);
    guint32 inner = trace_sample_add_context (sample, tree, g, "f", 3);
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;
    gint64 time_us = TRACE_SAMPLE_BEGIN_US;

    for (guint i = 0; i < n; i++) {
        const guint32 contexts[] = { f, g, inner };

        for (guint k = 0; k < G_N_ELEMENTS (contexts); k++) {
            guint32 weight_us = k == 0 ? f_us : k;
            JobSample one = { time_us + weight_us, weight_us,        contexts[k],
                              1 + i % 2,           JOB_CLASS_NATIVE, FALSE };

            g_array_append_val (samples, one);
            time_us += weight_us;
        }
    }
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 5, batch, NULL));
    return model;
}

#define SAYS(search, model, wanted)                                                            \
    do {                                                                                       \
        g_autofree char *its = gui_timeline_search_dup_line (search, model);                   \
        g_assert_cmpstr (its, ==, wanted);                                                     \
    } while (0)

/* Levels and threads are told apart; what lasts no µs is not said to last nothing. */
static void
test_threads (void)
{
    g_autoptr (ProfileModel) model = make_model (2, 0);
    GuiTimelineSearch *search = gui_timeline_search_new ();
    const ProfileProcess child = { .parent = 4, .pid = 4711 };
    const GuiTimelineFound *found;

    SAYS (search, model, "");
    gui_timeline_search_set (search, model, NULL, "F", FALSE);
    found = gui_timeline_search_step (search, FALSE, 0);
    g_assert_cmpuint (found->level, ==, 1);
    SAYS (search, model, "1 of 4: f, rank 5, thread 1, 0.000000 s, lasts less than 1 µs");
    found = gui_timeline_search_step (search, FALSE, 0);
    g_assert_cmpuint (found->level, ==, 2);
    SAYS (search, model, "2 of 4: f, rank 5, thread 1, 0.000001 s, lasts 2 µs");
    found = gui_timeline_search_step (search, FALSE, 0);
    g_assert_cmpuint (found->thread, ==, 1);
    SAYS (search, model, "3 of 4: f, rank 5, thread 2, 0.000003 s, lasts less than 1 µs");
    gui_timeline_search_set (search, model, NULL, "g", FALSE);
    gui_timeline_search_step (search, TRUE, 0);
    SAYS (search, model, "2 of 2: g, rank 5, thread 2, 0.000003 s, lasts 3 µs");
    profile_model_set_process (model, 5, &child);
    SAYS (search, model,
          "2 of 2: g, process 4711 (child of rank 3), thread 2, 0.000003 s, lasts 3 µs");
    gui_timeline_search_set (search, NULL, NULL, "g", TRUE);
    g_assert_null (gui_timeline_search_step (search, FALSE, 0));
    gui_timeline_search_free (search);
}

/* More than the window keeps: neither the number nor how long is exact. */
static void
test_rough (void)
{
    g_autoptr (ProfileModel) model = make_model (MANY, 1);
    GuiTimelineSearch *search = gui_timeline_search_new ();
    g_autofree char *line = NULL;

    gui_timeline_search_set (search, model, NULL, "no such", FALSE);
    SAYS (search, model, "No match in what the window keeps: short calls are joined");
    gui_timeline_search_set (search, model, NULL, "g", FALSE);
    gui_timeline_search_step (search, FALSE, 0);
    line = gui_timeline_search_dup_line (search, model);
    g_assert_true (g_str_has_prefix (line, "1 of about "));
    g_assert_nonnull (strstr (line, ", lasts about "));
    gui_timeline_search_free (search);
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
    g_test_add_func ("/timeline-search/threads", test_threads);
    g_test_add_func ("/timeline-search/rough", test_rough);
    g_test_add_func ("/timeline-search/window", test_window);
    status = g_test_run ();
    g_object_unref (application);
    return status;
}
