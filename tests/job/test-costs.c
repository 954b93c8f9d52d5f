/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of many ranks: groups of equal ones, merging, what is alike, and the wire. */
#include "job/costs.h"
#include <string.h>

#define N_RANKS 40u

static guint32
add_context (JobCosts *costs, guint32 parent, guint name)
{
    g_autofree char *function = g_strdup_printf ("f%u", name);
    const JobLocation location = { .function = function,
                                   .file = (char *) "/src/app.c",
                                   .line = name,
                                   .language = JOB_LANGUAGE_C };

    return job_context_tree_add (job_costs_get_tree (costs), parent, &location, 0);
}

static void
add_rank (JobCosts *costs, guint32 rank, const JobCost *list, guint n)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));

    g_array_append_vals (row, list, n);
    job_costs_add (costs, one, row);
}

static gint
compare_lines (gconstpointer a, gconstpointer b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

/* " f3<f1<" */
static GString *
format_stack (const JobCosts *costs, guint32 context)
{
    GString *line = g_string_new (" ");

    for (guint32 at = context; at != 0;
         at = job_context_tree_get (job_costs_get_tree (costs), at)->parent) {
        g_string_append_printf (line, "%s<",
                                job_context_tree_get (job_costs_get_tree (costs), at)
                                    ->location.function);
    }
    return line;
}

/* Those that are not 0. */
static void
list_counts (const JobCosts *costs, GPtrArray *lines)
{
    const GArray *counts = job_costs_get_counts (costs);

    for (guint32 context = 0; context < counts->len; context++) {
        const guint64 *values = g_array_index (counts, JobCounts, context).values;
        GString *line = format_stack (costs, context);

        for (guint i = 0; i < JOB_N_COUNTS; i++) {
            if (values[i] > 0) {
                g_ptr_array_add (lines, g_strdup_printf ("%s count %u %" G_GUINT64_FORMAT,
                                                         line->str, i, values[i]));
            }
        }
        g_string_free (line, TRUE);
    }
    g_ptr_array_add (lines, g_strdup_printf ("counted %u", job_costs_get_counted (costs)));
}

/* "f1/f3 MPI 20" of each cost of each rank, whatever the numbers of contexts: what two of them must have in
 * common to be equal. */
static char *
format (const JobCosts *costs)
{
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < job_costs_get_n_groups (costs); i++) {
        JobRankIter iter = { 0 };
        guint32 rank;

        job_costs_read (costs, i, row);
        while (job_rank_set_next (job_costs_get_ranks (costs, i), &iter, &rank)) {
            for (guint j = 0; j < row->len; j++) {
                const JobCost *cost = &g_array_index (row, JobCost, j);
                GString *line = format_stack (costs, cost->context);

                g_string_append_printf (line, " %u %u", cost->class, cost->ms);
                g_ptr_array_add (lines, g_strdup_printf ("%05u%s", rank, line->str));
                g_string_free (line, TRUE);
            }
        }
    }
    list_counts (costs, lines);
    g_ptr_array_sort (lines, compare_lines);
    for (guint i = 0; i < lines->len; i++) {
        g_string_append_printf (text, "%s\n", (char *) g_ptr_array_index (lines, i));
    }
    g_string_append_printf (text,
                            "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
                            job_costs_get_n_samples (costs), job_costs_get_n_dropped (costs),
                            job_costs_get_span_ms (costs));
    return g_string_free (text, FALSE);
}

static void
assert_same (const JobCosts *a, const JobCosts *b)
{
    g_autofree char *left = format (a), *right = format (b);

    g_assert_cmpstr (left, ==, right);
}

/* Of one context, of kinds of the set; at times of all kinds, or none of the ranks. */
static void
add_counts (JobCosts *costs, guint32 n_ranks, guint32 counted, guint32 context)
{
    g_autoptr (GArray) contexts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    JobContextCounts each = { context, { { 0 } } };
    guint chance = (guint) g_test_rand_int_range (0, 8);

    counted |= chance == 1 ? 8 : 0;
    for (guint i = 0; i < JOB_N_COUNTS; i++) {
        each.counts.values[i] = counted & 1u << i ? (guint64) g_test_rand_int_range (0, 100)
                                                  : 0;
    }
    g_array_append_val (contexts, each);
    if (chance > 0) {
        job_costs_add_counts (costs, n_ranks, counted, contexts);
    }
}

/* Contexts come in an order of its own; ranks [first, end), some of them equal. */
static JobCosts *
make_random (guint32 first, guint32 end)
{
    JobCosts *costs = job_costs_new ();
    guint32 contexts[8] = { 0 };

    for (guint i = 1; i < 8; i++) {
        contexts[i] = add_context (costs, contexts[g_test_rand_int_range (0, (gint32) i)],
                                   (guint) g_test_rand_int_range (1, 5));
    }
    for (guint32 rank = first; rank < end; rank++) {
        JobCost list[5];

        for (guint i = 0; i < G_N_ELEMENTS (list); i++) {
            list[i] = (JobCost){ contexts[g_test_rand_int_range (0, 8)],
                                 (guint32) g_test_rand_int_range (0, 2),
                                 (guint32) g_test_rand_int_range (0, 3) };
        }
        add_rank (costs, rank, list, G_N_ELEMENTS (list));
    }
    add_counts (costs, end - first, 5, contexts[g_test_rand_int_range (0, 8)]);
    job_costs_note (costs, (guint64) g_test_rand_int_range (0, 100),
                    (guint64) g_test_rand_int_range (0, 3),
                    (guint64) g_test_rand_int_range (0, 1000));
    return costs;
}

/* Equal rows are one group, in whatever order their costs come. */
static void
test_groups (void)
{
    g_autoptr (JobCosts) costs = job_costs_new ();
    guint32 a = add_context (costs, 0, 1), b = add_context (costs, a, 2);
    const JobCost one[] = { { b, JOB_CLASS_MPI, 30 }, { a, 0, 5 }, { b, 0, 2 }, { a, 0, 5 } };
    const JobCost same[]
        = { { a, 0, 10 }, { a, JOB_CLASS_MPI, 0 }, { b, 0, 2 }, { b, JOB_CLASS_MPI, 30 } };
    const JobCost other[] = { { a, 0, 11 }, { b, 0, 2 }, { b, JOB_CLASS_MPI, 30 } };
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    g_autoptr (JobRankSet) nobody = job_rank_set_new ();
    g_autofree char *ranks = NULL;

    add_rank (costs, 7, one, G_N_ELEMENTS (one));
    add_rank (costs, 3, other, G_N_ELEMENTS (other));
    add_rank (costs, 8, same, G_N_ELEMENTS (same));
    job_costs_add (costs, nobody, row);
    g_assert_cmpuint (job_costs_get_n_groups (costs), ==, 2);
    job_costs_sort (costs);
    ranks = job_rank_set_format (job_costs_get_ranks (costs, 1));
    g_assert_cmpstr (ranks, ==, "7-8");
    job_costs_read (costs, 1, row);
    g_assert_cmpuint (row->len, ==, 3);
    g_assert_cmpuint (g_array_index (row, JobCost, 0).ms, ==, 10);
    g_assert_cmpuint (g_array_index (row, JobCost, 1).context, ==, b);
    g_assert_cmpuint (g_array_index (row, JobCost, 1).class, ==, 0);
    g_assert_cmpuint (g_array_index (row, JobCost, 2).class, ==, JOB_CLASS_MPI);
}

static void
test_merge (void)
{
    for (guint round = 0; round < 200; round++) {
        g_autoptr (JobCosts) a = make_random (0, 10), b = make_random (10, 25),
                             c = make_random (25, N_RANKS);
        g_autoptr (JobCosts) left = job_costs_dup (a), right = job_costs_dup (b),
                             back = job_costs_dup (c);

        job_costs_merge (left, b); /* (a b) c */
        job_costs_merge (left, c);
        job_costs_merge (right, c); /* a (b c) */
        job_costs_merge (back, b);  /* (c b) a */
        job_costs_merge (back, a);
        {
            g_autoptr (JobCosts) whole = job_costs_dup (a);

            job_costs_merge (whole, right);
            assert_same (left, whole);
        }
        assert_same (left, back);
    }
}

static void
test_wire (void)
{
    for (guint round = 0; round < 100; round++) {
        g_autoptr (JobCosts) costs = make_random (0, N_RANKS);
        g_autoptr (GVariant) variant = g_variant_ref_sink (job_costs_encode (costs));
        g_autoptr (GError) error = NULL;
        g_autoptr (JobCosts) again = job_costs_decode (variant, N_RANKS, &error);
        g_autofree guint8 *bytes = g_memdup2 (g_variant_get_data (variant),
                                              g_variant_get_size (variant));

        g_assert_no_error (error);
        assert_same (costs, again);
        g_assert_cmpuint (job_costs_get_n_groups (again), ==, job_costs_get_n_groups (costs));
        g_assert_null (job_costs_decode (variant, N_RANKS - 1, NULL));
        for (gsize i = 0; i < 50; i++) { /* damaged or not, what comes of it is well-formed */
            gsize size = (gsize) g_test_rand_int_range (0,
                                                        (gint32) g_variant_get_size (variant));
            g_autoptr (GVariant) cut = NULL;
            g_autoptr (JobCosts) part = NULL;

            bytes[size] ^= (guint8) g_test_rand_int_range (1, 256);
            cut = g_variant_ref_sink (g_variant_new_fixed_array (
                G_VARIANT_TYPE_BYTE, bytes, i % 2 == 0 ? size : g_variant_get_size (variant),
                1));
            part = job_costs_decode (cut, N_RANKS, NULL);
            if (part != NULL) {
                g_autofree char *text = format (part);

                g_assert_nonnull (text);
            }
        }
    }
}

/* A rank in two groups has spent its time twice. */
static void
test_twice (void)
{
    g_autoptr (JobCosts) costs = job_costs_new ();
    const JobCost one[] = { { 0, 0, 3 } }, other[] = { { 0, 0, 4 } };
    g_autoptr (GVariant) variant = NULL;

    add_rank (costs, 5, one, 1);
    add_rank (costs, 5, other, 1);
    variant = g_variant_ref_sink (job_costs_encode (costs));
    g_assert_null (job_costs_decode (variant, 100, NULL));
}

static void
expect_counted (const JobCosts *costs, guint32 context, guint32 wanted, guint64 cycles)
{
    g_assert_cmpuint (job_costs_get_counted (costs), ==, wanted);
    g_assert_cmpuint (g_array_index (job_costs_get_counts (costs), JobCounts, context)
                          .values[JOB_COUNT_CYCLES],
                      ==, cycles);
}

/* What one rank does not know, nobody knows of all; groups that are joined keep what they have. */
static void
test_counts (void)
{
    const guint32 cycles = 1u << JOB_COUNT_CYCLES, faults = 1u << JOB_COUNT_FAULTS;
    g_autoptr (JobCosts) costs = job_costs_new (), others = job_costs_new ();
    g_autoptr (GArray) contexts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    guint32 a = add_context (costs, 0, 1), b = add_context (costs, a, 2);
    guint32 same = add_context (others, add_context (others, 0, 1), 2);
    const JobCost one[] = { { b, 0, 10 } }, other[] = { { b, 0, 20 } };
    JobContextCounts each = { b, { { [JOB_COUNT_CYCLES] = 7 } } };

    g_assert_cmpuint (same, ==, b);
    g_array_append_val (contexts, each);
    add_rank (costs, 0, one, 1);
    add_rank (costs, 1, other, 1);
    job_costs_add_counts (costs, 1, cycles | faults, contexts);
    expect_counted (costs, b, 0, 7); /* rank 1 has said nothing yet */
    job_costs_add_counts (costs, 1, cycles, contexts);
    expect_counted (costs, b, cycles, 14);
    job_costs_join_alike (costs, 10, 1);
    g_assert_cmpuint (job_costs_get_n_groups (costs), ==, 1);
    expect_counted (costs, b, cycles, 14);
    add_rank (others, 2, one, 1);
    job_costs_merge (costs, others);
    expect_counted (costs, b, 0, 14);
}

static double
count_normal (double mean)
{
    double sum = 0, root = mean;

    for (guint i = 0; i < 20; i++) {
        root = (root + mean / root) / 2;
    }
    for (guint i = 0; i < 12; i++) {
        sum += g_test_rand_double () - 0.5;
    }
    return MAX (mean + sum * root, 0);
}

static guint64
sum_ms (const JobCosts *costs)
{
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    guint64 sum = 0;

    for (guint i = 0; i < job_costs_get_n_groups (costs); i++) {
        job_costs_read (costs, i, row);
        for (guint j = 0; j < row->len; j++) {
            sum += (guint64) g_array_index (row, JobCost, j).ms
                   * job_rank_set_get_count (job_costs_get_ranks (costs, i));
        }
    }
    return sum;
}

/* Of 120 ranks each third is in MPI for half as long again: sampled each 10 ms, each is another, and yet there
 * are two groups, and time is kept. */
static void
test_alike (void)
{
    g_autoptr (JobCosts) costs = job_costs_new ();
    guint32 contexts[50];
    guint64 before;

    for (guint i = 0; i < G_N_ELEMENTS (contexts); i++) {
        contexts[i] = add_context (costs, i > 0 ? contexts[i / 2] : 0, i + 1);
    }
    for (guint32 rank = 0; rank < 120; rank++) {
        JobCost list[G_N_ELEMENTS (contexts)];

        for (guint i = 0; i < G_N_ELEMENTS (contexts); i++) {
            double mean = i == 7 && rank % 3 == 0 ? 300 : 20 + 5 * i;

            list[i] = (JobCost){ contexts[i], i == 7 ? JOB_CLASS_MPI : 0,
                                 10 * (guint32) count_normal (mean) };
        }
        add_rank (costs, rank, list, G_N_ELEMENTS (list));
    }
    g_assert_cmpuint (job_costs_get_n_groups (costs), ==, 120);
    before = sum_ms (costs);
    job_costs_join_alike (costs, 10, 16);
    g_assert_cmpuint (job_costs_get_n_groups (costs), ==, 2);
    for (guint i = 0; i < job_costs_get_n_groups (costs); i++) { /* nobody is with the others */
        JobRankIter iter = { 0 };
        guint32 rank, lowest = job_rank_set_get_lowest (job_costs_get_ranks (costs, i));

        while (job_rank_set_next (job_costs_get_ranks (costs, i), &iter, &rank)) {
            g_assert_cmpint (rank % 3 == 0, ==, lowest % 3 == 0);
        }
    }
    g_assert_cmpuint (ABS ((gint64) (sum_ms (costs) - before)), <=,
                      120 * G_N_ELEMENTS (contexts) / 2);
    job_costs_join_alike (costs, 10, 1);
    g_assert_cmpuint (job_costs_get_n_groups (costs), ==, 1);
    g_assert_cmpuint (job_rank_set_get_count (job_costs_get_ranks (costs, 0)), ==, 120);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/costs/groups", test_groups);
    g_test_add_func ("/costs/merge", test_merge);
    g_test_add_func ("/costs/wire", test_wire);
    g_test_add_func ("/costs/twice", test_twice);
    g_test_add_func ("/costs/counts", test_counts);
    g_test_add_func ("/costs/alike", test_alike);
    return g_test_run ();
}
