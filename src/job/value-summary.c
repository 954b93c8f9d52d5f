/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Range and mean of a value over ranks. The sum is exact until its one rounding: a list of
 * non-overlapping parts grows by each term (Shewchuk 1997, grow-expansion). */
#include "job/value-private.h"
#include "base/array.h"
#include <math.h>
#include <string.h>

/* Above this the sum of 2^32 numbers could overflow; then all are scaled by a power of two. */
#define SCALE_LIMIT (DBL_MAX * JOB_VALUE_SCALE)

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

void
job_value_numbers_init (JobValueNumbers *numbers)
{
    *numbers = (JobValueNumbers){ .min_rank = G_MAXUINT32, .max_rank = G_MAXUINT32 };
    numbers->nan_ranks = job_rank_set_new ();
    numbers->inf_ranks = job_rank_set_new ();
    numbers->sums = g_array_new (FALSE, FALSE, sizeof (double));
    numbers->scaled_sums = g_array_new (FALSE, FALSE, sizeof (double));
}

void
job_value_numbers_clear (JobValueNumbers *numbers)
{
    g_clear_pointer (&numbers->nan_ranks, job_rank_set_free);
    g_clear_pointer (&numbers->inf_ranks, job_rank_set_free);
    g_clear_pointer (&numbers->sums, g_array_unref);
    g_clear_pointer (&numbers->scaled_sums, g_array_unref);
}

static void
note_least (JobValueNumbers *numbers, double number, guint32 rank)
{
    if (numbers->n_finite == 0 || number < numbers->min
        || (number == numbers->min && rank < numbers->min_rank)) {
        numbers->min = number;
        numbers->min_rank = rank;
    }
}

static void
note_greatest (JobValueNumbers *numbers, double number, guint32 rank)
{
    if (numbers->n_finite == 0 || number > numbers->max
        || (number == numbers->max && rank < numbers->max_rank)) {
        numbers->max = number;
        numbers->max_rank = rank;
    }
}

void
job_value_numbers_add (JobValueNumbers *numbers, double number, const JobRankSet *ranks)
{
    guint32 rank = job_rank_set_get_lowest (ranks), n = job_rank_set_get_count (ranks);
    gboolean is_large = fabs (number) > SCALE_LIMIT;

    if (n == 0) {
        return;
    }
    if (isnan (number)) {
        job_rank_set_merge (numbers->nan_ranks, ranks);
    } else if (isinf (number)) {
        job_rank_set_merge (numbers->inf_ranks, ranks);
    } else {
        note_least (numbers, number, rank);
        note_greatest (numbers, number, rank);
        grow_product (is_large ? numbers->scaled_sums : numbers->sums,
                      is_large ? number * JOB_VALUE_SCALE : number, n);
        numbers->n_finite += n;
    }
}

void
job_value_numbers_merge (JobValueNumbers *numbers, const JobValueNumbers *other)
{
    job_rank_set_merge (numbers->nan_ranks, other->nan_ranks);
    job_rank_set_merge (numbers->inf_ranks, other->inf_ranks);
    if (other->n_finite == 0) {
        return;
    }
    note_least (numbers, other->min, other->min_rank);
    note_greatest (numbers, other->max, other->max_rank);
    numbers->n_finite += other->n_finite;
    for (guint i = 0; i < other->sums->len; i++) {
        grow_sum (numbers->sums, g_array_index (other->sums, double, i));
    }
    for (guint i = 0; i < other->scaled_sums->len; i++) {
        grow_sum (numbers->scaled_sums, g_array_index (other->scaled_sums, double, i));
    }
}

static double
compute_mean (JobValueNumbers *numbers)
{
    if (numbers->scaled_sums->len == 0) {
        return round_sum (numbers->sums) / numbers->n_finite;
    }
    for (guint i = 0; i < numbers->sums->len; i++) {
        grow_sum (numbers->scaled_sums,
                  g_array_index (numbers->sums, double, i) * JOB_VALUE_SCALE);
    }
    return round_sum (numbers->scaled_sums) / numbers->n_finite / JOB_VALUE_SCALE;
}

static gboolean
is_numeric (const JobValueRow *row)
{
    for (guint i = 0; i < row->groups->len; i++) {
        const JobValue *value = ((const JobValueGroup *) row->groups->pdata[i])->value;

        if (!value->is_number || value->is_problem) {
            return FALSE;
        }
    }
    return row->rest == NULL || row->rest->is_numeric;
}

gboolean
job_value_row_summarise (const JobValueRow *row, JobValueSummary *ret_summary)
{
    JobValueNumbers numbers;

    if (!is_numeric (row)) {
        return FALSE;
    }
    job_value_numbers_init (&numbers);
    BASE_EACH (row->groups, const JobValueGroup, group) {
        job_value_numbers_add (&numbers, group->value->number, group->ranks);
    }
    if (row->rest != NULL) {
        job_value_numbers_merge (&numbers, &row->rest->numbers);
    }
    *ret_summary = (JobValueSummary){ .min = numbers.min,
                                      .max = numbers.max,
                                      .mean = numbers.n_finite > 0 ? compute_mean (&numbers)
                                                                   : 0,
                                      .min_rank = numbers.min_rank,
                                      .max_rank = numbers.max_rank,
                                      .n_finite = numbers.n_finite,
                                      .nan_ranks = g_steal_pointer (&numbers.nan_ranks),
                                      .inf_ranks = g_steal_pointer (&numbers.inf_ranks) };
    job_value_numbers_clear (&numbers);
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
job_value_is_whole (const JobValue *value)
{
    return value->text != NULL && *value->text != '\0'
           && value->text[strspn (value->text, "-0123456789")] == '\0';
}

gboolean
job_value_row_is_integer (const JobValueRow *row)
{
    return !BASE_HAS (row->groups, const JobValueGroup, group,
                      !job_value_is_whole (group->value))
           && (row->rest == NULL || row->rest->is_integer);
}

BASE_ORDER_POINTERS (compare_sizes, JobValueGroup,
                     job_rank_set_compare_counts (right->ranks, left->ranks)
                         ?: job_rank_set_compare_lowest (left->ranks, right->ranks))

BASE_ORDER_POINTERS (compare_lowest, JobValueGroup,
                     job_rank_set_compare_lowest (left->ranks, right->ranks))

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
