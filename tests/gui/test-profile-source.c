/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page Source: the files of a profile, what was spent and counted at their lines, and a file that has moved. */
#include <gdk/gdkkeysyms.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "gui/profile/profile-function-list.h"
#include "gui/profile/profile-heat-gutter.h"
#include "gui/profile/profile-source.h"
#include "gui/kit/theme.h"
#include "profile-rig.h"
#include "widgets.h"

static const char *examples;

static gboolean
is_not_missing (ProfileRig *rig)
{
    return !profile_rig_is_missing (rig);
}

static void
copy_file (const char *name, const char *folder)
{
    g_autofree char *from = g_build_filename (examples, name, NULL), *text = NULL;
    g_autofree char *to = g_build_filename (folder, name, NULL);

    g_assert_true (g_file_get_contents (from, &text, NULL, NULL));
    g_assert_true (g_file_set_contents (to, text, -1, NULL));
}

/* The program was where its sources no longer are. */
static void
test_missing (void)
{
    g_autofree char *old = g_dir_make_tmp ("pddt-test-XXXXXX", NULL);
    const char *names[] = { "heat.py", "heat_kernel.c" };
    Session *session = session_new ();
    GtkWidget *label;
    ProfileRig rig;

    for (guint i = 0; i < 2; i++) {
        copy_file (names[i], old);
    }
    profile_rig_init (&rig, old, session);
    for (guint i = 0; i < 2; i++) {
        g_autofree char *path = g_build_filename (old, names[i], NULL);

        g_assert_cmpint (g_remove (path), ==, 0);
    }
    g_assert_cmpint (g_rmdir (old), ==, 0);
    profile_rig_show_view (&rig, rig.source);
    profile_rig_wait_for (&rig, profile_rig_is_missing, "the missing file");
    label = widgets_find (rig.window, "missing-source");
    g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (label)), "heat.py"));
    gui_profile_source_add_folder (GUI_PROFILE_SOURCE (rig.source), examples);
    g_assert_cmpstr (session_get_source_folders (session), ==, examples);
    profile_rig_wait_for (&rig, is_not_missing, "the file that was found");
    g_assert_true (profile_rig_has_source (&rig));
    profile_rig_clear (&rig);
    g_object_unref (session);
}

static void
test_source (void)
{
    GtkWidget *files;
    GtkTreePath *second = gtk_tree_path_new_from_indices (1, -1);
    ProfileRig rig;

    profile_rig_init (&rig, examples, NULL);
    profile_rig_show_view (&rig, rig.source);
    profile_rig_wait_for (&rig, profile_rig_has_source, "the text of the most expensive file");
    g_assert_false (profile_rig_is_missing (&rig));
    files = widgets_find (rig.window, "profile-files");
    profile_rig_assert_list (&rig, "profile-files", "heat.py",
                             (guint) gtk_tree_model_iter_n_children (
                                 gtk_tree_view_get_model (GTK_TREE_VIEW (files)), NULL));
    gtk_tree_view_set_cursor (GTK_TREE_VIEW (files), second, NULL, FALSE);
    widgets_settle ();
    g_assert_true (g_str_has_suffix (gui_profile_selection_get_location (rig.selection)->file,
                                     "heat_kernel.c"));
    gtk_tree_view_row_activated (GTK_TREE_VIEW (files), second,
                                 gtk_tree_view_get_column (GTK_TREE_VIEW (files), 0));
    g_assert_cmpuint (rig.n_sources, ==, 1);
    profile_rig_press_key (&rig, widgets_find (rig.window, "source"), GDK_KEY_Return);
    g_assert_cmpuint (rig.n_sources, ==, 2);
    gtk_tree_path_free (second);
    profile_rig_clear (&rig);
}

/* ---- counters ---- */

/* In each context 100 cycles, 170 instructions and 3 page faults; of the cache nothing is known. */
static void
add_counts (ProfileRig *rig)
{
    const JobContextTree *known = profile_model_get_contexts (rig->model);
    guint32 n = job_context_tree_get_count (known);
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    const JobSampleExtras extras = { NULL, counts,
                                     1u << JOB_COUNT_CYCLES | 1u << JOB_COUNT_INSTRUCTIONS
                                         | 1u << JOB_COUNT_FAULTS };
    g_autoptr (GBytes) batch = NULL;

    for (guint32 i = 1; i <= n; i++) {
        const JobContext *context = job_context_tree_get (known, i);
        JobContextCounts each = { i, { { 100, 170, 0, 0, 3 } } };

        job_context_tree_add (tree, context->parent, &context->location, context->flags);
        g_array_append_val (counts, each);
    }
    batch = job_sample_batch_encode_all (tree, n + 1, samples, 0, &extras);
    for (guint i = 0; i < profile_model_get_n_ranks (rig->model); i++) {
        g_assert_true (profile_model_add (rig->model, profile_model_get_rank (rig->model, i),
                                          batch, NULL));
    }
    gui_profile_selection_update (rig->selection);
    widgets_settle ();
}

static GtkSourceGutterRenderer *
find_gutter (ProfileRig *rig)
{
    GtkSourceGutter *gutter
        = gtk_source_view_get_gutter (GTK_SOURCE_VIEW (widgets_find (rig->window, "source")),
                                      GTK_TEXT_WINDOW_LEFT);
    GtkSourceGutterRenderer *found = NULL;

    for (int x = 0; x < 400 && !GUI_IS_PROFILE_HEAT_GUTTER (found); x += 5) {
        found = gtk_source_gutter_get_renderer_at_pos (gutter, x, 5);
    }
    g_assert_true (GUI_IS_PROFILE_HEAT_GUTTER (found));
    return found;
}

/* Of the first line of the file that has one; what is read to those who do not see it. */
static const char *
get_tooltip (ProfileRig *rig, GtkSourceGutterRenderer *gutter)
{
    GtkTextView *view = GTK_TEXT_VIEW (widgets_find (rig->window, "source"));
    g_autoptr (GtkTooltip) tooltip = g_object_new (GTK_TYPE_TOOLTIP, NULL);
    GdkRectangle area = { 0 };
    GtkTextIter iter;

    gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (view), &iter);
    while (!gtk_source_gutter_renderer_query_tooltip (gutter, &iter, &area, 0, 0, tooltip)) {
        g_assert_true (gtk_text_iter_forward_line (&iter));
    }
    return atk_object_get_description (gtk_widget_get_accessible (GTK_WIDGET (view)));
}

static gboolean
is_shown (ProfileRig *rig, ProfileFigure figure)
{
    GtkTreeView *list = GTK_TREE_VIEW (widgets_find (rig->window, "function-list"));

    return gtk_tree_view_column_get_visible (gtk_tree_view_get_column (list,
                                                                       GUI_PROFILE_FUNCTION_BARS
                                                                           + 1 + (int) figure));
}

/* Functions and lines have what was counted there, and nothing of what was not. */
static void
test_counted (void)
{
    GtkSourceGutterRenderer *gutter;
    GtkTreeIter iter;
    ProfileRig rig;
    double value;
    int width;

    profile_rig_init (&rig, examples, NULL);
    profile_rig_show_view (&rig, rig.functions);
    g_assert_false (is_shown (&rig, PROFILE_FIGURE_IPC));
    profile_rig_show_view (&rig, rig.source);
    profile_rig_wait_for (&rig, profile_rig_has_source, "the text of the most expensive file");
    gutter = find_gutter (&rig);
    width = gtk_source_gutter_renderer_get_size (gutter);
    g_assert_null (strstr (get_tooltip (&rig, gutter), "Instructions per cycle"));

    add_counts (&rig);
    gtk_widget_queue_draw (rig.window);
    widgets_settle ();
    g_assert_nonnull (strstr (get_tooltip (&rig, gutter), "\nInstructions per cycle: 1.70"));
    g_assert_nonnull (strstr (get_tooltip (&rig, gutter), "\nPage faults"));
    g_assert_null (strstr (get_tooltip (&rig, gutter), "Misses"));
    g_assert_cmpint (gtk_source_gutter_renderer_get_size (gutter), >, width + 20);
    profile_rig_show_view (&rig, rig.functions);
    g_assert_true (is_shown (&rig, PROFILE_FIGURE_IPC));
    g_assert_true (is_shown (&rig, PROFILE_FIGURE_FAULTS));
    g_assert_false (is_shown (&rig, PROFILE_FIGURE_MISSES));
    g_assert_false (is_shown (&rig, PROFILE_FIGURE_MEMORY));
    g_assert_true (gtk_tree_model_get_iter_first (profile_rig_get_rows (&rig), &iter));
    gtk_tree_model_get (profile_rig_get_rows (&rig), &iter,
                        GUI_PROFILE_FUNCTION_FIGURES + PROFILE_FIGURE_IPC, &value, -1);
    g_assert_cmpfloat (fabs (value - 1.7), <, 1e-9);
    gtk_tree_model_get (profile_rig_get_rows (&rig), &iter,
                        GUI_PROFILE_FUNCTION_FIGURES + PROFILE_FIGURE_MISSES, &value, -1);
    g_assert_cmpfloat (value, <, 0);
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
    g_test_add_func ("/gui/profile-source/source", test_source);
    g_test_add_func ("/gui/profile-source/missing", test_missing);
    g_test_add_func ("/gui/profile-source/counted", test_counted);
    return g_test_run ();
}
