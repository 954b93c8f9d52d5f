/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues of ranks as plain values: finding, merging. What they consist of is in message-queue-shape.c, words in
 * message-queue-text.c, bytes in message-queue-wire.c. */
#include "job/message-queue.h"
#include "base/array.h"
#include <string.h>

JobMessageCommunicator *
job_message_queue_find_communicator (const JobMessageQueue *queue, guint64 id)
{
    return BASE_FIND (queue->communicators, JobMessageCommunicator, communicator,
                      communicator->id == id);
}

JobMessageCall *
job_message_queue_find_call (const JobMessageQueue *queue)
{
    JobMessageCall *found = NULL;

    BASE_EACH (queue->calls, JobMessageCall, call) {
        if (call->kind == JOB_MESSAGE_LOCAL || call->kind == JOB_MESSAGE_POLL) {
            continue;
        }
        if (found == NULL || call->number < found->number) {
            found = call;
        }
    }
    if (found == NULL && queue->calls->len > 0) {
        found = g_ptr_array_index (queue->calls, 0);
    }
    return found;
}

const JobMessageCollective *
job_message_communicator_find_collective (const JobMessageCommunicator *communicator,
                                          guint64 sequence)
{
    return BASE_FIND (communicator->collectives, const JobMessageCollective, collective,
                      collective->sequence == sequence);
}

gint32
job_message_communicator_get_member (const JobMessageCommunicator *communicator, guint32 local)
{
    guint32 member;

    if (communicator->members == NULL) {
        return local < communicator->size ? (gint32) local : JOB_MESSAGE_UNKNOWN;
    }
    if (local >= communicator->members->len) {
        return JOB_MESSAGE_UNKNOWN;
    }
    member = g_array_index (communicator->members, guint32, local);
    return member <= G_MAXINT32 ? (gint32) member : JOB_MESSAGE_OUTSIDE;
}

/* The local rank at coords, the last dimension running fastest; -1 outside an open border. */
static gint64
find_cell (const JobMessageCommunicator *communicator, gint32 *coords)
{
    gint64 cell = 0;

    for (guint i = 0; i < communicator->dims->len; i++) {
        gint32 size = g_array_index (communicator->dims, gint32, i);
        gint32 coord = coords[i];

        if (g_array_index (communicator->periods, gint32, i) != 0 && size > 0) {
            coord = (coord + size) % size;
        }
        if (coord < 0 || coord >= size) {
            return -1;
        }
        cell = cell * size + coord;
    }
    return cell;
}

static void
fill_coords (const JobMessageCommunicator *communicator, guint32 local, gint32 *coords)
{
    for (guint i = communicator->dims->len; i > 0; i--) {
        gint32 size = MAX (g_array_index (communicator->dims, gint32, i - 1), 1);

        coords[i - 1] = (gint32) (local % (guint32) size);
        local /= (guint32) size;
    }
}

JobRankSet *
job_message_communicator_dup_neighbours (const JobMessageCommunicator *communicator,
                                         guint32 local)
{
    JobRankSet *ranks = job_rank_set_new ();
    g_autofree gint32 *coords = NULL;

    if (communicator->dims == NULL || communicator->periods == NULL
        || communicator->periods->len != communicator->dims->len
        || local >= communicator->size) {
        return ranks;
    }
    coords = g_new0 (gint32, communicator->dims->len + 1);
    fill_coords (communicator, local, coords);
    for (guint i = 0; i < 2 * communicator->dims->len; i++) {
        gint32 step = i % 2 == 0 ? -1 : 1;
        gint64 cell;
        gint32 member;

        coords[i / 2] += step;
        cell = find_cell (communicator, coords);
        coords[i / 2] -= step;
        if (cell < 0 || cell == local) {
            continue;
        }
        member = job_message_communicator_get_member (communicator, (guint32) cell);
        if (member >= 0) {
            job_rank_set_add (ranks, (guint32) member);
        }
    }
    return ranks;
}

JobMessageTable *
job_message_table_new (void)
{
    JobMessageTable *table = g_new (JobMessageTable, 1);

    table->queues = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_queue_free);
    return table;
}

BASE_FREE_PUBLIC (job_message_table_free, JobMessageTable, table,
                  g_ptr_array_unref (table->queues))

static gpointer
acquire_queue (gconstpointer queue, gpointer unused)
{
    return g_atomic_rc_box_acquire ((gpointer) queue);
}

JobMessageTable *
job_message_table_dup (const JobMessageTable *table)
{
    JobMessageTable *copy;

    if (table == NULL) {
        return NULL;
    }
    copy = g_new (JobMessageTable, 1);
    copy->queues = g_ptr_array_copy (table->queues, acquire_queue, NULL);
    return copy;
}

/* Index of the first queue whose rank is not below `rank`. */
static guint
find_index (const JobMessageTable *table, guint32 rank)
{
    guint low = 0, high = table->queues->len;

    if (high > 0 && ((JobMessageQueue *) table->queues->pdata[high - 1])->rank < rank) {
        return high; /* most come in their order */
    }
    while (low < high) {
        guint middle = low + (high - low) / 2;
        const JobMessageQueue *queue = g_ptr_array_index (table->queues, middle);

        if (queue->rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const JobMessageQueue *
job_message_table_find (const JobMessageTable *table, guint32 rank)
{
    guint index = find_index (table, rank);
    const JobMessageQueue *queue;

    if (index >= table->queues->len) {
        return NULL;
    }
    queue = g_ptr_array_index (table->queues, index);
    return queue->rank == rank ? queue : NULL;
}

void
job_message_table_add (JobMessageTable *table, JobMessageQueue *queue)
{
    guint index = find_index (table, queue->rank);

    if (job_message_table_find (table, queue->rank) != NULL) {
        g_ptr_array_remove_index (table->queues, index);
    }
    g_ptr_array_insert (table->queues, (gint) index, queue);
}

static gboolean
is_better (const JobMessageQueue *queue, const JobMessageQueue *than)
{
    if (queue->completed != than->completed) {
        return queue->completed > than->completed;
    }
    return queue->source > than->source;
}

/* A host's ranks often stand between those of others. FALSE and nothing done: here they do not. */
static gboolean
insert_block (JobMessageTable *table, const GPtrArray *theirs)
{
    GPtrArray *own = table->queues;
    const JobMessageQueue *first = theirs->pdata[0], *last = theirs->pdata[theirs->len - 1];
    guint at = find_index (table, first->rank), n_behind = own->len - at;

    if (n_behind > 0 && ((JobMessageQueue *) own->pdata[at])->rank <= last->rank) {
        return FALSE;
    }
    g_ptr_array_set_size (own, (gint) (own->len + theirs->len));
    memmove (own->pdata + at + theirs->len, own->pdata + at, n_behind * sizeof *own->pdata);
    for (guint i = 0; i < theirs->len; i++) {
        own->pdata[at + i] = acquire_queue (theirs->pdata[i], NULL);
    }
    return TRUE;
}

void
job_message_table_merge (JobMessageTable *table, const JobMessageTable *other)
{
    GPtrArray *own = table->queues, *theirs = other->queues; /* both by rank */
    GPtrArray *both;
    guint i = 0, j = 0;

    if (theirs->len == 0 || insert_block (table, theirs)) {
        return;
    }
    both = g_ptr_array_new_full (own->len + theirs->len,
                                 (GDestroyNotify) job_message_queue_free);
    while (i < own->len || j < theirs->len) {
        JobMessageQueue *left = i < own->len ? own->pdata[i] : NULL;
        const JobMessageQueue *right = j < theirs->len ? theirs->pdata[j] : NULL;
        gboolean takes_right
            = left == NULL
              || (right != NULL
                  && (right->rank < left->rank
                      || (right->rank == left->rank && is_better (right, left))));

        i += left != NULL && (right == NULL || left->rank <= right->rank);
        j += right != NULL && (left == NULL || right->rank <= left->rank);
        if (takes_right) {
            g_ptr_array_add (both, acquire_queue (right, NULL));
            if (left != NULL && left->rank == right->rank) {
                job_message_queue_free (left);
            }
        } else {
            g_ptr_array_add (both, left);
        }
    }
    g_ptr_array_set_free_func (own, NULL); /* its queues have moved */
    g_ptr_array_unref (own);
    table->queues = both;
}
