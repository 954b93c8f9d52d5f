/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where did ranks part that were together? Compares two partitions of the ranks by place. */
#pragma once
#include "analysis/face.h"

/* Ranks that were together at `common` and are now at the places of the parts. */
typedef struct {
    JobLocation *common;
    JobRankSet *ranks;
    GPtrArray *parts; /* of AnalysisPlaceGroup, by lowest rank; at least two */
} AnalysisSplit;

void analysis_split_free (AnalysisSplit *split);
/* Both of AnalysisPlaceGroup. A group of `before` is split when its ranks are now in several
 * groups; ranks that are in no group of `now`, or in one without a place, are not counted. Of
 * AnalysisSplit, by lowest rank; caller owns (unref). */
GPtrArray *analysis_divergence_compare (GPtrArray *before, GPtrArray *now);
/* TRUE when all of its ranks that are in `now` are in one group of it. */
gboolean analysis_split_is_over (const AnalysisSplit *split, GPtrArray *now);
/* An empty list of AnalysisPlaceGroup that frees its members; a copy. */
GPtrArray *analysis_groups_new (void);
GPtrArray *analysis_groups_dup (GPtrArray *groups);
