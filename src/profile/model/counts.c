/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/counts.h"
#include <glib/gi18n.h>
#include "profile/private.h"
#include <string.h>

void
profile_counts_take (ProfileRank *rank, guint32 counted, const GArray *contexts)
{
    rank->counted = rank->counts == NULL ? counted : rank->counted & counted;
    if (rank->counts == NULL) {
        rank->counts = g_array_new (FALSE, TRUE, sizeof (JobCounts));
    }
    g_array_set_size (rank->counts, job_context_tree_get_count (rank->tree) + 1);
    for (guint i = 0; i < contexts->len; i++) {
        const JobContextCounts *each = &g_array_index (contexts, JobContextCounts, i);

        job_counts_add (&g_array_index (rank->counts, JobCounts, each->context), &each->counts);
    }
}

GArray *
profile_counts_dup (const ProfileRank *rank)
{
    static const JobCounts none;
    GArray *contexts = rank->counts != NULL
                           ? g_array_new (FALSE, FALSE, sizeof (JobContextCounts))
                           : NULL;

    for (guint32 number = 0; contexts != NULL && number < rank->counts->len; number++) {
        JobContextCounts each = { number, g_array_index (rank->counts, JobCounts, number) };

        if (memcmp (&each.counts, &none, sizeof none) != 0) {
            g_array_append_val (contexts, each);
        }
    }
    return contexts;
}

/* Of one rank, or group, by itself. Of groups, counts are known of all together alone. */
static guint32
get_counted (const ProfileRank *rank)
{
    if (rank->costs != NULL) {
        return job_costs_get_n_groups (rank->costs) == 1 ? job_costs_get_counted (rank->costs)
                                                         : 0;
    }
    return rank->counts != NULL ? rank->counted : 0;
}

guint32
profile_counts_get_known_of (const ProfileModel *model, guint index)
{
    return model->is_traced ? 0 : get_counted (g_ptr_array_index (model->ranks, index));
}

/* The groups of its sums that the model has. */
static guint
count_groups (const ProfileModel *model, const JobCosts *costs)
{
    return BASE_SUM (guint, i, model->ranks->len,
                     ((const ProfileRank *) g_ptr_array_index (model->ranks, i))->costs
                         == costs);
}

/* Of the sums that the group is one of, all in the model; the first group speaks for all. */
static guint32
get_counted_together (const ProfileModel *model, const ProfileRank *rank, guint *n_groups)
{
    guint n = rank->group == 0 ? count_groups (model, rank->costs) : 0;

    *n_groups += n;
    return rank->group != 0 || n == job_costs_get_n_groups (rank->costs)
               ? job_costs_get_counted (rank->costs)
               : 0;
}

guint32
profile_counts_get_known (const ProfileModel *model)
{
    guint32 known = model->is_traced ? 0 : (1u << JOB_N_COUNTS) - 1;
    guint n_ranks = 0, n_columns = 0, n_groups = 0;

    for (guint i = 0; i < model->ranks->len && known != 0; i++) {
        const ProfileRank *rank = g_ptr_array_index (model->ranks, i);

        if (rank->costs != NULL) {
            known &= get_counted_together (model, rank, &n_groups);
            n_columns++;
        } else if (rank->n_samples > 0) {
            known &= get_counted (rank);
            n_ranks++;
        }
    }
    return n_ranks + n_columns > 0 && n_columns == n_groups ? known : 0;
}

void
profile_counts_add (const ProfileModel *model, guint index, JobCounts *contexts)
{
    const ProfileRank *rank = g_ptr_array_index (model->ranks, index);
    const GArray *counts = rank->costs == NULL ? rank->counts
                           : rank->group == 0  ? job_costs_get_counts (rank->costs)
                                               : NULL;

    for (guint32 number = 0; counts != NULL && number < counts->len; number++) {
        job_counts_add (&contexts[g_array_index (rank->merged, guint32, number)],
                        &g_array_index (counts, JobCounts, number));
    }
}

/* Of the rank, as its counters have told. */
static gboolean
find_total (const ProfileRank *rank, JobMetric metric, double *ret_total)
{
    guint64 most = JOB_METRIC_UNKNOWN;

    for (guint i = 0; i < rank->metrics->len; i++) {
        guint64 value = g_array_index (rank->metrics, JobMetrics, i).values[metric];

        if (value != JOB_METRIC_UNKNOWN) {
            most = most == JOB_METRIC_UNKNOWN ? value : MAX (most, value);
        }
    }
    *ret_total = (double) most;
    return most != JOB_METRIC_UNKNOWN;
}

gboolean
profile_counts_find_missing (const ProfileModel *model, JobCount count, double *ret_share)
{
    double all = 0, placed = 0;

    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (model->ranks, i);
        double total;

        if (rank->n_samples == 0) {
            continue;
        }
        if (rank->counts == NULL || (rank->counted & 1u << count) == 0
            || !find_total (rank, job_count_get_metric (count), &total)) {
            return FALSE;
        }
        all += total;
        for (guint32 number = 0; number < rank->counts->len; number++) {
            placed += (double) g_array_index (rank->counts, JobCounts, number).values[count];
        }
    }
    *ret_share = all > 0 ? CLAMP ((all - placed) / all, 0, 1) : 0;
    return all > 0;
}

/* ---- figures ---- */

static const struct {
    ProfileFigureText text;
    JobCount part, whole; /* whole JOB_N_COUNTS: the part itself */
    double factor;
    guint digits;
} figures[PROFILE_N_FIGURES] = {
    [PROFILE_FIGURE_IPC] = { { N_ ("IPC"), NULL, N_ ("Instructions per cycle") },
                             JOB_COUNT_INSTRUCTIONS,
                             JOB_COUNT_CYCLES,
                             1,
                             2 },
    [PROFILE_FIGURE_MEMORY] = { { N_ ("Memory-bound"), "%",
                                  N_ ("Cycles that waited for memory, in percent") },
                                JOB_COUNT_STALLS,
                                JOB_COUNT_CYCLES,
                                100,
                                1 },
    [PROFILE_FIGURE_MISSES] = { { N_ ("Cache misses"), N_ ("per 1000 instructions"),
                                  N_ ("Misses of the last cache per 1000 instructions") },
                                JOB_COUNT_CACHE_MISSES,
                                JOB_COUNT_INSTRUCTIONS,
                                1000,
                                2 },
    [PROFILE_FIGURE_FAULTS] = { { N_ ("Page faults"), NULL,
                                  N_ ("Page faults outside the kernel, all ranks together") },
                                JOB_COUNT_FAULTS,
                                JOB_N_COUNTS,
                                1,
                                0 },
};

const ProfileFigureText *
profile_figure_get_text (ProfileFigure figure)
{
    return &figures[figure].text;
}

guint
profile_figure_get_digits (ProfileFigure figure)
{
    return figures[figure].digits;
}

gboolean
profile_figure_is_known (ProfileFigure figure, guint32 known)
{
    return (known & 1u << figures[figure].part) != 0
           && (figures[figure].whole == JOB_N_COUNTS
               || (known & 1u << figures[figure].whole) != 0);
}

gboolean
profile_figure_find (ProfileFigure figure, guint32 known, const JobCounts *counts,
                     double *ret_value)
{
    double part = (double) counts->values[figures[figure].part];

    if (!profile_figure_is_known (figure, known)) {
        return FALSE;
    }
    if (figures[figure].whole == JOB_N_COUNTS) {
        *ret_value = part;
        return TRUE;
    }
    if (counts->values[figures[figure].whole] == 0) {
        return FALSE;
    }
    *ret_value = figures[figure].factor * part / (double) counts->values[figures[figure].whole];
    return TRUE;
}
