/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/kit/list-merge.h"

static char *
dup_key (GtkTreeModel *model, GtkTreeIter *iter, int key, guint place)
{
    g_auto (GValue) value = G_VALUE_INIT;
    guint number = place;

    if (key >= 0) {
        gtk_tree_model_get_value (model, iter, key, &value);
        if (G_VALUE_HOLDS_STRING (&value)) {
            return g_strdup (g_value_get_string (&value) != NULL ? g_value_get_string (&value)
                                                                 : "");
        }
        number = g_value_get_uint (&value);
    }
    return g_strdup_printf ("%u", number);
}

/* The rows by their keys; of rows with the same key, the first one. An iterator of a list store
 * stays valid as long as its row is there. */
static GHashTable *
index_rows (GtkTreeModel *model, int key)
{
    GHashTable *rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                              (GDestroyNotify) gtk_tree_iter_free);
    GtkTreeIter iter;
    gboolean is_there = gtk_tree_model_get_iter_first (model, &iter);

    for (guint place = 0; is_there;
         place++, is_there = gtk_tree_model_iter_next (model, &iter)) {
        char *name = dup_key (model, &iter, key, place);

        if (g_hash_table_contains (rows, name)) {
            g_free (name);
        } else {
            g_hash_table_insert (rows, name, gtk_tree_iter_copy (&iter));
        }
    }
    return rows;
}

static void
copy_row (GtkListStore *store, GtkTreeIter *to, GtkTreeModel *fresh, GtkTreeIter *from)
{
    for (int column = 0; column < gtk_tree_model_get_n_columns (fresh); column++) {
        g_auto (GValue) value = G_VALUE_INIT;

        gtk_tree_model_get_value (fresh, from, column, &value);
        gtk_list_store_set_value (store, to, column, &value);
    }
}

/* Puts the row of before, or a new one, at the cursor, which goes on behind it. */
static void
place_row (GtkListStore *store, GtkTreeIter *old, GtkTreeIter *cursor, gboolean *has_cursor,
           GtkTreeIter *ret_row)
{
    GtkTreeModel *model = GTK_TREE_MODEL (store);
    GtkTreeIter *before = *has_cursor ? cursor : NULL;

    if (old == NULL) {
        gtk_list_store_insert_before (store, ret_row, before);
    } else if (*has_cursor && old->user_data == cursor->user_data) {
        *ret_row = *old;
        *has_cursor = gtk_tree_model_iter_next (model, cursor);
    } else {
        gtk_list_store_move_before (store, old, before);
        *ret_row = *old;
    }
}

/* Before the others find their places: what stood behind a row that is gone need not move then. */
static void
remove_gone (GtkListStore *store, GtkListStore *fresh, int key)
{
    g_autoptr (GHashTable) wanted = index_rows (GTK_TREE_MODEL (fresh), key);
    GtkTreeIter iter;
    gboolean is_there = gtk_tree_model_get_iter_first (GTK_TREE_MODEL (store), &iter);

    for (guint place = 0; is_there; place++) {
        g_autofree char *name = dup_key (GTK_TREE_MODEL (store), &iter, key, place);

        is_there = g_hash_table_contains (wanted, name)
                       ? gtk_tree_model_iter_next (GTK_TREE_MODEL (store), &iter)
                       : gtk_list_store_remove (store, &iter);
    }
}

void
gui_list_merge (GtkListStore *store, GtkListStore *fresh, int key)
{
    GtkTreeModel *model = GTK_TREE_MODEL (store), *source = GTK_TREE_MODEL (fresh);
    g_autoptr (GHashTable) rows = NULL;
    GtkTreeIter cursor, from;
    gboolean has_cursor, is_there = gtk_tree_model_get_iter_first (source, &from);

    remove_gone (store, fresh, key);
    rows = index_rows (model, key);
    has_cursor = gtk_tree_model_get_iter_first (model, &cursor);
    for (guint place = 0; is_there;
         place++, is_there = gtk_tree_model_iter_next (source, &from)) {
        g_autofree char *name = dup_key (source, &from, key, place);
        GtkTreeIter row;

        place_row (store, g_hash_table_lookup (rows, name), &cursor, &has_cursor, &row);
        g_hash_table_remove (rows, name); /* a second row of that key is a row of its own */
        copy_row (store, &row, source, &from);
    }
    while (has_cursor) {
        has_cursor = gtk_list_store_remove (store, &cursor);
    }
}

GtkListStore *
gui_list_new_alike (GtkListStore *store)
{
    int n = gtk_tree_model_get_n_columns (GTK_TREE_MODEL (store));
    g_autofree GType *types = g_new (GType, n);

    for (int column = 0; column < n; column++) {
        types[column] = gtk_tree_model_get_column_type (GTK_TREE_MODEL (store), column);
    }
    return gtk_list_store_newv (n, types);
}
