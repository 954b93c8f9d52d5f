/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of a million ranks: a column for each group of ranks with equal times, whose times stay in the row
 * that they came in until they are asked for. */
#include "profile/private.h"

void
profile_groups_init (ProfileModel *model)
{
    model->costs = g_ptr_array_new_with_free_func ((GDestroyNotify) job_costs_free);
    model->no_threads = g_ptr_array_new ();
    model->no_metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    model->scratch = g_new (ProfileSums, 1);
    model->scratch->merged = NULL;
    model->scratch->self = g_array_new (FALSE, TRUE, sizeof (double));
    model->scratch->computing = g_array_new (FALSE, TRUE, sizeof (double));
    model->scratch->samples = g_array_new (FALSE, TRUE, sizeof (guint32));
}

void
profile_groups_clear (ProfileModel *model)
{
    g_array_unref (model->scratch->self);
    g_array_unref (model->scratch->computing);
    g_array_unref (model->scratch->samples);
    g_free (model->scratch);
    g_ptr_array_unref (model->no_threads);
    g_array_unref (model->no_metrics);
    g_ptr_array_unref (model->costs);
}

/* ---- taking them ---- */

/* The number in the model's tree of each context. */
static GArray *
merge_contexts (ProfileModel *model, const JobContextTree *tree)
{
    guint32 count = job_context_tree_get_count (tree);
    GArray *merged = g_array_sized_new (FALSE, TRUE, sizeof (guint32), count + 1);

    g_array_set_size (merged, count + 1);
    for (guint32 number = 1; number <= count; number++) {
        const JobContext *context = job_context_tree_get (tree, number);

        g_array_index (merged, guint32, number)
            = profile_model_add_context (model,
                                         g_array_index (merged, guint32, context->parent),
                                         context);
    }
    return merged;
}

static ProfileRank *
new_column (ProfileModel *model, const JobCosts *costs, guint group, GArray *merged)
{
    ProfileRank *column = g_new0 (ProfileRank, 1);
    const JobRankSet *ranks = job_costs_get_ranks (costs, group);

    column->rank = job_rank_set_get_lowest (ranks);
    column->n_members = job_rank_set_get_count (ranks);
    column->costs = costs;
    column->group = group;
    column->merged = g_array_ref (merged);
    column->threads = g_ptr_array_ref (model->no_threads);
    column->metrics = g_array_ref (model->no_metrics);
    column->n_threads = 1;
    return column;
}

void
profile_groups_add_column (ProfileModel *model, const ProfileRank *from)
{
    ProfileRank *column = new_column (model, from->costs, from->group, from->merged);

    column->n_samples = from->n_samples;
    column->n_dropped = from->n_dropped;
    column->first_us = from->first_us;
    column->last_us = from->last_us;
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        column->classes[class] = from->classes[class];
    }
    g_ptr_array_add (model->ranks, column);
}

/* Samples are counted for the whole job; each group has its share of them. */
static void
fill_column (ProfileRank *column, const JobCosts *costs, guint64 all_ms, GArray *row)
{
    double ms = 0;

    job_costs_read (costs, column->group, row);
    for (guint i = 0; i < row->len; i++) {
        const JobCost *cost = &g_array_index (row, JobCost, i);

        column->classes[cost->class] += (double) cost->ms * column->n_members * 1000;
        ms += (double) cost->ms * column->n_members;
    }
    column->first_us = 0;
    column->last_us = MAX ((gint64) MIN (job_costs_get_span_ms (costs), G_MAXUINT32) * 1000, 1);
    column->n_samples = all_ms > 0 ? (guint64) (ms / (double) all_ms
                                                    * (double) job_costs_get_n_samples (costs)
                                                + 0.5)
                                   : 0;
}

static guint64
sum_all_ms (const JobCosts *costs, GArray *row)
{
    guint64 sum = 0;

    for (guint i = 0; i < job_costs_get_n_groups (costs); i++) {
        guint64 n = job_rank_set_get_count (job_costs_get_ranks (costs, i));

        job_costs_read (costs, i, row);
        for (guint j = 0; j < row->len; j++) {
            sum += n * g_array_index (row, JobCost, j).ms;
        }
    }
    return sum;
}

BASE_ORDER_POINTERS (compare_columns, ProfileRank, BASE_BY (rank))

void
profile_model_add_costs (ProfileModel *model, JobCosts *costs)
{
    g_autoptr (GArray) merged = merge_contexts (model, job_costs_get_tree (costs));
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    guint64 all_ms = sum_all_ms (costs, row);

    g_ptr_array_add (model->costs, costs);
    for (guint i = 0; i < job_costs_get_n_groups (costs); i++) {
        ProfileRank *column = new_column (model, costs, i, merged);

        fill_column (column, costs, all_ms, row);
        column->n_dropped = i == 0 ? job_costs_get_n_dropped (costs) : 0;
        g_ptr_array_add (model->ranks, column);
    }
    g_ptr_array_sort (model->ranks, compare_columns);
}

/* ---- what it tells ---- */

guint32
profile_model_get_n_members (const ProfileModel *model, guint index)
{
    return MAX (((const ProfileRank *) g_ptr_array_index (model->ranks, index))->n_members, 1);
}

void
profile_model_add_members (const ProfileModel *model, guint index, JobRankSet *to)
{
    const ProfileRank *rank = g_ptr_array_index (model->ranks, index);

    if (rank->costs != NULL) {
        job_rank_set_merge (to, job_costs_get_ranks (rank->costs, rank->group));
    } else {
        job_rank_set_add (to, rank->rank);
    }
}

static ProfileSums *
get_scratch (const ProfileModel *model, guint size)
{
    ProfileSums *scratch = model->scratch;

    g_array_set_size (scratch->self, 0); /* what is new is 0 */
    g_array_set_size (scratch->computing, 0);
    g_array_set_size (scratch->samples, 0);
    g_array_set_size (scratch->self, size);
    g_array_set_size (scratch->computing, size);
    g_array_set_size (scratch->samples, size);
    return scratch;
}

ProfileSums
profile_model_get_sums (const ProfileModel *model, const ProfileRank *rank)
{
    ProfileSums sums = { rank->merged, rank->self, rank->computing, rank->samples };
    g_autoptr (GArray) row = NULL;
    double all_us = 0;

    if (rank->costs == NULL) {
        return sums;
    }
    row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    sums = *get_scratch (model, rank->merged->len);
    sums.merged = rank->merged;
    job_costs_read (rank->costs, rank->group, row);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        all_us += rank->classes[class];
    }
    for (guint i = 0; i < row->len; i++) {
        const JobCost *cost = &g_array_index (row, JobCost, i);
        double us = (double) cost->ms * rank->n_members * 1000;

        g_array_index (sums.self, double, cost->context) += us;
        if (cost->class == JOB_CLASS_NATIVE || cost->class == JOB_CLASS_PYTHON) {
            g_array_index (sums.computing, double, cost->context) += us;
        }
        g_array_index (sums.samples, guint32, cost->context)
            += (guint32) (us / all_us * (double) rank->n_samples + 0.5);
    }
    return sums;
}
