/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translates a host's slots to the front end's in all parts of an event. */
#include "net/slots-private.h"
#include "net/packet-private.h"

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

static void
shift_table (JobValueTable *table, guint32 base)
{
    for (guint i = 0; i < table->rows->len; i++) {
        JobValueRow *row = table->rows->pdata[i];
        for (guint j = 0; j < row->groups->len; j++) {
            JobValueGroup *group = row->groups->pdata[j];
            shift_set (group->ranks, base);
        }
    }
}

void
net_slots_globalise (JobEvent *event, guint32 base)
{
    shift_set (event->ranks, base);
    if (event->tree) {
        shift_tree (event->tree->root, base);
    }
    if (event->table) {
        shift_table (event->table, base);
    }
    for (guint i = 0; event->costs && i < job_costs_get_n_groups (event->costs); i++) {
        JobRankSet *shifted = job_rank_set_dup (job_costs_get_ranks (event->costs, i));
        shift_set (shifted, base);
        job_costs_set_ranks (event->costs, i, shifted);
    }
    for (guint i = 0; event->queues && i < event->queues->queues->len; i++) {
        JobMessageQueue *queue = event->queues->queues->pdata[i];
        queue->rank += base;
    }
    for (guint i = 0; event->processes && i < event->processes->len; i++) {
        JobProcess *process = JOB_PROCESS (event->processes, i);
        process->slot += base;
        process->parent += process->parent > 0 ? base : 0;
    }
}

JobRankSet *
net_slots_localise (const JobRankSet *set, guint32 base)
{
    g_autoptr (JobRankSet) block = job_rank_set_new_range (base, base + NET_BLOCK_SLOTS);
    JobRankSet *local = job_rank_set_intersect (set, block);
    for (guint i = 0; i < local->ranges->len; i++) {
        JobRankRange *range = &g_array_index (local->ranges, JobRankRange, i);
        range->first -= base;
        range->end -= base;
    }
    return local;
}
