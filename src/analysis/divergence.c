/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares groups of ranks to find splits. The session decides when to compare. */
#include "analysis/divergence.h"
#include "base/array.h"

BASE_FREE (free_group, AnalysisPlaceGroup, group, job_rank_set_free (group->ranks);
           job_location_free (group->place))

static AnalysisPlaceGroup *
make_group (const AnalysisPlaceGroup *like, const JobRankSet *ranks)
{
    AnalysisPlaceGroup *group = g_new0 (AnalysisPlaceGroup, 1);

    group->ranks = job_rank_set_dup (ranks);
    group->place = job_location_dup (like->place);
    group->state = like->state;
    return group;
}

BASE_FREE_PUBLIC (analysis_split_free, AnalysisSplit, split, job_location_free (split->common);
                  job_rank_set_free (split->ranks); g_ptr_array_unref (split->parts))

GPtrArray *
analysis_groups_new (void)
{
    return g_ptr_array_new_with_free_func (free_group);
}

GPtrArray *
analysis_groups_dup (GPtrArray *groups)
{
    GPtrArray *copy = analysis_groups_new ();

    BASE_EACH (groups, const AnalysisPlaceGroup, group) {
        g_ptr_array_add (copy, make_group (group, group->ranks));
    }
    return copy;
}

BASE_ORDER_POINTERS (compare_groups, AnalysisPlaceGroup,
                     job_rank_set_compare_lowest (left->ranks, right->ranks))

BASE_ORDER_POINTERS (compare_splits, AnalysisSplit,
                     job_rank_set_compare_lowest (left->ranks, right->ranks))

/* The parts of a group that are in different groups of `now`. */
static GPtrArray *
cut (const AnalysisPlaceGroup *group, GPtrArray *now)
{
    GPtrArray *parts = g_ptr_array_new_with_free_func (free_group);

    BASE_EACH (now, const AnalysisPlaceGroup, other) {
        g_autoptr (JobRankSet) both = job_rank_set_intersect (group->ranks, other->ranks);

        if (other->place != NULL && !job_rank_set_is_empty (both)) {
            g_ptr_array_add (parts, make_group (other, both));
        }
    }
    g_ptr_array_sort (parts, compare_groups);
    return parts;
}

GPtrArray *
analysis_divergence_compare (GPtrArray *before, GPtrArray *now)
{
    GPtrArray *splits = g_ptr_array_new_with_free_func ((GDestroyNotify) analysis_split_free);

    BASE_EACH (before, const AnalysisPlaceGroup, group) {
        g_autoptr (GPtrArray) parts = cut (group, now);
        AnalysisSplit *split;

        if (group->place == NULL || parts->len < 2) {
            continue;
        }
        split = g_new0 (AnalysisSplit, 1);
        split->common = job_location_dup (group->place);
        split->ranks = job_rank_set_new ();
        for (guint j = 0; j < parts->len; j++) {
            job_rank_set_merge (split->ranks,
                                ((AnalysisPlaceGroup *) g_ptr_array_index (parts, j))->ranks);
        }
        split->parts = g_steal_pointer (&parts);
        g_ptr_array_add (splits, split);
    }
    g_ptr_array_sort (splits, compare_splits);
    return splits;
}

gboolean
analysis_split_is_over (const AnalysisSplit *split, GPtrArray *now)
{
    guint n = 0;

    BASE_EACH (now, const AnalysisPlaceGroup, group) {
        n += group->place != NULL && job_rank_set_intersects (group->ranks, split->ranks);
    }
    return n <= 1;
}
