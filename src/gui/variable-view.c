/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A GtkTreeStore of the values shown; a part's full name is the expression that fetches it. */
#include "gui/variable-view.h"
#include <glib/gi18n.h>
#include <string.h>
#include "gui/theme.h"

enum { NAME, VALUE, ACROSS, TYPE, PATH, WEIGHT, WAITING, TIP, N_COLUMNS };

struct _GuiVariableView {
    GtkScrolledWindow parent;
    GtkTreeStore *store;
    GtkWidget *view;
    GHashTable *last;     /* path to text, as shown */
    GHashTable *before;   /* the same of the stop before */
    guint32 representative;
    guint64 stop;
    GHashTable *expanded; /* set of paths */
    gboolean is_filling;
};

G_DEFINE_TYPE (GuiVariableView, gui_variable_view, GTK_TYPE_SCROLLED_WINDOW)

enum { EDITED, EXPAND, N_SIGNALS };
static guint signals[N_SIGNALS];

static const JobValue *
find_value (const JobValueRow *row, guint32 rank)
{
    for (guint i = 0; i < row->groups->len; i++) {
        const JobValueGroup *group = row->groups->pdata[i];

        if (job_rank_set_contains (group->ranks, rank)) {
            return group->value;
        }
    }
    return NULL;
}

static JobRankSet *
dup_row_ranks (const JobValueRow *row)
{
    JobRankSet *set = job_rank_set_new ();

    for (guint i = 0; i < row->groups->len; i++) {
        job_rank_set_merge (set, ((JobValueGroup *) row->groups->pdata[i])->ranks);
    }
    return set;
}

/* everybody: the ranks that have any row; the others have no such variable here. */
static char *
format_across (const JobValueRow *row, const JobRankSet *everybody)
{
    g_autoptr (JobRankSet) ranks = dup_row_ranks (row);
    JobValueSummary summary;

    if (row->groups->len <= 1 && !job_rank_set_equal (ranks, everybody)) {
        g_autofree char *text = job_rank_set_format (ranks);

        return g_strdup_printf (_("only %s"), text);
    }
    if (row->groups->len <= 1) {
        return g_strdup (_("same"));
    }
    if (job_value_row_summarise (row, &summary)) {
        char *text = g_strdup_printf ("[%.6g..%.6g]", summary.min, summary.max);

        job_value_summary_clear (&summary);
        return text;
    }
    return g_strdup_printf (ngettext ("%u value", "%u values", row->groups->len),
                            row->groups->len);
}

static char *
format_tip (const JobValueRow *row)
{
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < row->groups->len && i < 8; i++) {
        const JobValueGroup *group = row->groups->pdata[i];
        g_autofree char *ranks = job_rank_set_format (group->ranks);
        g_autofree char *line = g_markup_printf_escaped ("%s%s: %.80s", i > 0 ? "\n" : "", ranks,
                                                         group->value->text);

        g_string_append (text, line);
    }
    return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
make_path (const char *parent, const char *name)
{
    if (parent == NULL || name == NULL) {
        return g_strdup (name != NULL ? name : "");
    }
    return name[0] == '[' || name[0] == '.' || g_str_has_prefix (name, "->")
         ? g_strconcat (parent, name, NULL) : g_strconcat (parent, ".", name, NULL);
}

/* The text without a leading "(TYPE) ", which has a column of its own. */
static const char *
get_short_text (const JobValue *value)
{
    const char *text = value->text != NULL ? value->text : "";
    gsize length = value->type != NULL ? strlen (value->type) : 0;

    return length > 0 && text[0] == '(' && strncmp (text + 1, value->type, length) == 0
        && g_str_has_prefix (text + 1 + length, ") ") ? text + length + 3 : text;
}

static void
add_value (GuiVariableView *self, GtkTreeIter *parent, const char *parent_path, const char *name,
           const JobValue *value, const char *across, const char *tip)
{
    g_autofree char *path = make_path (parent_path, name);
    const char *before = g_hash_table_lookup (self->before, path);
    const char *now = value == NULL ? _("not here") : get_short_text (value);
    gboolean changed = before != NULL && strcmp (before, now) != 0;
    g_autofree char *text = changed ? g_strdup_printf (_("%s (was %s)"), now, before)
                                    : g_strdup (now);
    GtkTreeIter iter, waiting;

    gtk_tree_store_insert_with_values (self->store, &iter, parent, -1, NAME, name, VALUE, text,
        ACROSS, across, TYPE, value != NULL && value->type != NULL ? value->type : "", PATH, path,
        WEIGHT, changed ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL, TIP, tip, -1);
    g_hash_table_replace (self->last, g_strdup (path), g_strdup (now));
    for (guint i = 0; value != NULL && value->children != NULL && i < value->children->len; i++) {
        const JobValue *part = value->children->pdata[i];
        g_autofree char *index = part->name == NULL ? g_strdup_printf ("[%u]", i) : NULL;

        add_value (self, &iter, path, part->name != NULL ? part->name : index, part, "", NULL);
    }
    if (value != NULL && value->expandable
        && (value->children == NULL || value->children->len == 0)) {
        gtk_tree_store_insert_with_values (self->store, &waiting, &iter, -1, NAME, "…", VALUE, "",
                                           PATH, "", WEIGHT, PANGO_WEIGHT_NORMAL, WAITING, TRUE, -1);
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

void
gui_variable_view_set_table (GuiVariableView *self, const JobValueTable *table,
                             guint32 representative, guint64 stop)
{
    g_autofree char *representative_text = g_strdup_printf (_("Rank %u"), representative);
    g_autoptr (JobRankSet) everybody = job_rank_set_new ();

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
    self->is_filling = TRUE;
    gtk_tree_store_clear (self->store);
    for (guint i = 0; table != NULL && i < table->rows->len; i++) {
        g_autoptr (JobRankSet) ranks = dup_row_ranks (table->rows->pdata[i]);

        job_rank_set_merge (everybody, ranks);
    }
    for (guint i = 0; table != NULL && i < table->rows->len; i++) {
        const JobValueRow *row = table->rows->pdata[i];
        g_autofree char *across = format_across (row, everybody), *tip = format_tip (row);

        add_value (self, NULL, NULL, row->name, find_value (row, representative), across, tip);
    }
    self->is_filling = FALSE;
    gtk_tree_model_foreach (GTK_TREE_MODEL (self->store), expand_again, self);
}

typedef struct {
    GuiVariableView *self;
    const char *path;
    const JobValue *value;
} Parts;

static gboolean
fill_parts (GtkTreeModel *model, GtkTreePath *tree_path, GtkTreeIter *iter, gpointer user)
{
    Parts *parts = user;
    g_autofree char *path = NULL;
    GtkTreeIter child;

    gtk_tree_model_get (model, iter, PATH, &path, -1);
    if (g_strcmp0 (path, parts->path) != 0) {
        return FALSE;
    }
    parts->self->is_filling = TRUE;
    for (guint i = 0; parts->value->children != NULL && i < parts->value->children->len; i++) {
        const JobValue *part = parts->value->children->pdata[i];
        g_autofree char *index = part->name == NULL ? g_strdup_printf ("[%u]", i) : NULL;

        add_value (parts->self, iter, path, part->name != NULL ? part->name : index, part, "",
                   NULL);
    }
    if (gtk_tree_model_iter_children (model, &child, iter)) {
        gboolean waiting;

        gtk_tree_model_get (model, &child, WAITING, &waiting, -1);
        if (waiting) {
            gtk_tree_store_remove (parts->self->store, &child);
        }
    }
    gtk_tree_view_expand_row (GTK_TREE_VIEW (parts->self->view), tree_path, FALSE);
    parts->self->is_filling = FALSE;
    return TRUE;
}

void
gui_variable_view_add_parts (GuiVariableView *self, const char *name, const JobValue *value)
{
    Parts parts = { self, name, value };

    gtk_tree_model_foreach (GTK_TREE_MODEL (self->store), fill_parts, &parts);
}

static void
on_expanded (GtkTreeView *view, GtkTreeIter *iter, GtkTreePath *tree_path, GuiVariableView *self)
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
        g_signal_emit (self, signals[EXPAND], 0, path);
    }
}

static void
on_collapsed (GtkTreeView *view, GtkTreeIter *iter, GtkTreePath *tree_path, GuiVariableView *self)
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

    if (GTK_IS_ENTRY (editable)
        && gtk_tree_model_get_iter_from_string (GTK_TREE_MODEL (self->store), &iter, tree_path)) {
        gtk_tree_model_get (GTK_TREE_MODEL (self->store), &iter, PATH, &path, -1);
        const char *text = g_hash_table_lookup (self->last, path);
        gtk_entry_set_text (GTK_ENTRY (editable), text != NULL ? text : "");
    }
}

static void
gui_variable_view_finalize (GObject *object)
{
    GuiVariableView *self = GUI_VARIABLE_VIEW (object);

    g_object_unref (self->store);
    g_hash_table_unref (self->last);
    g_hash_table_unref (self->before);
    g_hash_table_unref (self->expanded);
    G_OBJECT_CLASS (gui_variable_view_parent_class)->finalize (object);
}

static void
gui_variable_view_class_init (GuiVariableViewClass *klass)
{
    G_OBJECT_CLASS (klass)->finalize = gui_variable_view_finalize;
    signals[EDITED] = g_signal_new ("edited", GUI_TYPE_VARIABLE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
    signals[EXPAND] = g_signal_new ("expand", GUI_TYPE_VARIABLE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
                                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static GtkCellRenderer *
add_column (GuiVariableView *self, const char *title, int column, int width, gboolean expand)
{
    GtkCellRenderer *cell = gtk_cell_renderer_text_new ();
    GtkTreeViewColumn *view_column = gtk_tree_view_column_new_with_attributes (title, cell, "text",
        column, "weight", WEIGHT, NULL);

    g_object_set (cell, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", width, NULL);
    gtk_tree_view_column_set_expand (view_column, expand);
    gtk_tree_view_column_set_resizable (view_column, TRUE);
    gtk_tree_view_append_column (GTK_TREE_VIEW (self->view), view_column);
    return cell;
}

static void
gui_variable_view_init (GuiVariableView *self)
{
    GtkCellRenderer *value;

    self->last = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    self->before = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    self->expanded = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    self->store = gtk_tree_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING,
                                      G_TYPE_STRING, G_TYPE_STRING, G_TYPE_INT, G_TYPE_BOOLEAN,
                                      G_TYPE_STRING);
    self->view = gtk_tree_view_new_with_model (GTK_TREE_MODEL (self->store));
    gtk_tree_view_set_tooltip_column (GTK_TREE_VIEW (self->view), TIP);
    add_column (self, _("Name"), NAME, 10, FALSE);
    value = add_column (self, _("Value"), VALUE, 13, TRUE);
    g_object_set (value, "editable", TRUE, NULL);
    g_signal_connect (value, "edited", G_CALLBACK (on_edited), self);
    g_signal_connect (value, "editing-started", G_CALLBACK (on_editing_started), self);
    add_column (self, _("Across"), ACROSS, 9, FALSE);
    add_column (self, _("Type"), TYPE, 9, TRUE);
    gui_theme_name (self->view, "locals", _("Locals"));
    g_signal_connect (self->view, "row-expanded", G_CALLBACK (on_expanded), self);
    g_signal_connect (self->view, "row-collapsed", G_CALLBACK (on_collapsed), self);
    gtk_widget_show (self->view);
}

GtkWidget *
gui_variable_view_new (void)
{
    GtkWidget *self = g_object_new (GUI_TYPE_VARIABLE_VIEW, NULL);

    gtk_container_add (GTK_CONTAINER (self), GUI_VARIABLE_VIEW (self)->view);
    return self;
}
