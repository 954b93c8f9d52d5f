/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/array.h"

typedef struct {
    guint number;
    const char *name;
} Row;

static const Row rows[] = { { 3, "three" }, { 5, "five" }, { 5, "cinq" }, { 9, "nine" } };

static guint n_looks;

static guint
count_look (guint number)
{
    n_looks++;
    return number;
}

static void
test_indices (void)
{
    gsize n = G_N_ELEMENTS (rows);

    g_assert_true (BASE_ANY (i, n, rows[i].number == 5));
    g_assert_false (BASE_ANY (i, n, rows[i].number == 4));
    g_assert_false (BASE_ANY (i, 0, TRUE));
    g_assert_true (BASE_ALL (i, n, rows[i].number > 2));
    g_assert_false (BASE_ALL (i, n, rows[i].number > 3));
    g_assert_true (BASE_ALL (i, 0, FALSE));
    g_assert_cmpstr (BASE_CHOOSE (i, n, rows[i].number == 5, rows[i].name, "?"), ==, "five");
    g_assert_cmpstr (BASE_CHOOSE (i, n, rows[i].number == 6, rows[i].name, "?"), ==, "?");
    g_assert_cmpuint (BASE_SUM (guint, i, n, rows[i].number), ==, 22);
    /* It ends with the first, and asks how many there are once. */
    n_looks = 0;
    g_assert_true (BASE_ANY (i, n, count_look (rows[i].number) == 5));
    g_assert_cmpuint (n_looks, ==, 2);
    n_looks = 0;
    g_assert_false (BASE_ANY (i, count_look (2), rows[i].number == 9));
    g_assert_cmpuint (n_looks, ==, 1);
}

static void
test_bisect (void)
{
    const guint numbers[] = { 1, 3, 3, 7, 8 };

    for (guint wanted = 0; wanted < 10; wanted++) {
        guint low = BASE_BISECT (i, 0, G_N_ELEMENTS (numbers), numbers[i] < wanted), plain = 0;

        while (plain < G_N_ELEMENTS (numbers) && numbers[plain] < wanted) {
            plain++;
        }
        g_assert_cmpuint (low, ==, plain);
    }
    g_assert_cmpuint (BASE_BISECT (i, 2, 4, TRUE), ==, 4);
    g_assert_cmpuint (BASE_BISECT (i, 2, 4, FALSE), ==, 2);
    g_assert_cmpuint (BASE_BISECT (i, 2, 2, TRUE), ==, 2);
}

static void
test_elements (void)
{
    g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (Row));
    g_autoptr (GPtrArray) pointers = g_ptr_array_new ();
    GPtrArray *none = NULL;

    g_array_append_vals (array, rows, G_N_ELEMENTS (rows));
    for (guint i = 0; i < array->len; i++) {
        g_ptr_array_add (pointers, &g_array_index (array, Row, i));
    }
    g_assert_true (BASE_FIND (pointers, Row, row, row->number == 5) == pointers->pdata[1]);
    g_assert_null (BASE_FIND (pointers, const Row, row, row->number == 4));
    g_assert_null (BASE_FIND (none, const Row, row, row->number == 5));
    g_assert_true (BASE_HAS (pointers, const Row, row, row->number == 9));
    g_assert_cmpstr (BASE_PICK (pointers, const Row, row, row->number == 9, row->name, "?"), ==,
                     "nine");
    g_assert_cmpstr (BASE_PICK (none, const Row, row, row->number == 9, row->name, "?"), ==,
                     "?");
    g_assert_true (BASE_FIND_ROW (array, Row, row, row->number == 5)
                   == &g_array_index (array, Row, 1));
    g_assert_false (BASE_HAS_ROW (array, const Row, row, row->number == 4));
    g_assert_cmpuint (BASE_PICK_ROW (array, const Row, row, *row->name == 'c', row->number, 0),
                      ==, 5);
    /* One search stands in another's condition. */
    g_assert_true (BASE_HAS (pointers, const Row, row,
                             BASE_ANY (i, row->number, i == 8 && row->number == 9)));
}

static void
test_each (void)
{
    g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (Row));
    g_autoptr (GPtrArray) pointers = g_ptr_array_new ();
    GArray *none = NULL;
    guint sum = 0;

    g_array_append_vals (array, rows, G_N_ELEMENTS (rows));
    BASE_EACH_ROW (array, Row, row) {
        g_ptr_array_add (pointers, row);
    }
    g_assert_cmpuint (pointers->len, ==, G_N_ELEMENTS (rows));
    BASE_EACH (pointers, const Row, row) {
        if (row->number == 5) {
            continue;
        }
        sum += row->number;
        if (row->number == 9) {
            break;
        }
    }
    g_assert_cmpuint (sum, ==, 12);
    BASE_EACH (pointers, const Row, row) {
        if (row->number == 5) {
            break;
        }
        sum += row->number;
    }
    g_assert_cmpuint (sum, ==, 15);
    BASE_EACH_ROW (none, Row, row) {
        g_assert_null (row);
    }
    BASE_APPEND (array, Row, 1, "one");
    g_assert_cmpstr (g_array_index (array, Row, array->len - 1).name, ==, "one");
}

BASE_ORDER (compare_rows, Row, BASE_BY_DOWN (number) ?: strcmp (left->name, right->name))
BASE_ORDER_POINTERS (compare_pointers, Row,
                     BASE_COMPARE (strlen (left->name), strlen (right->name))
                         ?: BASE_BY (number))

static void
test_orders (void)
{
    g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (Row));
    g_autoptr (GPtrArray) pointers = g_ptr_array_new ();
    const char *texts[] = { "b", "c", "a" };

    g_array_append_vals (array, rows, G_N_ELEMENTS (rows));
    g_array_sort (array, compare_rows);
    g_assert_cmpstr (g_array_index (array, Row, 0).name, ==, "nine");
    g_assert_cmpstr (g_array_index (array, Row, 1).name, ==, "cinq");
    g_assert_cmpstr (g_array_index (array, Row, 2).name, ==, "five");
    g_assert_cmpstr (g_array_index (array, Row, 3).name, ==, "three");
    for (guint i = 0; i < array->len; i++) {
        g_ptr_array_add (pointers, &g_array_index (array, Row, i));
    }
    g_ptr_array_sort (pointers, compare_pointers);
    g_assert_cmpuint (((const Row *) pointers->pdata[0])->number, ==, 5);
    g_assert_cmpuint (((const Row *) pointers->pdata[2])->number, ==, 9);
    g_assert_cmpuint (((const Row *) pointers->pdata[3])->number, ==, 3);
    g_assert_cmpint (BASE_COMPARE (G_MAXUINT64, 0), ==, 1);
    qsort (texts, G_N_ELEMENTS (texts), sizeof *texts, base_order_texts);
    g_assert_cmpstr (texts[0], ==, "a");
    g_assert_cmpstr (texts[2], ==, "c");
}

static void
test_walk (void)
{
    g_autoptr (GHashTable) table = g_hash_table_new (g_str_hash, g_str_equal);
    gpointer key, value;
    guint sum = 0, length = 0;

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_hash_table_insert (table, (gpointer) rows[i].name, GUINT_TO_POINTER (rows[i].number));
    }
    BASE_WALK (table, &key, &value) {
        sum += GPOINTER_TO_UINT (value);
        length += (guint) strlen (key);
    }
    g_assert_cmpuint (sum, ==, 22);
    g_assert_cmpuint (length, ==, 17);
    BASE_WALK (table, NULL, &value) {
        if (GPOINTER_TO_UINT (value) == 5) {
            g_hash_table_iter_remove (&iter);
        }
    }
    g_assert_cmpuint (g_hash_table_size (table), ==, 2);
}

static guint n_freed;

typedef struct {
    char *text;
} Owner;

BASE_FREE (free_owner, Owner, owner, g_clear_pointer (&owner->text, g_free); n_freed++)

void free_public (Owner *owner);
BASE_FREE_PUBLIC (free_public, Owner, owner, g_free (owner->text); n_freed++)

static void
test_free (void)
{
    GPtrArray *owners = g_ptr_array_new_with_free_func (free_owner);
    Owner *owner = g_new0 (Owner, 1);

    g_ptr_array_add (owners, g_new0 (Owner, 1));
    ((Owner *) owners->pdata[0])->text = g_strdup ("a text");
    g_ptr_array_unref (owners);
    g_assert_cmpuint (n_freed, ==, 1);
    owner->text = g_strdup ("another");
    free_public (owner);
    free_public (NULL);
    g_assert_cmpuint (n_freed, ==, 2);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/array/indices", test_indices);
    g_test_add_func ("/base/array/bisect", test_bisect);
    g_test_add_func ("/base/array/elements", test_elements);
    g_test_add_func ("/base/array/each", test_each);
    g_test_add_func ("/base/array/orders", test_orders);
    g_test_add_func ("/base/array/walk", test_walk);
    g_test_add_func ("/base/array/free", test_free);
    return g_test_run ();
}
