/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds where ranks diverged, by comparing two partitions of the ranks by place. */
#pragma once
#include "analysis/face.h"

/* Ranks that were all at `common` and are now at the places of `parts`. */
typedef struct {
    JobLocation *common;
    JobRankSet *ranks;
    GPtrArray *parts; /* of AnalysisPlaceGroup, by lowest rank; at least two */
} AnalysisSplit;

void analysis_split_free (AnalysisSplit *split);
/* before, now: of AnalysisPlaceGroup. A group of `before` is split when its ranks are now in
 * several groups; ranks without a group or a place in `now` do not count. Returns
 * AnalysisSplit, by lowest rank; caller owns (unref). */
GPtrArray *analysis_divergence_compare (GPtrArray *before, GPtrArray *now);
/* TRUE when all of its ranks that occur in `now` are in the same group. */
gboolean analysis_split_is_over (const AnalysisSplit *split, GPtrArray *now);
/* An empty list of AnalysisPlaceGroup that frees its members; a copy. */
GPtrArray *analysis_groups_new (void);
GPtrArray *analysis_groups_dup (GPtrArray *groups);
