/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is typed into the list of breakpoints: a breakpoint that moves to other ranks stays where it
 * was as long as it does not stand there. And what logpoints have written. */
#include "base/words.h"
#include "gui/lists/breakpoint-list.h"
#include "gui/compare/compare-window.h"
#include "gui/lists/logged-view.h"
#include "gui/kit/command-panel.h"
#include "gui/kit/settings.h"
#include "script.h"
#include <string.h>

enum { N_RANKS = 8, LIMIT_S = 120 };

static const char *sample;

static gboolean
fail_late (gpointer what)
{
    g_error ("waited %d s for %s", LIMIT_S, (const char *) what);
    return G_SOURCE_REMOVE;
}

typedef struct {
    Script *script;
    GtkWidget *window, *list, *panel;
} Rig;

static void
await_panel (Rig *rig)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) "the commands");

    while (gui_command_panel_is_busy (GUI_COMMAND_PANEL (rig->panel))) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

/* A breakpoint on ranks 0 and 1. */
static void
begin (Rig *rig)
{
    GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
    Session *session;

    rig->script = script_new (N_RANKS, sample);
    session = script_get_session (rig->script);
    rig->window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    rig->list = gui_breakpoint_list_new ();
    rig->panel = gui_command_panel_new ();
    gtk_container_add (GTK_CONTAINER (box), rig->list);
    gtk_container_add (GTK_CONTAINER (box), rig->panel);
    gtk_container_add (GTK_CONTAINER (rig->window), box);
    gtk_widget_show_all (rig->window);
    g_object_set (rig->panel, "session", session, NULL);
    g_object_set (rig->list, "session", session, NULL);
    g_signal_connect_swapped (rig->list, "run-line", G_CALLBACK (gui_command_panel_suggest),
                              rig->panel);
    gui_command_panel_run (GUI_COMMAND_PANEL (rig->panel), "on 0-1 break sample.c:22");
    await_panel (rig);
}

static void
find_tree (GtkWidget *widget, gpointer user)
{
    GtkWidget **found = user;

    if (GTK_IS_TREE_VIEW (widget)) {
        *found = widget;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_tree, user);
    }
}

static gboolean
has_row (GtkTreeView *view)
{
    GtkTreeIter iter;

    return gtk_tree_model_get_iter_first (gtk_tree_view_get_model (view), &iter);
}

/* As the editor of the first row's cell does when Enter is pressed. */
static void
edit (Rig *rig, const char *title, const char *text)
{
    GtkWidget *view = NULL;
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) "the row");
    gboolean is_found = FALSE;

    find_tree (rig->list, &view);
    g_assert_nonnull (view);
    while (!has_row (GTK_TREE_VIEW (view))) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
    for (guint i = 0; i < gtk_tree_view_get_n_columns (GTK_TREE_VIEW (view)); i++) {
        GtkTreeViewColumn *column = gtk_tree_view_get_column (GTK_TREE_VIEW (view), (int) i);
        g_autoptr (GList) cells = gtk_cell_layout_get_cells (GTK_CELL_LAYOUT (column));

        if (g_str_equal (gtk_tree_view_column_get_title (column), title)) {
            g_signal_emit_by_name (cells->data, "edited", "0", text);
            is_found = TRUE;
        }
    }
    g_assert_true (is_found);
    await_panel (rig);
}

static void
assert_ranks (Rig *rig, const char *expected)
{
    const SessionBreakpoint *breakpoint
        = session_find_breakpoint (script_get_session (rig->script), 1);
    g_autofree char *ranks = breakpoint != NULL ? job_rank_set_format (breakpoint->ranks)
                                                : NULL;

    g_assert_cmpstr (ranks, ==, expected);
}

static void
test_moved (void)
{
    Rig rig;

    begin (&rig);
    edit (&rig, "Ranks", "1-3");
    assert_ranks (&rig, "1-3");
    edit (&rig, "Ranks", "2");
    assert_ranks (&rig, "2");
    edit (&rig, "Ranks", "all");
    assert_ranks (&rig, "0-7");
    gtk_widget_destroy (rig.window);
}

/* Whatever of it is edited: a disabled one stays disabled, in its new ranks, too. */
static void
test_disabled (void)
{
    const SessionBreakpoint *breakpoint;
    Rig rig;

    begin (&rig);
    gui_command_panel_run (GUI_COMMAND_PANEL (rig.panel), "on 0-1 disable 1");
    await_panel (&rig);
    edit (&rig, "Condition", "i == 3");
    edit (&rig, "Ranks", "1-3");
    assert_ranks (&rig, "1-3");
    breakpoint = session_find_breakpoint (script_get_session (rig.script), 1);
    g_assert_cmpstr (breakpoint->condition, ==, "i == 3");
    g_assert_false (session_breakpoint_is_enabled (breakpoint, NULL));
    gui_command_panel_run (GUI_COMMAND_PANEL (rig.panel), "on 1 enable 1");
    await_panel (&rig);
    edit (&rig, "Ranks", "1-5"); /* enabled in one of them: so it is meant */
    breakpoint = session_find_breakpoint (script_get_session (rig.script), 1);
    g_assert_true (job_rank_set_contains (breakpoint->disabled, 2));
    g_assert_false (job_rank_set_contains (breakpoint->disabled, 4));
    gtk_widget_destroy (rig.window);
}

static gboolean
is_expanding (GtkTreeView *view, const char *title)
{
    for (guint i = 0; i < gtk_tree_view_get_n_columns (view); i++) {
        GtkTreeViewColumn *column = gtk_tree_view_get_column (view, (int) i);

        if (g_str_equal (gtk_tree_view_column_get_title (column), title)) {
            return gtk_tree_view_column_get_expand (column);
        }
    }
    g_assert_not_reached ();
}

/* Columns in which nothing stands leave their room to the place. */
static void
test_width (void)
{
    GtkWidget *view = NULL;
    Rig rig;

    begin (&rig);
    find_tree (rig.list, &view);
    g_assert_false (is_expanding (GTK_TREE_VIEW (view), "Condition"));
    g_assert_true (is_expanding (GTK_TREE_VIEW (view), "Where"));
    edit (&rig, "Condition", "i == 3");
    while (!is_expanding (GTK_TREE_VIEW (view), "Condition")) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_assert_false (is_expanding (GTK_TREE_VIEW (view), "Log"));
    gtk_widget_destroy (rig.window);
}

/* Condition, count and log text. */
static void
test_fields (void)
{
    Rig rig;
    const SessionBreakpoint *breakpoint;

    begin (&rig);
    edit (&rig, "Condition", "i > 3");
    edit (&rig, "Every", "7");
    edit (&rig, "Log", "i is {i}");
    breakpoint = session_find_breakpoint (script_get_session (rig.script), 1);
    g_assert_cmpstr (breakpoint->condition, ==, "i > 3");
    g_assert_cmpuint (breakpoint->every, ==, 7);
    g_assert_cmpstr (breakpoint->log, ==, "i is {i}");
    assert_ranks (&rig, "0-1");
    gtk_widget_destroy (rig.window);
}

/* Rank 4 runs another program. */
static void
test_kept (void)
{
    Rig rig;

    begin (&rig);
    script_play (rig.script, "without 4");
    edit (&rig, "Ranks", "4");
    assert_ranks (&rig, "0-1");
    edit (&rig, "Ranks", "4-5"); /* it stands on one of them: nothing is taken away */
    assert_ranks (&rig, "0-1,5");
    edit (&rig, "Ranks", "5-6");
    assert_ranks (&rig, "5-6");
    gtk_widget_destroy (rig.window);
}

/* The window goes while its first line runs: the second one has nobody to run it. */
static void
test_closed (void)
{
    Rig rig;
    guint64 next;

    begin (&rig);
    gui_command_panel_run (GUI_COMMAND_PANEL (rig.panel), "on 2 enable 1\non 0-1 delete 1");
    next = session_get_next_request (script_get_session (rig.script));
    gtk_widget_destroy (rig.window);
    while (g_main_context_iteration (NULL, FALSE)) {
    }
    g_assert_cmpuint (session_get_next_request (script_get_session (rig.script)), ==, next);
    assert_ranks (&rig, "0-2");
}

/* The texts of the first row, up to a column without one. Caller owns. */
static char *
dup_row (GtkWidget *view)
{
    GtkTreeModel *model = gtk_tree_view_get_model (GTK_TREE_VIEW (view));
    GString *row = g_string_new (NULL);
    GtkTreeIter iter;

    for (gint i = 0; gtk_tree_model_get_iter_first (model, &iter)
                     && i < gtk_tree_model_get_n_columns (model);
         i++) {
        if (gtk_tree_model_get_column_type (model, i) == G_TYPE_STRING) {
            g_autofree char *text = NULL;

            gtk_tree_model_get (model, &iter, i, &text, -1);
            g_string_append_printf (row, "%s|", text);
        }
    }
    return g_string_free (row, FALSE);
}

static void
await_row (GtkWidget *view, const char *part)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, (gpointer) part);

    for (;;) {
        g_autofree char *row = dup_row (view);

        if (strstr (row, part) != NULL) {
            break;
        }
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

static GtkWidget *
find_comparison (void)
{
    g_autoptr (GList) windows = gtk_window_list_toplevels ();

    for (GList *link = windows; link != NULL; link = link->next) {
        if (GUI_IS_COMPARE_WINDOW (link->data)) {
            return link->data;
        }
    }
    return NULL;
}

static void
find_grey (GtkWidget *widget, gpointer user)
{
    gboolean *is_grey = user;

    *is_grey = *is_grey
               || gtk_style_context_has_class (gtk_widget_get_style_context (widget),
                                               "pddt-stale");
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_grey, user);
    }
}

/* The table comes with the first line; a row opens what each rank wrote, which is not of now. */
static void
test_logged (void)
{
    Rig rig;
    GtkWidget *logged, *view = NULL, *comparison, *values = NULL;
    g_autoptr (SessionSelection) selection = NULL;
    g_autoptr (GtkTreePath) first = gtk_tree_path_new_first ();
    gboolean is_grey = FALSE;

    begin (&rig);
    selection = session_selection_new (script_get_session (rig.script));
    logged = g_object_new (GUI_TYPE_LOGGED_VIEW, "session", script_get_session (rig.script),
                           "selection", selection, NULL);
    gtk_container_add (GTK_CONTAINER (gtk_bin_get_child (GTK_BIN (rig.window))), logged);
    g_assert_false (gtk_widget_get_visible (logged));
    gui_command_panel_run (GUI_COMMAND_PANEL (rig.panel),
                           "on all break sample.c:23 log \"residual {r} of {name}\"");
    await_panel (&rig);
    script_play (rig.script, "log 0-3 2 residual 0.5 of heat");
    script_play (rig.script, "log 4 2 residual 2 of heat");
    find_tree (logged, &view);
    await_row (view, "|r|0.5..2|5|0-4|");
    g_assert_true (gtk_widget_get_visible (logged));
    script_play (rig.script, "log 0-3 2 residual 2 of heat");
    await_row (view, "|r|2|9|0-4|"); /* all have the same */
    gtk_tree_view_row_activated (GTK_TREE_VIEW (view), first,
                                 gtk_tree_view_get_column (GTK_TREE_VIEW (view), 0));
    comparison = find_comparison ();
    g_assert_nonnull (comparison);
    find_tree (comparison, &values);
    await_row (values, "2|0-4|");
    find_grey (comparison, &is_grey);
    g_assert_true (is_grey);
    gui_command_panel_run (GUI_COMMAND_PANEL (rig.panel), "delete 2");
    await_panel (&rig);
    while (gtk_widget_get_visible (logged)) {
        g_main_context_iteration (NULL, TRUE);
    }
    gtk_widget_destroy (comparison);
    gtk_widget_destroy (rig.window);
}

int
main (int argc, char **argv)
{
    gtk_test_init (&argc, &argv, NULL);
    g_assert_cmpint (argc, ==, 2);
    sample = argv[1];
    base_words_init ("pddt", "/nonexistent");
    gui_settings_init ();
    g_test_add_func ("/breakpoint-list/moved", test_moved);
    g_test_add_func ("/breakpoint-list/fields", test_fields);
    g_test_add_func ("/breakpoint-list/kept", test_kept);
    g_test_add_func ("/breakpoint-list/closed", test_closed);
    g_test_add_func ("/breakpoint-list/disabled", test_disabled);
    g_test_add_func ("/breakpoint-list/width", test_width);
    g_test_add_func ("/breakpoint-list/logged", test_logged);
    return g_test_run ();
}
