/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-performance-window SAMPLE: what the mouse and the keyboard do in the Performance window, of an archive and while a
 * profile is being taken. SAMPLE: a source file. */
#include <math.h>
#include <string.h>
#include "gui/profile/profile-axis.h"
#include "gui/profile/profile-canvas.h"
#include "gui/profile/profile-window.h"
#include "gui/profile/timeline-view.h"
#include "session/saved.h"
#include "performance-sample.h"
#include "script.h"
#include "widgets.h"

#define NEAR(a, b) g_assert_cmpfloat (fabs ((a) - (b)), <, 1e-6)

static const char *sample;
static GtkApplication *application;

static void
press (GtkWidget *area, double x, double y, double to_x, double to_y)
{
    GdkEventButton button = { .type = GDK_BUTTON_PRESS,
                              .window = gtk_widget_get_window (area),
                              .button = GDK_BUTTON_PRIMARY,
                              .x = x,
                              .y = y };
    GdkEventMotion motion = { .type = GDK_MOTION_NOTIFY,
                              .window = gtk_widget_get_window (area),
                              .x = to_x,
                              .y = to_y,
                              .state = GDK_BUTTON1_MASK };

    gtk_widget_event (area, (GdkEvent *) &button);
    if (x != to_x || y != to_y) {
        gtk_widget_event (area, (GdkEvent *) &motion);
    }
    button.type = GDK_BUTTON_RELEASE;
    button.x = to_x;
    button.y = to_y;
    gtk_widget_event (area, (GdkEvent *) &button);
    widgets_settle ();
}

static void
type_key (GtkWidget *area, guint key, guint state)
{
    GdkEventKey event = { .type = GDK_KEY_PRESS,
                          .window = gtk_widget_get_window (area),
                          .keyval = key,
                          .state = state };

    g_assert_true (gtk_widget_event (area, (GdkEvent *) &event));
    widgets_settle ();
}

static const char *
get_range (GtkWidget *window)
{
    return gtk_label_get_text (GTK_LABEL (widgets_find (window, "range")));
}

static void
test_window (void)
{
    GtkWidget *window
        = gui_profile_window_new (application, performance_sample_new (sample, 8, 2), "sample");
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (window);
    GuiProfileSelection *selection = gui_profile_window_get_selection (self);
    static const char *const pages[] = { "activity", "timeline", "ranks", "report" };
    GtkWidget *area;
    double width;

    gtk_window_present (GTK_WINDOW (window));
    widgets_settle ();
    for (guint i = 0; i < G_N_ELEMENTS (pages); i++) {
        g_assert_true (gui_profile_window_show_page (self, pages[i]));
        widgets_settle ();
        area = widgets_find (window, pages[i]);
        g_assert_true (gtk_widget_get_mapped (area));
        g_assert_true (gtk_widget_get_can_focus (area));
        g_assert_cmpstr (atk_object_get_name (gtk_widget_get_accessible (area)), !=, NULL);
        g_assert_cmpstr (atk_object_get_description (gtk_widget_get_accessible (area)), !=, "");
    }
    g_assert_false (gui_profile_window_show_page (self, "nonsense"));
    /* A drag in the Activity selects the first half, the Timeline shows it. */
    gui_profile_window_show_page (self, "activity");
    widgets_settle ();
    area = widgets_find (window, "activity");
    width = gtk_widget_get_allocated_width (area) - GUI_PROFILE_LABELS - GUI_PROFILE_MARGIN;
    press (area, GUI_PROFILE_LABELS, 100, GUI_PROFILE_LABELS + width / 2, 100);
    g_assert_cmpfloat (fabs (gui_profile_selection_get_end (selection) - 2), <, 0.05);
    g_assert_cmpstr (get_range (window), ==, "0.0–2.0 s, ranks 0-7");
    g_assert_true (gtk_widget_get_sensitive (widgets_find (window, "reset")));
    /* A click in the Timeline shows the merged stack, and where the rank was. */
    gui_profile_window_show_page (self, "timeline");
    widgets_settle ();
    area = widgets_find (window, "timeline");
    press (area, GUI_PROFILE_LABELS + width / 4, GUI_PROFILE_AXIS + 2.5 * 26,
           GUI_PROFILE_LABELS + width / 4, GUI_PROFILE_AXIS + 2.5 * 26);
    g_assert_true (gtk_widget_get_mapped (widgets_find (window, "moment-stacks")));
    g_assert_cmpstr (gui_profile_selection_get_location (selection)->function, ==, "work");
    g_assert_cmpint (gtk_tree_model_iter_n_children (gtk_tree_view_get_model (GTK_TREE_VIEW (
                                                         widgets_find (window,
                                                                       "moment-stacks"))),
                                                     NULL),
                     ==, 1);
    g_assert_true (gtk_widget_get_sensitive (widgets_find (window, "moment-debug")));
    type_key (area, GDK_KEY_plus, 0);
    g_assert_cmpfloat (gui_profile_selection_get_end (selection)
                           - gui_profile_selection_get_begin (selection),
                       <, 1.9);
    /* Ranks by the keyboard, a class by the legend, and all of it again. */
    gui_profile_window_show_page (self, "ranks");
    widgets_settle ();
    area = widgets_find (window, "ranks");
    type_key (area, GDK_KEY_Down, 0);
    type_key (area, GDK_KEY_Return, 0);
    type_key (area, GDK_KEY_Down, GDK_SHIFT_MASK);
    g_assert_cmpuint (job_rank_set_get_count (gui_profile_selection_get_ranks (selection)), ==,
                      2);
    gtk_button_clicked (GTK_BUTTON (widgets_find (window, "class-MPI")));
    g_assert_cmpint (gui_profile_selection_get_class (selection), ==, JOB_CLASS_MPI);
    gtk_button_clicked (GTK_BUTTON (widgets_find (window, "reset")));
    g_assert_cmpstr (get_range (window), ==, "0.0–4.0 s, ranks 0-7");
    g_assert_false (
        gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (widgets_find (window, "class-MPI"))));
    gtk_widget_destroy (window);
    widgets_settle ();
}

static void
turn_wheel (GtkWidget *area, double x, GdkScrollDirection direction, guint state)
{
    GdkEventScroll event = { .type = GDK_SCROLL,
                             .window = gtk_widget_get_window (area),
                             .direction = direction,
                             .x = x,
                             .y = 100,
                             .state = state };

    gtk_widget_event (area, (GdkEvent *) &event);
    widgets_settle ();
}

/* The wheel: with Shift along in time, over the names and with Ctrl the rows, else how much time is shown. */
static void
test_moving (void)
{
    GtkWidget *window = gui_profile_window_new (application,
                                                performance_sample_new (sample, 100, 2),
                                                "sample");
    GuiProfileSelection *selection
        = gui_profile_window_get_selection (GUI_PROFILE_WINDOW (window));
    GtkWidget *area;
    GuiProfileCanvas *canvas;

    gtk_window_present (GTK_WINDOW (window));
    gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "timeline");
    gui_profile_selection_set_time (selection, 1, 2);
    widgets_settle ();
    area = widgets_find (window, "timeline");
    canvas = GUI_PROFILE_CANVAS (gtk_widget_get_ancestor (area, GUI_TYPE_PROFILE_CANVAS));
    turn_wheel (area, 300, GDK_SCROLL_DOWN, GDK_SHIFT_MASK);
    NEAR (gui_profile_selection_get_begin (selection), 1.1);
    NEAR (gui_profile_selection_get_end (selection), 2.1);
    turn_wheel (area, 300, GDK_SCROLL_UP, GDK_SHIFT_MASK);
    NEAR (gui_profile_selection_get_begin (selection), 1);
    g_assert_cmpfloat (gui_profile_canvas_get_offset (canvas), ==, 0);
    turn_wheel (area, 300, GDK_SCROLL_DOWN, GDK_CONTROL_MASK);
    g_assert_cmpfloat (gui_profile_canvas_get_offset (canvas), >, 0);
    turn_wheel (area, 300, GDK_SCROLL_UP, GDK_CONTROL_MASK);
    g_assert_cmpfloat (gui_profile_canvas_get_offset (canvas), ==, 0);
    turn_wheel (area, 10, GDK_SCROLL_DOWN, 0);
    g_assert_cmpfloat (gui_profile_canvas_get_offset (canvas), >, 0);
    NEAR (gui_profile_selection_get_end (selection)
              - gui_profile_selection_get_begin (selection),
          1);
    turn_wheel (area, 300, GDK_SCROLL_UP, 0);
    g_assert_cmpfloat (gui_profile_selection_get_end (selection)
                           - gui_profile_selection_get_begin (selection),
                       <, 0.9);
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* Chooses the item of that name of the menu that the widget, or what it is in, shows by the menu key. */
static void
choose_item (GtkWidget *widget, const char *id)
{
    GtkWidget *menu;
    GList *menus = NULL;
    gboolean is_shown = FALSE;

    /* GTK warns of a menu without an event. */
    GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL);
    g_signal_emit_by_name (widget, "popup-menu", &is_shown);
    g_log_set_always_fatal (fatal);
    g_assert_true (is_shown);
    widgets_settle ();
    while (menus == NULL) {
        menus = gtk_menu_get_for_attach_widget (widget);
        widget = gtk_widget_get_parent (widget);
        g_assert_true (menus != NULL || widget != NULL);
    }
    menu = menus->data;
    gtk_menu_item_activate (GTK_MENU_ITEM (widgets_find (menu, id)));
    gtk_menu_popdown (GTK_MENU (menu));
    widgets_settle ();
}

static void
on_open_session (GSimpleAction *action, GVariant *file, gpointer user)
{
    g_free (*(char **) user);
    *(char **) user = g_variant_dup_string (file, NULL);
}

/* Of an archive: the breakpoint is kept, and the Run dialog opens with the command. */
static void
test_debug_here (void)
{
    static const GActionEntry open
        = { "open-session", on_open_session, "s", NULL, NULL, { 0 } };
    static const char *const widgets[] = { "timeline",     "moment-stacks", "calls",
                                           "call-picture", "functions",     "function-list" };
    ProfileModel *model = performance_sample_new (sample, 8, 2);
    ProfileInfo info = *profile_model_get_info (model);
    GtkWidget *window;
    char *file = NULL;

    info.command = (char *) "mpirun -np 8 ./never";
    profile_model_set_info (model, &info);
    window = gui_profile_window_new (application, model, "sample");
    g_action_map_add_action_entries (G_ACTION_MAP (application), &open, 1, &file);
    gtk_window_present (GTK_WINDOW (window));
    gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "timeline");
    widgets_settle ();
    press (widgets_find (window, "timeline"), 300, GUI_PROFILE_AXIS + 2.5 * 26, 300,
           GUI_PROFILE_AXIS + 2.5 * 26);
    for (guint i = 0; i < G_N_ELEMENTS (widgets); i += 2) {
        g_autoptr (SessionSaved) saved = NULL;
        g_autoptr (GError) error = NULL;
        const SessionSavedPoint *point;

        g_assert_true (gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), widgets[i]));
        widgets_settle ();
        choose_item (widgets_find (window, widgets[i + 1]), "debug-here");
        g_assert_nonnull (file);
        saved = session_saved_load (file, &error);
        g_assert_no_error (error);
        g_assert_cmpstr (saved->argv[3], ==, "./never");
        g_assert_cmpuint (saved->points->len, ==, 1);
        point = saved->points->pdata[0];
        g_assert_cmpstr (point->request->where.file, ==, sample);
        g_assert_cmpuint (point->request->where.line, ==, 10);
        g_clear_pointer (&file, g_free);
    }
    g_action_map_remove_action (G_ACTION_MAP (application), "open-session");
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* ---- a profile that is being taken ---- */

static void
send_samples (Session *session, guint64 request, guint32 rank, JobContextTree *tree,
              guint32 first, gint64 begin_us)
{
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (rank, rank + 1);
    JobEvent *event = job_event_new (JOB_EVENT_SAMPLES, request, ranks);

    for (guint i = 0; i < 50; i++) {
        JobSample one = { begin_us + 10000 * (i + 1), 10000, 2, 1, JOB_CLASS_NATIVE, FALSE };

        g_array_append_val (samples, one);
    }
    event->bytes = job_sample_batch_encode (tree, first, samples, 0);
    session_apply (session, event);
    job_event_free (event);
}

static void
hear (GtkWidget *window, const char *file, guint line, gpointer user)
{
    *(guint *) user = line;
}

static void
test_moment_menu (GtkWidget *window, guint *line)
{
    GtkWidget *stacks = widgets_find (window, "moment-stacks");
    g_autofree char *copied = NULL;

    *line = 0;
    choose_item (stacks, "debug-here");
    g_assert_cmpuint (*line, ==, 10);
    g_signal_connect (window, "go-to-source", G_CALLBACK (hear), line);
    *line = 0;
    choose_item (stacks, "go-to-source");
    g_assert_cmpuint (*line, ==, 10);
    choose_item (stacks, "copy-name");
    copied = gtk_clipboard_wait_for_text (gtk_widget_get_clipboard (window,
                                                                    GDK_SELECTION_CLIPBOARD));
    g_assert_cmpstr (copied, ==, "work");
}

static void
test_live (void)
{
    Script *script = script_new (4, sample);
    Session *session = script_get_session (script);
    GtkWidget *window = gui_profile_window_open (application, session);
    GuiProfileSelection *selection
        = gui_profile_window_get_selection (GUI_PROFILE_WINDOW (window));
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    gint64 begin_us = g_get_monotonic_time ();
    guint line = 0;

    performance_sample_add_context (sample, tree,
                                    performance_sample_add_context (sample, tree, 0, "main", 3),
                                    "work", 10);
    g_assert_true (gui_profile_window_open (application, session) == window);
    gtk_window_present (GTK_WINDOW (window));
    widgets_settle ();
    g_assert_cmpstr (get_range (window), ==, "No samples yet");
    send_samples (session, 77, 2, tree, 1, begin_us);
    g_assert_cmpuint (profile_model_get_info (
                          gui_profile_selection_get_model (
                              gui_profile_window_get_selection (GUI_PROFILE_WINDOW (window))))
                          ->rate,
                      ==, 100);
    widgets_settle ();
    g_assert_cmpstr (get_range (window), ==, "0.00–0.50 s, rank 2");
    send_samples (session, 77, 2, tree, 3, begin_us + 500000);
    while (gui_profile_selection_get_duration (selection) < 0.9) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_assert_cmpstr (get_range (window), ==, "0.0–1.0 s, rank 2");
    /* The next `profile start` begins anew. */
    send_samples (session, 78, 1, tree, 1, begin_us + 2000000);
    widgets_settle ();
    g_assert_cmpstr (get_range (window), ==, "0.00–0.50 s, rank 1");
    g_signal_connect (window, "debug-here", G_CALLBACK (hear), &line);
    gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "timeline");
    widgets_settle ();
    press (widgets_find (window, "timeline"), 300, GUI_PROFILE_AXIS + 8, 300,
           GUI_PROFILE_AXIS + 8);
    gtk_button_clicked (GTK_BUTTON (widgets_find (window, "moment-debug")));
    g_assert_cmpuint (line, ==, 10);
    test_moment_menu (window, &line);
    gtk_widget_destroy (window);
    widgets_settle ();
}

int
main (int argc, char **argv)
{
    int status;

    application = widgets_start (&argc, &argv);
    g_assert_cmpint (argc, ==, 2);
    sample = argv[1];
    g_test_add_func ("/performance/window", test_window);
    g_test_add_func ("/performance/moving", test_moving);
    g_test_add_func ("/performance/debug-here", test_debug_here);
    g_test_add_func ("/performance/live", test_live);
    status = g_test_run ();
    g_object_unref (application);
    return status;
}
