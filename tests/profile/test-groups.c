/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of groups of equal ranks say what the ranks' own samples say. */
#include "profile/balance.h"
#include "profile/costs.h"
#include "profile/function-table.h"
#include "profile/slice.h"
#include "profile/model.h"
#include "profile/summary.h"
#include <math.h>

#define N_RANKS 60u
#define N_CONTEXTS 40u
#define N_KINDS 3u /* of ranks */

#define NEAR(a, b) g_assert_cmpfloat (fabs ((a) - (b)), <, 1e-6)

static void
add_contexts (JobContextTree *tree)
{
    for (guint32 i = 1; i <= N_CONTEXTS; i++) {
        g_autofree char *name = g_strdup_printf ("%s%u", i % 7 == 0 ? "MPI_" : "f", i % 11);
        const JobLocation location = { .function = name,
                                       .file = (char *) "/src/app.c",
                                       .line = i,
                                       .language = JOB_LANGUAGE_C };

        g_assert_cmpuint (job_context_tree_add (tree, i / 3, &location, 0), ==, i);
    }
}

/* Of each rank of that kind there, in ms; 0 in some places. */
static guint32
get_ms (guint kind, guint32 context)
{
    return (context * 37 + kind * 11) % 5 == 0 ? 0 : 10 * ((context + 3 * kind) % 13 + 1);
}

static JobClass
get_class (guint32 context)
{
    return context % 7 == 0 ? JOB_CLASS_MPI : JOB_CLASS_NATIVE;
}

/* The rank's, of each context, into an array of JobContextCounts: no two ranks have the same. */
static guint32
fill_counts (guint32 rank, GArray *contexts)
{
    g_array_set_size (contexts, 0);
    for (guint32 i = 0; i <= N_CONTEXTS; i++) {
        JobContextCounts each = { i, { { [JOB_COUNT_CYCLES] = rank + 3 * i } } };

        g_array_append_val (contexts, each);
    }
    return 1u << JOB_COUNT_CYCLES;
}

static ProfileModel *
make_plain (void)
{
    ProfileModel *model = profile_model_new ();

    for (guint32 rank = 0; rank < N_RANKS; rank++) {
        g_autoptr (JobContextTree) tree = job_context_tree_new ();
        g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
        g_autoptr (GBytes) batch = NULL;
        g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
        const JobSampleExtras extras = { NULL, counts, fill_counts (rank, counts) };
        gint64 time_us = 1000000;

        add_contexts (tree);
        for (guint32 i = 0; i <= N_CONTEXTS; i++) {
            guint32 ms = get_ms (rank % N_KINDS, i);
            JobSample sample = { time_us += ms * 1000,   ms * 1000, i, 1,
                                 (guint8) get_class (i), FALSE };

            if (ms > 0) {
                g_array_append_val (samples, sample);
            }
        }
        batch = job_sample_batch_encode_all (tree, 1, samples, 2, &extras);
        g_assert_true (profile_model_add (model, rank, batch, NULL));
    }
    return model;
}

static JobCosts *
make_costs (guint32 first, guint32 end)
{
    JobCosts *costs = job_costs_new ();
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));

    add_contexts (job_costs_get_tree (costs));
    for (guint32 rank = first; rank < end; rank++) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        guint64 all_ms = 0, n = 0;

        g_array_set_size (row, 0);
        for (guint32 i = 0; i <= N_CONTEXTS; i++) {
            JobCost cost = { i, get_class (i), get_ms (rank % N_KINDS, i) };

            all_ms += cost.ms;
            n += cost.ms > 0;
            g_array_append_val (row, cost);
        }
        job_costs_add (costs, one, row);
        job_costs_add_counts (costs, 1, fill_counts (rank, counts), counts);
        job_costs_note (costs, n, 2, all_ms);
    }
    return costs;
}

/* As two hosts tell it. */
static ProfileModel *
make_grouped (void)
{
    ProfileModel *model = profile_model_new ();
    JobCosts *costs = make_costs (0, 25);
    g_autoptr (JobCosts) others = make_costs (25, N_RANKS);

    job_costs_merge (costs, others);
    g_assert_cmpuint (job_costs_get_n_groups (costs), ==, N_KINDS);
    profile_model_add_costs (model, costs);
    return model;
}

/* The time of the column that the rank is in, for one rank. */
static double
get_own (const ProfileModel *model, const double *columns, guint32 rank)
{
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        g_autoptr (JobRankSet) members = job_rank_set_new ();

        profile_model_add_members (model, i, members);
        if (job_rank_set_contains (members, rank)) {
            return columns[i] / profile_model_get_n_members (model, i);
        }
    }
    g_assert_not_reached ();
}

static void
assert_same_node (const ProfileModel *plain, const ProfileNode *a, const ProfileModel *grouped,
                  const ProfileNode *b)
{
    NEAR (a->total, b->total);
    NEAR (a->self, b->self);
    g_assert_cmpstr (a->location.function, ==, b->location.function);
    g_assert_cmpuint (a->location.line, ==, b->location.line);
    g_assert_cmpuint (a->children->len, ==, b->children->len);
    for (guint32 rank = 0; rank < N_RANKS; rank++) {
        NEAR (a->ranks[rank], get_own (grouped, b->ranks, rank));
    }
    for (guint i = 0; i < a->children->len; i++) {
        assert_same_node (plain, g_ptr_array_index (a->children, i), grouped,
                          g_ptr_array_index (b->children, i));
    }
}

static void
test_tree (void)
{
    g_autoptr (ProfileModel) plain = make_plain (), grouped = make_grouped ();
    g_autoptr (ProfileNode) a = profile_tree_new (plain), b = profile_tree_new (grouped);

    g_assert_cmpuint (profile_model_get_n_ranks (grouped), ==, N_KINDS);
    assert_same_node (plain, a, grouped, b);
}

static void
test_lists (void)
{
    g_autoptr (ProfileModel) plain = make_plain (), grouped = make_grouped ();
    g_autoptr (GPtrArray) functions = profile_functions_new (plain);
    g_autoptr (GPtrArray) same_functions = profile_functions_new (grouped);

    g_assert_cmpuint (functions->len, ==, same_functions->len);
    for (guint i = 0; i < functions->len; i++) {
        const ProfileFunction *a = g_ptr_array_index (functions, i);
        const ProfileFunction *b = g_ptr_array_index (same_functions, i);

        g_assert_cmpstr (a->location.function, ==, b->location.function);
        NEAR (a->self, b->self);
        NEAR (a->total, b->total);
        for (guint32 rank = 0; rank < N_RANKS; rank++) {
            NEAR (a->ranks[rank], get_own (grouped, b->ranks, rank));
        }
    }
    for (guint only_computing = 0; only_computing < 2; only_computing++) {
        g_autoptr (GPtrArray) lines = profile_lines_new (plain, only_computing != 0);
        g_autoptr (GPtrArray) same_lines = profile_lines_new (grouped, only_computing != 0);

        g_assert_cmpuint (lines->len, ==, same_lines->len);
        for (guint i = 0; i < lines->len; i++) {
            NEAR (((const ProfileLine *) g_ptr_array_index (lines, i))->self,
                  ((const ProfileLine *) g_ptr_array_index (same_lines, i))->self);
        }
    }
}

/* How the ranks differ: a group counts as its ranks. */
static void
test_spread (void)
{
    g_autoptr (ProfileModel) plain = make_plain (), grouped = make_grouped ();
    g_autoptr (ProfileCosts) a = profile_costs_new (plain), b = profile_costs_new (grouped);

    for (guint by_total = 0; by_total < 2; by_total++) {
        g_autoptr (ProfileFunctionTable) one = profile_function_table_new (a, by_total != 0);
        g_autoptr (ProfileFunctionTable) two = profile_function_table_new (b, by_total != 0);

        g_assert_cmpuint (one->rows->len, ==, two->rows->len);
        g_assert_cmpuint (one->n_ranks, ==, N_RANKS);
        g_assert_cmpuint (two->n_ranks, ==, N_RANKS);
        g_assert_cmpuint (two->n_groups, ==, N_KINDS);
        for (guint i = 0; i < one->rows->len; i++) {
            const ProfileFunctionRow *left = &g_array_index (one->rows, ProfileFunctionRow, i);
            const ProfileFunctionRow *right = &g_array_index (two->rows, ProfileFunctionRow, i);

            g_assert_cmpstr (left->location.function, ==, right->location.function);
            NEAR (left->self, right->self);
            NEAR (left->total, right->total);
            NEAR (left->min, right->min);
            NEAR (left->mean, right->mean);
            NEAR (left->max, right->max);
            NEAR (left->deviation, right->deviation);
        }
    }
}

/* All of the time has the groups, a part of it does not. */
static void
test_slices (void)
{
    g_autoptr (ProfileModel) grouped = make_grouped ();
    const ProfileSlice all = { 0, G_MAXDOUBLE, NULL, PROFILE_ALL_CLASSES };
    const ProfileSlice half = { 0, profile_model_get_end (grouped) / 2, NULL,
                                PROFILE_ALL_CLASSES };
    g_autoptr (ProfileModel) whole = profile_model_new_slice (grouped, &all);
    g_autoptr (ProfileModel) part = profile_model_new_slice (grouped, &half);

    g_assert_cmpuint (profile_model_get_n_ranks (whole), ==,
                      profile_model_get_n_ranks (grouped));
    g_assert_cmpuint (profile_model_get_n_members (whole, 0), ==,
                      profile_model_get_n_members (grouped, 0));
    g_assert_cmpuint (profile_model_get_n_ranks (part), ==, 0);
}

/* What all have counted is that of their groups together; of one of them nobody knows it. */
static void
test_counts (void)
{
    g_autoptr (ProfileModel) plain = make_plain (), grouped = make_grouped ();
    g_autoptr (ProfileCosts) a = profile_costs_new (plain), b = profile_costs_new (grouped);
    g_autoptr (GPtrArray) functions = profile_functions_new (plain);
    g_autoptr (GPtrArray) same = profile_functions_new (grouped);

    g_assert_cmpuint (a->counted, ==, 1u << JOB_COUNT_CYCLES);
    g_assert_cmpuint (b->counted, ==, 1u << JOB_COUNT_CYCLES);
    for (guint32 i = 0; i <= N_CONTEXTS; i++) {
        g_assert_cmpuint (a->counts[i].values[JOB_COUNT_CYCLES], ==,
                          b->counts[i].values[JOB_COUNT_CYCLES]);
    }
    for (guint i = 0; i < functions->len; i++) {
        const ProfileFunction *one = g_ptr_array_index (functions, i);
        const ProfileFunction *other = g_ptr_array_index (same, i);

        g_assert_cmpuint (one->counts.values[JOB_COUNT_CYCLES], >, 0);
        g_assert_cmpuint (one->counts.values[JOB_COUNT_CYCLES], ==,
                          other->counts.values[JOB_COUNT_CYCLES]);
    }
    for (guint32 rank = 0; rank < N_KINDS; rank++) { /* each of a group of its own */
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        const ProfileSlice slice = { 0, G_MAXDOUBLE, one, PROFILE_ALL_CLASSES };
        g_autoptr (ProfileModel) part = profile_model_new_slice (grouped, &slice);

        g_assert_cmpuint (profile_model_get_n_ranks (part), ==, 1);
        g_assert_cmpuint (profile_counts_get_known (part), ==, 0);
    }
    g_assert_cmpuint (profile_counts_get_known_of (plain, 0), ==, 1u << JOB_COUNT_CYCLES);
    g_assert_cmpuint (profile_counts_get_known_of (grouped, 0), ==, 0);
}

static double
sum_class (const ProfileModel *model, JobClass class)
{
    double sum = 0;

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        sum += profile_model_get_class (model, i, class);
    }
    return sum;
}

static void
test_numbers (void)
{
    g_autoptr (ProfileModel) plain = make_plain (), grouped = make_grouped ();
    g_autoptr (ProfileBalance) a = profile_balance_new (plain),
                               b = profile_balance_new (grouped);
    g_autofree char *said = profile_format_summary (plain);
    g_autofree char *same = profile_format_summary (grouped);
    g_autofree double *seconds = g_new0 (double, N_CONTEXTS + 1);
    g_autofree guint64 *samples = g_new0 (guint64, N_CONTEXTS + 1);
    guint64 n = 0;

    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        NEAR (sum_class (plain, class), sum_class (grouped, class));
    }
    g_assert_cmpuint (profile_model_get_n_samples (grouped), ==,
                      profile_model_get_n_samples (plain));
    g_assert_cmpuint (profile_model_get_n_dropped (grouped), ==,
                      profile_model_get_n_dropped (plain));
    g_assert_cmpuint (a->n_ranks, ==, b->n_ranks);
    g_assert_cmpuint (a->busiest, ==, b->busiest);
    g_assert_cmpuint (a->laziest, ==, b->laziest);
    NEAR (a->mean_s, b->mean_s);
    NEAR (a->imbalance, b->imbalance);
    g_assert_cmpstr (said, ==, same);
    for (guint i = 0; i < profile_model_get_n_ranks (grouped); i++) {
        profile_model_add_self (grouped, i, seconds, samples);
    }
    for (guint32 i = 0; i <= N_CONTEXTS; i++) {
        double wanted = 0;

        for (guint32 rank = 0; rank < N_RANKS; rank++) {
            wanted += get_ms (rank % N_KINDS, i) / 1e3;
        }
        NEAR (seconds[i], wanted);
        n += samples[i];
    }
    g_assert_cmpuint (n, >, profile_model_get_n_samples (plain) / 2);
}

/* What is left of a part in time: nothing, as nobody knows when it was. Samples of such a rank are refused. */
static void
test_refused (void)
{
    g_autoptr (ProfileModel) grouped = make_grouped ();
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_autoptr (GError) error = NULL;

    g_assert_false (profile_model_add (grouped, 0, batch, &error));
    g_assert_nonnull (error);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/groups/tree", test_tree);
    g_test_add_func ("/groups/lists", test_lists);
    g_test_add_func ("/groups/spread", test_spread);
    g_test_add_func ("/groups/slices", test_slices);
    g_test_add_func ("/groups/counts", test_counts);
    g_test_add_func ("/groups/numbers", test_numbers);
    g_test_add_func ("/groups/refused", test_refused);
    return g_test_run ();
}
