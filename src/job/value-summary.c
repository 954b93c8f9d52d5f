/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Range and mean of a value over ranks. The sum is exact until its one rounding: a list of
 * non-overlapping parts grows by each term (Shewchuk 1997, grow-expansion). */
#include "job/value.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* Above this the sum of 2^32 numbers could overflow; then all are scaled by a power of two. */
#define SCALE 0x1p-40
#define SCALE_LIMIT (DBL_MAX * SCALE)

static void
grow_sum (GArray *parts, double term)
{
    guint n = 0;

    for (guint i = 0; i < parts->len; i++) {
        double part = g_array_index (parts, double, i);
        volatile double sum = term + part;
        volatile double virtual_part = sum - term;
        volatile double error = (term - (sum - virtual_part)) + (part - virtual_part);

        if (error != 0) {
            g_array_index (parts, double, n++) = error;
        }
        term = sum;
    }
    g_array_set_size (parts, n);
    if (term != 0) {
        g_array_append_val (parts, term);
    }
}

/* Adds value * count exactly: both are split so that each product fits 53 bits. */
static void
grow_product (GArray *parts, double value, guint32 count)
{
    volatile double wide = value * 134217729.0; /* 2^27 + 1 */
    volatile double high = wide - (wide - value);
    double low = value - high;
    double count_high = (double) (count >> 16) * 65536.0;
    double count_low = (double) (count & 0xffff);

    grow_sum (parts, high * count_high);
    grow_sum (parts, high * count_low);
    grow_sum (parts, low * count_high);
    grow_sum (parts, low * count_low);
}

/* The sum of the parts, rounded once to nearest, ties to even. */
static double
round_sum (GArray *parts)
{
    double high = 0;
    double low = 0;
    guint n = parts->len;

    while (n > 0 && low == 0) {
        double part = g_array_index (parts, double, --n);
        volatile double sum = high + part;
        volatile double virtual_part = sum - high;

        low = part - virtual_part;
        high = sum;
    }
    /* A tie was rounded without what lies below it: if that points the same way, it decides. */
    if (n > 0 && low != 0 && (low < 0) == (g_array_index (parts, double, n - 1) < 0)) {
        double twice = low * 2;
        volatile double sum = high + twice;

        if (twice == sum - high) {
            high = sum;
        }
    }
    return high;
}

static void
note_finite (JobValueSummary *summary, double number, const JobRankSet *ranks)
{
    guint32 rank = job_rank_set_get_lowest (ranks);
    gboolean is_first = summary->n_finite == 0;

    if (is_first || number < summary->min
        || (number == summary->min && rank < summary->min_rank)) {
        summary->min = number;
        summary->min_rank = rank;
    }
    if (is_first || number > summary->max
        || (number == summary->max && rank < summary->max_rank)) {
        summary->max = number;
        summary->max_rank = rank;
    }
    summary->n_finite += job_rank_set_get_count (ranks);
}

static double
compute_mean (const JobValueRow *row, const JobValueSummary *summary)
{
    g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (double));
    gboolean is_scaled = summary->max > SCALE_LIMIT || summary->min < -SCALE_LIMIT;

    for (guint i = 0; i < row->groups->len; i++) {
        const JobValueGroup *group = g_ptr_array_index (row->groups, i);
        double number = group->value->number;

        if (isfinite (number)) {
            grow_product (parts, is_scaled ? number * SCALE : number,
                          job_rank_set_get_count (group->ranks));
        }
    }
    return round_sum (parts) / summary->n_finite / (is_scaled ? SCALE : 1);
}

gboolean
job_value_row_summarise (const JobValueRow *row, JobValueSummary *ret_summary)
{
    JobValueSummary summary = { .min_rank = G_MAXUINT32, .max_rank = G_MAXUINT32 };

    for (guint i = 0; i < row->groups->len; i++) {
        const JobValueGroup *group = g_ptr_array_index (row->groups, i);

        if (!group->value->is_number || group->value->is_problem) {
            return FALSE;
        }
    }
    summary.nan_ranks = job_rank_set_new ();
    summary.inf_ranks = job_rank_set_new ();
    for (guint i = 0; i < row->groups->len; i++) {
        const JobValueGroup *group = g_ptr_array_index (row->groups, i);

        if (job_rank_set_is_empty (group->ranks)) {
            continue;
        }
        if (isnan (group->value->number)) {
            job_rank_set_merge (summary.nan_ranks, group->ranks);
        } else if (isinf (group->value->number)) {
            job_rank_set_merge (summary.inf_ranks, group->ranks);
        } else {
            note_finite (&summary, group->value->number, group->ranks);
        }
    }
    if (summary.n_finite > 0) {
        summary.mean = compute_mean (row, &summary);
    }
    *ret_summary = summary;
    return TRUE;
}

void
job_value_summary_clear (JobValueSummary *summary)
{
    g_clear_pointer (&summary->nan_ranks, job_rank_set_free);
    g_clear_pointer (&summary->inf_ranks, job_rank_set_free);
}

/* ---- how they are shown ---- */

char *
job_value_format_number (double number, gboolean is_integer)
{
    return is_integer && fabs (number) < 9007199254740992.0 ? g_strdup_printf ("%.0f", number)
                                                            : g_strdup_printf ("%.6g", number);
}

gboolean
job_value_row_is_integer (const JobValueRow *row)
{
    for (guint i = 0; i < row->groups->len; i++) {
        const JobValueGroup *group = g_ptr_array_index (row->groups, i);
        const char *text = group->value->text;

        if (text == NULL || *text == '\0' || text[strspn (text, "-0123456789")] != '\0') {
            return FALSE;
        }
    }
    return TRUE;
}

static int
compare_sizes (gconstpointer a, gconstpointer b)
{
    const JobValueGroup *left = *(JobValueGroup *const *) a,
                        *right = *(JobValueGroup *const *) b;
    guint32 l = job_rank_set_get_count (left->ranks), r = job_rank_set_get_count (right->ranks);

    if (l != r) {
        return l > r ? -1 : 1;
    }
    l = job_rank_set_get_lowest (left->ranks);
    r = job_rank_set_get_lowest (right->ranks);
    return l < r ? -1 : l > r;
}

static int
compare_lowest (gconstpointer a, gconstpointer b)
{
    const JobValueGroup *left = *(JobValueGroup *const *) a,
                        *right = *(JobValueGroup *const *) b;
    guint32 l = job_rank_set_get_lowest (left->ranks),
            r = job_rank_set_get_lowest (right->ranks);

    return l < r ? -1 : l > r;
}

GPtrArray *
job_value_row_choose (const JobValueRow *row, guint max, guint *ret_rest,
                      guint32 *ret_rest_ranks)
{
    GPtrArray *groups = g_ptr_array_new ();

    *ret_rest = 0;
    *ret_rest_ranks = 0;
    for (guint i = 0; i < row->groups->len; i++) {
        g_ptr_array_add (groups, g_ptr_array_index (row->groups, i));
    }
    if (groups->len > max) {
        g_ptr_array_sort (groups, compare_sizes);
        for (guint i = max; i < groups->len; i++) {
            const JobValueGroup *group = g_ptr_array_index (groups, i);

            *ret_rest_ranks += job_rank_set_get_count (group->ranks);
        }
        *ret_rest = groups->len - max;
        g_ptr_array_set_size (groups, max);
    }
    g_ptr_array_sort (groups, compare_lowest);
    return groups;
}
