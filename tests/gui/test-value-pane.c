/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in two opened pointers follows the program, also when the answers come in another order than
 * the questions, and when new values are asked for before the old ones have come. */
#include "base/words.h"
#include "gui/group/text-pane.h"
#include "gui/kit/settings.h"
#include "gui/values/value-pane.h"
#include "gui/values/value-text.h"
#include "gui/values/variable-view.h"
#include "session/session.h"
#include <string.h>

enum { NAME, VALUE }; /* columns of the view's model */
enum { LIMIT_S = 120 };

typedef struct {
    Session *session;
    SessionSelection *selection;
    GPtrArray *asked; /* of JobRequest: not answered */
    guint64 stop;
    gboolean is_plain; /* the pointers are to numbers */
    GtkWidget *window, *pane;
    GtkTreeView *view;
} Rig;

static void
on_request (const JobRequest *request, gpointer user)
{
    g_ptr_array_add (((Rig *) user)->asked, job_request_dup (request));
}

static void
add_pointer (const Rig *rig, JobValueTable *table, const char *name, const JobRankSet *ranks)
{
    g_autoptr (JobValue) value = job_value_new (NULL, rig->is_plain ? "int *" : "struct box *",
                                                "0x1000");

    value->expandable = TRUE;
    job_value_table_add (table, name, ranks, value);
}

/* "*a" has n = 11 at the first stop, "*b" has 12; at the second 21 and 22. */
static void
add_box (Rig *rig, JobValueTable *table, const char *text, const JobRankSet *ranks)
{
    guint64 n = 10 * rig->stop + (g_str_equal (text, "*a") ? 1 : 2);
    g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
    g_autoptr (JobValue) value = job_value_new (NULL, "struct box", "{...}");

    if (rig->is_plain) {
        g_autoptr (JobValue) plain = job_value_new_number (NULL, "int", number, (double) n);

        job_value_table_add (table, text, ranks, plain);
        return;
    }
    value->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
    g_ptr_array_add (value->children, job_value_new_number ("n", "int", number, (double) n));
    job_value_table_add (table, text, ranks, value);
}

/* The last question first. */
static void
answer_all (Rig *rig)
{
    while (rig->asked->len > 0) {
        g_autoptr (JobRequest) request = g_ptr_array_steal_index (rig->asked,
                                                                  rig->asked->len - 1);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_VALUES, request->id,
                                                    request->ranks);

        event->final = TRUE;
        event->table = job_value_table_new ();
        if (request->verb == JOB_VERB_LOCALS) {
            add_pointer (rig, event->table, "a", request->ranks);
            add_pointer (rig, event->table, "b", request->ranks);
        } else {
            g_assert_cmpint (request->verb, ==, JOB_VERB_PRINT);
            add_box (rig, event->table, request->text, request->ranks);
        }
        session_apply (rig->session, event);
    }
}

static void
enter_state (Rig *rig, JobState state)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 2);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, all);

    event->state = state;
    event->stop = rig->stop;
    event->place = job_location_new ("main", "sample.c", 5);
    session_apply (rig->session, event);
}

static void
stop (Rig *rig)
{
    rig->stop++;
    enter_state (rig, JOB_STATE_STOPPED);
}

static void
find_tree (GtkWidget *widget, gpointer user)
{
    Rig *rig = user;

    if (GTK_IS_TREE_VIEW (widget)) {
        rig->view = GTK_TREE_VIEW (widget);
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_tree, user);
    }
}

static gboolean
fail_late (gpointer what)
{
    g_error ("waited %d s for %s", LIMIT_S, (const char *) what);
    return G_SOURCE_REMOVE;
}

/* Without their "(was …)". NULL: there is none yet. */
static char *
dup_parts (Rig *rig)
{
    GtkTreeModel *model = gtk_tree_view_get_model (rig->view);
    g_autoptr (GString) text = g_string_new (NULL);
    GtkTreeIter iter, child;

    for (gboolean more = gtk_tree_model_get_iter_first (model, &iter); more;
         more = gtk_tree_model_iter_next (model, &iter)) {
        g_autofree char *name = NULL, *value = NULL;

        if (gtk_tree_model_iter_children (model, &child, &iter)) {
            gtk_tree_model_get (model, &child, NAME, &name, VALUE, &value, -1);
            value[strcspn (value, " ")] = '\0';
            g_string_append_printf (text, "%s=%s ", name, value);
        }
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
await_parts (Rig *rig, const char *expected)
{
    g_autofree char *what = g_strdup_printf ("\"%s\"", expected);
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, what);

    for (;;) {
        g_autofree char *parts = dup_parts (rig);

        if (g_str_equal (parts, expected) && rig->asked->len == 0) {
            break;
        }
        answer_all (rig);
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

static void
begin (Rig *rig, gboolean is_plain)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 2);

    *rig = (Rig){ .session = session_new (), .is_plain = is_plain };
    rig->asked = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    session_start_scripted (rig->session, 2, on_request, rig);
    stop (rig);
    rig->selection = session_selection_new (rig->session);
    rig->window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    rig->pane = gui_value_pane_new (FALSE);
    g_object_set (rig->pane, "session", rig->session, "selection", rig->selection, "ranks", all,
                  NULL);
    gtk_container_add (GTK_CONTAINER (rig->window), rig->pane);
    gtk_widget_show_all (rig->window);
    find_tree (rig->pane, rig);
    gui_value_pane_refresh (GUI_VALUE_PANE (rig->pane));
    await_parts (rig, "…= …= ");
    for (int i = 0; i < 2; i++) {
        GtkTreePath *path = gtk_tree_path_new_from_indices (i, -1);

        g_assert_true (gtk_tree_view_expand_row (rig->view, path, FALSE));
        gtk_tree_path_free (path);
    }
    await_parts (rig, is_plain ? "*a=11 *b=12 " : "n=11 n=12 ");
}

static void
finish (Rig *rig)
{
    gtk_widget_destroy (rig->window);
    g_object_unref (rig->selection);
    g_object_unref (rig->session);
    g_ptr_array_unref (rig->asked);
}

/* Of the value in the first row of the first opened pointer. */
static gboolean
is_bold (Rig *rig)
{
    GtkTreeModel *model = gtk_tree_view_get_model (rig->view);
    GtkTreeViewColumn *column = gtk_tree_view_get_column (rig->view, VALUE);
    g_autoptr (GList) cells = gtk_cell_layout_get_cells (GTK_CELL_LAYOUT (column));
    GtkTreeIter iter;
    int weight;

    g_assert_true (gtk_tree_model_get_iter_from_string (model, &iter, "0:0"));
    gtk_tree_view_column_cell_set_cell_data (column, model, &iter, FALSE, FALSE);
    g_object_get (cells->data, "weight", &weight, NULL);
    return weight >= PANGO_WEIGHT_BOLD;
}

static void
test_both (void)
{
    Rig rig;

    begin (&rig, FALSE);
    g_assert_false (is_bold (&rig));
    stop (&rig);
    gui_value_pane_refresh (GUI_VALUE_PANE (rig.pane));
    await_parts (&rig, "n=21 n=22 ");
    g_assert_true (is_bold (&rig)); /* changed */
    finish (&rig);
}

/* A pointer to a number has that below it. */
static void
test_target (void)
{
    Rig rig;

    begin (&rig, TRUE);
    stop (&rig);
    gui_value_pane_refresh (GUI_VALUE_PANE (rig.pane));
    await_parts (&rig, "*a=21 *b=22 ");
    finish (&rig);
}

/* The ranks stop anew before what is in the pointers has been told. */
static void
test_overtaken (void)
{
    Rig rig;
    guint n_prints = 0;

    begin (&rig, FALSE);
    stop (&rig);
    gui_value_pane_refresh (GUI_VALUE_PANE (rig.pane));
    while (n_prints < 2) {
        const JobRequest *last = rig.asked->len > 0 ? rig.asked->pdata[rig.asked->len - 1]
                                                    : NULL;

        n_prints = last != NULL && last->verb == JOB_VERB_PRINT ? rig.asked->len : 0;
        if (n_prints == 0) {
            answer_all (&rig);
            g_main_context_iteration (NULL, TRUE);
        }
        g_assert_cmpuint (n_prints, <=, 2);
    }
    stop (&rig);
    gui_value_pane_refresh (GUI_VALUE_PANE (rig.pane));
    await_parts (&rig, "n=31 n=32 ");
    finish (&rig);
}

/* A copied value is asked for whole, of the viewed rank; until it is there, and where it is of an earlier moment, what
 * is shown is copied. */
static void
test_copy (void)
{
    GtkClipboard *clipboard = gtk_clipboard_get (GDK_SELECTION_CLIPBOARD);
    g_autoptr (JobRequest) whole = NULL;
    g_autofree char *shown = NULL, *copied = NULL;
    guint limit;
    Rig rig;

    begin (&rig, TRUE);
    g_signal_emit_by_name (gtk_widget_get_ancestor (GTK_WIDGET (rig.view),
                                                    GUI_TYPE_VARIABLE_VIEW),
                           "chosen", "copy", "*a");
    g_assert_cmpuint (rig.asked->len, ==, 1);
    whole = job_request_dup (rig.asked->pdata[0]);
    g_assert_cmpint (whole->verb, ==, JOB_VERB_PRINT);
    g_assert_true (whole->flags & JOB_REQUEST_WHOLE);
    g_assert_cmpuint (job_rank_set_get_count (whole->ranks), ==, 1);
    shown = gtk_clipboard_wait_for_text (clipboard);
    g_assert_cmpstr (shown, ==, "11");
    rig.stop = 4; /* its answer is another value: 41 */
    limit = g_timeout_add_seconds (LIMIT_S, fail_late, "the whole value");
    answer_all (&rig);
    while (g_strcmp0 (copied, "41") != 0) {
        g_main_context_iteration (NULL, FALSE);
        g_free (copied);
        copied = gtk_clipboard_wait_for_text (clipboard);
    }
    g_source_remove (limit);
    finish (&rig);
}

/* "NAME=VALUE " of each row, without the one for a new watch. */
static char *
dup_rows (Rig *rig)
{
    GtkTreeModel *model = gtk_tree_view_get_model (rig->view);
    g_autoptr (GString) text = g_string_new (NULL);
    GtkTreeIter iter;

    for (gboolean more = gtk_tree_model_get_iter_first (model, &iter); more;
         more = gtk_tree_model_iter_next (model, &iter)) {
        g_autofree char *name = NULL, *value = NULL;

        gtk_tree_model_get (model, &iter, NAME, &name, VALUE, &value, -1);
        if (value != NULL) {
            g_string_append_printf (text, "%s=%s ", name, value);
        }
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
assert_rows (Rig *rig, const char *expected)
{
    g_autofree char *rows = dup_rows (rig);

    g_assert_cmpstr (rows, ==, expected);
}

/* A watch comes and goes while nobody has stopped, too, and no running rank is asked for it. */
static void
test_watch (void)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 2);
    static const char *const words[] = { "b", NULL };
    g_auto (GStrv) kept = NULL;
    Rig rig = { .session = session_new (), .is_plain = TRUE };
    GtkWidget *view;

    rig.asked = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    session_start_scripted (rig.session, 2, on_request, &rig);
    enter_state (&rig, JOB_STATE_RUNNING);
    rig.selection = session_selection_new (rig.session);
    rig.window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    rig.pane = gui_value_pane_new (TRUE);
    g_object_set (rig.pane, "session", rig.session, "selection", rig.selection, "ranks", all,
                  NULL);
    gtk_container_add (GTK_CONTAINER (rig.window), rig.pane);
    gtk_widget_show_all (rig.window);
    find_tree (rig.pane, &rig);
    view = gtk_widget_get_ancestor (GTK_WIDGET (rig.view), GUI_TYPE_VARIABLE_VIEW);
    gui_value_pane_add (GUI_VALUE_PANE (rig.pane), "*a");
    assert_rows (&rig, "*a=not stopped ");
    g_assert_cmpuint (rig.asked->len, ==, 0);
    stop (&rig);
    gui_value_pane_refresh (GUI_VALUE_PANE (rig.pane));
    answer_all (&rig);
    while (g_main_context_iteration (NULL, FALSE)) {
    }
    assert_rows (&rig, "*a=11 ");
    enter_state (&rig, JOB_STATE_RUNNING);
    gui_value_pane_note_stale (GUI_VALUE_PANE (rig.pane));
    gui_value_pane_add (GUI_VALUE_PANE (rig.pane), "b");
    assert_rows (&rig, "*a=11 b=not stopped ");
    g_signal_emit_by_name (view, "renamed", "*a", "");
    assert_rows (&rig, "b=not stopped ");
    g_assert_cmpuint (rig.asked->len, ==, 0);
    kept = gui_value_pane_dup_expressions (GUI_VALUE_PANE (rig.pane));
    g_assert_true (g_strv_equal ((const char *const *) kept, words));
    finish (&rig);
}

/* A pointer that is opened while its rank runs says so, and the rank is not stopped to read it. */
static void
test_running (void)
{
    GtkTreePath *path = gtk_tree_path_new_from_indices (0, -1);
    Rig rig;

    begin (&rig, FALSE);
    gtk_tree_view_collapse_row (rig.view, path);
    stop (&rig);
    gui_value_pane_refresh (GUI_VALUE_PANE (rig.pane));
    await_parts (&rig, "…= n=22 ");
    enter_state (&rig, JOB_STATE_RUNNING);
    g_assert_true (gtk_tree_view_expand_row (rig.view, path, FALSE));
    await_parts (&rig, "…=<not n=22 ");
    g_assert_cmpuint (rig.asked->len, ==, 0);
    gtk_tree_path_free (path);
    finish (&rig);
}

/* A register has changed since the stop before, of the same job. */
static void
assert_register (Rig *rig, GtkWidget *pane, const char *text, gboolean is_bold)
{
    GtkTreeModel *model = gtk_tree_view_get_model (rig->view);
    g_autoptr (JobEvent) event = NULL;
    g_autofree char *shown = NULL;
    GtkTreeIter iter;
    int weight;

    gui_text_pane_refresh (GUI_TEXT_PANE (pane));
    g_assert_cmpuint (rig->asked->len, ==, 1);
    event = job_event_new (JOB_EVENT_DETAILS, ((JobRequest *) rig->asked->pdata[0])->id,
                           ((JobRequest *) rig->asked->pdata[0])->ranks);
    g_ptr_array_set_size (rig->asked, 0);
    event->details = job_detail_list_new ();
    g_ptr_array_add (event->details, job_detail_new (JOB_DETAIL_REGISTER, 0, "rax", text));
    event->final = TRUE;
    session_apply (rig->session, event);
    while (g_main_context_iteration (NULL, FALSE)) {
    }
    g_assert_true (gtk_tree_model_get_iter_first (model, &iter));
    gtk_tree_model_get (model, &iter, 0, &shown, 1, &weight, -1);
    g_assert_nonnull (strstr (shown, text));
    g_assert_cmpint (weight >= PANGO_WEIGHT_BOLD, ==, is_bold);
}

static void
test_registers (void)
{
    Rig rig = { .session = session_new () };
    GtkWidget *pane;

    rig.asked = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    session_start_scripted (rig.session, 2, on_request, &rig);
    stop (&rig);
    rig.selection = session_selection_new (rig.session);
    rig.window = gtk_window_new (GTK_WINDOW_TOPLEVEL);
    pane = g_object_new (GUI_TYPE_TEXT_PANE, "what", "registers", "session", rig.session,
                         "selection", rig.selection, "visible", TRUE, NULL);
    gtk_container_add (GTK_CONTAINER (rig.window), pane);
    find_tree (pane, &rig);
    gtk_widget_show_all (rig.window);
    g_ptr_array_set_size (rig.asked, 0); /* asked again below */
    assert_register (&rig, pane, "0x1", FALSE);
    stop (&rig);
    assert_register (&rig, pane, "0x2", TRUE);
    g_signal_emit_by_name (rig.session, "restarted");
    stop (&rig);
    assert_register (&rig, pane, "0x3", FALSE); /* the first stop of another job */
    stop (&rig);
    assert_register (&rig, pane, "0x4", TRUE);
    finish (&rig);
}

/* The row for a new watch has its whole text, and no column is beyond the edge, in a pane that is narrow. */
static void
test_new_watch (void)
{
    GtkWidget *window = gtk_offscreen_window_new ();
    GtkWidget *watches = g_object_new (GUI_TYPE_VARIABLE_VIEW, "is-watch", TRUE, NULL);
    GtkTreeView *view = GTK_TREE_VIEW (gtk_bin_get_child (GTK_BIN (watches)));
    GtkTreeViewColumn *column = gtk_tree_view_get_column (view, NAME);
    g_autoptr (GtkTreePath) path = gtk_tree_path_new_first ();
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (view),
                                                                     "Add an expression…");
    GdkRectangle cell;
    int wanted, total = 0;

    gtk_widget_set_size_request (watches, 328, 200);
    gtk_container_add (GTK_CONTAINER (window), watches);
    gtk_widget_show_all (window);
    for (gint64 end_us = g_get_monotonic_time () + LIMIT_S * G_USEC_PER_SEC;
         (gtk_events_pending () || gtk_widget_get_allocated_width (GTK_WIDGET (view)) < 300)
         && g_get_monotonic_time () < end_us;) {
        gtk_main_iteration_do (FALSE);
    }
    gtk_tree_view_get_cell_area (view, path, column, &cell);
    pango_layout_get_pixel_size (layout, &wanted, NULL);
    g_assert_cmpint (cell.width, >=, wanted);
    for (guint i = 0; i < gtk_tree_view_get_n_columns (view); i++) {
        if (gtk_tree_view_column_get_visible (gtk_tree_view_get_column (view, (int) i))) {
            total += gtk_tree_view_column_get_width (gtk_tree_view_get_column (view, (int) i));
        }
    }
    g_assert_cmpint (total, <=, 328);
    gtk_widget_destroy (window);
}

static void
assert_across (const char *same, const char *other, guint32 n_ranks, const char *expected)
{
    g_autoptr (JobValueTable) table = job_value_table_new ();
    g_autoptr (JobRankSet) first = job_rank_set_new_range (0, 1),
                           rest = job_rank_set_new_range (1, 6),
                           everybody = job_rank_set_new_range (0, other != NULL ? 6 : 1);
    g_autoptr (JobValue) a = job_value_new_number (NULL, "int", same, atof (same));
    g_autofree char *text = NULL;

    job_value_table_add (table, "x", first, a);
    if (other != NULL) {
        g_autoptr (JobValue) b = job_value_new_number (NULL, "int", other, atof (other));

        job_value_table_add (table, "x", rest, b);
    }
    text = gui_value_text_format_across (table->rows->pdata[0], everybody, n_ranks);
    g_assert_cmpstr (text, ==, expected);
}

/* A value of several lines begins in a line of its own, so that its columns stay below each other; where there is one line
 * for all values it is the first. */
static void
test_lines (void)
{
    g_autoptr (JobValueTable) table = job_value_table_new ();
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 2);
    g_autoptr (JobValue) value = job_value_new (NULL, "DataFrame", "    x   y\n0  10  20");
    g_autoptr (JobValue) plain = job_value_new (NULL, "int", "3");
    g_autofree char *text = NULL, *line = gui_value_text_dup_line (value),
                    *same = gui_value_text_dup_line (plain),
                    *row = gui_value_text_join_lines ("array([[0.,  1.],\n       [2.,  3.]])"),
                    *one = gui_value_text_join_lines ("' a  b '");

    job_value_table_add (table, "df", ranks, value);
    text = gui_value_text_format_groups (table->rows->pdata[0]);
    g_assert_cmpstr (text, ==, "0-1:\n    x   y\n0  10  20");
    g_assert_cmpstr (line, ==, "x   y …");
    g_assert_cmpstr (same, ==, "3");
    g_assert_cmpstr (row, ==, "array([[0.,  1.], [2.,  3.]])");
    g_assert_cmpstr (one, ==, "' a  b '");
}

/* "same" is of all ranks that the view is of, or says of how many. */
static void
test_across (void)
{
    g_autofree char *none = gui_value_text_format_uncompared (6, 6);
    g_autofree char *one = gui_value_text_format_uncompared (5, 6);
    g_autofree char *two = gui_value_text_format_uncompared (6, 8);

    assert_across ("3", "3", 6, "same");
    assert_across ("3", "3", 8, "same on 6 of 8");
    assert_across ("3", "4", 8, "[3..4]");
    assert_across ("3", "nan", 6,
                   "nan at 1-5, [3..3]"); /* what the range does not have is said */
    assert_across ("inf", "nan", 6, "nan at 1-5, inf at 0");
    assert_across ("3", NULL, 1, "");
    assert_across ("3", NULL, 8, "not compared");
    g_assert_null (none);
    g_assert_cmpstr (
        one, ==,
        "1 of 6 ranks was not compared: it is elsewhere, not stopped or did not answer");
    g_assert_cmpstr (
        two, ==,
        "2 of 8 ranks were not compared: they are elsewhere, not stopped or did not answer");
}

static void
test_types (void)
{
    static const char *const types[][2] = {
        { "int", "int" },
        { "const char *", "char *" },
        { "struct grid", "grid" },
        { "struct grid *", "grid *" },
        { "constant", "constant" },
        { "my_struct ", "my_struct " },
        { "double [64]", "double [64]" },
        { "std::vector<double, std::allocator<double> >", "vector<double>" },
        { "std::vector<std::vector<int, std::allocator<int>>, std::allocator<std::vector<int, "
          "std::allocator<int>>>>",
          "vector<vector<int>>" },
        { "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>",
          "basic_string<char>" },
        { "std::map<int, const double, std::less<int>, std::allocator<std::pair<const int, double> > >",
          "map<int, double>" },
        { "numpy.ndarray", "numpy.ndarray" },
        { "broken<, ", "broken<, " },
        { "", "" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
        g_autofree char *text = gui_value_text_shorten_type (types[i][0]);

        g_assert_cmpstr (text, ==, types[i][1]);
    }
}

int
main (int argc, char **argv)
{
    gtk_test_init (&argc, &argv, NULL);
    base_words_init ("pddt", "/nonexistent");
    gui_settings_init ();
    g_test_add_func ("/value-pane/both", test_both);
    g_test_add_func ("/value-pane/target", test_target);
    g_test_add_func ("/value-pane/overtaken", test_overtaken);
    g_test_add_func ("/value-pane/copy", test_copy);
    g_test_add_func ("/value-pane/watch", test_watch);
    g_test_add_func ("/value-pane/running", test_running);
    g_test_add_func ("/value-pane/registers", test_registers);
    g_test_add_func ("/value-pane/lines", test_lines);
    g_test_add_func ("/value-pane/across", test_across);
    g_test_add_func ("/value-pane/new-watch", test_new_watch);
    g_test_add_func ("/value-pane/types", test_types);
    return g_test_run ();
}
