/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks have spent where, without when: a calling-context tree, and the time in its contexts. Ranks
 * with equal times are one group, with one row for all of them, so that a million ranks take no more than what
 * differs between them. Daemons merge these on the way up. */
#pragma once
#include "job/context.h"
#include "job/counts.h"
#include "job/rank-set.h"
#include "job/sample.h"

typedef struct {
    guint32 context; /* number in the tree; 0: stacks that could not be read */
    guint32 class;   /* JobClass */
    guint32 ms;      /* that each rank of the group has spent there itself */
} JobCost;

typedef struct _JobCosts JobCosts;

JobCosts *job_costs_new (void);
JobCosts *job_costs_dup (const JobCosts *costs); /* NULL is fine */
void job_costs_free (JobCosts *costs);           /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobCosts, job_costs_free)

/* Its own; whoever makes a row adds contexts here. */
JobContextTree *job_costs_get_tree (const JobCosts *costs);
/* row: of JobCost, in any order, which it sorts; what is there twice adds up. No rank may be added twice.
 * No ranks: nothing happens. */
void job_costs_add (JobCosts *costs, const JobRankSet *ranks, GArray *row);
/* Samples that were taken, and that were due and have not been taken, of all ranks; the longest time between
 * the first and the last of a rank. */
void job_costs_note (JobCosts *costs, guint64 n_samples, guint64 n_dropped, guint64 span_ms);
/* What so many ranks have counted in contexts (JobContextCounts, in the numbers of the tree); counted: set of JobCount that is
 * known of these. It is kept as one sum of all ranks: ranks of a group are equal in their times, not in this. */
void job_costs_add_counts (JobCosts *costs, guint32 n_ranks, guint32 counted,
                           const GArray *contexts);
/* Set of JobCount that is known of all ranks. */
guint32 job_costs_get_counted (const JobCosts *costs);
/* Of JobCounts, by context; it ends with the last one that has any. Borrowed. */
const GArray *job_costs_get_counts (const JobCosts *costs);
guint64 job_costs_get_n_samples (const JobCosts *costs);
guint64 job_costs_get_n_dropped (const JobCosts *costs);
guint64 job_costs_get_span_ms (const JobCosts *costs);

guint job_costs_get_n_groups (const JobCosts *costs);
/* The ranks of a group; borrowed. set: takes it over; for those who number ranks in another way. */
const JobRankSet *job_costs_get_ranks (const JobCosts *costs, guint group);
void job_costs_set_ranks (JobCosts *costs, guint group, JobRankSet *ranks);
/* Its row, into an array of JobCost, which it empties first: by context, then by class. */
void job_costs_read (const JobCosts *costs, guint group, GArray *row);
/* Groups in the order of their lowest ranks. */
void job_costs_sort (JobCosts *costs);

/* costs := costs ∪ other, whose ranks are others. Associative and commutative, but for the numbers of
 * contexts and the order of groups. */
void job_costs_merge (JobCosts *costs, const JobCosts *other);

/* Ranks whose times differ by no more than chance has it when one looks every period_ms (all
 * times together within four standard deviations, each within six) become one group, which has their mean. Never leaves more than
 * max_groups of them: what is beyond them joins the nearest. Sums change by the rounding of means alone. */
void job_costs_join_alike (JobCosts *costs, guint32 period_ms, guint max_groups);

GVariant *job_costs_encode (const JobCosts *costs); /* floating */
/* Ranks must be < limit, no rank twice; names are escaped. NULL with CORRUPT. */
JobCosts *job_costs_decode (GVariant *variant, guint32 limit, GError **error);
