/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Algebra of sets of ranks on sorted runs. Their bytes are in rank-set-wire.c, their text in
 * rank-set-text.c. */
#include "job/rank-set.h"
#include "job/rank-set-private.h"
#include "base/array.h"
#include <string.h>

#define RANGE(set, i) g_array_index ((set)->ranges, JobRankRange, (i))

JobRankSet *
job_rank_set_new (void)
{
    JobRankSet *set = g_new (JobRankSet, 1);

    set->ranges = g_array_new (FALSE, FALSE, sizeof (JobRankRange));
    return set;
}

JobRankSet *
job_rank_set_new_range (guint32 first, guint32 end)
{
    JobRankSet *set = job_rank_set_new ();

    job_rank_set_add_range (set, first, end);
    return set;
}

JobRankSet *
job_rank_set_dup (const JobRankSet *set)
{
    JobRankSet *copy = job_rank_set_new ();

    if (set->ranges->len > 0) {
        g_array_append_vals (copy->ranges, set->ranges->data, set->ranges->len);
    }
    return copy;
}

BASE_FREE_PUBLIC (job_rank_set_free, JobRankSet, set, g_array_unref (set->ranges))

/* Index of the first range whose end is >= rank: the one that holds or touches it, or the next. */
static guint
find_range (const JobRankSet *set, guint32 rank)
{
    return BASE_BISECT (middle, 0, set->ranges->len, RANGE (set, middle).end < rank);
}

/* Where to start walking the set to find the other's members: skips everything before them. */
static guint
find_first (const JobRankSet *set, const JobRankSet *other)
{
    return other->ranges->len > 0 ? find_range (set, RANGE (other, 0).first) : set->ranges->len;
}

void
job_rank_set_append (JobRankSet *set, guint32 first, guint32 end)
{
    JobRankRange range = { first, end };

    if (set->ranges->len > 0 && RANGE (set, set->ranges->len - 1).end >= first) {
        JobRankRange *last = &RANGE (set, set->ranges->len - 1);

        last->end = MAX (last->end, end);
    } else {
        g_array_append_val (set->ranges, range);
    }
}

void
job_rank_set_add_range (JobRankSet *set, guint32 first, guint32 end)
{
    JobRankRange range = { first, end };
    guint from, to;

    if (first >= end) {
        return;
    }
    if (set->ranges->len == 0 || RANGE (set, set->ranges->len - 1).first <= first) {
        job_rank_set_append (set, first, end);
        return;
    }
    from = find_range (set, first);
    for (to = from; to < set->ranges->len && RANGE (set, to).first <= end; to++) {
        range.first = MIN (range.first, RANGE (set, to).first);
        range.end = MAX (range.end, RANGE (set, to).end);
    }
    if (to == from) {
        g_array_insert_val (set->ranges, from, range);
        return;
    }
    RANGE (set, from) = range;
    if (to > from + 1) {
        g_array_remove_range (set->ranges, from + 1, to - from - 1);
    }
}

void
job_rank_set_add (JobRankSet *set, guint32 rank)
{
    if (rank < G_MAXUINT32) {
        job_rank_set_add_range (set, rank, rank + 1);
    }
}

void
job_rank_set_remove (JobRankSet *set, guint32 rank)
{
    guint i = find_range (set, rank);
    JobRankRange range;

    if (i < set->ranges->len && RANGE (set, i).end == rank) {
        i++; /* it only touches */
    }
    if (i >= set->ranges->len || RANGE (set, i).first > rank) {
        return;
    }
    range = RANGE (set, i);
    if (range.end - range.first == 1) {
        g_array_remove_index (set->ranges, i);
    } else if (rank == range.first) {
        RANGE (set, i).first = rank + 1;
    } else {
        RANGE (set, i).end = rank;
        range.first = rank + 1;
        if (range.first < range.end) {
            g_array_insert_val (set->ranges, i + 1, range);
        }
    }
}

void
job_rank_set_clear (JobRankSet *set)
{
    g_array_set_size (set->ranges, 0);
}

gboolean
job_rank_set_is_empty (const JobRankSet *set)
{
    return set->ranges->len == 0;
}

gboolean
job_rank_set_contains (const JobRankSet *set, guint32 rank)
{
    guint i = find_range (set, rank);

    if (i < set->ranges->len && RANGE (set, i).end == rank) {
        i++;
    }
    return i < set->ranges->len && RANGE (set, i).first <= rank;
}

gboolean
job_rank_set_equal (const JobRankSet *a, const JobRankSet *b)
{
    if (a->ranges->len != b->ranges->len) {
        return FALSE;
    }
    return !BASE_ANY (i, a->ranges->len,
                      RANGE (a, i).first != RANGE (b, i).first
                          || RANGE (a, i).end != RANGE (b, i).end);
}

gboolean
job_rank_set_intersects (const JobRankSet *a, const JobRankSet *b)
{
    guint i = find_first (a, b);
    guint j = find_first (b, a);

    while (i < a->ranges->len && j < b->ranges->len) {
        if (RANGE (a, i).end <= RANGE (b, j).first) {
            i++;
        } else if (RANGE (b, j).end <= RANGE (a, i).first) {
            j++;
        } else {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
job_rank_set_is_subset (const JobRankSet *inner, const JobRankSet *outer)
{
    guint j = find_first (outer, inner);

    for (guint i = 0; i < inner->ranges->len; i++) {
        while (j < outer->ranges->len && RANGE (outer, j).end < RANGE (inner, i).end) {
            j++;
        }
        if (j == outer->ranges->len || RANGE (outer, j).first > RANGE (inner, i).first) {
            return FALSE;
        }
    }
    return TRUE;
}

guint32
job_rank_set_get_count (const JobRankSet *set)
{
    return BASE_SUM (guint32, i, set->ranges->len, RANGE (set, i).end - RANGE (set, i).first);
}

guint32
job_rank_set_get_lowest (const JobRankSet *set)
{
    return set->ranges->len > 0 ? RANGE (set, 0).first : G_MAXUINT32;
}

int
job_rank_set_compare_counts (const JobRankSet *a, const JobRankSet *b)
{
    return BASE_COMPARE (job_rank_set_get_count (a), job_rank_set_get_count (b));
}

int
job_rank_set_compare_lowest (const JobRankSet *a, const JobRankSet *b)
{
    return BASE_COMPARE (job_rank_set_get_lowest (a), job_rank_set_get_lowest (b));
}

JobRankSet *
job_rank_set_union (const JobRankSet *a, const JobRankSet *b)
{
    JobRankSet *set = job_rank_set_new ();
    guint i = 0;
    guint j = 0;

    while (i < a->ranges->len || j < b->ranges->len) {
        gboolean is_a = j == b->ranges->len
                        || (i < a->ranges->len && RANGE (a, i).first <= RANGE (b, j).first);
        JobRankRange range = is_a ? RANGE (a, i++) : RANGE (b, j++);

        job_rank_set_append (set, range.first, range.end);
    }
    return set;
}

JobRankSet *
job_rank_set_intersect (const JobRankSet *a, const JobRankSet *b)
{
    JobRankSet *set = job_rank_set_new ();
    guint i = find_first (a, b);
    guint j = find_first (b, a);

    while (i < a->ranges->len && j < b->ranges->len) {
        guint32 first = MAX (RANGE (a, i).first, RANGE (b, j).first);
        guint32 end = MIN (RANGE (a, i).end, RANGE (b, j).end);

        if (first < end) {
            job_rank_set_append (set, first, end);
        }
        if (RANGE (a, i).end < RANGE (b, j).end) {
            i++;
        } else {
            j++;
        }
    }
    return set;
}

JobRankSet *
job_rank_set_subtract (const JobRankSet *a, const JobRankSet *b)
{
    JobRankSet *set = job_rank_set_new ();
    guint j = find_first (b, a);

    for (guint i = 0; i < a->ranges->len; i++) {
        guint32 first = RANGE (a, i).first;
        guint32 end = RANGE (a, i).end;

        while (j < b->ranges->len && RANGE (b, j).end <= first) {
            j++;
        }
        for (guint k = j; k < b->ranges->len && RANGE (b, k).first < end; k++) {
            if (first < RANGE (b, k).first) {
                job_rank_set_append (set, first, RANGE (b, k).first);
            }
            first = MAX (first, RANGE (b, k).end);
        }
        if (first < end) {
            job_rank_set_append (set, first, end);
        }
    }
    return set;
}

/* Replaces `n` ranges of the set, from `at` on, by those of `by`. */
static void
replace_ranges (JobRankSet *set, guint at, guint n, const JobRankSet *by)
{
    guint n_common = MIN (n, by->ranges->len);

    if (n_common > 0) {
        memcpy (&RANGE (set, at), by->ranges->data, n_common * sizeof (JobRankRange));
    }
    if (n > n_common) {
        g_array_remove_range (set->ranges, at + n_common, n - n_common);
    } else if (by->ranges->len > n_common) {
        g_array_insert_vals (set->ranges, at + n_common, &RANGE (by, n_common),
                             by->ranges->len - n_common);
    }
}

/* Only the part between the other's first and last member is merged, so that merging the
 * answers of host after host costs no more than their own size. */
void
job_rank_set_merge (JobRankSet *set, const JobRankSet *other)
{
    g_autoptr (JobRankSet) part = NULL, both = NULL;
    guint from, to;

    if (other->ranges->len <= 1) {
        if (other->ranges->len == 1) {
            job_rank_set_add_range (set, RANGE (other, 0).first, RANGE (other, 0).end);
        }
        return;
    }
    from = find_range (set, RANGE (other, 0).first);
    to = find_range (set, RANGE (other, other->ranges->len - 1).end);
    if (to < set->ranges->len
        && RANGE (set, to).first <= RANGE (other, other->ranges->len - 1).end) {
        to++;
    }
    part = job_rank_set_new ();
    if (to > from) {
        g_array_append_vals (part->ranges, &RANGE (set, from), to - from);
    }
    both = job_rank_set_union (part, other);
    replace_ranges (set, from, to - from, both);
}

/* Where runs begin or end among the 64 members from `first` on, those before `end`: bit i, where the
 * wish for first + i differs from that for the one before. *carry: the last one's. */
static guint64
find_edges (const guint8 *values, guint32 first, guint32 end, const guint8 wanted[256],
            guint64 *carry)
{
    guint n = MIN (end - first, 64);
    guint64 mask = 0, edges;

    for (guint i = 0; i < n; i++) {
        mask |= (guint64) wanted[values[first + i]] << i;
    }
    edges = mask ^ (mask << 1 | *carry);
    *carry = n == 64 ? mask >> 63 : 0;
    return n == 64 ? edges : edges & ((G_GUINT64_CONSTANT (2) << n) - 1);
}

/* Calls for the edges of one range; bounds of runs come in turn, their first and their end. NULL: only
 * counts. Returns how many bounds there are. */
static guint
choose_range (const JobRankRange *range, const guint8 *values, guint32 n,
              const guint8 wanted[256], guint32 *bounds)
{
    guint32 end = MIN (range->end, n);
    guint n_bounds = 0;
    guint64 carry = 0;

    for (guint32 first = range->first; first < end; first += MIN (64, end - first)) {
        guint64 edges = find_edges (values, first, end, wanted, &carry);

        if (bounds == NULL) {
            n_bounds += (guint) __builtin_popcountll (edges);
            continue;
        }
        for (; edges != 0; edges &= edges - 1) {
            bounds[n_bounds++] = first + (guint) __builtin_ctzll (edges);
        }
    }
    if (carry != 0) { /* up to the very last of 64 */
        if (bounds != NULL) {
            bounds[n_bounds] = end;
        }
        n_bounds++;
    }
    return n_bounds;
}

JobRankSet *
job_rank_set_choose (const JobRankSet *set, const guint8 *values, guint32 n,
                     const guint8 wanted[256])
{
    JobRankSet *chosen = g_new (JobRankSet, 1);
    guint n_bounds = 0;

    for (guint i = 0; i < set->ranges->len; i++) {
        n_bounds += choose_range (&RANGE (set, i), values, n, wanted, NULL);
    }
    chosen->ranges = g_array_sized_new (FALSE, FALSE, sizeof (JobRankRange), n_bounds / 2);
    g_array_set_size (chosen->ranges, n_bounds / 2);
    n_bounds = 0;
    for (guint i = 0; i < set->ranges->len; i++) { /* a range is its two bounds */
        n_bounds += choose_range (&RANGE (set, i), values, n, wanted,
                                  (guint32 *) (void *) chosen->ranges->data + n_bounds);
    }
    return chosen;
}

gboolean
job_rank_set_next (const JobRankSet *set, JobRankIter *iter, guint32 *ret_rank)
{
    JobRankRange range;

    if (iter->range >= set->ranges->len) {
        return FALSE;
    }
    range = RANGE (set, iter->range);
    *ret_rank = range.first + iter->offset;
    iter->offset++;
    if (iter->offset >= range.end - range.first) {
        iter->range++;
        iter->offset = 0;
    }
    return TRUE;
}
