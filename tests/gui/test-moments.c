/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-moments FILE SOURCES: nothing that any window shows is of an earlier moment without saying so. All that fake
 * ranks say bears a mark of its moment (script.h). A job is played that stops, is written to, has frames selected, runs,
 * is looked at, answers late, is started again and ends; after each of that, every page of every window is searched for
 * marks, in whatever kind of widget they are: one that is not of the present must be grey, with an age in its window, or
 * have its age beside it. Each class of SOURCES that asks ranks or lists what is known of them has to be seen with marks
 * here, so that none is forgotten. */
#include "gui/arrays/array-window.h"
#include "gui/compare/compare-window.h"
#include "gui/console/console-window.h"
#include "gui/group/group-window.h"
#include "gui/kit/command-panel.h"
#include "gui/kit/settings.h"
#include "gui/source/source-inline.h"
#include "gui/source/source-view.h"
#include "gui/values/variable-view.h"
#include "base/clock.h"
#include "look.h"
#include "widgets.h"
#include <gtksourceview/gtksource.h>
#include <string.h>

enum { N_RANKS = 4, LIMIT_S = 20, LATER_S = 6 };

/* Where what has been said stands in the order in which it was said, each with its time or its command. */
static const char *const histories[] = { "GuiCommandPanel", "GuiOutputView", "GuiLogView",
                                         "GuiMeasureLines", NULL };

/* Files that ask, and what they show is not of ranks' moments, or stands in another class's widgets. */
static const char *const others[] = {
    "array-length.c",   /* a question before there is a window: the type of an expression */
    "value-edit.c",     /* asks what a value was, and writes the command that undoes */
    "session-keeper.c", /* writes files */
    NULL,
};

typedef struct {
    Script *script;
    GtkApplication *application;
    GtkWidget *console, *group;
    guint version;           /* of the source */
    guint n_old;             /* classes that ask and were seen with what was old */
    GPtrArray *wrong;        /* of char* */
    GHashTable *fresh, *old; /* names of classes with a mark, of the present and not */
} Rig;

/* What is looked at, in a window. */
typedef struct {
    Rig *rig;
    GtkWidget *window;
    SessionSelection *selection;
    gboolean has_grey, has_age;
} View;

static gint64 later_us;

static gint64
get_later_us (void)
{
    return g_get_monotonic_time () + later_us;
}

/* ---- what a mark says ---- */

static gboolean
is_present (const View *view, guint mark)
{
    guint moment = (mark - SCRIPT_MARK_FIRST) / 100, rank = mark / 10 % 10, frame = mark % 10;
    guint32 selected;

    if (rank == SCRIPT_MARK_ANY) {
        for (guint32 i = 0; i < N_RANKS; i++) {
            if (script_get_moment (view->rig->script, i).place == moment) {
                return TRUE;
            }
        }
        return FALSE;
    }
    if (!session_selection_find_frame (view->selection, rank, &selected)) {
        selected = 0;
    }
    return script_get_moment (view->rig->script, rank).values == moment && frame == selected;
}

/* Means and the like may have as many digits: their last ones are none of a mark. */
static gboolean
is_mark (guint number)
{
    guint rank = number / 10 % 10;

    return number > SCRIPT_MARK_FIRST && number < SCRIPT_MARK_END && number % 10 < 2
           && (rank < N_RANKS || rank == SCRIPT_MARK_ANY);
}

static gboolean
tells_age (const char *text)
{
    static const char *const words[] = { "as of ", "sampled ", "last seen ", "last in " };

    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        if (strstr (text, words[i]) != NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- where it stands ---- */

static gboolean
is_grey (GtkWidget *widget)
{
    for (GtkWidget *at = widget; at != NULL; at = gtk_widget_get_parent (at)) {
        if (gtk_style_context_has_class (gtk_widget_get_style_context (at), "pddt-stale")) {
            return TRUE;
        }
    }
    return FALSE;
}

/* All of pddt's classes around it. */
static void
note_seen (GHashTable *seen, GtkWidget *widget)
{
    for (GtkWidget *at = widget; at != NULL; at = gtk_widget_get_parent (at)) {
        if (g_str_has_prefix (G_OBJECT_TYPE_NAME (at), "Gui")) {
            g_hash_table_add (seen, g_strdup (G_OBJECT_TYPE_NAME (at)));
        }
    }
}

static const char *
name_owner (GtkWidget *widget)
{
    for (GtkWidget *at = widget; at != NULL; at = gtk_widget_get_parent (at)) {
        if (g_str_has_prefix (G_OBJECT_TYPE_NAME (at), "Gui")) {
            return G_OBJECT_TYPE_NAME (at);
        }
    }
    return "?";
}

/* around: what stands beside the text, which may tell its age. */
static void
check_text (View *view, GtkWidget *widget, const char *text, const char *around)
{
    const char *at = text;

    if (text == NULL) {
        return;
    }
    while ((at = strpbrk (at, "0123456789")) != NULL) {
        char *end;
        guint64 number = g_ascii_strtoull (at, &end, 10);
        gboolean was = at - text >= 5 && strncmp (at - 5, "(was ", 5) == 0;

        if (end - at == 6 && is_mark ((guint) number)) {
            gboolean is_old = !was && !is_present (view, (guint) number);

            note_seen (is_old ? view->rig->old : view->rig->fresh, widget);
            view->has_grey = view->has_grey || (is_old && is_grey (widget));
            if (is_old && !is_grey (widget) && !tells_age (around)) {
                g_ptr_array_add (view->rig->wrong,
                                 g_strdup_printf ("%s in %s shows \"%s\" as if it were of now",
                                                  name_owner (widget),
                                                  G_OBJECT_TYPE_NAME (view->window), text));
            }
        }
        at = end;
    }
    view->has_age = view->has_age || tells_age (text);
}

/* ---- kinds of widgets ---- */

/* What the cells of a row say, one a line. Caller owns. */
static char *
dup_row (GtkTreeView *tree, GtkTreeModel *model, GtkTreeIter *iter)
{
    GString *row = g_string_new (NULL);
    g_autoptr (GList) columns = gtk_tree_view_get_columns (tree);

    for (GList *column = columns; column != NULL; column = column->next) {
        g_autoptr (GList) cells = gtk_cell_layout_get_cells (column->data);

        gtk_tree_view_column_cell_set_cell_data (column->data, model, iter, FALSE, FALSE);
        for (GList *cell = cells; cell != NULL; cell = cell->next) {
            g_autofree char *text = NULL;

            if (GTK_IS_CELL_RENDERER_TEXT (cell->data)) {
                g_object_get (cell->data, "text", &text, NULL);
            }
            g_string_append_printf (row, "%s\n", text != NULL ? text : "");
        }
    }
    return g_string_free (row, FALSE);
}

static gboolean
check_row (GtkTreeModel *model, GtkTreePath *path, GtkTreeIter *iter, gpointer user)
{
    View *view = ((gpointer *) user)[0];
    GtkTreeView *tree = ((gpointer *) user)[1];
    g_autofree char *row = dup_row (tree, model, iter), *tip = NULL, *both = NULL;
    int column = gtk_tree_view_get_tooltip_column (tree);

    if (column >= 0 && gtk_tree_model_get_column_type (model, column) == G_TYPE_STRING) {
        gtk_tree_model_get (model, iter, column, &tip, -1);
    }
    both = g_strdup_printf ("%s%s", row, tip != NULL ? tip : "");
    check_text (view, GTK_WIDGET (tree), both, both);
    return FALSE;
}

static void
check_tree (View *view, GtkWidget *widget)
{
    gpointer user[] = { view, widget };
    GtkTreeModel *model = gtk_tree_view_get_model (GTK_TREE_VIEW (widget));

    if (gtk_widget_get_ancestor (widget, GUI_TYPE_VARIABLE_VIEW) != NULL) {
        gtk_tree_view_expand_all (GTK_TREE_VIEW (widget)); /* what is in values, too */
    }
    if (model != NULL) {
        gtk_tree_model_foreach (model, check_row, user);
    }
}

/* The text is the file's, and what stands behind a line of it is of now. */
static void
check_source (View *view, GtkWidget *widget)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (widget));
    g_autofree char *version = g_strdup_printf ("version %u", view->rig->version);
    g_autofree char *text = NULL;
    GtkTextIter begin, end;

    gtk_text_buffer_get_bounds (buffer, &begin, &end);
    text = gtk_text_buffer_get_text (buffer, &begin, &end, FALSE);
    if (strstr (text, "version ") != NULL && strstr (text, version) == NULL) {
        g_ptr_array_add (view->rig->wrong, g_strdup ("the source is an earlier one"));
    }
    check_text (view, widget, gui_source_inline_get (GTK_TEXT_VIEW (widget)), "");
}

/* What the pointer would be told. */
static void
check_hover (View *view, GtkWidget *widget)
{
    g_autofree char *text = NULL;

    g_signal_emit_by_name (widget, "hover", "step", &text);
    if (text != NULL) {
        check_text (view, widget, text, "");
        g_hash_table_add (view->rig->fresh, g_strdup ("value-hover.c"));
    }
}

static void
check (GtkWidget *widget, gpointer user)
{
    View *view = user;
    AtkObject *accessible = gtk_widget_get_accessible (widget);
    g_autofree char *tip = gtk_widget_get_tooltip_text (widget);

    if (!gtk_widget_get_mapped (widget)
        || g_strv_contains (histories, G_OBJECT_TYPE_NAME (widget))) {
        return;
    }
    check_text (view, widget, tip, tip);
    if (!GTK_IS_LABEL (widget)) {
        check_text (view, widget, atk_object_get_name (accessible), "");
        check_text (view, widget, atk_object_get_description (accessible), "");
    }
    if (GTK_IS_LABEL (widget)) {
        const char *text = gtk_label_get_text (GTK_LABEL (widget));

        check_text (view, widget, text, text);
    } else if (GTK_IS_TREE_VIEW (widget)) {
        check_tree (view, widget);
    } else if (GTK_SOURCE_IS_VIEW (widget)) {
        check_source (view, widget);
    } else if (GUI_IS_SOURCE_VIEW (widget)) {
        check_hover (view, widget);
    }
    if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), check, user);
    }
}

/* ---- windows ---- */

static void
find_panel (GtkWidget *widget, gpointer user)
{
    GtkWidget **panel = user;

    if (GUI_IS_COMMAND_PANEL (widget)) {
        *panel = widget;
    } else if (GTK_IS_CONTAINER (widget)) {
        gtk_container_forall (GTK_CONTAINER (widget), find_panel, user);
    }
}

/* Whose frames the window's values are of. */
static SessionSelection *
dup_selection (GtkWidget *window)
{
    SessionSelection *selection = NULL;
    GtkWidget *panel = NULL;

    if (g_object_class_find_property (G_OBJECT_GET_CLASS (window), "selection") != NULL) {
        g_object_get (window, "selection", &selection, NULL);
    } else {
        find_panel (window, &panel);
        g_assert_nonnull (panel);
        g_object_get (panel, "selection", &selection, NULL);
    }
    return selection;
}

static void
check_window (Rig *rig, GtkWidget *window)
{
    g_autoptr (SessionSelection) selection = dup_selection (window);
    View view = { rig, window, selection, FALSE, FALSE };

    check_text (&view, window, gtk_window_get_title (GTK_WINDOW (window)), "");
    check (window, &view);
    if (view.has_grey && !view.has_age) {
        g_ptr_array_add (
            rig->wrong,
            g_strdup_printf ("%s has grey values, and does not say how old they are",
                             G_OBJECT_TYPE_NAME (window)));
    }
}

static GList *
list_windows (void)
{
    GList *all = gtk_window_list_toplevels (), *shown = NULL;

    for (GList *link = all; link != NULL; link = link->next) {
        if (gtk_widget_get_mapped (link->data)
            && gtk_window_get_window_type (link->data) == GTK_WINDOW_TOPLEVEL) {
            shown = g_list_prepend (shown, link->data);
        }
    }
    g_list_free (all);
    return shown;
}

static void
check_all (Rig *rig)
{
    g_autoptr (GList) windows = list_windows ();

    g_ptr_array_set_size (rig->wrong, 0);
    for (GList *link = windows; link != NULL; link = link->next) {
        check_window (rig, link->data);
    }
}

/* Until all is right, and then still. */
static void
await_right (Rig *rig, const char *what, int page)
{
    gint64 limit_us = g_get_monotonic_time () + LIMIT_S * G_USEC_PER_SEC;
    guint n_right = 0, n_wanted = page == 0 ? 2 : 1;

    while (n_right < n_wanted) {
        look_settle ();
        check_all (rig);
        n_right = rig->wrong->len == 0 ? n_right + 1 : 0;
        if (g_get_monotonic_time () > limit_us) {
            for (guint i = 0; i < rig->wrong->len; i++) {
                g_printerr ("after %s, page %d: %s\n", what, page,
                            (char *) rig->wrong->pdata[i]);
            }
            g_error ("shown as if it were of now");
        }
    }
}

/* The pages of all notebooks at once. Returns how many the longest has. */
static int
turn_pages (int page)
{
    g_autoptr (GList) windows = list_windows ();
    int most = 0;

    for (GList *link = windows; link != NULL; link = link->next) {
        g_autoptr (GPtrArray) notebooks = look_find_all (link->data, GTK_TYPE_NOTEBOOK);

        for (guint i = 0; i < notebooks->len; i++) {
            int n = gtk_notebook_get_n_pages (notebooks->pdata[i]);

            gtk_notebook_set_current_page (notebooks->pdata[i], page % n);
            most = MAX (most, n);
        }
    }
    return most;
}

static void
look_everywhere (Rig *rig, const char *what)
{
    int n_pages = turn_pages (0);

    later_us += LATER_S * G_USEC_PER_SEC;
    for (int page = 0; page < n_pages; page++) {
        turn_pages (page);
        await_right (rig, what, page);
    }
}

/* ---- the play ---- */

static void
run_line (GtkWidget *window, const char *line)
{
    GtkWidget *panel = NULL;

    find_panel (window, &panel);
    gui_command_panel_run (GUI_COMMAND_PANEL (panel), line);
    while (gui_command_panel_is_busy (GUI_COMMAND_PANEL (panel))) {
        gtk_main_iteration ();
    }
}

static void
update (Rig *rig)
{
    g_action_group_activate_action (G_ACTION_GROUP (rig->console), "update", NULL);
    g_action_group_activate_action (G_ACTION_GROUP (rig->group), "update", NULL);
    g_action_group_activate_action (G_ACTION_GROUP (rig->console), "queue", NULL);
}

static void
edit (Rig *rig)
{
    g_autofree char *text = NULL;

    rig->version++;
    text = g_strdup_printf (
        "/* version %u */\n\n\n\nint main (void)\n{\n    return step;\n}\n\n\n"
        "\n\n\n\n\n\n\n\n\n\n\n    work (step);\n",
        rig->version);
    script_edit (rig->script, text);
}

static const struct {
    const char *what;
    enum { PLAY, CONSOLE, GROUP, UPDATE, EDIT } how;
    const char *line;
} steps[] = {
    { "a first look", UPDATE, NULL },
    { "a stop", PLAY, "state 0-3 stopped work 22" },
    { "a write", GROUP, "set var step = 1" },
    { "a frame", GROUP, "frame 1" },
    { "a frame of the other window", CONSOLE, "frame 1" },
    { "an Update of stopped ranks", UPDATE, NULL },
    { "a stop that ends the frames", PLAY, "state 0-3 stopped work 22" },
    { "the start of some ranks", CONSOLE, "on 0-1 continue" },
    { "an Update where some run", UPDATE, NULL },
    { "their stop", PLAY, "state 0-1 stopped work 22" },
    { "a write by the other window", CONSOLE, "on all set var step = 2" },
    { "a step", GROUP, "next" },
    { "a crash", PLAY, "state 2 signal work 22 SIGFPE" },
    { "the start of all", CONSOLE, "on all continue" },
    { "an Update where all run", UPDATE, NULL },
    { "a stop after it", PLAY, "state 0-3 breakpoint work 22" },
    { "an edit", EDIT, NULL },
    { "a stop after the edit", PLAY, "state 0-3 stopped work 22" },
    { "questions", PLAY, "keep" },
    { "a stop with answers to come", PLAY, "state 0-3 stopped work 22" },
    { "a second one", PLAY, "state 0-3 stopped work 22" },
    { "answers that come late", PLAY, "deliver" },
    { "a restart", PLAY, "restart" },
    { "the first stop of the new job", PLAY, "state 0-3 stopped work 22" },
    { "the end of one", PLAY, "state 3 failed work 22" },
    { "the end of all", PLAY, "state 0-2 exited work 22" },
};

static void
open_windows (Rig *rig)
{
    Session *session = script_get_session (rig->script);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, N_RANKS);
    g_autoptr (SessionSelection) selection = NULL;
    SessionSavedWindow *saved;

    rig->console = gui_console_window_new (rig->application, session, NULL);
    gtk_window_present (GTK_WINDOW (rig->console));
    rig->group = gui_group_window_open (rig->application, session, ranks, "Workers");
    saved = gui_group_window_dup_saved (GUI_GROUP_WINDOW (rig->group));
    g_strfreev (saved->watches);
    saved->watches = g_strsplit ("step", " ", -1);
    gui_group_window_restore (GUI_GROUP_WINDOW (rig->group), saved);
    selection = dup_selection (rig->group);
    gui_array_window_open (GTK_WINDOW (rig->group), session, selection, ranks, 1, "grid");
    gui_compare_window_open (GTK_WINDOW (rig->group), session, selection, ranks, 1, "step");
}

static void
play (Rig *rig)
{
    for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
        switch (steps[i].how) {
        case PLAY: script_play (rig->script, steps[i].line); break;
        case CONSOLE: run_line (rig->console, steps[i].line); break;
        case GROUP: run_line (rig->group, steps[i].line); break;
        case UPDATE: update (rig); break;
        default: edit (rig);
        }
        g_test_message ("%s", steps[i].what);
        if (steps[i].how != EDIT) { /* files are read again when ranks stop */
            look_everywhere (rig, steps[i].what);
        }
    }
}

/* ---- nobody is forgotten ---- */

/* The class that the file defines; NULL: none. Caller owns. */
static char *
dup_class (const char *text)
{
    const char *at = strstr (text, "\nG_DEFINE_TYPE");

    at = at != NULL ? strchr (at, '(') : NULL;
    return at != NULL ? g_strndup (at + 1, strcspn (at + 1, ",")) : NULL;
}

static gboolean
reads_ranks (const char *text)
{
    static const char *const ways[]
        = { "session_query_new (",          "session_why (",
            "session_rank_list_new (",      "session_group_list_new (",
            "session_get_operation_list (", "session_answer_take" };

    for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
        if (strstr (text, ways[i]) != NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

static guint
assert_file_seen (Rig *rig, const char *path, const char *name)
{
    g_autofree char *text = NULL, *class = NULL;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    if (!reads_ranks (text) || g_strv_contains (others, name)) {
        return 0;
    }
    class = dup_class (text);
    if (class == NULL) {
        class = g_strdup (name);
    }
    g_test_message ("%s: %s", class,
                    !g_hash_table_contains (rig->fresh, class) ? "not seen"
                    : g_hash_table_contains (rig->old, class)  ? "seen, also when it was old"
                                                               : "seen, never when it was old");
    if (!g_hash_table_contains (rig->fresh, class)) {
        g_error (
            "%s (%s) asks ranks, and was never seen with what they say: open it in this test",
            class, name);
    }
    rig->n_old += g_hash_table_contains (rig->old, class);
    return 1;
}

static guint
assert_folder_seen (Rig *rig, const char *folder)
{
    g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
    const char *name;
    guint n = 0;

    g_assert_nonnull (directory);
    while ((name = g_dir_read_name (directory)) != NULL) {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
            n += assert_folder_seen (rig, path);
        } else if (g_str_has_suffix (name, ".c")) {
            n += assert_file_seen (rig, path, name);
        }
    }
    return n;
}

static void
test_all (gconstpointer user)
{
    char *const *arguments = user;
    Rig rig = { .script = script_new (N_RANKS, arguments[0]) };

    rig.application = GTK_APPLICATION (g_application_get_default ());
    rig.wrong = g_ptr_array_new_with_free_func (g_free);
    rig.fresh = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    rig.old = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    g_settings_set_boolean (gui_settings_get (), "inline-values", TRUE);
    base_clock_set (get_later_us);
    script_mark (rig.script);
    edit (&rig);
    open_windows (&rig);
    play (&rig);
    g_assert_cmpuint (assert_folder_seen (&rig, arguments[1]), >=, 8);
    g_assert_cmpuint (rig.n_old, >=, 6); /* the others show nothing instead */
}

int
main (int argc, char **argv)
{
    g_autoptr (GtkApplication) application = widgets_start (&argc, &argv);

    g_assert_cmpint (argc, ==, 3);
    g_application_set_default (G_APPLICATION (application));
    g_test_add_data_func ("/moments/all", argv + 1, test_all);
    return g_test_run ();
}
