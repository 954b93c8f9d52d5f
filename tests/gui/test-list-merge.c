/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random lists, one after the other: the rows are those of the new list, in its order, and a row
 * that was there before is still the same row. */
#include "gui/kit/list-merge.h"

enum { KEY, TEXT, N_COLUMNS };
enum { N_ROUNDS = 2000, N_NUMBERS = 12 };

static GtkListStore *
make_list (GRand *random, gboolean with_twins)
{
    GtkListStore *list = gtk_list_store_new (N_COLUMNS, G_TYPE_UINT, G_TYPE_STRING);
    guint numbers[N_NUMBERS], n = g_rand_int_range (random, 0, N_NUMBERS + 1);

    for (guint i = 0; i < N_NUMBERS; i++) {
        guint j = g_rand_int_range (random, 0, i + 1);

        numbers[i] = numbers[j];
        numbers[j] = i;
    }
    for (guint i = 0; i < n; i++) {
        g_autofree char *text = g_strdup_printf ("%u", g_rand_int (random));

        gtk_list_store_insert_with_values (list, NULL, -1, KEY,
                                           with_twins ? numbers[i] / 2 : numbers[i], TEXT, text,
                                           -1);
    }
    return list;
}

static void
assert_same_rows (GtkListStore *list, GtkListStore *wanted)
{
    GtkTreeModel *models[] = { GTK_TREE_MODEL (list), GTK_TREE_MODEL (wanted) };
    GtkTreeIter one, other;
    gboolean is_one = gtk_tree_model_get_iter_first (models[0], &one);
    gboolean is_other = gtk_tree_model_get_iter_first (models[1], &other);

    while (is_one && is_other) {
        g_autofree char *text = NULL, *other_text = NULL;
        guint key, other_key;

        gtk_tree_model_get (models[0], &one, KEY, &key, TEXT, &text, -1);
        gtk_tree_model_get (models[1], &other, KEY, &other_key, TEXT, &other_text, -1);
        g_assert_cmpuint (key, ==, other_key);
        g_assert_cmpstr (text, ==, other_text);
        is_one = gtk_tree_model_iter_next (models[0], &one);
        is_other = gtk_tree_model_iter_next (models[1], &other);
    }
    g_assert_false (is_one || is_other);
}

static void
refer (GtkListStore *list, GtkTreeRowReference **references)
{
    GtkTreeIter iter;
    gboolean is_there = gtk_tree_model_get_iter_first (GTK_TREE_MODEL (list), &iter);

    for (; is_there; is_there = gtk_tree_model_iter_next (GTK_TREE_MODEL (list), &iter)) {
        g_autoptr (GtkTreePath) path = gtk_tree_model_get_path (GTK_TREE_MODEL (list), &iter);
        guint key;

        gtk_tree_model_get (GTK_TREE_MODEL (list), &iter, KEY, &key, -1);
        references[key] = gtk_tree_row_reference_new (GTK_TREE_MODEL (list), path);
    }
}

/* What a selection refers to: a row of that number, or no row because the number is gone. */
static void
assert_kept (GtkListStore *list, GtkListStore *fresh, GtkTreeRowReference **references)
{
    gboolean is_wanted[N_NUMBERS] = { FALSE };
    GtkTreeIter iter;
    gboolean is_there = gtk_tree_model_get_iter_first (GTK_TREE_MODEL (fresh), &iter);
    guint key;

    for (; is_there; is_there = gtk_tree_model_iter_next (GTK_TREE_MODEL (fresh), &iter)) {
        gtk_tree_model_get (GTK_TREE_MODEL (fresh), &iter, KEY, &key, -1);
        is_wanted[key] = TRUE;
    }
    for (guint i = 0; i < N_NUMBERS; i++) {
        g_autoptr (GtkTreePath) path = references[i] != NULL
                                           ? gtk_tree_row_reference_get_path (references[i])
                                           : NULL;

        if (references[i] != NULL) {
            g_assert_cmpint (path != NULL, ==, is_wanted[i]);
        }
        if (path != NULL) {
            gtk_tree_model_get_iter (GTK_TREE_MODEL (list), &iter, path);
            gtk_tree_model_get (GTK_TREE_MODEL (list), &iter, KEY, &key, -1);
            g_assert_cmpuint (key, ==, i);
        }
        g_clear_pointer (&references[i], gtk_tree_row_reference_free);
    }
}

static void
test_rows_stay (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (7);
    g_autoptr (GtkListStore) list = gtk_list_store_new (N_COLUMNS, G_TYPE_UINT, G_TYPE_STRING);
    GtkTreeRowReference *references[N_NUMBERS] = { NULL };

    for (guint round = 0; round < N_ROUNDS; round++) {
        g_autoptr (GtkListStore) fresh = make_list (random, FALSE);

        refer (list, references);
        gui_list_merge (list, fresh, KEY);
        assert_same_rows (list, fresh);
        assert_kept (list, fresh, references);
    }
}

static void
test_twins_and_places (gconstpointer key)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (8);
    g_autoptr (GtkListStore) list = gtk_list_store_new (N_COLUMNS, G_TYPE_UINT, G_TYPE_STRING);

    for (guint round = 0; round < N_ROUNDS; round++) {
        g_autoptr (GtkListStore) fresh = make_list (random, TRUE);
        g_autoptr (GtkListStore) alike = gui_list_new_alike (fresh);

        gui_list_merge (alike, fresh, GPOINTER_TO_INT (key));
        assert_same_rows (alike, fresh);
        gui_list_merge (list, fresh, GPOINTER_TO_INT (key));
        assert_same_rows (list, fresh);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/gui/list-merge/rows-stay", test_rows_stay);
    g_test_add_data_func ("/gui/list-merge/twins", GINT_TO_POINTER (KEY),
                          test_twins_and_places);
    g_test_add_data_func ("/gui/list-merge/by-text", GINT_TO_POINTER (TEXT),
                          test_twins_and_places);
    g_test_add_data_func ("/gui/list-merge/by-place", GINT_TO_POINTER (-1),
                          test_twins_and_places);
    return g_test_run ();
}
