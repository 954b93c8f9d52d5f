/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of ranks (or of slots, on the wire) as sorted, disjoint, non-touching half-open ranges:
 * costs grow with the number of ranges, not of ranks. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 first;
    guint32 end; /* one past the last; > first */
} JobRankRange;

typedef struct {
    GArray *ranges; /* of JobRankRange */
} JobRankSet;

JobRankSet *job_rank_set_new (void);
JobRankSet *job_rank_set_new_range (guint32 first, guint32 end); /* empty when first >= end */
JobRankSet *job_rank_set_dup (const JobRankSet *set);
void job_rank_set_free (JobRankSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobRankSet, job_rank_set_free)

void job_rank_set_add (JobRankSet *set, guint32 rank);
void job_rank_set_add_range (JobRankSet *set, guint32 first, guint32 end);
void job_rank_set_remove (JobRankSet *set, guint32 rank);
void job_rank_set_clear (JobRankSet *set);

gboolean job_rank_set_is_empty (const JobRankSet *set);
gboolean job_rank_set_contains (const JobRankSet *set, guint32 rank);
gboolean job_rank_set_equal (const JobRankSet *a, const JobRankSet *b);
gboolean job_rank_set_intersects (const JobRankSet *a, const JobRankSet *b);
gboolean job_rank_set_is_subset (const JobRankSet *inner, const JobRankSet *outer);
guint32 job_rank_set_get_count (const JobRankSet *set);
guint32 job_rank_set_get_lowest (const JobRankSet *set); /* G_MAXUINT32 when empty */
/* For sorting, by their counts and by their lowest ranks. */
int job_rank_set_compare_counts (const JobRankSet *a, const JobRankSet *b);
int job_rank_set_compare_lowest (const JobRankSet *a, const JobRankSet *b);

/* New sets; associative and commutative where the operation is. */
JobRankSet *job_rank_set_union (const JobRankSet *a, const JobRankSet *b);
JobRankSet *job_rank_set_intersect (const JobRankSet *a, const JobRankSet *b);
JobRankSet *job_rank_set_subtract (const JobRankSet *a, const JobRankSet *b);
/* set := set ∪ other, in place. */
void job_rank_set_merge (JobRankSet *set, const JobRankSet *other);
/* The members below n whose value, values[rank], is wanted (1, else 0). For millions of them: takes
 * a nanosecond for each, however they are mixed, and exactly the memory of the result. */
JobRankSet *job_rank_set_choose (const JobRankSet *set, const guint8 *values, guint32 n,
                                 const guint8 wanted[256]);

/* Walks members in rising order: JobRankIter i = {0}; while (job_rank_set_next (s, &i, &r)) */
typedef struct {
    guint range;
    guint32 offset;
} JobRankIter;
gboolean job_rank_set_next (const JobRankSet *set, JobRankIter *iter, guint32 *ret_rank);
/* The same as a loop that declares `rank`; BELOW: it ends before the first that is not below n. */
#define JOB_EACH_RANK(set, rank) JOB_EACH_RANK_WHILE_ (set, rank, TRUE)
#define JOB_EACH_RANK_BELOW(set, rank, n) JOB_EACH_RANK_WHILE_ (set, rank, rank < (n))
#define JOB_EACH_RANK_WHILE_(set, rank, condition)                                             \
    for (JobRankIter iter_##rank = { 0 }, *walk_##rank = &iter_##rank; walk_##rank != NULL;    \
         walk_##rank = NULL)                                                                   \
        for (guint32 rank; job_rank_set_next (set, walk_##rank, &rank) && (condition);)

/* "0-3,5,8-14/2" (strides of three and more members); "" when empty. */
char *job_rank_set_format (const JobRankSet *set);
/* For display only, never parsed: of more than 64 runs the first few and the number of ranks,
 * as in "0,3,5-9,… (12345 ranks)". The cost does not grow with the set. */
char *job_rank_set_format_brief (const JobRankSet *set);
/* Only numbers, ranges and strides, no words; NULL with INVALID. Members must be < limit. */
JobRankSet *job_rank_set_parse (const char *text, guint32 limit, GError **error);

/* Wire: one kind byte, then the smallest of {varint ranges: count, (gap, length-1)*}, {strided:
 * count, (gap, length-1, count-1, period)*} and {bitmap}. */
void job_rank_set_encode (const JobRankSet *set, GByteArray *bytes);
/* Memory limit of a decoded set: every second of a million ranks takes 4 MB. */
#define JOB_RANK_SET_MAX_BYTES (G_GUINT64_CONSTANT (64) << 20)
/* Members must be < limit. NULL with CORRUPT. */
JobRankSet *job_rank_set_decode (const guint8 *data, gsize size, guint32 limit, GError **error);
