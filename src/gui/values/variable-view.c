/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A GtkTreeStore of the values shown; a part's full name is the expression that fetches it. */
#include "gui/values/variable-view.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/kit/hint.h"
#include "gui/kit/template.h"
#include "gui/kit/theme.h"
#include "gui/values/spark-cell.h"
#include "gui/values/value-text.h"
#include "base/array.h"

/* variable-view.ui has numbers of these. */
enum {
    NAME,
    VALUE,
    ACROSS,
    BARS,
    TYPE,
    PATH,
    WEIGHT,
    WAITING,
    TIP,
    IS_TOP,
    IS_NEW,
    SHORT_TYPE,
    N_COLUMNS
};
enum { ACROSS_CHARS = 9, MAX_ACROSS_CHARS = 14 }; /* "[0..63]"; "same on 6 of 8" */
enum { OTHERS = 2 };                              /* the column of the other ranks */
enum { MAX_TIP = 400 };                           /* characters of a value */
enum { NAME_CHARS = 9, EDITED_CHARS = 16 };
enum { OTHER_CHARS = 29 }; /* beside a name; where there are fewer, the tooltip has the type */
#define NEW_WATCH N_ ("Add an expression…")

struct _GuiVariableView {
    GtkScrolledWindow parent;
    GtkTreeStore *store;
    GtkWidget *view;
    GtkTreeViewColumn *name, *type;
    GtkCellRenderer *name_cell, *across;
    GHashTable *last; /* path to text, as shown */
    guint n_unread, n_ranks;
    char *function;     /* whose variables they are; NULL unknown */
    GHashTable *before; /* the same of the stop before */
    guint32 representative;
    guint64 stop;
    GHashTable *expanded; /* set of paths */
    gboolean is_filling, is_watch, is_line, is_moving;
    gboolean is_editing; /* rows do not change; shows new data afterwards */
    gboolean is_held;
    int hint; /* which one is set; 0: none yet */
    JobValueTable *held;
    guint32 held_representative;
    guint64 held_stop;
    guint held_source;
};

G_DEFINE_TYPE (GuiVariableView, gui_variable_view, GTK_TYPE_SCROLLED_WINDOW)

enum { EDITED, EXPAND, RENAMED, CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static const JobValue *
find_value (const JobValueRow *row, guint32 rank)
{
    return BASE_PICK (row->groups, const JobValueGroup, group,
                      job_rank_set_contains (group->ranks, rank), group->value, NULL);
}

static char *
make_path (const char *parent, const char *name)
{
    if (parent == NULL || name == NULL) {
        return g_strdup (name != NULL ? name : "");
    }
    return strchr ("[.(%", name[0]) != NULL || g_str_has_prefix (name, "->")
               ? g_strconcat (parent, name, NULL)
               : g_strconcat (parent, ".", name, NULL);
}

/* What may be truncated in the row, and how the others differ; others: markup or NULL. */
static char *
format_tip (const char *path, const char *text, const JobValue *value, const char *others)
{
    g_autofree char *some = g_utf8_strlen (text, -1) > MAX_TIP
                                ? g_utf8_substring (text, 0, MAX_TIP)
                                : NULL;
    g_autofree char *head = g_markup_printf_escaped ("%s =%c%s%s", path,
                                                     strchr (text, '\n') != NULL ? '\n' : ' ',
                                                     some != NULL ? some : text,
                                                     some != NULL ? "…" : "");
    g_autofree char *type = value != NULL && value->type != NULL && *value->type != '\0'
                                ? g_markup_printf_escaped ("\n%s", value->type)
                                : g_strdup ("");

    return g_strconcat (head, type, others != NULL && *others != '\0' ? "\n" : "",
                        others != NULL ? others : "", NULL);
}

/* Said instead of a value. */
static const char *
get_absent (const GuiVariableView *self)
{
    /* Translators: said instead of a variable's value: the viewed rank runs, or does not have the variable
     * where it is. */
    return self->is_moving ? _ ("not stopped") : _ ("not here");
}

static void
add_value (GuiVariableView *self, GtkTreeIter *parent, const char *parent_path,
           const char *name, const JobValue *value, const char *across, GBytes *bars,
           const char *tip)
{
    g_autofree char *path = value != NULL && value->path != NULL
                                ? g_strdup (value->path)
                                : make_path (parent_path, name);
    const char *before = g_hash_table_lookup (self->before, path);
    g_autofree char *now = value == NULL ? g_strdup (get_absent (self))
                                         : gui_value_text_dup_short (value);
    gboolean changed = before != NULL && strcmp (before, now) != 0;
    /* Translators: a variable's value now, and that of the stop before. */
    g_autofree char *text = changed ? g_strdup_printf (_ ("%s (was %s)"), now, before)
                                    : g_strdup (now);
    g_autofree char *row = gui_value_text_join_lines (text);
    g_autofree char *whole_tip = format_tip (path, text, value, tip);
    const char *type = value != NULL && value->type != NULL ? value->type : "";
    g_autofree char *short_type = gui_value_text_shorten_type (type);
    GtkTreeIter iter, waiting;

    gtk_tree_store_insert_with_values (self->store, &iter, parent, -1, NAME, name, VALUE, row,
                                       ACROSS, across, BARS, bars, IS_TOP, parent == NULL, TYPE,
                                       type, SHORT_TYPE, short_type, PATH, path, WEIGHT,
                                       changed ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL, TIP,
                                       whole_tip, -1);
    if (value != NULL) { /* else there is no value that the next one could be compared with */
        g_hash_table_replace (self->last, g_strdup (path), g_strdup (now));
    }
    for (guint i = 0; value != NULL && value->children != NULL && i < value->children->len;
         i++) {
        const JobValue *part = value->children->pdata[i];
        g_autofree char *index = part->name == NULL ? g_strdup_printf ("[%u]", i) : NULL;

        add_value (self, &iter, path, part->name != NULL ? part->name : index, part, "", NULL,
                   NULL);
    }
    if (value != NULL && value->expandable
        && (value->children == NULL || value->children->len == 0)) {
        gtk_tree_store_insert_with_values (self->store, &waiting, &iter, -1, NAME, "…", VALUE,
                                           "", PATH, "", WEIGHT, PANGO_WEIGHT_NORMAL, WAITING,
                                           TRUE, -1);
    }
}

static gboolean
expand_again (GtkTreeModel *model, GtkTreePath *tree_path, GtkTreeIter *iter, gpointer user)
{
    GuiVariableView *self = user;
    g_autofree char *path = NULL;

    gtk_tree_model_get (model, iter, PATH, &path, -1);
    if (path != NULL && g_hash_table_contains (self->expanded, path)) {
        gtk_tree_view_expand_row (GTK_TREE_VIEW (self->view), tree_path, FALSE);
    }
    return FALSE;
}

static void
restore_view (GuiVariableView *self, GtkTreePath *cursor, double scrolled)
{
    GtkTreeIter iter;

    if (cursor != NULL
        && gtk_tree_model_get_iter (GTK_TREE_MODEL (self->store), &iter, cursor)) {
        gtk_tree_view_set_cursor (GTK_TREE_VIEW (self->view), cursor, NULL, FALSE);
    }
    gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self)),
                              scrolled);
}

/* ---- while a value is edited ---- */

static void
drop_held (GuiVariableView *self)
{
    g_clear_handle_id (&self->held_source, g_source_remove);
    g_clear_pointer (&self->held, job_value_table_free);
    self->is_held = FALSE;
}

static void
hold (GuiVariableView *self, const JobValueTable *table, guint32 representative, guint64 stop)
{
    drop_held (self);
    self->is_held = TRUE;
    self->held = table != NULL ? job_value_table_dup (table) : NULL;
    self->held_representative = representative;
    self->held_stop = stop;
}

static gboolean
show_held (gpointer user)
{
    GuiVariableView *self = user;
    g_autoptr (JobValueTable) table = g_steal_pointer (&self->held);

    self->held_source = 0;
    gui_variable_view_set_table (self, table, self->held_representative, self->held_stop);
    return G_SOURCE_REMOVE;
}

/* Later: the text that was typed is told of after this. */
static void
on_editor_gone (GuiVariableView *self)
{
    self->is_editing = FALSE;
    if (self->is_held && self->held_source == 0) {
        self->held_source = g_idle_add (show_held, self);
    }
}

static void
note_editor (GuiVariableView *self, GtkCellEditable *editable)
{
    self->is_editing = TRUE;
    g_signal_connect_object (editable, "remove-widget", G_CALLBACK (on_editor_gone), self,
                             G_CONNECT_SWAPPED);
}

/* What was shown is of another function's variables. */
static void
enter_function (gpointer user)
{
    GuiVariableView *self = user;

    g_hash_table_remove_all (self->before);
    g_hash_table_remove_all (self->last);
}

void
gui_variable_view_set_reason (GuiVariableView *self, const char *text)
{
    self->hint = 0;
    gui_hint_set (self->view, text);
}

void
gui_variable_view_forget (GuiVariableView *self)
{
    drop_held (self);
    enter_function (self);
}

static void
enter_n_ranks (gpointer user)
{
    GuiVariableView *self = user;

    gtk_tree_view_column_set_visible (gtk_tree_view_get_column (GTK_TREE_VIEW (self->view),
                                                                OTHERS),
                                      self->n_ranks != 1);
}

/* The others' values, and its tooltip. */
static char *
format_across (GuiVariableView *self, const JobValueRow *row, const JobRankSet *everybody,
               char **ret_tip)
{
    g_autofree char *groups = NULL, *escaped = NULL, *uncompared = NULL;

    if (self->n_unread > 0) {
        *ret_tip = g_strdup_printf (
            ngettext ("%u other rank was not read: select fewer to compare",
                      "%u other ranks were not read: select fewer to compare", self->n_unread),
            self->n_unread);
        return g_strdup (_ ("not read"));
    }
    groups = gui_value_text_format_groups (row);
    escaped = g_markup_escape_text (groups, -1);
    uncompared = gui_value_text_format_uncompared (job_rank_set_get_count (everybody),
                                                   self->n_ranks);
    *ret_tip = g_strconcat (escaped, uncompared != NULL ? "\n" : "", uncompared, NULL);
    return gui_value_text_format_across (row, everybody, self->n_ranks);
}

/* is_read: that there is no row says something. */
static void
set_hint (GuiVariableView *self, gboolean is_read)
{
    if (self->hint != 1 + is_read) {
        self->hint = 1 + is_read;
        gui_hint_set (self->view,
                      is_read ? _ ("No variables here") : _ ("Appears when a rank stops"));
    }
}

void
gui_variable_view_note_stale (GuiVariableView *self)
{
    set_hint (self, FALSE);
}

void
gui_variable_view_set_table (GuiVariableView *self, const JobValueTable *table,
                             guint32 representative, guint64 stop)
{
    g_autofree char *representative_text = g_strdup_printf (_ ("Rank %u"), representative);
    g_autoptr (JobRankSet) everybody = job_rank_set_new ();
    g_autoptr (GtkTreePath) cursor = NULL;
    glong across_chars = ACROSS_CHARS;
    double scrolled = gtk_adjustment_get_value (
        gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self)));

    if (self->is_editing) {
        hold (self, table, representative, stop);
        return;
    }
    drop_held (self);
    gtk_tree_view_column_set_title (gtk_tree_view_get_column (GTK_TREE_VIEW (self->view), 1),
                                    representative_text);
    if (representative != self->representative || stop != self->stop) {
        g_hash_table_unref (self->before);
        self->before = g_steal_pointer (&self->last);
        self->last = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    }
    if (representative != self->representative) {
        g_hash_table_remove_all (self->before);
    }
    self->representative = representative;
    self->stop = stop;
    set_hint (self, table != NULL);
    self->is_filling = TRUE;
    gtk_tree_view_get_cursor (GTK_TREE_VIEW (self->view), &cursor, NULL);
    gtk_tree_store_clear (self->store);
    for (guint i = 0; table != NULL && i < table->rows->len; i++) {
        g_autoptr (JobRankSet) ranks = gui_value_text_dup_ranks (table->rows->pdata[i]);

        job_rank_set_merge (everybody, ranks);
    }
    for (guint i = 0; table != NULL && i < table->rows->len; i++) {
        const JobValueRow *row = table->rows->pdata[i];
        g_autofree char *tip = NULL;
        g_autofree char *across = format_across (self, row, everybody, &tip);
        g_autoptr (GBytes) bars = gui_spark_cell_make_bars (row, everybody, representative);

        across_chars = MAX (across_chars, g_utf8_strlen (across, -1));
        add_value (self, NULL, NULL, row->name, find_value (row, representative), across, bars,
                   tip);
    }
    g_object_set (self->across, "width-chars", (int) MIN (across_chars, MAX_ACROSS_CHARS),
                  NULL);
    if (self->is_watch) {
        gtk_tree_store_insert_with_values (self->store, NULL, NULL, -1, NAME, _ (NEW_WATCH),
                                           PATH, "", WEIGHT, PANGO_WEIGHT_NORMAL, IS_TOP, TRUE,
                                           IS_NEW, TRUE, -1);
    }
    self->is_filling = FALSE;
    gtk_tree_model_foreach (GTK_TREE_MODEL (self->store), expand_again, self);
    restore_view (self, cursor, scrolled);
}

typedef struct {
    GuiVariableView *self;
    const char *path;
    const JobValue *value;
} Parts;

/* What is in the row has no parts: a pointer's target is a row of its own. */
static void
add_target (const Parts *parts, GtkTreeIter *iter, const char *type)
{
    gboolean is_pointer = type != NULL && g_str_has_suffix (type, "*");
    g_autofree char *name = g_strconcat (is_pointer ? "*" : "", parts->path, NULL);

    add_value (parts->self, iter, NULL, name, parts->value, "", NULL, NULL);
}

static gboolean
fill_parts (GtkTreeModel *model, GtkTreePath *tree_path, GtkTreeIter *iter, gpointer user)
{
    Parts *parts = user;
    g_autofree char *path = NULL, *type = NULL, *base = NULL;
    gboolean is_waiting = FALSE;
    GtkTreeIter child;

    gtk_tree_model_get (model, iter, PATH, &path, -1);
    if (g_strcmp0 (path, parts->path) != 0) {
        return FALSE;
    }
    if (!gtk_tree_model_iter_children (model, &child, iter)) {
        return TRUE;
    }
    gtk_tree_model_get (model, &child, WAITING, &is_waiting, -1);
    if (!is_waiting) {
        return TRUE;
    }
    if (parts->value->is_problem) { /* its sentence stands where the parts would */
        g_autofree char *why = gui_value_text_dup_short (parts->value);

        gtk_tree_store_set (parts->self->store, &child, VALUE, why, WAITING, FALSE, -1);
        return TRUE;
    }
    gtk_tree_model_get (model, iter, TYPE, &type, -1);
    base = g_str_has_suffix (type, "*") ? g_strdup_printf ("(*%s)", path) : g_strdup (path);
    parts->self->is_filling = TRUE;
    for (guint i = 0; parts->value->children != NULL && i < parts->value->children->len; i++) {
        const JobValue *part = parts->value->children->pdata[i];
        g_autofree char *index = part->name == NULL ? g_strdup_printf ("[%u]", i) : NULL;

        add_value (parts->self, iter, base, part->name != NULL ? part->name : index, part, "",
                   NULL, NULL);
    }
    if (parts->value->children == NULL || parts->value->children->len == 0) {
        add_target (parts, iter, type);
    }
    gtk_tree_store_remove (parts->self->store, &child);
    gtk_tree_view_expand_row (GTK_TREE_VIEW (parts->self->view), tree_path, FALSE);
    parts->self->is_filling = FALSE;
    return TRUE;
}

void
gui_variable_view_add_parts (GuiVariableView *self, const char *path, const JobValue *value)
{
    Parts parts = { self, path, value };

    gtk_tree_model_foreach (GTK_TREE_MODEL (self->store), fill_parts, &parts);
    gtk_tree_model_foreach (GTK_TREE_MODEL (self->store), expand_again,
                            self); /* parts of parts */
}

static void
on_expanded (GtkTreeView *view, GtkTreeIter *iter, GtkTreePath *tree_path,
             GuiVariableView *self)
{
    g_autofree char *path = NULL;
    gboolean waiting = FALSE;
    GtkTreeIter child;

    gtk_tree_model_get (GTK_TREE_MODEL (self->store), iter, PATH, &path, -1);
    g_hash_table_add (self->expanded, g_strdup (path));
    if (gtk_tree_model_iter_children (GTK_TREE_MODEL (self->store), &child, iter)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &child, WAITING, &waiting, -1);
    }
    if (waiting && !self->is_filling) {
        g_autofree char *type = NULL, *expression = NULL;

        gtk_tree_model_get (GTK_TREE_MODEL (self->store), iter, TYPE, &type, -1);
        expression = type != NULL && g_str_has_suffix (type, "*")
                         ? g_strconcat ("*", path, NULL)
                         : g_strdup (path);
        g_signal_emit (self, signals[EXPAND], 0, expression, path);
    }
}

static void
on_collapsed (GtkTreeView *view, GtkTreeIter *iter, GtkTreePath *tree_path,
              GuiVariableView *self)
{
    g_autofree char *path = NULL;

    gtk_tree_model_get (GTK_TREE_MODEL (self->store), iter, PATH, &path, -1);
    g_hash_table_remove (self->expanded, path);
}

static void
on_edited (GtkCellRendererText *cell, char *tree_path, char *text, GuiVariableView *self)
{
    g_autofree char *path = NULL;
    GtkTreeIter iter;

    if (gtk_tree_model_get_iter_from_string (GTK_TREE_MODEL (self->store), &iter, tree_path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, PATH, &path, -1);
        if (g_strcmp0 (g_hash_table_lookup (self->last, path), text) != 0) {
            g_signal_emit (self, signals[EDITED], 0, path, text);
        }
    }
}

/* The editor begins with the value itself, without "(was …)". */
static void
on_editing_started (GtkCellRenderer *cell, GtkCellEditable *editable, char *tree_path,
                    GuiVariableView *self)
{
    g_autofree char *path = NULL;
    GtkTreeIter iter;

    note_editor (self, editable);
    if (GTK_IS_ENTRY (editable)
        && gtk_tree_model_get_iter_from_string (GTK_TREE_MODEL (self->store), &iter,
                                                tree_path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, PATH, &path, -1);
        const char *text = g_hash_table_lookup (self->last, path);
        gtk_entry_set_text (GTK_ENTRY (editable), text != NULL ? text : "");
    }
}

static char *
dup_string (GuiVariableView *self, const char *tree_path, int column)
{
    char *text = NULL;
    GtkTreeIter iter;

    if (gtk_tree_model_get_iter_from_string (GTK_TREE_MODEL (self->store), &iter, tree_path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, column, &text, -1);
    }
    return text;
}

static void
on_renamed (GtkCellRendererText *cell, char *tree_path, char *text, GuiVariableView *self)
{
    g_autofree char *path = dup_string (self, tree_path, PATH);

    if (g_strcmp0 (path, text) != 0) {
        g_signal_emit (self, signals[RENAMED], 0, path != NULL && *path != '\0' ? path : NULL,
                       text);
    }
}

/* A new watch begins empty, not with the words that invite to it. */
static void
on_renaming_started (GtkCellRenderer *cell, GtkCellEditable *editable, char *tree_path,
                     GuiVariableView *self)
{
    g_autofree char *path = dup_string (self, tree_path, PATH);

    note_editor (self, editable);
    if (GTK_IS_ENTRY (editable)) {
        gtk_entry_set_text (GTK_ENTRY (editable), path != NULL ? path : "");
    }
}

static char *
dup_cursor_string (GuiVariableView *self, int column)
{
    g_autoptr (GtkTreePath) cursor = NULL;
    g_autofree char *text = NULL;

    gtk_tree_view_get_cursor (GTK_TREE_VIEW (self->view), &cursor, NULL);
    text = cursor != NULL ? gtk_tree_path_to_string (cursor) : NULL;
    return text != NULL ? dup_string (self, text, column) : NULL;
}

const char *
gui_variable_view_get_shown (GuiVariableView *self, const char *path)
{
    return g_hash_table_lookup (self->last, path);
}

static void
on_menu_item (GtkMenuItem *item, GuiVariableView *self)
{
    const char *verb = g_object_get_data (G_OBJECT (item), "verb");
    g_autofree char *path = dup_cursor_string (self, PATH);

    if (path == NULL || *path == '\0') {
        return;
    }
    if (g_str_equal (verb, "remove")) {
        g_signal_emit (self, signals[RENAMED], 0, path, "");
    } else {
        g_signal_emit (self, signals[CHOSEN], 0, verb, path);
    }
}

static void
add_item (GuiVariableView *self, GtkWidget *menu, const char *label, const char *verb)
{
    GtkWidget *item = gtk_menu_item_new_with_mnemonic (label);

    g_object_set_data (G_OBJECT (item), "verb", (gpointer) verb);
    g_signal_connect (item, "activate", G_CALLBACK (on_menu_item), self);
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
}

static void
popup (GtkWidget *view, GuiVariableView *self, gboolean is_at_pointer)
{
    GtkWidget *menu = gtk_menu_new ();

    add_item (self, menu, self->is_watch ? _ ("_Remove") : _ ("_Watch"),
              self->is_watch ? "remove" : "watch");
    add_item (self, menu, _ ("_Stop When Changed"), "stop");
    add_item (self, menu, _ ("Compare _Ranks"), "compare");
    add_item (self, menu, _ ("Show as _Array"), "array");
    add_item (self, menu, _ ("_Copy Value"), "copy");
    gtk_menu_attach_to_widget (GTK_MENU (menu), view, NULL);
    gtk_widget_show_all (menu);
    g_signal_connect (menu, "selection-done", G_CALLBACK (gtk_widget_destroy), NULL);
    if (is_at_pointer) {
        gtk_menu_popup_at_pointer (GTK_MENU (menu), NULL);
    } else {
        gtk_menu_popup_at_widget (GTK_MENU (menu), view, GDK_GRAVITY_CENTER,
                                  GDK_GRAVITY_NORTH_WEST, NULL);
        gtk_menu_shell_select_first (GTK_MENU_SHELL (menu), FALSE);
    }
}

/* The values themselves are edited by that, so it is the column of the other ranks'. */
static void
on_activated (GtkTreeView *view, GtkTreePath *tree_path, GtkTreeViewColumn *column,
              GuiVariableView *self)
{
    g_autofree char *path = dup_cursor_string (self, PATH);

    if (column == gtk_tree_view_get_column (view, 2) && path != NULL && *path != '\0') {
        g_signal_emit (self, signals[CHOSEN], 0, "compare", path);
    }
}

static gboolean
on_popup (GtkWidget *view, GuiVariableView *self)
{
    popup (view, self, FALSE);
    return TRUE;
}

static gboolean
on_button (GtkWidget *view, GdkEventButton *event, GuiVariableView *self)
{
    g_autoptr (GtkTreePath) path = NULL;

    if (event->type != GDK_BUTTON_PRESS || event->button != GDK_BUTTON_SECONDARY) {
        return FALSE;
    }
    if (gtk_tree_view_get_path_at_pos (GTK_TREE_VIEW (view), (int) event->x, (int) event->y,
                                       &path, NULL, NULL, NULL)) {
        gtk_tree_view_set_cursor (GTK_TREE_VIEW (view), path, NULL, FALSE);
        popup (view, self, TRUE);
    }
    return TRUE;
}

/* The cursor stands on the row that takes a new watch: it has no path. */
static gboolean
is_new_row (GuiVariableView *self)
{
    g_autofree char *path = dup_cursor_string (self, PATH);

    return self->is_watch && (path == NULL || *path == '\0');
}

static gboolean
on_key (GtkWidget *view, GdkEventKey *event, GuiVariableView *self)
{
    g_autofree char *path = NULL;
    g_autoptr (GtkTreePath) cursor = NULL;

    if (event->keyval == GDK_KEY_F2) {
        gtk_tree_view_get_cursor (GTK_TREE_VIEW (view), &cursor, NULL);
        if (cursor != NULL) {
            gtk_tree_view_set_cursor (GTK_TREE_VIEW (view), cursor,
                                      gtk_tree_view_get_column (GTK_TREE_VIEW (view),
                                                                is_new_row (self) ? 0 : 1),
                                      TRUE);
        }
        return TRUE;
    }
    if (!self->is_watch || event->keyval != GDK_KEY_Delete) {
        return FALSE;
    }
    path = dup_cursor_string (self, PATH);
    if (path != NULL && *path != '\0') {
        g_signal_emit (self, signals[RENAMED], 0, path, "");
    }
    return TRUE;
}

GUI_FINALIZE (gui_variable_view, GuiVariableView, drop_held (self);
              g_object_unref (self->store); g_hash_table_unref (self->last);
              g_hash_table_unref (self->before); g_hash_table_unref (self->expanded);
              gui_properties_clear (self, GUI_TYPE_VARIABLE_VIEW))

/* Only a watch's name can be edited, and needs the room for that; so does the row for a new one. */
static int
get_name_chars (const GuiVariableView *self)
{
    return self->is_watch  ? (int) MAX (EDITED_CHARS, g_utf8_strlen (_ (NEW_WATCH), -1) + 1)
           : self->is_line ? EDITED_CHARS
                           : NAME_CHARS;
}

static void
on_size (GuiVariableView *self, const GtkAllocation *allocation)
{
    gtk_tree_view_column_set_visible (self->type,
                                      allocation->width
                                          >= (get_name_chars (self) + OTHER_CHARS)
                                                 * gui_theme_get_char_width (self->view));
}

static void
show_kind (GuiVariableView *self)
{
    g_object_set (self->name_cell, "width-chars", get_name_chars (self), "editable", FALSE,
                  NULL);
    gtk_tree_view_column_set_attributes (self->name, self->name_cell, "text", NAME, "weight",
                                         WEIGHT, self->is_watch ? "editable" : NULL, IS_TOP,
                                         NULL);
    gui_theme_name (self->view,
                    self->is_watch  ? "watches"
                    : self->is_line ? "current-line"
                                    : "locals",
                    self->is_watch  ? _ ("Watches")
                    : self->is_line ? _ ("Current Line")
                                    : _ ("Locals"));
}

static void
enter_is_watch (gpointer user)
{
    GuiVariableView *self = user;

    show_kind (self);
    gui_variable_view_set_table (self, NULL, 0, 0); /* with the row for a new one */
}

static void
gui_variable_view_class_init (GuiVariableViewClass *klass)
{
    GUI_PROPERTIES (klass, GuiVariableView, (is_watch, G_TYPE_BOOLEAN, .enter = enter_is_watch),
                    (is_line, G_TYPE_BOOLEAN, .enter = enter_is_watch),
                    (function, G_TYPE_STRING, .enter = enter_function),
                    (n_ranks, G_TYPE_UINT, .enter = enter_n_ranks), (n_unread, G_TYPE_UINT),
                    (is_moving, G_TYPE_BOOLEAN));
    G_OBJECT_CLASS (klass)->finalize = gui_variable_view_finalize;
    signals[EDITED] = GUI_SIGNAL (klass, "edited", G_TYPE_STRING, G_TYPE_STRING);
    signals[EXPAND] = GUI_SIGNAL (klass, "expand", G_TYPE_STRING, G_TYPE_STRING);
    signals[RENAMED] = GUI_SIGNAL (klass, "renamed", G_TYPE_STRING, G_TYPE_STRING);
    signals[CHOSEN] = GUI_SIGNAL (klass, "chosen", G_TYPE_STRING, G_TYPE_STRING);
    GUI_ENSURE (GUI_TYPE_SPARK_CELL);
    GUI_TEMPLATE (klass, "variable-view.ui");
    GUI_CHILDREN (klass, GuiVariableView, view, name, name_cell, across, type);
    GUI_CALLBACKS (klass, on_size, on_expanded, on_collapsed, on_button, on_popup, on_activated,
                   on_key, on_edited, on_editing_started, on_renamed, on_renaming_started);
}

static void
gui_variable_view_init (GuiVariableView *self)
{
    self->last = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    self->before = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    self->expanded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    self->store = gtk_tree_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_BYTES, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_INT,
                                      G_TYPE_BOOLEAN, G_TYPE_STRING, G_TYPE_BOOLEAN,
                                      G_TYPE_BOOLEAN, G_TYPE_STRING);
    gtk_widget_init_template (GTK_WIDGET (self));
    gtk_tree_view_set_model (GTK_TREE_VIEW (self->view), GTK_TREE_MODEL (self->store));
    gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (self->view), TIP);
    set_hint (self, FALSE);
    show_kind (self);
}
