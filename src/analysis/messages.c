/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subtracts what was received from what was sent, and names the messages that are left. */
#include "analysis/messages.h"
#include "base/array.h"

typedef struct {
    guint64 communicator;
    guint32 source, destination;
    gint32 tag;
} FlowKey;

typedef struct {
    const JobMessageTable *table;
    GHashTable *received; /* FlowKey to JobMessageFlow, of receivers */
    GPtrArray *found;     /* of AnalysisTransit */
} Pairing;

static guint
hash_key (gconstpointer data)
{
    const FlowKey *key = data;
    guint64 hash = key->communicator * 31 + key->source;

    hash = hash * 1000003 + key->destination;
    hash = hash * 1000003 + (guint32) key->tag;
    return (guint) (hash ^ (hash >> 32));
}

static gboolean
equal_keys (gconstpointer a, gconstpointer b)
{
    const FlowKey *left = a, *right = b;

    return left->communicator == right->communicator && left->source == right->source
           && left->destination == right->destination && left->tag == right->tag;
}

static gboolean
is_counted (const JobMessageQueue *queue)
{
    return queue != NULL && queue->source == JOB_MESSAGE_SOURCE_RECORDER
           && (queue->flags & JOB_MESSAGE_QUEUE_COUNTED) != 0;
}

static void
collect_received (Pairing *pairing)
{
    BASE_EACH (pairing->table->queues, const JobMessageQueue, queue) {
        for (guint k = 0; is_counted (queue) && k < queue->flows->len; k++) {
            JobMessageFlow *flow = g_ptr_array_index (queue->flows, k);
            FlowKey key = { flow->communicator, (guint32) flow->peer, queue->rank, flow->tag };

            if (!flow->is_sent && flow->peer >= 0) {
                g_hash_table_insert (pairing->received, g_memdup2 (&key, sizeof key), flow);
            }
        }
    }
}

static gboolean
has_left (const JobMessageQueue *queue)
{
    const JobMessageCall *call = queue != NULL ? job_message_queue_find_call (queue) : NULL;

    return queue != NULL
           && ((queue->flags & JOB_MESSAGE_QUEUE_FINALIZED)
               || (call != NULL && call->kind == JOB_MESSAGE_FINALIZE));
}

static AnalysisTransit *
add_transit (Pairing *pairing, const JobMessageQueue *queue, const JobMessageFlow *flow)
{
    AnalysisTransit *transit = g_new0 (AnalysisTransit, 1);

    transit->source = queue->rank;
    transit->destination = (guint32) flow->peer;
    transit->communicator = flow->communicator;
    transit->tag = flow->tag;
    transit->is_final = has_left (job_message_table_find (pairing->table,
                                                          transit->destination));
    g_ptr_array_add (pairing->found, transit);
    return transit;
}

static gboolean
is_of_flow (const JobMessage *message, const JobMessageFlow *flow)
{
    return message->communicator == flow->communicator && message->peer == flow->peer
           && message->tag == flow->tag;
}

/* The last n_missing of the flow: those that the sender still has, and the number of others. */
static void
add_missing (Pairing *pairing, const JobMessageQueue *queue, const JobMessageFlow *flow,
             guint64 n_missing)
{
    guint64 first = flow->n_messages - n_missing; /* numbers above it are missing */
    guint64 n_named = 0;

    BASE_EACH (queue->sent, const JobMessage, message) {
        n_named += is_of_flow (message, flow) && message->number > first;
    }
    if (n_named < n_missing) {
        add_transit (pairing, queue, flow)->n_messages = n_missing - n_named;
    }
    BASE_EACH (queue->sent, const JobMessage, message) {
        if (is_of_flow (message, flow) && message->number > first) {
            AnalysisTransit *transit = add_transit (pairing, queue, flow);

            transit->n_messages = 1;
            transit->message = message;
        }
    }
}

static void
pair_sender (Pairing *pairing, const JobMessageQueue *queue)
{
    BASE_EACH (queue->flows, const JobMessageFlow, flow) {
        FlowKey key = { flow->communicator, queue->rank, (guint32) flow->peer, flow->tag };
        const JobMessageFlow *received;
        guint64 n_received;

        if (!flow->is_sent || flow->peer < 0 || flow->tag <= JOB_MESSAGE_TAG_WINDOWS
            || !is_counted (job_message_table_find (pairing->table, (guint32) flow->peer))) {
            continue;
        }
        received = g_hash_table_lookup (pairing->received, &key);
        n_received = received != NULL ? received->n_messages + received->n_matched : 0;
        /* Both sides were read at different moments: what seems more than was sent is none. */
        if (flow->n_messages > n_received) {
            add_missing (pairing, queue, flow, flow->n_messages - n_received);
        }
    }
}

static gboolean
is_for (const JobMessageOperation *receive, guint32 rank, const AnalysisTransit *transit)
{
    return transit->destination == rank && transit->communicator == receive->communicator
           && (receive->peer == JOB_MESSAGE_ANY || receive->peer == (gint32) transit->source)
           && (receive->tag == JOB_MESSAGE_ANY || receive->tag == transit->tag);
}

/* Each posted receive takes the first message that it could take. */
static void
ask (Pairing *pairing, const JobMessageQueue *queue, GHashTable *by_destination)
{
    GPtrArray *messages = g_hash_table_lookup (by_destination, GUINT_TO_POINTER (queue->rank));

    for (guint i = 0; messages != NULL && i < queue->operations->len; i++) {
        const JobMessageOperation *operation = g_ptr_array_index (queue->operations, i);

        if (operation->kind != JOB_MESSAGE_RECV || operation->flags & JOB_MESSAGE_MATCHED) {
            continue;
        }
        BASE_EACH (messages, AnalysisTransit, transit) {
            if (!transit->is_asked && is_for (operation, queue->rank, transit)) {
                transit->is_asked = TRUE;
                break;
            }
        }
    }
}

static void
ask_all (Pairing *pairing)
{
    g_autoptr (GHashTable) by_destination
        = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);

    BASE_EACH (pairing->found, AnalysisTransit, transit) {
        gpointer key = GUINT_TO_POINTER (transit->destination);
        GPtrArray *messages = g_hash_table_lookup (by_destination, key);

        if (messages == NULL) {
            messages = g_ptr_array_new ();
            g_hash_table_insert (by_destination, key, messages);
        }
        g_ptr_array_add (messages, transit);
    }
    for (guint i = 0; i < pairing->table->queues->len; i++) {
        ask (pairing, g_ptr_array_index (pairing->table->queues, i), by_destination);
    }
}

GPtrArray *
analysis_messages_list (const JobMessageTable *table)
{
    Pairing pairing = { .table = table,
                        .received = g_hash_table_new_full (hash_key, equal_keys, g_free, NULL),
                        .found = g_ptr_array_new_with_free_func (g_free) };

    collect_received (&pairing);
    BASE_EACH (table->queues, const JobMessageQueue, queue) {
        if (is_counted (queue)) {
            pair_sender (&pairing, queue);
        }
    }
    ask_all (&pairing);
    g_hash_table_unref (pairing.received);
    return pairing.found;
}
