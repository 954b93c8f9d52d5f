/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts events to packets and back. A daemon may report its own slots, an inner node those
 * of its group. */
#include "net/events-private.h"
#include "base/array.h"
#include "base/error.h"
#include "net/packet-private.h"
#include "net/slots-private.h"

#define MAX_EVENT (60 * 1024 * 1024)
#define ALL_SLOTS (NET_BLOCK_SLOTS * NET_MAX_BLOCKS)

GVariant *
net_events_encode_one (const JobEvent *event)
{
    g_autoptr (GVariant) content = g_variant_ref_sink (job_event_encode (event));
    if (g_variant_get_size (content) <= MAX_EVENT) {
        return g_variant_ref_sink (g_variant_new_variant (content));
    }
    g_autoptr (GError) error = g_error_new (BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                                            "cannot send the answer: it is larger than 60 MiB");
    g_autoptr (JobEvent) failure = job_event_new_failure (event->request, event->ranks, error);
    failure->final = event->final;
    return g_variant_ref_sink (g_variant_new_variant (job_event_encode (failure)));
}

void
net_speaker_init (NetSpeaker *speaker, guint32 base)
{
    *speaker = (NetSpeaker){ base, NET_BLOCK_SLOTS, job_rank_set_new (),
                             job_rank_set_new_range (base, base + NET_BLOCK_SLOTS) };
}

void
net_speaker_init_group (NetSpeaker *speaker)
{
    *speaker = (NetSpeaker){ 0, ALL_SLOTS, job_rank_set_new (), job_rank_set_new () };
}

void
net_speaker_add (NetSpeaker *speaker, const NetSpeaker *member)
{
    job_rank_set_merge (speaker->reported, member->reported);
    job_rank_set_merge (speaker->blocks, member->blocks);
}

void
net_speaker_clear (NetSpeaker *speaker)
{
    g_clear_pointer (&speaker->reported, job_rank_set_free);
    g_clear_pointer (&speaker->blocks, job_rank_set_free);
}

/* Notes them as reported. */
static gboolean
take_processes (const JobEvent *event, NetSpeaker *speaker)
{
    for (guint i = 0;
         job_event_get_processes (event) && i < job_event_get_processes (event)->len; i++) {
        const JobProcess *process = JOB_PROCESS (job_event_get_processes (event), i);
        if (process->rank >= process->size
            || !job_rank_set_contains (speaker->blocks, process->slot)
            || (process->parent > 0
                && !job_rank_set_contains (speaker->blocks, process->parent - 1))) {
            return FALSE;
        }
    }
    for (guint i = 0;
         job_event_get_processes (event) && i < job_event_get_processes (event)->len; i++) {
        job_rank_set_add (speaker->reported,
                          JOB_PROCESS (job_event_get_processes (event), i)->slot);
    }
    return TRUE;
}

/* The tree's depth is untrusted: no recursion. */
static gboolean
is_tree_within (const JobStackTree *tree, const JobRankSet *allowed)
{
    g_autoptr (GPtrArray) open = g_ptr_array_new ();
    gboolean is_within = TRUE;
    g_ptr_array_add (open, tree->root);
    while (is_within && open->len > 0) {
        const JobStackNode *node = g_ptr_array_steal_index_fast (open, open->len - 1);
        is_within = job_rank_set_is_subset (node->ranks, allowed);
        for (guint i = 0; node->children && i < node->children->len; i++) {
            g_ptr_array_add (open, node->children->pdata[i]);
        }
    }
    return is_within;
}

static gboolean
is_table_within (const JobValueTable *table, const JobRankSet *allowed)
{
    BASE_EACH (table->rows, const JobValueRow, row) {
        if (BASE_HAS (row->groups, const JobValueGroup, group,
                      !job_rank_set_is_subset (group->ranks, allowed))) {
            return FALSE;
        }
        if (row->rest && !job_value_rest_is_within (row->rest, allowed)) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
is_queues_within (const JobMessageTable *table, const JobRankSet *allowed)
{
    return !BASE_HAS (table->queues, const JobMessageQueue, queue,
                      !job_rank_set_contains (allowed, queue->rank));
}

static gboolean
are_costs_within (const JobCosts *costs, const JobRankSet *allowed)
{
    return BASE_ALL (i, job_costs_get_n_groups (costs),
                     job_rank_set_is_subset (job_costs_get_ranks (costs, i), allowed));
}

static gboolean
is_content_within (const JobEvent *event, const JobRankSet *allowed)
{
    switch (job_event_find_content (event)) {
    case JOB_CONTENT_TREE: return is_tree_within (event->tree, allowed);
    case JOB_CONTENT_TABLE: return is_table_within (event->table, allowed);
    case JOB_CONTENT_QUEUES: return is_queues_within (event->queues, allowed);
    case JOB_CONTENT_COSTS: return are_costs_within (event->costs, allowed);
    default: return TRUE;
    }
}

static gboolean
check_speaker (const JobEvent *event, NetSpeaker *speaker, GError **error)
{
    if (take_processes (event, speaker)
        && job_rank_set_is_subset (event->ranks, speaker->reported)
        && is_content_within (event, speaker->reported)) {
        return TRUE;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                 "dropped an event about processes that this host "
                 "has not reported (%s)",
                 job_event_kind_get_name (event->kind));
    return FALSE;
}

guint64
net_events_take (GVariant *list, NetSpeaker *speaker, const char *sender, GPtrArray *events)
{
    gsize n = g_variant_n_children (list);
    guint64 left = JOB_EVENT_MAX_BYTES;
    for (gsize i = 0; i < n; i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (GVariant) boxed = g_variant_get_child_value (list, i);
        g_autoptr (GVariant) content = g_variant_get_variant (boxed);
        g_autoptr (JobEvent) event = job_event_decode (content, speaker->limit, &left, &error);
        if (event) {
            net_slots_globalise (event, speaker->base);
        }
        if (event && check_speaker (event, speaker, &error)) {
            g_ptr_array_add (events, g_steal_pointer (&event));
        } else {
            g_warning ("%s: %s", sender, error->message);
        }
    }
    return JOB_EVENT_MAX_BYTES - left;
}
