/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs as one block of bytes: the numbers that hold for all, the contexts, then each group's ranks and its
 * row as it is in memory, and at last what was counted. */
#include "job/costs-private.h"
#include "job/wire-private.h"
#include "base/array.h"
#include <string.h>

#define GROUP_BYTES 256 /* with its set and its places in the lists */

static void
write_counts (GByteArray *block, const JobCosts *costs)
{
    static const JobCounts none;
    g_autoptr (GArray) contexts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));

    base_bytes_put_uleb (block, costs->n_counted);
    for (guint32 context = 0; context < costs->counts->len; context++) {
        JobContextCounts each = { context, g_array_index (costs->counts, JobCounts, context) };

        if (memcmp (&each.counts, &none, sizeof none) != 0) {
            g_array_append_val (contexts, each);
        }
    }
    job_counts_write (block, costs->counted, contexts);
}

GVariant *
job_costs_encode (const JobCosts *costs)
{
    g_autoptr (GByteArray) block = g_byte_array_new ();

    base_bytes_put_uleb (block, costs->n_samples);
    base_bytes_put_uleb (block, costs->n_dropped);
    base_bytes_put_uleb (block, costs->span_ms);
    job_wire_write_contexts (block, costs->tree, 1);
    base_bytes_put_uleb (block, costs->groups->len);
    BASE_EACH (costs->groups, const JobCostsGroup, group) {
        job_wire_write_ranks (block, group->ranks);
        base_bytes_put_uleb (block, group->size);
        g_byte_array_append (block, group->row, group->size);
    }
    write_counts (block, costs);
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, block->data, block->len, 1);
}

BASE_ORDER (compare_ranges, JobRankRange, BASE_BY (first))

/* No rank is in two groups. */
static gboolean
are_disjoint (const JobCosts *costs)
{
    g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (JobRankRange));

    for (guint i = 0; i < costs->groups->len; i++) {
        const GArray *ranges = job_costs_get_ranks (costs, i)->ranges;

        g_array_append_vals (all, ranges->data, ranges->len);
    }
    g_array_sort (all, compare_ranges);
    for (guint i = 1; i < all->len; i++) {
        if (g_array_index (all, JobRankRange, i).first
            < g_array_index (all, JobRankRange, i - 1).end) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Two groups with one row, as nobody sends them, become one: their ranks may be the same. */
static void
take_group (JobWire *wire, BaseCursor *block, JobCosts *costs)
{
    g_autoptr (JobRankSet) ranks = job_wire_read_ranks (wire, block);
    guint32 size = job_wire_read_number (wire, block);
    guint before = costs->groups->len;
    const guint8 *row;

    if (wire->failed || !job_wire_spend (wire, (guint64) GROUP_BYTES + size)) {
        return;
    }
    row = base_cursor_read_bytes (block, size);
    if (block->failed || job_rank_set_is_empty (ranks)
        || !job_costs_parse_row (row, size, job_context_tree_get_count (costs->tree), NULL)) {
        wire->failed = TRUE;
        return;
    }
    job_costs_add_row (costs, g_steal_pointer (&ranks), row, size);
    wire->failed |= costs->groups->len == before;
}

static void
take_counts (JobWire *wire, BaseCursor *block, JobCosts *costs)
{
    guint32 n_contexts = job_context_tree_get_count (costs->tree), counted = 0;
    g_autoptr (GArray) contexts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    guint64 n_ranks = base_cursor_read_uleb (block);

    if (wire->failed || n_ranks > job_costs_sum_ranks (costs)
        || !job_wire_spend (wire, 2 * sizeof (JobContextCounts) * ((guint64) n_contexts + 1))
        || !job_counts_read (block, n_contexts + 1, n_contexts, &counted, contexts)) {
        wire->failed = TRUE;
        return;
    }
    job_costs_add_counts (costs, (guint32) n_ranks, counted, contexts);
}

JobCosts *
job_wire_take_costs (JobWire *wire, GVariant *variant)
{
    g_autoptr (JobCosts) costs = job_costs_new ();
    gsize size;
    const guint8 *data = g_variant_get_fixed_array (variant, &size, 1);
    BaseCursor block = BASE_CURSOR_INIT (data, size);
    guint32 n;

    costs->n_samples = base_cursor_read_uleb (&block);
    costs->n_dropped = base_cursor_read_uleb (&block);
    costs->span_ms = base_cursor_read_uleb (&block);
    job_wire_read_contexts (wire, &block, costs->tree);
    n = job_wire_read_number (wire, &block);
    for (guint32 i = 0; i < n && !wire->failed; i++) {
        take_group (wire, &block, costs);
    }
    take_counts (wire, &block, costs);
    wire->failed |= block.failed || base_cursor_get_left (&block) != 0
                    || (!wire->failed && !are_disjoint (costs));
    return wire->failed ? NULL : g_steal_pointer (&costs);
}

JobCosts *
job_costs_decode (GVariant *variant, guint32 limit, GError **error)
{
    JobWire wire = { limit, JOB_EVENT_MAX_BYTES, FALSE, FALSE };
    JobCosts *costs;

    if (!job_wire_check (variant, "ay", error)) {
        return NULL;
    }
    costs = job_wire_take_costs (&wire, variant);
    if (costs == NULL) {
        job_wire_fail (&wire, error, "costs");
    }
    return costs;
}
