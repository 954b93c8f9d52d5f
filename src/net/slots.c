/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translates a host's slots to the front end's in all parts of an event. */
#include "net/slots-private.h"
#include "net/packet-private.h"
#include "base/array.h"

static void
shift_set (JobRankSet *set, guint32 base)
{
    for (guint i = 0; set && i < set->ranges->len; i++) {
        JobRankRange *range = &g_array_index (set->ranges, JobRankRange, i);
        range->first += base;
        range->end += base;
    }
}

/* The tree's depth is untrusted: no recursion. */
static void
shift_tree (JobStackNode *root, guint32 base)
{
    g_autoptr (GPtrArray) open = g_ptr_array_new ();
    g_ptr_array_add (open, root);
    while (open->len > 0) {
        JobStackNode *node = g_ptr_array_steal_index_fast (open, open->len - 1);
        shift_set (node->ranks, base);
        for (guint i = 0; node->children && i < node->children->len; i++) {
            g_ptr_array_add (open, node->children->pdata[i]);
        }
    }
}

static JobRankSet *
dup_shifted (const JobRankSet *set, gpointer user)
{
    JobRankSet *shifted = job_rank_set_dup (set);
    shift_set (shifted, *(const guint32 *) user);
    return shifted;
}

static void
shift_table (JobValueTable *table, guint32 base)
{
    BASE_EACH (table->rows, JobValueRow, row) {
        BASE_EACH (row->groups, JobValueGroup, group) {
            shift_set (group->ranks, base);
        }
        if (row->rest) {
            job_value_rest_map (row->rest, dup_shifted, &base);
        }
    }
}

static void
shift_costs (JobCosts *costs, guint32 base)
{
    for (guint i = 0; i < job_costs_get_n_groups (costs); i++) {
        JobRankSet *shifted = job_rank_set_dup (job_costs_get_ranks (costs, i));
        shift_set (shifted, base);
        job_costs_set_ranks (costs, i, shifted);
    }
}

static void
shift_queues (JobMessageTable *table, guint32 base)
{
    for (guint i = 0; i < table->queues->len; i++) {
        ((JobMessageQueue *) table->queues->pdata[i])->rank += base;
    }
}

static void
shift_processes (GArray *processes, guint32 base)
{
    for (guint i = 0; i < processes->len; i++) {
        JobProcess *process = JOB_PROCESS (processes, i);
        process->slot += base;
        process->parent += process->parent > 0 ? base : 0;
    }
}

void
net_slots_globalise (JobEvent *event, guint32 base)
{
    shift_set (event->ranks, base);
    switch (job_event_find_content (event)) {
    case JOB_CONTENT_TREE: shift_tree (event->tree->root, base); break;
    case JOB_CONTENT_TABLE: shift_table (event->table, base); break;
    case JOB_CONTENT_COSTS: shift_costs (event->costs, base); break;
    case JOB_CONTENT_QUEUES: shift_queues (event->queues, base); break;
    case JOB_CONTENT_PROCESSES: shift_processes (event->processes, base); break;
    default: break;
    }
}

JobRankSet *
net_slots_localise (const JobRankSet *set, guint32 base)
{
    g_autoptr (JobRankSet) block = job_rank_set_new_range (base, base + NET_BLOCK_SLOTS);
    JobRankSet *local = job_rank_set_intersect (set, block);
    BASE_EACH_ROW (local->ranges, JobRankRange, range) {
        range->first -= base;
        range->end -= base;
    }
    return local;
}
