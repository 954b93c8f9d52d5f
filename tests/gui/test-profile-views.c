/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The views Calls, Functions and Source in a window: they show one selection, clicks and keys do what
 * they say, and each draws on paper. */
#include <gdk/gdkkeysyms.h>
#include <math.h>
#include <string.h>
#include "gui/profile/profile-call-layout.h"
#include "gui/profile/profile-calls.h"
#include "gui/profile/profile-common.h"
#include "gui/profile/profile-function-list.h"
#include "gui/profile/profile-functions.h"
#include "gui/profile/profile-source.h"
#include "gui/source/source-view.h"
#include "gui/kit/theme.h"
#include "profile-rig.h"
#include "profile-sample.h"
#include "widgets.h"

static const char *examples;

/* ---- Calls ---- */

/* The picture as the view has it: all levels, a cut-off of 0.1 %. */
typedef struct {
    ProfileCosts *costs;
    ProfileCallTree *tree;
    GuiProfileCallLayout layout;
    GuiProfileCallFrame frame;
} Picture;

static void
picture_init (Picture *picture, ProfileRig *rig, const char *root, gboolean is_polar)
{
    GtkWidget *area = widgets_find (rig->window, "call-picture");
    guint32 index = 0;

    picture->costs = profile_costs_new (gui_profile_selection_get_slice (rig->selection));
    picture->tree = profile_call_tree_new (picture->costs);
    for (guint32 i = 1; root != NULL && index == 0 && i < picture->tree->calls->len; i++) {
        const ProfileCall *call = profile_call_tree_get (picture->tree, i);
        const JobContext *context
            = job_context_tree_get (profile_model_get_contexts (rig->model), call->context);

        index = g_str_equal (context->location.function, root) ? i : 0;
    }
    gui_profile_call_layout_init (&picture->layout, picture->tree, index, is_polar ? 9 : 40,
                                  0.001);
    gui_profile_call_frame_init (&picture->frame, is_polar,
                                 gtk_widget_get_allocated_width (area),
                                 gtk_widget_get_allocated_height (area),
                                 picture->layout.n_levels, gui_profile_get_text_size (area));
}

static void
picture_clear (Picture *picture)
{
    gui_profile_call_layout_clear (&picture->layout);
    profile_call_tree_free (picture->tree);
    profile_costs_free (picture->costs);
}

static void
send_button (ProfileRig *rig, GtkWidget *area, GdkEventType type, double x, double y)
{
    GdkEvent *event = gdk_event_new (type);
    gboolean is_taken;

    event->button.window = g_object_ref (gtk_widget_get_window (area));
    event->button.button = GDK_BUTTON_PRIMARY;
    event->button.x = x;
    event->button.y = y;
    gdk_event_set_device (event, gdk_seat_get_pointer (gdk_display_get_default_seat (
                                     gdk_display_get_default ())));
    g_signal_emit_by_name (area, "button-press-event", event, &is_taken);
    gdk_event_free (event);
    widgets_settle ();
}

static void
click_call (ProfileRig *rig, const char *root, const char *function, gboolean is_polar,
            GdkEventType type)
{
    Picture picture;
    gboolean is_found = FALSE;

    picture_init (&picture, rig, root, is_polar);
    for (guint i = 0; !is_found && i < picture.layout.boxes->len; i++) {
        const GuiProfileCallBox *box = &g_array_index (picture.layout.boxes, GuiProfileCallBox,
                                                       i);
        const ProfileCall *call = profile_call_tree_get (picture.tree, box->call);
        double x, y;

        if (box->n_rest == 0 && call->context != 0
            && g_str_equal (job_context_tree_get (profile_model_get_contexts (rig->model),
                                                  call->context)
                                ->location.function,
                            function)) {
            is_found = TRUE;
            gui_profile_call_frame_get_middle (&picture.frame, box, &x, &y);
            send_button (rig, widgets_find (rig->window, "call-picture"), type, x, y);
        }
    }
    g_assert_true (is_found);
    picture_clear (&picture);
}

static void
assert_selected (ProfileRig *rig, const char *function)
{
    const JobLocation *location = gui_profile_selection_get_location (rig->selection);

    g_assert_cmpstr (location != NULL ? location->function : NULL, ==, function);
}

/* The last button of the way is the root. */
static void
assert_root (ProfileRig *rig, const char *name)
{
    GtkWidget *path = gtk_widget_get_parent (widgets_find (rig->window, "call-path"));
    GList *children = gtk_container_get_children (GTK_CONTAINER (path));
    GtkWidget *last = g_list_last (children)->data;

    g_assert_cmpstr (gtk_button_get_label (GTK_BUTTON (last)), ==, name);
    g_assert_false (gtk_widget_get_sensitive (last));
    g_list_free (children);
}

static void
test_calls (void)
{
    GtkWidget *area;
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    area = widgets_find (rig.window, "call-picture");
    assert_root (&rig, "All");
    for (guint is_polar = 0; is_polar < 2; is_polar++) {
        gui_profile_calls_set_polar (GUI_PROFILE_CALLS (rig.calls), is_polar);
        widgets_settle ();
        click_call (&rig, NULL, "time_step", is_polar, GDK_BUTTON_PRESS);
        assert_selected (&rig, "time_step");
        assert_root (&rig, "time_step");
        click_call (&rig, "time_step", "heat_step", is_polar, GDK_BUTTON_PRESS);
        assert_root (&rig, "heat_step");
        click_call (&rig, "heat_step", "heat_step", is_polar, GDK_BUTTON_PRESS);
        assert_root (&rig, "time_step"); /* the root goes back */
        profile_rig_press_key (&rig, area, GDK_KEY_BackSpace);
        assert_root (&rig, "main");
        profile_rig_press_key (&rig, area, GDK_KEY_Home);
        assert_root (&rig, "All");
    }
    profile_rig_press_key (&rig, area, GDK_KEY_Up); /* from heat_step */
    assert_selected (&rig, "time_step");
    profile_rig_press_key (&rig, area, GDK_KEY_space);
    assert_root (&rig, "time_step");
    profile_rig_press_key (&rig, area, GDK_KEY_Down);
    profile_rig_press_key (&rig, area, GDK_KEY_Return);
    g_assert_cmpuint (rig.n_sources, ==, 1);
    g_assert_true (g_str_has_suffix (rig.file, "heat.py")
                   || g_str_has_suffix (rig.file, "heat_kernel.c"));
    click_call (&rig, "time_step", "heat_step", TRUE, GDK_BUTTON_PRESS);
    click_call (&rig, "heat_step", "heat_step", TRUE, GDK_2BUTTON_PRESS);
    g_assert_cmpuint (rig.n_sources, ==, 2);
    g_assert_true (g_str_has_suffix (rig.file, "heat_kernel.c"));
    profile_rig_clear (&rig);
}

static void
test_search (void)
{
    GtkWidget *entry, *found;
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    entry = widgets_find (rig.window, "call-search");
    found = widgets_find (rig.window, "call-found");
    gtk_entry_set_text (GTK_ENTRY (entry), "mpi_");
    g_signal_emit_by_name (entry, "search-changed");
    g_assert_true (g_str_has_prefix (gtk_label_get_text (GTK_LABEL (found)), "2 functions"));
    gtk_entry_set_text (GTK_ENTRY (entry), "nowhere");
    g_signal_emit_by_name (entry, "search-changed");
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (found)), ==, "No match");
    gtk_entry_set_text (GTK_ENTRY (entry), "");
    g_signal_emit_by_name (entry, "search-changed");
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (found)), ==, "");
    gtk_entry_set_text (GTK_ENTRY (entry), "mpi_");
    g_signal_emit_by_name (entry, "search-changed");
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (found)), !=, "");
    gui_profile_selection_set_model (rig.selection, NULL); /* nothing is left to be found */
    widgets_settle ();
    g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (found)), ==, "");
    profile_rig_clear (&rig);
}

/* ---- Functions ---- */

static char *
dup_selected (ProfileRig *rig)
{
    GtkTreeView *view = GTK_TREE_VIEW (widgets_find (rig->window, "function-list"));
    GtkTreeModel *model;
    GtkTreeIter iter;
    char *name = NULL;

    if (gtk_tree_selection_get_selected (gtk_tree_view_get_selection (view), &model, &iter)) {
        gtk_tree_model_get (model, &iter, GUI_PROFILE_FUNCTION_NAME, &name, -1);
    }
    return name;
}

/* Of each column the first row has the most, however often the order changes. */
static void
test_sorting (void)
{
    GuiProfileFunctionList *list;
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    profile_rig_show_view (&rig, rig.functions);
    list = GUI_PROFILE_FUNCTION_LIST (widgets_find (rig.window, "function-list"));
    g_assert_cmpint (gtk_tree_model_iter_n_children (profile_rig_get_rows (&rig), NULL), >, 20);
    for (int column = GUI_PROFILE_FUNCTION_SELF; column <= GUI_PROFILE_FUNCTION_IMBALANCE;
         column++) {
        GtkTreeViewColumn *header = gtk_tree_view_get_column (GTK_TREE_VIEW (list), column);
        gboolean is_first = column != GUI_PROFILE_FUNCTION_SELF; /* which it is sorted by */

        for (guint round = 0; round < 2; round++) {
            gboolean is_falling = is_first == (round == 0);
            double before = is_falling ? G_MAXDOUBLE : -1, value;
            GtkTreeIter iter;

            gtk_tree_view_column_clicked (header);
            g_assert_true (gtk_tree_model_get_iter_first (profile_rig_get_rows (&rig), &iter));
            do {
                gtk_tree_model_get (profile_rig_get_rows (&rig), &iter, column, &value, -1);
                if (is_falling) {
                    g_assert_cmpfloat (value, <=, before);
                } else {
                    g_assert_cmpfloat (value, >=, before);
                }
                before = value;
            } while (gtk_tree_model_iter_next (profile_rig_get_rows (&rig), &iter));
        }
    }
    profile_rig_clear (&rig);
}

static void
set_entry (ProfileRig *rig, const char *id, const char *text)
{
    GtkWidget *entry = widgets_find (rig->window, id);

    gtk_entry_set_text (GTK_ENTRY (entry), text);
    g_signal_emit_by_name (entry, "search-changed");
}

static void
test_functions (void)
{
    g_autofree char *selected = NULL, *none = NULL;
    GtkTreeView *list;
    GtkTreePath *first = gtk_tree_path_new_first ();
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    profile_rig_show_view (&rig, rig.functions);
    list = GTK_TREE_VIEW (widgets_find (rig.window, "function-list"));
    profile_rig_assert_list (&rig, "callers", NULL, 0);
    set_entry (&rig, "function-filter", "HEAT.PY");
    g_assert_cmpint (gtk_tree_model_iter_n_children (profile_rig_get_rows (&rig), NULL), ==, 4);
    set_entry (&rig, "function-filter", "heat_step");
    profile_rig_assert_list (&rig, "function-list", "heat_step", 1);
    gtk_tree_view_set_cursor (list, first, NULL, FALSE);
    widgets_settle ();
    assert_selected (&rig, "heat_step");
    profile_rig_assert_list (&rig, "callers", "time_step", 1);
    profile_rig_assert_list (&rig, "callees", NULL, 0);
    profile_rig_assert_list (&rig, "bottom-up", "time_step", 1);
    gtk_tree_view_row_activated (list, first, gtk_tree_view_get_column (list, 0));
    g_assert_cmpuint (rig.n_sources, ==, 1);
    g_assert_true (g_str_has_suffix (rig.file, "heat_kernel.c"));

    list = GTK_TREE_VIEW (widgets_find (rig.window, "callers")); /* leads to that function */
    set_entry (&rig, "function-filter", "");
    gtk_tree_view_row_activated (list, first, gtk_tree_view_get_column (list, 0));
    widgets_settle ();
    assert_selected (&rig, "time_step");
    selected = dup_selected (&rig);
    g_assert_cmpstr (selected, ==, "time_step");
    profile_rig_assert_list (&rig, "callers", "main", 1);
    list = GTK_TREE_VIEW (widgets_find (rig.window, "bottom-up"));
    gtk_tree_view_row_activated (list, first, gtk_tree_view_get_column (list, 0));
    g_assert_cmpuint (rig.n_sources, ==, 2);
    g_assert_true (g_str_has_suffix (rig.file, "heat.py"));
    gtk_tree_path_free (first);
    profile_rig_clear (&rig);
}

/* By inclusive time the outermost function has the most, by its own nothing. */
static void
test_compared (void)
{
    GtkTreeIter iter;
    double mean;
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    profile_rig_show_view (&rig, rig.functions);
    set_entry (&rig, "function-filter", "<module>");
    g_assert_true (gtk_tree_model_get_iter_first (profile_rig_get_rows (&rig), &iter));
    gtk_tree_model_get (profile_rig_get_rows (&rig), &iter, GUI_PROFILE_FUNCTION_MEAN, &mean,
                        -1);
    g_assert_cmpfloat (mean, ==, 0);
    gtk_combo_box_set_active (GTK_COMBO_BOX (widgets_find (rig.window, "function-compared")),
                              1);
    widgets_settle ();
    g_assert_true (gtk_tree_model_get_iter_first (profile_rig_get_rows (&rig), &iter));
    gtk_tree_model_get (profile_rig_get_rows (&rig), &iter, GUI_PROFILE_FUNCTION_MEAN, &mean,
                        -1);
    g_assert_cmpfloat (fabs (mean - 10), <, 1e-6); /* 1,000 samples of 10 ms */
    profile_rig_clear (&rig);
}

/* ---- one selection ---- */

static gboolean
is_kernel_shown (ProfileRig *rig)
{
    guint line;
    const char *file = gui_source_view_get_cursor (
        GUI_SOURCE_VIEW (gtk_widget_get_parent (gtk_widget_get_parent (gtk_widget_get_ancestor (
            widgets_find (rig->window, "source"), GTK_TYPE_NOTEBOOK)))),
        &line);

    return file != NULL && g_str_has_suffix (file, "heat_kernel.c") && line > 1;
}

static void
test_one_selection (void)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (7, 8);
    g_autofree char *selected = NULL;
    GtkTreeIter iter;
    double max, less;
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    click_call (&rig, NULL, "heat_step", FALSE, GDK_BUTTON_PRESS);
    profile_rig_show_view (&rig, rig.functions);
    selected = dup_selected (&rig);
    g_assert_cmpstr (selected, ==, "heat_step");
    profile_rig_assert_list (&rig, "callers", "time_step", 1);
    profile_rig_show_view (&rig, rig.source);
    profile_rig_wait_for (&rig, is_kernel_shown, "the kernel's source");

    profile_rig_show_view (
        &rig, rig.functions); /* the ranks that are chosen, the time that is chosen */
    set_entry (&rig, "function-filter", "heat_step");
    gtk_tree_model_get_iter_first (profile_rig_get_rows (&rig), &iter);
    gtk_tree_model_get (profile_rig_get_rows (&rig), &iter, GUI_PROFILE_FUNCTION_MAX, &max, -1);
    gui_profile_selection_set_ranks (rig.selection, ranks);
    widgets_settle ();
    gtk_tree_model_get_iter_first (profile_rig_get_rows (&rig), &iter);
    gtk_tree_model_get (profile_rig_get_rows (&rig), &iter, GUI_PROFILE_FUNCTION_SELF, &less,
                        -1);
    g_assert_cmpfloat (fabs (less - max), <, 1e-9); /* the last rank is the slowest */
    gui_profile_selection_set_time (rig.selection, 0, 1);
    widgets_settle ();
    g_assert_cmpint (gtk_tree_model_iter_n_children (profile_rig_get_rows (&rig), NULL), ==, 0);
    profile_rig_clear (&rig);
}

/* ---- tooltips ---- */

static gboolean
check_tooltip (GtkTreeModel *model, GtkTreePath *path, GtkTreeIter *iter, gpointer column)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *text = NULL;

    gtk_tree_model_get (model, iter, GPOINTER_TO_INT (column), &text, -1);
    pango_parse_markup (text, -1, 0, NULL, NULL, NULL, &error);
    g_assert_no_error (error);
    return FALSE;
}

/* "<module>" and "<frozen …>" are no markup. */
static void
test_tooltips (void)
{
    static const char *const lists[] = { "function-list", "callers", "callees", "bottom-up",
                                         "profile-files" };
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    click_call (&rig, NULL, "main", FALSE, GDK_BUTTON_PRESS);
    profile_rig_show_view (&rig, rig.functions);
    profile_rig_assert_list (&rig, "callers", "<module> (heat.py)", 1);
    profile_rig_show_view (&rig, rig.source);
    for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
        GtkTreeView *view = GTK_TREE_VIEW (widgets_find (rig.window, lists[i]));
        GtkTreeModel *model = gtk_tree_view_get_model (view);

        g_assert_cmpint (gtk_tree_model_iter_n_children (model, NULL), >, 0);
        gtk_tree_model_foreach (model, check_tooltip,
                                GINT_TO_POINTER (gtk_tree_view_get_tooltip_column (view)));
    }
    profile_rig_clear (&rig);
}

/* ---- while it is measured ---- */

/* A second of rank 0 in a function that has not been seen before. */
static void
add_late_batch (ProfileRig *rig)
{
    const JobContextTree *known = profile_model_get_contexts (rig->model);
    guint32 n = job_context_tree_get_count (known), parent = 0;
    JobContextTree *tree = job_context_tree_new ();
    JobLocation late
        = { .function = (char *) "late", .file = (char *) "/src/late.c", .line = 7 };
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;

    for (guint32 i = 1; i <= n; i++) {
        const JobContext *context = job_context_tree_get (known, i);

        g_assert_cmpuint (job_context_tree_add (tree, context->parent, &context->location,
                                                context->flags),
                          ==, i);
        parent = g_strcmp0 (context->location.function, "heat_step") == 0 ? i : parent;
    }
    job_context_tree_add (tree, parent, &late, 0);
    for (guint i = 1; i <= 100; i++) {
        JobSample sample = { .time_us = 11000000 + i * 10000,
                             .weight_us = 10000,
                             .context = n + 1,
                             .thread = 1,
                             .class = JOB_CLASS_NATIVE };

        g_array_append_val (samples, sample);
    }
    batch = job_sample_batch_encode (tree, n + 1, samples, 0);
    g_assert_true (profile_model_add (rig->model, 0, batch, NULL));
    job_context_tree_free (tree);
}

/* Everything is drawn with a model that has grown before the selection hears of it; then what is new is
 * there, and what was chosen stays. */
static void
test_live (void)
{
    g_autofree char *selected = NULL;
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    click_call (&rig, NULL, "time_step", FALSE, GDK_BUTTON_PRESS);
    profile_rig_show_view (&rig, rig.source);
    profile_rig_show_view (&rig, rig.functions);
    set_entry (&rig, "function-filter", "late");
    profile_rig_assert_list (&rig, "function-list", NULL, 0);
    g_assert_cmpstr (atk_object_get_description (gtk_widget_get_accessible (
                         widgets_find (rig.window, "function-list"))),
                     ==, "No match");
    set_entry (&rig, "function-filter", "");
    add_late_batch (&rig);
    for (guint i = 0; i < 3; i++) {
        GtkWidget *views[] = { rig.calls, rig.functions, rig.source };

        profile_rig_show_view (&rig, views[i]);
        gtk_widget_queue_draw (rig.window);
        widgets_settle ();
    }
    profile_rig_show_view (&rig, rig.functions);
    gui_profile_selection_update (rig.selection);
    widgets_settle ();
    selected = dup_selected (&rig);
    g_assert_cmpstr (selected, ==, "time_step");
    set_entry (&rig, "function-filter", "late");
    profile_rig_assert_list (&rig, "function-list", "late", 1);
    profile_rig_show_view (&rig, rig.calls);
    assert_root (&rig, "time_step");
    click_call (&rig, "time_step", "late", FALSE, GDK_BUTTON_PRESS);
    assert_selected (&rig, "late");
    profile_rig_show_view (&rig, rig.source); /* which cannot be found */
    profile_rig_wait_for (&rig, profile_rig_is_missing, "the missing file");
    profile_rig_clear (&rig);
}

/* Another profile has other calls: its root is all of them. */
static void
test_another_model (void)
{
    ProfileModel *other;
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    click_call (&rig, NULL, "time_step", FALSE, GDK_BUTTON_PRESS);
    assert_root (&rig, "time_step");
    other = profile_sample_new (2, 100, 0, examples);
    gui_profile_selection_set_model (rig.selection, other);
    profile_model_free (rig.model);
    rig.model = other;
    widgets_settle ();
    assert_root (&rig, "All");
    profile_rig_clear (&rig);
}

/* ---- on paper, and without anything ---- */

static guint
count_colours (GtkWidget *view)
{
    double height = MIN (gui_profile_view_get_height (GUI_PROFILE_VIEW (view), 800), 2000);
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 800,
                                                           (int) height);
    cairo_t *cr = cairo_create (surface);
    g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
    GuiProfileColours colours;

    gui_profile_colours_fill (NULL, &colours);
    gui_profile_view_draw (GUI_PROFILE_VIEW (view), cr, 800, height, &colours);
    cairo_surface_flush (surface);
    for (int y = 0; y < (int) height; y++) {
        const guint32 *row
            = (const guint32 *) (const void *) (cairo_image_surface_get_data (surface)
                                                + y * cairo_image_surface_get_stride (surface));

        for (int x = 0; x < 800; x++) {
            g_hash_table_add (seen, GUINT_TO_POINTER (row[x]));
        }
    }
    g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
    cairo_destroy (cr);
    cairo_surface_destroy (surface);
    return g_hash_table_size (seen);
}

static void
test_paper (void)
{
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    g_assert_cmpuint (count_colours (rig.calls), >, 20);
    g_assert_cmpuint (count_colours (rig.functions), >, 20); /* never shown until now */
    profile_rig_show_view (&rig, rig.source);
    profile_rig_wait_for (&rig, profile_rig_has_source, "the text of the most expensive file");
    g_assert_cmpuint (count_colours (rig.source), >, 20);
    gui_profile_selection_set_model (rig.selection, NULL);
    widgets_settle ();
    for (guint i = 0; i < 3; i++) {
        GtkWidget *views[] = { rig.calls, rig.functions, rig.source };

        profile_rig_show_view (&rig, views[i]);
        g_assert_cmpuint (count_colours (views[i]), >, 0);
    }
    profile_rig_assert_list (&rig, "function-list", NULL, 0);
    profile_rig_assert_list (&rig, "profile-files", NULL, 0);
    profile_rig_clear (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_assert_cmpint (argc, ==, 2);
    examples = argv[1];
    if (!gui_theme_open_display ()) {
        return 77;
    }
    g_log_set_always_fatal (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
    gui_theme_init ();
    g_test_add_func ("/gui/profile-views/calls", test_calls);
    g_test_add_func ("/gui/profile-views/search", test_search);
    g_test_add_func ("/gui/profile-views/sorting", test_sorting);
    g_test_add_func ("/gui/profile-views/functions", test_functions);
    g_test_add_func ("/gui/profile-views/compared", test_compared);
    g_test_add_func ("/gui/profile-views/one-selection", test_one_selection);
    g_test_add_func ("/gui/profile-views/tooltips", test_tooltips);
    g_test_add_func ("/gui/profile-views/live", test_live);
    g_test_add_func ("/gui/profile-views/another-model", test_another_model);
    g_test_add_func ("/gui/profile-views/paper", test_paper);
    return g_test_run ();
}
