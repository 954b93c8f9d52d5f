/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of JobCosts share. A row is bytes: of each cost, by context and class, 16 times the
 * difference of its context to the one before, and its class, then its ms; both ULEB128. */
#pragma once
#include "job/costs.h"

typedef struct {
    JobRankSet *ranks;
    guint hash; /* of the row */
    guint32 size;
    guint8 row[];
} JobCostsGroup;

struct _JobCosts {
    JobContextTree *tree;
    GPtrArray *groups; /* of JobCostsGroup */
    GHashTable *known; /* the same, by row */
    guint64 n_samples, n_dropped, span_ms;
    GArray *counts;    /* of JobCounts, by context */
    guint32 counted;   /* set of JobCount that all of n_counted ranks have */
    guint64 n_counted; /* ranks, of all groups together */
};

/* Takes ranks. The row must be well-formed, sorted, and in the numbers of the tree. */
void job_costs_add_row (JobCosts *costs, JobRankSet *ranks, const guint8 *row, guint32 size);
/* Ranks of all groups. */
guint64 job_costs_sum_ranks (const JobCosts *costs);
/* All groups are gone. */
void job_costs_clear_groups (JobCosts *costs);
/* FALSE: it is none, or has contexts above n_contexts. NULL: only checks. */
gboolean job_costs_parse_row (const guint8 *row, gsize size, guint32 n_contexts, GArray *ret);
