/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts slots to ranks in events and ranks to slots in requests; no other file knows
 * slots. */
#include "session/private.h"

void
session_slots_learn (Session *session, const JobEvent *event)
{
    g_autoptr (GArray) sorted = job_event_get_processes (event) != NULL
                                    ? g_array_ref (job_event_get_processes (event))
                                    : job_process_list_new ();
    guint32 n_ranks = job_rank_set_get_count (event->ranks);
    JobRankIter iter = { 0 };
    guint32 slot;

    if (session->slots->map == NULL) {
        session->slots->map = session_slot_map_new ();
    }
    job_process_list_sort (sorted);
    /* The set is in global slots, however a host counts its own processes. */
    for (guint i = 0; i < sorted->len; i++) {
        const JobProcess *process = JOB_PROCESS (sorted, i);

        if (sorted->len != n_ranks || !job_rank_set_next (event->ranks, &iter, &slot)) {
            slot = process->slot;
        }
        session_slot_map_add (session->slots->map, slot, process->rank);
        session->slots->differ |= slot != process->rank;
    }
}

JobRankSet *
session_slots_to_ranks (Session *session, const JobRankSet *slots)
{
    return session->slots->map != NULL ? session_slot_map_to_ranks (session->slots->map, slots)
                                       : job_rank_set_new ();
}

JobRankSet *
session_slots_from_ranks (Session *session, const JobRankSet *ranks)
{
    return session->slots->map != NULL ? session_slot_map_to_slots (session->slots->map, ranks)
                                       : job_rank_set_new ();
}

static void
map_in_place (Session *session, JobRankSet **set)
{
    JobRankSet *mapped = session_slots_to_ranks (session, *set);

    job_rank_set_free (*set);
    *set = mapped;
}

static void
map_tree (Session *session, JobStackNode *root)
{
    g_autoptr (GPtrArray) open = g_ptr_array_new ();

    g_ptr_array_add (open, root);
    while (open->len > 0) {
        JobStackNode *node = g_ptr_array_remove_index_fast (open, open->len - 1);

        map_in_place (session, &node->ranks);
        for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
            g_ptr_array_add (open, g_ptr_array_index (node->children, i));
        }
    }
}

static JobRankSet *
dup_mapped (const JobRankSet *slots, gpointer user)
{
    return session_slots_to_ranks (user, slots);
}

static void
map_table (Session *session, JobValueTable *table)
{
    BASE_EACH (table->rows, JobValueRow, row) {
        BASE_EACH (row->groups, JobValueGroup, group) {
            map_in_place (session, &group->ranks);
        }
        if (row->rest != NULL) {
            job_value_rest_map (row->rest, dup_mapped, session);
        }
    }
}

/* Of a queue with its slot. */
static void
find_children (const Session *session, const JobMessageQueue *queue)
{
    BASE_EACH (queue->waits, JobWait, wait) {
        guint64 slot = queue->rank + wait->number;

        if (wait->kind == JOB_WAIT_CHILD && wait->number != 0 && slot < G_MAXUINT32) {
            guint32 rank = session->slots->map != NULL
                               ? session_slot_map_find_rank (session->slots->map,
                                                             (guint32) slot)
                               : G_MAXUINT32;

            wait->peer = rank + 1; /* 0: none */
        }
    }
}

/* Other peers and members are already ranks, because MPI does not know slots. */
static JobMessageTable *
map_queues (Session *session, JobMessageTable *table)
{
    JobMessageTable *mapped = job_message_table_new ();

    for (guint i = 0; i < table->queues->len; i++) {
        JobMessageQueue *queue = g_steal_pointer (&table->queues->pdata[i]);

        queue->rank = session->slots->map != NULL
                          ? session_slot_map_find_rank (session->slots->map, queue->rank)
                          : G_MAXUINT32;
        if (queue->rank != G_MAXUINT32) {
            job_message_table_add (mapped, queue);
        } else {
            job_message_queue_free (queue);
        }
    }
    job_message_table_free (table);
    return mapped;
}

static void
map_costs (Session *session, JobCosts *costs)
{
    for (guint i = 0; i < job_costs_get_n_groups (costs); i++) {
        job_costs_set_ranks (costs, i,
                             session_slots_to_ranks (session, job_costs_get_ranks (costs, i)));
    }
}

static void
map_processes (GArray *processes)
{
    for (guint i = 0; i < processes->len; i++) {
        JobProcess *process = JOB_PROCESS (processes, i);

        process->slot = process->rank;
    }
}

void
session_slots_map_event (Session *session, JobEvent *event)
{
    JobContent content = job_event_find_content (event);

    map_in_place (session, &event->ranks);
    for (guint i = 0; content == JOB_CONTENT_QUEUES && i < event->queues->queues->len; i++) {
        find_children (session, g_ptr_array_index (event->queues->queues, i));
    }
    if (!session->slots->differ) {
        return;
    }
    switch (content) {
    case JOB_CONTENT_TREE: map_tree (session, event->tree->root); break;
    case JOB_CONTENT_TABLE: map_table (session, event->table); break;
    case JOB_CONTENT_QUEUES: event->queues = map_queues (session, event->queues); break;
    case JOB_CONTENT_COSTS: map_costs (session, event->costs); break;
    case JOB_CONTENT_PROCESSES: map_processes (event->processes); break;
    default: break;
    }
}
