/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/costs.h"
#include "base/array.h"
#include "base/cursor.h"
#include "job/costs-private.h"
#include <string.h>

#define CLASS_BITS 4
#define MAX_COST 12 /* bytes in a row: 36 bits and 32 */

/* ---- rows ---- */

static guint8 *
put_number (guint8 *at, guint64 value)
{
    for (; value >= 0x80; value >>= 7) {
        *at++ = (guint8) (value | 0x80);
    }
    *at++ = (guint8) value;
    return at;
}

/* Of sorted costs (JobCost); caller owns. */
static GByteArray *
format_row (const GArray *row)
{
    GByteArray *bytes = g_byte_array_new ();
    guint32 before = 0;
    guint8 *at;

    g_byte_array_set_size (bytes, row->len * MAX_COST + 1);
    at = bytes->data;
    BASE_EACH_ROW (row, const JobCost, cost) {
        at = put_number (at, (guint64) (cost->context - before) << CLASS_BITS | cost->class);
        at = put_number (at, cost->ms);
        before = cost->context;
    }
    g_byte_array_set_size (bytes, (guint) (at - bytes->data));
    return bytes;
}

gboolean
job_costs_parse_row (const guint8 *row, gsize size, guint32 n_contexts, GArray *ret)
{
    BaseCursor cursor = BASE_CURSOR_INIT (row, size);
    guint64 context = 0, class = 0;
    gboolean is_first = TRUE;

    while (base_cursor_get_left (&cursor) > 0) {
        guint64 head = base_cursor_read_uleb (&cursor), ms = base_cursor_read_uleb (&cursor);
        guint64 step = head >> CLASS_BITS;
        JobCost cost;

        if (cursor.failed || step > n_contexts || context + step > n_contexts
            || (head & ((1u << CLASS_BITS) - 1)) >= JOB_N_CLASSES || ms == 0 || ms > G_MAXUINT32
            || (!is_first && step == 0 && (head & ((1u << CLASS_BITS) - 1)) <= class)) {
            return FALSE;
        }
        context += step;
        class = head & ((1u << CLASS_BITS) - 1);
        is_first = FALSE;
        cost = (JobCost){ (guint32) context, (guint32) class, (guint32) ms };
        if (ret != NULL) {
            g_array_append_val (ret, cost);
        }
    }
    return TRUE;
}

BASE_ORDER (compare_costs, JobCost, BASE_BY (context) ?: BASE_BY (class))

static gboolean
is_tidy (const GArray *row)
{
    const JobCost *costs = (const JobCost *) (const void *) row->data;

    return !BASE_ANY (i, row->len,
                      costs[i].ms == 0
                          || (i > 0 && compare_costs (&costs[i - 1], &costs[i]) >= 0));
}

/* By context and class, each once. */
static void
tidy_row (GArray *row)
{
    guint n = 0;

    if (is_tidy (row)) {
        return;
    }
    g_array_sort (row, compare_costs);
    for (guint i = 0; i < row->len; i++) {
        JobCost cost = g_array_index (row, JobCost, i);
        JobCost *last = n > 0 ? &g_array_index (row, JobCost, n - 1) : NULL;

        if (cost.ms == 0) {
            continue;
        }
        if (last != NULL && compare_costs (last, &cost) == 0) {
            last->ms = (guint32) MIN ((guint64) last->ms + cost.ms, G_MAXUINT32);
        } else {
            g_array_index (row, JobCost, n++) = cost;
        }
    }
    g_array_set_size (row, n);
}

/* ---- groups ---- */

static guint
hash_bytes (const guint8 *bytes, guint32 size)
{
    guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325); /* FNV-1a */

    for (guint32 i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * G_GUINT64_CONSTANT (0x100000001b3);
    }
    return (guint) (hash ^ hash >> 32);
}

static guint
hash_group (gconstpointer key)
{
    return ((const JobCostsGroup *) key)->hash;
}

static gboolean
equal_groups (gconstpointer a, gconstpointer b)
{
    const JobCostsGroup *left = a, *right = b;

    return left->hash == right->hash && left->size == right->size
           && memcmp (left->row, right->row, left->size) == 0;
}

BASE_FREE (free_group, JobCostsGroup, group, job_rank_set_free (group->ranks))

JobCosts *
job_costs_new (void)
{
    JobCosts *costs = g_new0 (JobCosts, 1);

    costs->tree = job_context_tree_new ();
    costs->groups = g_ptr_array_new_with_free_func (free_group);
    costs->known = g_hash_table_new (hash_group, equal_groups);
    costs->counts = g_array_new (FALSE, TRUE, sizeof (JobCounts));
    return costs;
}

BASE_FREE_PUBLIC (job_costs_free, JobCosts, costs, job_context_tree_free (costs->tree);
                  g_hash_table_unref (costs->known); g_ptr_array_unref (costs->groups);
                  g_array_unref (costs->counts))

JobCosts *
job_costs_dup (const JobCosts *costs)
{
    JobCosts *copy = costs != NULL ? job_costs_new () : NULL;

    if (copy != NULL) {
        job_costs_merge (copy, costs);
    }
    return copy;
}

JobContextTree *
job_costs_get_tree (const JobCosts *costs)
{
    return costs->tree;
}

void
job_costs_clear_groups (JobCosts *costs)
{
    g_hash_table_remove_all (costs->known);
    g_ptr_array_set_size (costs->groups, 0);
}

void
job_costs_add_row (JobCosts *costs, JobRankSet *ranks, const guint8 *row, guint32 size)
{
    JobCostsGroup *group = g_malloc (sizeof *group + size), *known;

    group->ranks = ranks;
    group->size = size;
    group->hash = hash_bytes (row, size);
    memcpy (group->row, row, size);
    known = g_hash_table_lookup (costs->known, group);
    if (known != NULL) {
        job_rank_set_merge (known->ranks, ranks);
        free_group (group);
    } else {
        g_hash_table_add (costs->known, group);
        g_ptr_array_add (costs->groups, group);
    }
}

void
job_costs_add (JobCosts *costs, const JobRankSet *ranks, GArray *row)
{
    g_autoptr (GByteArray) bytes = NULL;

    if (!job_rank_set_is_empty (ranks)) {
        tidy_row (row);
        bytes = format_row (row);
        job_costs_add_row (costs, job_rank_set_dup (ranks), bytes->data, bytes->len);
    }
}

void
job_costs_note (JobCosts *costs, guint64 n_samples, guint64 n_dropped, guint64 span_ms)
{
    costs->n_samples += n_samples;
    costs->n_dropped += n_dropped;
    costs->span_ms = MAX (costs->span_ms, span_ms);
}

static void
add_counted (JobCosts *costs, guint64 n_ranks, guint32 counted)
{
    costs->counted = costs->n_counted > 0 ? costs->counted & counted : counted;
    costs->n_counted += n_ranks;
}

static void
add_counts_of (JobCosts *costs, guint32 context, const JobCounts *counts)
{
    if (costs->counts->len <= context) {
        g_array_set_size (costs->counts, context + 1); /* what is new is 0 */
    }
    job_counts_add (&g_array_index (costs->counts, JobCounts, context), counts);
}

void
job_costs_add_counts (JobCosts *costs, guint32 n_ranks, guint32 counted, const GArray *contexts)
{
    add_counted (costs, n_ranks, counted);
    BASE_EACH_ROW (contexts, const JobContextCounts, each) {
        add_counts_of (costs, each->context, &each->counts);
    }
}

guint64
job_costs_sum_ranks (const JobCosts *costs)
{
    return BASE_SUM (guint64, i, costs->groups->len,
                     job_rank_set_get_count (job_costs_get_ranks (costs, i)));
}

guint32
job_costs_get_counted (const JobCosts *costs)
{
    return costs->n_counted == job_costs_sum_ranks (costs) ? costs->counted : 0;
}

const GArray *
job_costs_get_counts (const JobCosts *costs)
{
    return costs->counts;
}

guint64
job_costs_get_n_samples (const JobCosts *costs)
{
    return costs->n_samples;
}

guint64
job_costs_get_n_dropped (const JobCosts *costs)
{
    return costs->n_dropped;
}

guint64
job_costs_get_span_ms (const JobCosts *costs)
{
    return costs->span_ms;
}

static JobCostsGroup *
get_group (const JobCosts *costs, guint group)
{
    return g_ptr_array_index (costs->groups, group);
}

guint
job_costs_get_n_groups (const JobCosts *costs)
{
    return costs->groups->len;
}

const JobRankSet *
job_costs_get_ranks (const JobCosts *costs, guint group)
{
    return get_group (costs, group)->ranks;
}

void
job_costs_set_ranks (JobCosts *costs, guint group, JobRankSet *ranks)
{
    job_rank_set_free (get_group (costs, group)->ranks);
    get_group (costs, group)->ranks = ranks;
}

void
job_costs_read (const JobCosts *costs, guint group, GArray *row)
{
    const JobCostsGroup *from = get_group (costs, group);

    g_array_set_size (row, 0);
    job_costs_parse_row (from->row, from->size, G_MAXUINT32, row);
}

BASE_ORDER_POINTERS (compare_lowest, JobCostsGroup,
                     job_rank_set_compare_lowest (left->ranks, right->ranks))

void
job_costs_sort (JobCosts *costs)
{
    g_ptr_array_sort (costs->groups, compare_lowest);
}

/* ---- merging ---- */

/* The numbers of other's contexts in the tree. TRUE: they are the same. */
static gboolean
map_contexts (JobContextTree *tree, const JobContextTree *other, guint32 *numbers)
{
    guint32 count = job_context_tree_get_count (other);
    gboolean is_same = TRUE;

    numbers[0] = 0;
    for (guint32 number = 1; number <= count; number++) { /* parents have lower numbers */
        const JobContext *context = job_context_tree_get (other, number);

        numbers[number] = job_context_tree_add (tree, numbers[context->parent],
                                                &context->location, context->flags);
        is_same = is_same && numbers[number] == number;
    }
    return is_same;
}

void
job_costs_merge (JobCosts *costs, const JobCosts *other)
{
    g_autofree guint32 *numbers = g_new (guint32,
                                         (gsize) job_context_tree_get_count (other->tree) + 1);
    gboolean is_same = map_contexts (costs->tree, other->tree, numbers);
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));

    for (guint i = 0; i < other->groups->len; i++) {
        const JobCostsGroup *group = get_group (other, i);

        if (is_same) {
            job_costs_add_row (costs, job_rank_set_dup (group->ranks), group->row, group->size);
            continue;
        }
        job_costs_read (other, i, row);
        BASE_EACH_ROW (row, JobCost, cost) {
            cost->context = numbers[cost->context];
        }
        job_costs_add (costs, group->ranks, row);
    }
    if (other->n_counted > 0) {
        add_counted (costs, other->n_counted, other->counted);
    }
    for (guint32 context = 0; context < other->counts->len; context++) {
        add_counts_of (costs, numbers[context],
                       &g_array_index (other->counts, JobCounts, context));
    }
    job_costs_note (costs, other->n_samples, other->n_dropped, other->span_ms);
}
