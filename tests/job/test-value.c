/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of values: merging in any order, exact means, and bytes under damage. */
#include "base/error.h"
#include "job/value-merge.h"
#include "job/value.h"
#include <math.h>
#include <string.h>

static void
add_number (JobValueTable *table, const char *name, guint32 first, guint32 end, double number)
{
    g_autofree char *text = g_strdup_printf ("%.17g", number);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (JobValue) value = job_value_new_number (NULL, "double", text, number);

    job_value_table_add (table, name, ranks, value);
}

static const JobValueRow *
get_row (const JobValueTable *table, guint index)
{
    return g_ptr_array_index (table->rows, index);
}

static const JobValueGroup *
get_group (const JobValueRow *row, guint index)
{
    return g_ptr_array_index (row->groups, index);
}

static void
test_groups (void)
{
    g_autoptr (JobValueTable) table = job_value_table_new ();
    g_autoptr (JobValueTable) other = job_value_table_new ();
    g_autofree char *ranks = NULL;

    add_number (table, "x", 5, 6, 1);
    add_number (table, "y", 5, 6, 1);
    add_number (other, "x", 0, 2, 2);
    add_number (other, "x", 6, 8, 1);
    add_number (other, "z", 0, 2, 2);
    job_value_table_merge (table, other);
    g_assert_cmpuint (table->rows->len, ==, 3);
    g_assert_cmpstr (get_row (table, 2)->name, ==, "z");
    g_assert_cmpuint (get_row (table, 0)->groups->len, ==, 2);
    ranks = job_rank_set_format (get_group (get_row (table, 0), 1)->ranks);
    g_assert_cmpstr (ranks, ==, "5-7");
}

/* In the languages that ranks' values are printed in. */
static void
test_truth (void)
{
    static const char *const true_texts[] = { "(char *) 0x10", "0x10", "true", "True",
                                              ".TRUE.",        "[0]",  "'0'",  "{x = 0}" };
    static const char *const false_texts[] = { "(char *) 0x0", "0x0",     "nullptr", "false",
                                               "False",        ".FALSE.", "None",    "[]",
                                               "''",           "" };
    g_autoptr (JobValue) one = job_value_new_number (NULL, "int", "1", 1);
    g_autoptr (JobValue) zero = job_value_new_number (NULL, "int", "0", 0);
    g_autoptr (JobValue) problem = job_value_new (NULL, NULL, "<optimised out>");

    for (guint i = 0; i < G_N_ELEMENTS (true_texts); i++) {
        g_autoptr (JobValue) value = job_value_new (NULL, NULL, true_texts[i]);

        g_assert_true (job_value_is_true (value));
    }
    for (guint i = 0; i < G_N_ELEMENTS (false_texts); i++) {
        g_autoptr (JobValue) value = job_value_new (NULL, NULL, false_texts[i]);

        g_assert_false (job_value_is_true (value));
    }
    problem->is_problem = TRUE;
    g_assert_true (job_value_is_true (one));
    g_assert_false (job_value_is_true (zero));
    g_assert_false (job_value_is_true (problem));
}

/* Those of most ranks, by lowest rank; the others are counted. */
static void
test_choose (void)
{
    g_autoptr (JobValueTable) table = job_value_table_new ();
    g_autoptr (GPtrArray) groups = NULL;
    g_autofree char *whole = job_value_format_number (1234567, TRUE);
    g_autofree char *real = job_value_format_number (1234567, FALSE);
    const double shown[] = { 1, 2, 4 };
    guint rest;
    guint32 rest_ranks;

    add_number (table, "x", 0, 1, 1);
    add_number (table, "x", 1, 3, 2);
    add_number (table, "x", 3, 4, 3);
    add_number (table, "x", 4, 8, 4);
    add_number (table, "x", 8, 9, 5);
    groups = job_value_row_choose (get_row (table, 0), 3, &rest, &rest_ranks);
    g_assert_cmpuint (groups->len, ==, 3);
    g_assert_cmpuint (rest, ==, 2);
    g_assert_cmpuint (rest_ranks, ==, 2);
    for (guint i = 0; i < 3; i++) {
        const JobValueGroup *group = g_ptr_array_index (groups, i);

        g_assert_cmpfloat (group->value->number, ==, shown[i]);
    }
    g_assert_true (job_value_row_is_integer (get_row (table, 0)));
    add_number (table, "x", 9, 10, 0.5);
    g_assert_false (job_value_row_is_integer (get_row (table, 0)));
    g_assert_cmpstr (whole, ==, "1234567");
    g_assert_cmpstr (real, ==, "1.23457e+06");
}

static double
get_mean (const JobValueTable *table)
{
    JobValueSummary summary;

    g_assert_true (job_value_row_summarise (get_row (table, 0), &summary));
    job_value_summary_clear (&summary);
    return summary.mean;
}

static void
test_summary (void)
{
    g_autoptr (JobValueTable) table = job_value_table_new ();
    JobValueSummary summary;

    for (guint32 i = 0; i < 8; i++) {
        add_number (table, "x", i, i + 1, i);
    }
    add_number (table, "x", 8, 10, NAN);
    add_number (table, "x", 10, 11, -INFINITY);
    g_assert_true (job_value_row_summarise (get_row (table, 0), &summary));
    g_assert_cmpfloat (summary.min, ==, 0);
    g_assert_cmpfloat (summary.max, ==, 7);
    g_assert_cmpfloat (summary.mean, ==, 3.5);
    g_assert_cmpuint (summary.min_rank, ==, 0);
    g_assert_cmpuint (summary.max_rank, ==, 7);
    g_assert_cmpuint (summary.n_finite, ==, 8);
    g_assert_cmpuint (job_rank_set_get_count (summary.nan_ranks), ==, 2);
    g_assert_true (job_rank_set_contains (summary.inf_ranks, 10));
    job_value_summary_clear (&summary);
}

static void
test_exact (void)
{
    g_autoptr (JobValueTable) cancel = job_value_table_new ();
    g_autoptr (JobValueTable) tenth = job_value_table_new ();
    g_autoptr (JobValueTable) huge = job_value_table_new ();

    add_number (cancel, "x", 0, 1, 1e100);
    add_number (cancel, "x", 1, 2, 4);
    add_number (cancel, "x", 2, 3, -1e100);
    add_number (cancel, "x", 3, 4, 4.5e-80);
    g_assert_cmpfloat (get_mean (cancel), ==, 1);
    add_number (tenth, "x", 0, 10, 0.1);
    g_assert_cmpfloat (get_mean (tenth), ==, 0.1);
    add_number (huge, "x", 0, 4000000000u, 1.5e308);
    g_assert_cmpfloat (get_mean (huge), ==, 1.5e308);
}

static void
test_order (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (6);

    for (int i = 0; i < 200; i++) {
        g_autoptr (JobValueTable) forward = job_value_table_new ();
        g_autoptr (JobValueTable) backward = job_value_table_new ();
        double numbers[20];

        for (guint k = 0; k < 20; k++) {
            numbers[k] = ldexp (g_rand_double_range (random, -1, 1),
                                g_rand_int_range (random, -60, 60));
        }
        for (guint32 k = 0; k < 20; k++) {
            add_number (forward, "x", k, k + 1, numbers[k]);
            add_number (backward, "x", 19 - k, 20 - k, numbers[19 - k]);
        }
        g_assert_cmpfloat (get_mean (forward), ==, get_mean (backward));
    }
}

static void
test_words (void)
{
    g_autoptr (JobValueTable) table = job_value_table_new ();
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 1);
    g_autoptr (JobValue) value = job_value_new (NULL, "str", "'a'");
    JobValueSummary summary;

    job_value_table_add (table, "x", ranks, value);
    g_assert_false (job_value_row_summarise (get_row (table, 0), &summary));
}

static JobValueTable *
new_deep (void)
{
    JobValueTable *table = job_value_table_new ();
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 3);
    g_autoptr (JobValue) value = job_value_new (NULL, "struct p", "{x = {1, \377}}");

    value->expandable = TRUE;
    value->children = g_ptr_array_new ();
    for (int i = 0; i < 2; i++) {
        JobValue *child = job_value_new_number ("x", NULL, "1", 1);

        child->children = g_ptr_array_new ();
        g_ptr_array_add (child->children, job_value_new ("y", "int", NULL));
        g_ptr_array_add (value->children, child);
    }
    value->is_problem = TRUE;
    job_value_table_add (table, NULL, ranks, value);
    add_number (table, "n", 0, 7, -0.5);
    return table;
}

static void
test_wire (void)
{
    g_autoptr (JobValueTable) table = new_deep ();
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_value_table_encode (table));
    g_autoptr (JobValueTable) again = job_value_table_decode (variant, 7, NULL);
    g_autoptr (GError) error = NULL;
    const JobValue *value, *child;

    g_assert_nonnull (again);
    value = get_group (get_row (again, 0), 0)->value;
    child = g_ptr_array_index (value->children, 1);
    g_assert_null (get_row (again, 0)->name);
    g_assert_cmpstr (value->text, ==, "{x = {1, \377}}");
    g_assert_true (value->is_problem && value->expandable);
    g_assert_cmpuint (value->children->len, ==, 2);
    g_assert_true (child->is_number);
    g_assert_cmpstr (((JobValue *) g_ptr_array_index (child->children, 0))->name, ==, "y");
    g_assert_cmpfloat (get_group (get_row (again, 1), 0)->value->number, ==, -0.5);
    g_assert_null (job_value_table_decode (variant, 6, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
}

static void
test_damage (void)
{
    g_autoptr (JobValueTable) table = new_deep ();
    g_autoptr (GVariant) variant = g_variant_ref_sink (job_value_table_encode (table));
    g_autoptr (GRand) random = g_rand_new_with_seed (7);
    gsize size = g_variant_get_size (variant);

    for (int i = 0; i < 20000; i++) {
        guint8 *data = g_memdup2 (g_variant_get_data (variant), size);
        g_autoptr (GVariant) damaged = NULL;
        JobValueTable *read;

        data[g_rand_int_range (random, 0, (gint32) size)] = (guint8) g_rand_int (random);
        damaged = g_variant_ref_sink (g_variant_new_from_data (g_variant_get_type (variant),
                                                               data, size, FALSE, g_free,
                                                               data));
        read = job_value_table_decode (damaged, 100, NULL);
        job_value_table_free (read);
    }
}

#define N_CUT 3000u
#define N_HOSTS 20u
#define MOST 50u
#define KEPT 6u

/* The value of each rank: many have the same one, others one of their own, and some are no finite numbers. */
static double
make_number (GRand *random, guint32 rank)
{
    const double odd[] = { NAN, INFINITY, -INFINITY, 1e300, -1.5e308, 0.1 };
    gint32 kind = g_rand_int_range (random, 0, 20);

    return kind < 6 ? 0 : kind == 6 ? odd[rank % G_N_ELEMENTS (odd)] : rank * 0.1 - 77;
}

/* Merges the hosts' tables in some order, each cut and sent, and some of them cut again on their way. */
static JobValueTable *
merge_cut (GRand *random, JobValueTable *const *hosts)
{
    JobValueTable *table = job_value_table_new ();

    for (guint i = 0, first = (guint) g_rand_int_range (random, 0, N_HOSTS); i < N_HOSTS; i++) {
        g_autoptr (JobValueTable) one = job_value_table_dup (hosts[(first + i * 7) % N_HOSTS]);
        g_autoptr (JobValueTable) sent = NULL;
        g_autoptr (GVariant) bytes = NULL;

        job_value_row_cut (g_ptr_array_index (one->rows, 0), MOST, KEPT);
        bytes = g_variant_ref_sink (job_value_table_encode (one));
        sent = job_value_table_decode (bytes, N_CUT, NULL);
        g_assert_nonnull (sent);
        job_value_table_merge (table, sent);
        if (g_rand_boolean (random)) {
            job_value_row_cut (g_ptr_array_index (table->rows, 0), MOST, KEPT);
        }
    }
    return table;
}

/* What a cut row says is true: groups' ranks have their value, all ranks are there once, and numbers are summed up as
 * if nothing had been cut. */
static void
check_cut (const JobValueRow *row, const JobValueRow *whole, const double *numbers)
{
    g_autoptr (JobRankSet) seen = job_rank_set_dup (row->rest->ranks);
    g_autoptr (GHashTable) distinct = g_hash_table_new (g_double_hash, g_double_equal);
    JobValueSummary cut, full;
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (row->rest->ranks, &iter, &rank)) {
        g_hash_table_add (distinct, (gpointer) &numbers[rank]);
    }
    g_assert_cmpuint (row->rest->n_values, <=, g_hash_table_size (distinct));
    g_assert_cmpuint (row->rest->n_values, >, MOST - KEPT);
    for (guint i = 0; i < row->groups->len; i++) {
        const JobValueGroup *group = get_group (row, i);

        g_assert_false (job_rank_set_intersects (seen, group->ranks));
        job_rank_set_merge (seen, group->ranks);
        iter = (JobRankIter){ 0 };
        while (job_rank_set_next (group->ranks, &iter, &rank)) {
            g_assert_true (memcmp (&numbers[rank], &group->value->number, sizeof (double)) == 0
                           || numbers[rank] == group->value->number);
        }
    }
    g_assert_cmpuint (job_rank_set_get_count (seen), ==, N_CUT);
    g_assert_true (job_value_row_summarise (row, &cut));
    g_assert_true (job_value_row_summarise (whole, &full));
    g_assert_true (cut.min == full.min && cut.max == full.max && cut.mean == full.mean);
    g_assert_true (cut.min_rank == full.min_rank && cut.max_rank == full.max_rank);
    g_assert_true (job_rank_set_equal (cut.nan_ranks, full.nan_ranks));
    g_assert_true (job_rank_set_equal (cut.inf_ranks, full.inf_ranks));
    job_value_summary_clear (&cut);
    job_value_summary_clear (&full);
}

static void
test_cut (void)
{
    g_autoptr (GRand) random = g_rand_new_with_seed (5);

    for (guint round = 0; round < 5; round++) {
        g_autoptr (JobValueTable) whole = job_value_table_new ();
        JobValueTable *hosts[N_HOSTS];
        double numbers[N_CUT];

        for (guint i = 0; i < N_HOSTS; i++) {
            g_autoptr (GPtrArray) parts
                = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_table_free);

            for (guint32 rank = i * (N_CUT / N_HOSTS); rank < (i + 1) * (N_CUT / N_HOSTS);
                 rank++) {
                JobValueTable *part = job_value_table_new ();

                numbers[rank] = make_number (random, rank);
                add_number (part, "x", rank, rank + 1, numbers[rank]);
                g_ptr_array_add (parts, part);
            }
            hosts[i] = job_value_table_new ();
            job_value_table_merge_all (hosts[i], parts);
            job_value_table_merge (whole, hosts[i]);
        }
        for (guint order = 0; order < 4; order++) {
            g_autoptr (JobValueTable) table = merge_cut (random, hosts);

            check_cut (get_row (table, 0), get_row (whole, 0), numbers);
        }
        for (guint i = 0; i < N_HOSTS; i++) {
            job_value_table_free (hosts[i]);
        }
    }
}

/* A text among the numbers: there is no summary of numbers. */
static void
test_cut_texts (void)
{
    g_autoptr (JobValueTable) table = job_value_table_new ();
    g_autoptr (JobRankSet) last = job_rank_set_new_range (99, 100);
    g_autoptr (JobValue) text = job_value_new (NULL, "char *", "zebra");
    JobValueRow *row;
    JobValueSummary summary;

    for (guint32 i = 0; i < 99; i++) {
        add_number (table, "x", i, i + 1, i);
    }
    job_value_table_add (table, "x", last, text);
    row = g_ptr_array_index (table->rows, 0);
    job_value_row_cut (row, 100, KEPT);
    g_assert_null (row->rest);
    job_value_row_cut (row, 99, KEPT);
    g_assert_cmpuint (row->groups->len, ==, KEPT);
    g_assert_cmpuint (row->rest->n_values, ==, 100 - KEPT);
    g_assert_false (row->rest->is_numeric);
    g_assert_false (job_value_row_summarise (row, &summary));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/job/value/groups", test_groups);
    g_test_add_func ("/job/value/truth", test_truth);
    g_test_add_func ("/job/value/choose", test_choose);
    g_test_add_func ("/job/value/summary", test_summary);
    g_test_add_func ("/job/value/exact", test_exact);
    g_test_add_func ("/job/value/order", test_order);
    g_test_add_func ("/job/value/words", test_words);
    g_test_add_func ("/job/value/wire", test_wire);
    g_test_add_func ("/job/value/damage", test_damage);
    g_test_add_func ("/job/value/cut", test_cut);
    g_test_add_func ("/job/value/cut-texts", test_cut_texts);
    return g_test_run ();
}
