/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues of ranks as plain values: making, copying, finding, merging. Words are in
 * message-queue-text.c, bytes in message-queue-wire.c. */
#include "job/message-queue.h"

JobMessageOperation *
job_message_operation_new (JobMessageKind kind, const char *name)
{
    JobMessageOperation *operation = g_new0 (JobMessageOperation, 1);

    operation->kind = kind;
    operation->name = g_strdup (name);
    operation->communicator = JOB_MESSAGE_UNKNOWN_ID;
    operation->peer = operation->local_peer = JOB_MESSAGE_NONE;
    operation->tag = JOB_MESSAGE_TAG_NONE;
    return operation;
}

void
job_message_operation_free (JobMessageOperation *operation)
{
    if (operation != NULL) {
        g_free (operation->name);
        g_free (operation->reduction);
        g_free (operation->datatype);
        job_location_free (operation->place);
        g_free (operation);
    }
}

static gpointer
dup_operation (gconstpointer data, gpointer unused)
{
    const JobMessageOperation *operation = data;
    JobMessageOperation *copy = g_new (JobMessageOperation, 1);

    *copy = *operation;
    copy->name = g_strdup (operation->name);
    copy->reduction = g_strdup (operation->reduction);
    copy->datatype = g_strdup (operation->datatype);
    copy->place = job_location_dup (operation->place);
    return copy;
}

JobMessageCall *
job_message_call_new (JobMessageKind kind, const char *name)
{
    JobMessageCall *call = g_new0 (JobMessageCall, 1);

    call->kind = kind;
    call->name = g_strdup (name);
    call->communicator = JOB_MESSAGE_UNKNOWN_ID;
    call->peer = call->local_peer = JOB_MESSAGE_NONE;
    call->tag = JOB_MESSAGE_TAG_NONE;
    call->waits = g_array_new (FALSE, FALSE, sizeof (guint32));
    return call;
}

void
job_message_call_free (JobMessageCall *call)
{
    if (call != NULL) {
        g_free (call->name);
        g_array_unref (call->waits);
        job_location_free (call->place);
        g_free (call->method);
        g_free (call);
    }
}

static gpointer
dup_call (gconstpointer data, gpointer unused)
{
    const JobMessageCall *call = data;
    JobMessageCall *copy = g_new (JobMessageCall, 1);

    *copy = *call;
    copy->name = g_strdup (call->name);
    copy->waits = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_array_append_vals (copy->waits, call->waits->data, call->waits->len);
    copy->place = job_location_dup (call->place);
    copy->method = g_strdup (call->method);
    return copy;
}

static GArray *
ref_list (GArray *list)
{
    return list != NULL ? g_array_ref (list) : NULL;
}

JobMessageCollective *
job_message_collective_new (guint64 sequence, const char *name)
{
    JobMessageCollective *collective = g_new0 (JobMessageCollective, 1);

    collective->sequence = sequence;
    collective->name = g_strdup (name);
    collective->root = JOB_MESSAGE_NONE;
    return collective;
}

void
job_message_collective_free (JobMessageCollective *collective)
{
    if (collective != NULL) {
        g_free (collective->name);
        g_free (collective->reduction);
        g_free (collective->signature);
        g_free (collective->other_signature);
        g_clear_pointer (&collective->gives, g_array_unref);
        g_clear_pointer (&collective->gets, g_array_unref);
        job_location_free (collective->place);
        g_free (collective);
    }
}

static gpointer
dup_collective (gconstpointer data, gpointer unused)
{
    const JobMessageCollective *collective = data;
    JobMessageCollective *copy = g_new (JobMessageCollective, 1);

    *copy = *collective;
    copy->name = g_strdup (collective->name);
    copy->reduction = g_strdup (collective->reduction);
    copy->signature = g_strdup (collective->signature);
    copy->other_signature = g_strdup (collective->other_signature);
    copy->gives = ref_list (collective->gives);
    copy->gets = ref_list (collective->gets);
    copy->place = job_location_dup (collective->place);
    return copy;
}

JobMessageCommunicator *
job_message_communicator_new (guint64 id, const char *name)
{
    JobMessageCommunicator *communicator = g_new0 (JobMessageCommunicator, 1);

    communicator->id = id;
    communicator->name = g_strdup (name);
    communicator->collectives
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_collective_free);
    return communicator;
}

void
job_message_communicator_free (JobMessageCommunicator *communicator)
{
    if (communicator != NULL) {
        g_free (communicator->name);
        g_clear_pointer (&communicator->members, g_array_unref);
        g_clear_pointer (&communicator->remote, g_array_unref);
        g_clear_pointer (&communicator->dims, g_array_unref);
        g_clear_pointer (&communicator->periods, g_array_unref);
        g_clear_pointer (&communicator->coords, g_array_unref);
        g_clear_pointer (&communicator->sources, g_array_unref);
        g_clear_pointer (&communicator->destinations, g_array_unref);
        g_ptr_array_unref (communicator->collectives);
        g_free (communicator);
    }
}

static GPtrArray *
dup_list (GPtrArray *list, GCopyFunc dup, GDestroyNotify free_item)
{
    GPtrArray *copy = g_ptr_array_new_full (list->len, free_item);

    for (guint i = 0; i < list->len; i++) {
        g_ptr_array_add (copy, dup (g_ptr_array_index (list, i), NULL));
    }
    return copy;
}

static gpointer
dup_communicator (gconstpointer data, gpointer unused)
{
    const JobMessageCommunicator *communicator = data;
    JobMessageCommunicator *copy = g_new (JobMessageCommunicator, 1);

    *copy = *communicator;
    copy->name = g_strdup (communicator->name);
    copy->members = ref_list (communicator->members);
    copy->remote = ref_list (communicator->remote);
    copy->dims = ref_list (communicator->dims);
    copy->periods = ref_list (communicator->periods);
    copy->coords = ref_list (communicator->coords);
    copy->sources = ref_list (communicator->sources);
    copy->destinations = ref_list (communicator->destinations);
    copy->collectives = dup_list (communicator->collectives, dup_collective,
                                  (GDestroyNotify) job_message_collective_free);
    return copy;
}

JobMessageFlow *
job_message_flow_new (gboolean is_sent, guint64 communicator, gint32 peer, gint32 tag,
                      guint64 n_messages)
{
    JobMessageFlow *flow = g_new0 (JobMessageFlow, 1);

    flow->is_sent = is_sent;
    flow->communicator = communicator;
    flow->peer = peer;
    flow->tag = tag;
    flow->n_messages = n_messages;
    return flow;
}

void
job_message_flow_free (JobMessageFlow *flow)
{
    if (flow != NULL) {
        job_location_free (flow->matched);
        g_free (flow);
    }
}

static gpointer
dup_flow (gconstpointer data, gpointer unused)
{
    JobMessageFlow *copy = g_memdup2 (data, sizeof (JobMessageFlow));

    copy->matched = job_location_dup (copy->matched);
    return copy;
}

JobMessageRun *
job_message_run_new (const char *signature)
{
    JobMessageRun *run = g_new0 (JobMessageRun, 1);

    run->signature = g_strdup (signature);
    run->communicator = JOB_MESSAGE_UNKNOWN_ID;
    run->peer = JOB_MESSAGE_NONE;
    run->tag = JOB_MESSAGE_TAG_NONE;
    return run;
}

void
job_message_run_free (JobMessageRun *run)
{
    if (run != NULL) {
        g_free (run->signature);
        g_free (run->name);
        job_location_free (run->place);
        g_free (run);
    }
}

static gpointer
dup_run (gconstpointer data, gpointer unused)
{
    JobMessageRun *copy = g_memdup2 (data, sizeof (JobMessageRun));

    copy->signature = g_strdup (copy->signature);
    copy->name = g_strdup (copy->name);
    copy->place = job_location_dup (copy->place);
    return copy;
}

JobMessage *
job_message_new (const char *name)
{
    JobMessage *message = g_new0 (JobMessage, 1);

    message->name = g_strdup (name);
    message->communicator = JOB_MESSAGE_UNKNOWN_ID;
    message->peer = JOB_MESSAGE_NONE;
    message->tag = JOB_MESSAGE_TAG_NONE;
    return message;
}

void
job_message_free (JobMessage *message)
{
    if (message != NULL) {
        g_free (message->name);
        g_free (message->datatype);
        job_location_free (message->place);
        g_free (message);
    }
}

static gpointer
dup_message (gconstpointer data, gpointer unused)
{
    const JobMessage *message = data;
    JobMessage *copy = g_new (JobMessage, 1);

    *copy = *message;
    copy->name = g_strdup (message->name);
    copy->datatype = g_strdup (message->datatype);
    copy->place = job_location_dup (message->place);
    return copy;
}

JobMessageQueue *
job_message_queue_new (guint32 rank)
{
    JobMessageQueue *queue = g_atomic_rc_box_new0 (JobMessageQueue);

    queue->rank = rank;
    queue->waits = job_wait_list_new ();
    queue->calls = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_call_free);
    queue->recent = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_call_free);
    queue->operations
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_operation_free);
    queue->communicators
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_communicator_free);
    queue->flows = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_flow_free);
    queue->sent = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_free);
    queue->runs = g_ptr_array_new_with_free_func ((GDestroyNotify) job_message_run_free);
    return queue;
}

static void
clear_queue (gpointer data)
{
    JobMessageQueue *queue = data;

    g_free (queue->library);
    g_free (queue->remark);
    g_ptr_array_unref (queue->waits);
    g_free (queue->error);
    g_ptr_array_unref (queue->calls);
    g_ptr_array_unref (queue->recent);
    g_ptr_array_unref (queue->operations);
    g_ptr_array_unref (queue->communicators);
    g_ptr_array_unref (queue->flows);
    g_ptr_array_unref (queue->sent);
    g_ptr_array_unref (queue->runs);
}

/* Tables that were merged share queues. */
void
job_message_queue_free (JobMessageQueue *queue)
{
    if (queue != NULL) {
        g_atomic_rc_box_release_full (queue, clear_queue);
    }
}

static gpointer
dup_wait (gconstpointer wait, gpointer user)
{
    return job_wait_dup (wait);
}

JobMessageQueue *
job_message_queue_dup (const JobMessageQueue *queue)
{
    JobMessageQueue *copy;

    if (queue == NULL) {
        return NULL;
    }
    copy = (JobMessageQueue *) g_atomic_rc_box_dup (sizeof *queue, queue);
    copy->library = g_strdup (queue->library);
    copy->remark = g_strdup (queue->remark);
    copy->waits = dup_list (queue->waits, dup_wait, (GDestroyNotify) job_wait_free);
    copy->error = g_strdup (queue->error);
    copy->calls = dup_list (queue->calls, dup_call, (GDestroyNotify) job_message_call_free);
    copy->recent = dup_list (queue->recent, dup_call, (GDestroyNotify) job_message_call_free);
    copy->operations = dup_list (queue->operations, dup_operation,
                                 (GDestroyNotify) job_message_operation_free);
    copy->communicators = dup_list (queue->communicators, dup_communicator,
                                    (GDestroyNotify) job_message_communicator_free);
    copy->flows = dup_list (queue->flows, dup_flow, (GDestroyNotify) job_message_flow_free);
    copy->sent = dup_list (queue->sent, dup_message, (GDestroyNotify) job_message_free);
    copy->runs = dup_list (queue->runs, dup_run, (GDestroyNotify) job_message_run_free);
    return copy;
}

JobMessageCommunicator *
job_message_queue_find_communicator (const JobMessageQueue *queue, guint64 id)
{
    for (guint i = 0; i < queue->communicators->len; i++) {
        JobMessageCommunicator *communicator = g_ptr_array_index (queue->communicators, i);

        if (communicator->id == id) {
            return communicator;
        }
    }
    return NULL;
}

JobMessageCall *
job_message_queue_find_call (const JobMessageQueue *queue)
{
    JobMessageCall *found = NULL;

    for (guint i = 0; i < queue->calls->len; i++) {
        JobMessageCall *call = g_ptr_array_index (queue->calls, i);

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
    for (guint i = 0; i < communicator->collectives->len; i++) {
        const JobMessageCollective *collective = g_ptr_array_index (communicator->collectives,
                                                                    i);

        if (collective->sequence == sequence) {
            return collective;
        }
    }
    return NULL;
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

void
job_message_table_free (JobMessageTable *table)
{
    if (table != NULL) {
        g_ptr_array_unref (table->queues);
        g_free (table);
    }
}

JobMessageTable *
job_message_table_dup (const JobMessageTable *table)
{
    JobMessageTable *copy;

    if (table == NULL) {
        return NULL;
    }
    copy = job_message_table_new ();
    for (guint i = 0; i < table->queues->len; i++) {
        g_ptr_array_add (copy->queues,
                         job_message_queue_dup (g_ptr_array_index (table->queues, i)));
    }
    return copy;
}

/* Index of the first queue whose rank is not below `rank`. */
static guint
find_index (const JobMessageTable *table, guint32 rank)
{
    guint low = 0, high = table->queues->len;

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

void
job_message_table_merge (JobMessageTable *table, const JobMessageTable *other)
{
    GPtrArray *own = table->queues, *theirs = other->queues; /* both by rank */
    GPtrArray *both = g_ptr_array_new_full (own->len + theirs->len,
                                            (GDestroyNotify) job_message_queue_free);
    guint i = 0, j = 0;

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
            g_ptr_array_add (both, g_atomic_rc_box_acquire ((gpointer) right));
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
