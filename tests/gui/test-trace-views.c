/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the Performance window shows of a trace beside its Timeline: calls, the communication matrix, wait states, the report,
 * losses, and the files that its menu writes. */
#include <glib/gstdio.h>
#include <string.h>
#include "base/array.h"
#include "gui/profile/message-matrix.h"
#include "gui/profile/profile-edge-list.h"
#include "gui/profile/profile-function-list.h"
#include "gui/profile/profile-heat-gutter.h"
#include "gui/profile/profile-window.h"
#include "gui/profile/report-view.h"
#include "profile/delays.h"
#include "profile/losses.h"
#include "profile/messages.h"
#include "profile/native.h"
#include "profile/page-blocks.h"
#include "profile/slice.h"
#include "profile/values.h"
#include "profile/waits.h"
#include "trace-rig.h"
#include "trace-sample.h"
#include "widgets.h"

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

/* Exact calls, of functions and between them; a part of the time has none. */
static void
test_functions (void)
{
    GtkWidget *window = trace_rig_show (), *list, *callers;
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
    trace_rig_save_picture (window, "functions");
    gui_profile_selection_set_time (gui_profile_window_get_selection (self), 0, 0.5);
    widgets_settle ();
    g_assert_false (gtk_tree_view_column_get_visible (calls));
    gtk_widget_destroy (window);
    widgets_settle ();
}

static void
assert_wide (GtkWidget *list, int column, const char *text)
{
    g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (list, text);
    int width;

    pango_layout_get_pixel_size (layout, &width, NULL);
    g_assert_cmpint (gtk_tree_view_column_get_fixed_width (
                         gtk_tree_view_get_column (GTK_TREE_VIEW (list), column)),
                     >=, width + 6);
}

/* A number of calls has room for all its digits: without some of them it is another number. */
static void
test_many_calls (void)
{
    static const char text[] = "12345678901";
    GtkWidget *window = trace_rig_show (), *list, *callers;
    GuiProfileSelection *selection
        = gui_profile_window_get_selection (GUI_PROFILE_WINDOW (window));
    g_autoptr (ProfileCosts) costs = gui_profile_selection_new_costs (selection);
    g_autoptr (ProfileFunctionTable) table = profile_function_table_new (costs, FALSE);
    g_autoptr (GArray) edges = g_array_new (FALSE, TRUE, sizeof (ProfileEdge));
    const ProfileEdge edge = { .function = 1, .seconds = 1, .n_calls = 12345678901 };

    g_assert_true (gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "functions"));
    widgets_settle ();
    list = widgets_find (window, "function-list");
    callers = widgets_find (window, "callers");
    g_array_append_val (edges, edge);
    g_array_index (table->rows, ProfileFunctionRow, 0).n_calls = edge.n_calls;
    gui_profile_function_list_show (GUI_PROFILE_FUNCTION_LIST (list), costs, table);
    gui_profile_edge_list_show (GUI_PROFILE_EDGE_LIST (callers), costs, edges);
    widgets_settle ();
    assert_wide (list, 2, text);
    assert_wide (callers, 1, text);
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
                             .file = (char *) trace_rig_source,
                             .line = 3,
                             .language = JOB_LANGUAGE_PYTHON };
    guint32 python = job_context_tree_add (tree, 0, &location, 0);
    gint64 time_us = TRACE_SAMPLE_BEGIN_US;

    trace_sample_add (samples, &time_us, TRACE_SAMPLE_BEGIN_US + 1000000, python,
                      JOB_CLASS_PYTHON);
    trace_sample_add (samples, &time_us, TRACE_SAMPLE_BEGIN_US + 1900000,
                      trace_sample_add_context (trace_rig_source, tree, python, "work", 10),
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
    GtkWidget *window = trace_rig_show_model (make_python_model ()), *list, *item;
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
    GtkWidget *window = trace_rig_show_model (make_python_model ()), *list, *item;

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

static const char *
get_sentence (GtkWidget *window)
{
    return gtk_label_get_text (GTK_LABEL (widgets_find (window, "wait-sentence")));
}

static void
test_communication (void)
{
    GtkWidget *window = trace_rig_show (), *list, *matrix;
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
    g_assert_cmpstr (get_sentence (window), ==,
                     "The longest wait: rank 0 has waited for 0.45 s in MPI_Barrier in main at "
                     "sample.c:3 for rank 3, which came last in work at sample.c:10.");
    trace_rig_save_picture (window, "communication");
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
    g_assert_true (g_str_has_prefix (get_sentence (window),
                                     "The longest wait: rank 0 has waited "));
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
    GtkWidget *window = trace_rig_show (), *list, *matrix;
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
    g_assert_cmpstr (get_sentence (window), ==,
                     "No rank has its longest wait in the selection.");
    gui_profile_selection_set_time (selection, 0, 0.05); /* rank 2 begins to wait at 0.055 */
    widgets_settle ();
    g_assert_cmpint (count_rows (list), ==, 2);
    g_assert_true (g_str_has_prefix (get_sentence (window),
                                     "In the whole run: rank 0 has waited "));
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* Of many messages the window keeps a part: what was sent in a part of the time is estimated from these, and said to be. */
static void
test_communication_estimate (void)
{
    ProfileModel *model = trace_sample_new (trace_rig_source);
    GtkWidget *window, *matrix;
    GuiProfileWindow *self;
    g_autofree char *all = NULL, *step = NULL, *none = NULL;

    profile_model_set_n_messages (model, 3 * profile_model_get_n_messages (model) - 1,
                                  profile_model_get_n_collectives (model));
    window = trace_rig_show_model (model);
    self = GUI_PROFILE_WINDOW (window);
    g_assert_true (gui_profile_window_show_page (self, "communication"));
    widgets_settle ();
    matrix = widgets_find (window, "message-matrix");
    all = describe_cell (matrix, "From 1 to 2: ");
    g_assert_nonnull (all);
    g_assert_null (strstr (all, "Estimated"));
    gui_profile_selection_set_time (gui_profile_window_get_selection (self), 0.105, 0.195);
    widgets_settle ();
    step = describe_cell (matrix, "From 1 to 2: ");
    g_assert_nonnull (step);
    g_assert_true (g_str_has_prefix (step, "From 1 to 2: 3 messages, "));
    g_assert_true (g_str_has_suffix (step, "\nEstimated: the window keeps one of 3 messages"));
    none = describe_cell (matrix,
                          "From 0 to 0: 0 messages, "); /* that is not certain, either */
    g_assert_nonnull (none);
    g_assert_true (g_str_has_suffix (none, "\nEstimated: the window keeps one of 3 messages"));
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* What a line's tooltip says, which is read to those who do not see it; of the first line that has time. */
static const char *
get_line_tip (GtkWidget *view)
{
    GtkSourceGutter *gutter = gtk_source_view_get_gutter (GTK_SOURCE_VIEW (view),
                                                          GTK_TEXT_WINDOW_LEFT);
    GtkSourceGutterRenderer *heat = NULL;
    g_autoptr (GtkTooltip) tooltip = g_object_new (GTK_TYPE_TOOLTIP, NULL);
    GdkRectangle area = { 0 };
    GtkTextIter iter;

    for (int x = 0; x < 400 && !GUI_IS_PROFILE_HEAT_GUTTER (heat); x += 5) {
        heat = gtk_source_gutter_get_renderer_at_pos (gutter, x, 5);
    }
    g_assert_true (GUI_IS_PROFILE_HEAT_GUTTER (heat));
    gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)), &iter);
    while (!gtk_source_gutter_renderer_query_tooltip (heat, &iter, &area, 0, 0, tooltip)) {
        g_assert_true (gtk_text_iter_forward_line (&iter));
    }
    return atk_object_get_description (gtk_widget_get_accessible (view));
}

/* The line of a function's head has the time of the whole function. */
static void
test_source (void)
{
    GtkWidget *window = trace_rig_show ();

    g_assert_true (gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "source"));
    widgets_settle ();
    g_assert_true (
        g_str_has_suffix (get_line_tip (widgets_find (window, "source")),
                          "\nCalls of the trace count at the first line of their function."));
    gtk_widget_destroy (window);
    widgets_settle ();
}

/* The sentence is that of the first wait in the list, and a rank without messages has its row. */
static void
test_communication_of_ranks (void)
{
    GtkWidget *window = trace_rig_show (), *matrix;
    GuiProfileWindow *self = GUI_PROFILE_WINDOW (window);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (1, 3);
    g_autoptr (GArray) traffic = g_array_new (FALSE, FALSE, sizeof (ProfileTraffic));
    const ProfileTraffic pair = { .from = 0, .to = 1, .n = 1, .bytes = 8 };
    g_autofree char *silent = NULL;

    g_assert_true (gui_profile_window_show_page (self, "communication"));
    gui_profile_selection_set_ranks (gui_profile_window_get_selection (self), ranks);
    widgets_settle ();
    SAYS (widgets_find (window, "wait-list"), "0", 0, "1");
    g_assert_true (g_str_has_prefix (get_sentence (window),
                                     "The longest wait: rank 1 has waited "));
    matrix = widgets_find (window, "message-matrix");
    g_array_append_val (traffic, pair);
    gui_message_matrix_show (GUI_MESSAGE_MATRIX (matrix), traffic, TRACE_SAMPLE_RANKS, NULL, 1);
    silent = describe_cell (matrix, "From 3 to 2: ");
    g_assert_nonnull (silent);
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

/* Of the first table that has it; NULL: not measured. */
static const char *
get_card (const ProfilePage *page, const char *title)
{
    for (guint i = 0; i < page->sections->len; i++) {
        const ProfileSection *section = g_ptr_array_index (page->sections, i);

        BASE_EACH (section->blocks, const ProfileBlock, block) {
            for (guint j = 0; block->columns != NULL && j < block->columns->len; j++) {
                if (strcmp (g_array_index (block->columns, ProfileColumn, j).title, title)
                    == 0) {
                    return profile_block_get_cell (block, 0, j);
                }
            }
        }
    }
    g_assert_not_reached ();
}

/* What only a trace says of the whole run. */
static void
add_uses (ProfileModel *model)
{
    g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (ProfilePoint));
    char *name = (char *) "it";

    profile_model_add_file_use (model, &(const ProfileFileUse){ 1, name, .n_reads = 1 });
    profile_model_add_lock_wait (model, &(const ProfileLockWait){ 1, 1, 0, name, name, name, 1,
                                                                  0.5, 0.5 });
    profile_model_add_allocation (model, &(const ProfileAllocation){ 1, name, NULL, NULL, 1,
                                                                     100, 100, 100 });
    profile_model_add_own_metric (model, &(const ProfileOwnMetric){ 1, name, name, 1, 2, 2, 2,
                                                                    2, points });
    profile_model_add_parameter (model, &(const ProfileParameter){ 1, name, name, 1, 0 });
    profile_model_add_delay (model, &(const ProfileDelay){ 1, 0, FALSE, name, name, 0.5, 0 });
    profile_model_add_path_part (model, &(const ProfilePathPart){ 1, 0, FALSE, name, name, 0.5,
                                                                  0.5, 0.5 });
}

/* The window's report of everything is that of the command line: it leaves out no section. */
static void
test_whole (void)
{
    const ProfileSlice all = { 0, G_MAXDOUBLE, NULL, PROFILE_ALL_CLASSES };
    g_autoptr (ProfileModel) model = trace_sample_new (trace_rig_source);
    g_autoptr (ProfileModel) slice = NULL;
    g_autoptr (ProfilePage) page = NULL, shown = NULL;

    add_uses (model);
    slice = profile_model_new_slice (model, &all);
    page = gui_report_view_make_page (model);
    shown = gui_report_view_make_page (slice);
    g_assert_cmpuint (shown->sections->len, ==, page->sections->len);
    for (guint i = 0; i < page->sections->len; i++) {
        const ProfileSection *wanted = g_ptr_array_index (page->sections, i);
        const ProfileSection *found = g_ptr_array_index (shown->sections, i);

        g_assert_cmpstr (found->title, ==, wanted->title);
        g_assert_cmpuint (found->blocks->len, ==, wanted->blocks->len);
    }
}

/* Where there are calls there are no samples. How many there were is known of the whole trace alone. */
static void
test_words (void)
{
    const ProfileSlice part = { 0, 0.05, NULL, PROFILE_ALL_CLASSES };
    g_autoptr (ProfileModel) model = trace_sample_new (trace_rig_source);
    g_autoptr (ProfileModel) slice = profile_model_new_slice (model, &part);
    g_autoptr (ProfilePage) page = gui_report_view_make_page (model);
    g_autoptr (ProfilePage) of_part = gui_report_view_make_page (slice);

    g_assert_nonnull (get_card (page, "Calls"));
    g_assert_null (get_card (of_part, "Calls"));
    g_assert_null (get_card (of_part, "Events lost"));
    g_assert_nonnull (get_card (page, "Time in files"));
    g_assert_null (get_card (page, "Time in sockets")); /* of these a trace records nothing */
    g_assert_null (get_card (page, "Other threads ran"));
    g_assert_null (get_card (page, "Other threads waited"));

    g_assert_cmpstr (page->title, ==, "Trace of mpirun -np 4 ./app");
    g_assert_true (has_text (page, "Calls"));
    g_assert_true (has_text (page, "The longest wait: rank 0"));
    g_assert_false (has_text (page, "Samples"));
    g_assert_false (has_text (page, "interval"));
}

static void
test_report (void)
{
    GtkWidget *window = trace_rig_show ();

    gui_profile_window_show_page (GUI_PROFILE_WINDOW (window), "report");
    trace_rig_save_picture (window, "report");
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
    g_autofree char *path = g_build_filename (trace_rig_folder, name, NULL), *wanted = NULL;
    char *text = NULL;
    GtkFileChooser *chooser;

    g_unlink (path);
    wanted = g_canonicalize_filename (path, NULL);
    g_action_group_activate_action (G_ACTION_GROUP (window), action, parameter);
    while ((chooser = find_chooser ()) == NULL) {
        g_main_context_iteration (NULL, TRUE);
    }
    gtk_file_chooser_set_current_folder (chooser, trace_rig_folder);
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
    GtkWidget *window = trace_rig_show ();
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
    ProfileModel *model = trace_sample_new (trace_rig_source);
    const ProfileLoss losses[] = {
        { 1, 1, 300, PROFILE_KEPT_LAST, TRACE_SAMPLE_BEGIN_US + TRACE_SAMPLE_STEP_US },
        { 2, 1, 500, PROFILE_KEPT_LAST, TRACE_SAMPLE_BEGIN_US + TRACE_SAMPLE_STEP_US },
        { 2, 0, 200, PROFILE_KEPT_LAST, 0 },
    };
    GtkWidget *window, *label;

    for (guint i = 0; i < G_N_ELEMENTS (losses); i++) {
        profile_model_add_loss (model, &losses[i]);
    }
    window = trace_rig_show_model (model);
    label = widgets_find (window, "problem");
    g_assert_true (gtk_widget_get_mapped (label));
    g_assert_cmpstr (
        gtk_label_get_text (GTK_LABEL (label)), ==,
        "The buffer was full: the first 1000 events are lost, 700 of them from rank 2.");
    gtk_widget_destroy (window);
    widgets_settle ();
    window = trace_rig_show ();
    g_assert_false (gtk_widget_get_mapped (widgets_find (window, "problem")));
    gtk_widget_destroy (window);
    widgets_settle ();
}

int
main (int argc, char **argv)
{
    trace_rig_start (&argc, &argv);
    g_test_add_func ("/trace-views/words", test_words);
    g_test_add_func ("/trace-views/whole", test_whole);
    g_test_add_func ("/trace-views/functions", test_functions);
    g_test_add_func ("/trace-views/many-calls", test_many_calls);
    g_test_add_func ("/trace-views/copied-command", test_copied_command);
    g_test_add_func ("/trace-views/measure-lines", test_measure_lines);
    g_test_add_func ("/trace-views/communication", test_communication);
    g_test_add_func ("/trace-views/communication-of-time", test_communication_of_time);
    g_test_add_func ("/trace-views/communication-estimate", test_communication_estimate);
    g_test_add_func ("/trace-views/communication-of-ranks", test_communication_of_ranks);
    g_test_add_func ("/trace-views/source", test_source);
    g_test_add_func ("/trace-views/report", test_report);
    g_test_add_func ("/trace-views/losses", test_losses);
    g_test_add_func ("/trace-views/files", test_files);
    return trace_rig_run ();
}
