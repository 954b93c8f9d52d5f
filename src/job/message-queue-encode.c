/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues into tables of columns. */
#include "job/message-queue-private.h"
#include "job/wire-private.h"
#include <string.h>

typedef struct {
    GHashTable *texts;  /* text to its number; borrows */
    GHashTable *places; /* JobLocation to its number; borrows */
    GHashTable *lists;  /* GBytes to its number */
    GVariantBuilder text_builder, list_builder;
    GArray *rows[N_COLUMNS]; /* from PLACES on */
} Encoder;

static guint32
put_text (Encoder *encoder, const char *text)
{
    guint32 number;

    if (text == NULL) {
        return 0;
    }
    number = GPOINTER_TO_UINT (g_hash_table_lookup (encoder->texts, text));
    if (number == 0) {
        number = g_hash_table_size (encoder->texts) + 1;
        g_hash_table_insert (encoder->texts, (gpointer) text, GUINT_TO_POINTER (number));
        g_variant_builder_add_value (&encoder->text_builder, job_wire_put_text (text));
    }
    return number;
}

static guint32
put_place (Encoder *encoder, const JobLocation *place)
{
    guint32 number;
    PlaceRow row = { 0 };

    if (place == NULL) {
        return 0;
    }
    number = GPOINTER_TO_UINT (g_hash_table_lookup (encoder->places, place));
    if (number != 0) {
        return number;
    }
    row.offset = place->offset;
    row.function = put_text (encoder, place->function);
    row.file = put_text (encoder, place->file);
    row.module = put_text (encoder, place->module);
    row.line = place->line;
    row.language = place->language;
    g_array_append_val (encoder->rows[PLACES], row);
    number = encoder->rows[PLACES]->len;
    g_hash_table_insert (encoder->places, (gpointer) place, GUINT_TO_POINTER (number));
    return number;
}

/* Lists of 32-bit numbers; an empty one is none. */
static guint32
put_list (Encoder *encoder, const GArray *list)
{
    g_autoptr (GBytes) bytes = NULL;
    guint32 number;

    if (list == NULL || list->len == 0) {
        return 0;
    }
    bytes = g_bytes_new_static (list->data, list->len * 4);
    number = GPOINTER_TO_UINT (g_hash_table_lookup (encoder->lists, bytes));
    if (number == 0) {
        number = g_hash_table_size (encoder->lists) + 1;
        g_hash_table_insert (encoder->lists, g_bytes_ref (bytes), GUINT_TO_POINTER (number));
        g_variant_builder_add_value (&encoder->list_builder,
                                     g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32,
                                                                list->data, list->len, 4));
    }
    return number;
}

static void
put_calls (Encoder *encoder, const GPtrArray *calls)
{
    for (guint i = 0; i < calls->len; i++) {
        const JobMessageCall *call = g_ptr_array_index (calls, i);
        CallRow row = {
            call->number,
            call->completed,
            call->communicator,
            call->count,
            call->bytes,
            call->kind,
            call->thread,
            put_text (encoder, call->name),
            put_place (encoder, call->place),
            put_list (encoder, call->waits),
            call->peer,
            call->local_peer,
            call->tag,
            call->result,
            0,
        };

        g_array_append_val (encoder->rows[CALLS], row);
    }
}

static void
put_operations (Encoder *encoder, const GPtrArray *operations)
{
    for (guint i = 0; i < operations->len; i++) {
        const JobMessageOperation *operation = g_ptr_array_index (operations, i);
        OperationRow row = {
            operation->communicator,
            operation->count,
            operation->bytes,
            operation->sequence,
            operation->request,
            operation->buffer,
            { 0 },
            operation->kind,
            operation->flags,
            put_text (encoder, operation->name),
            put_text (encoder, operation->reduction),
            put_text (encoder, operation->datatype),
            put_place (encoder, operation->place),
            operation->n_first,
            operation->n_partitions,
            operation->n_ready,
            0,
            operation->peer,
            operation->local_peer,
            operation->tag,
            operation->unready,
        };

        memcpy (row.first, operation->first, JOB_MESSAGE_MAX_BYTES);
        g_array_append_val (encoder->rows[OPERATIONS], row);
    }
}

static void
put_communicators (Encoder *encoder, const GPtrArray *communicators)
{
    for (guint i = 0; i < communicators->len; i++) {
        const JobMessageCommunicator *communicator = g_ptr_array_index (communicators, i);
        CommunicatorRow row = {
            communicator->id,
            communicator->n_collectives,
            put_text (encoder, communicator->name),
            communicator->flags,
            communicator->size,
            put_list (encoder, communicator->members),
            put_list (encoder, communicator->remote),
            put_list (encoder, communicator->dims),
            put_list (encoder, communicator->periods),
            put_list (encoder, communicator->coords),
            communicator->collectives->len,
            put_list (encoder, communicator->sources),
            put_list (encoder, communicator->destinations),
            communicator->local_rank,
        };

        g_array_append_val (encoder->rows[COMMUNICATORS], row);
        for (guint k = 0; k < communicator->collectives->len; k++) {
            const JobMessageCollective *collective
                = g_ptr_array_index (communicator->collectives, k);
            CollectiveRow inner = {
                collective->sequence,
                collective->bytes,
                collective->other_bytes,
                put_text (encoder, collective->name),
                collective->flags,
                put_text (encoder, collective->reduction),
                put_place (encoder, collective->place),
                collective->root,
                collective->chain,
                put_text (encoder, collective->signature),
                put_text (encoder, collective->other_signature),
                put_list (encoder, collective->gives),
                put_list (encoder, collective->gets),
            };

            g_array_append_val (encoder->rows[COLLECTIVES], inner);
        }
    }
}

static void
put_flows (Encoder *encoder, const GPtrArray *flows)
{
    for (guint i = 0; i < flows->len; i++) {
        const JobMessageFlow *flow = g_ptr_array_index (flows, i);
        FlowRow row = { flow->communicator,
                        flow->n_messages,
                        flow->n_matched,
                        flow->peer,
                        flow->tag,
                        flow->is_sent != FALSE,
                        put_place (encoder, flow->matched) };

        g_array_append_val (encoder->rows[FLOWS], row);
    }
}

static void
put_messages (Encoder *encoder, const GPtrArray *messages)
{
    for (guint i = 0; i < messages->len; i++) {
        const JobMessage *message = g_ptr_array_index (messages, i);
        MessageRow row = {
            message->communicator,
            message->number,
            message->bytes,
            { 0 },
            message->peer,
            message->tag,
            put_text (encoder, message->name),
            put_text (encoder, message->datatype),
            message->n_first,
            put_place (encoder, message->place),
        };

        memcpy (row.first, message->first, JOB_MESSAGE_MAX_BYTES);
        g_array_append_val (encoder->rows[MESSAGES], row);
    }
}

static void
put_runs (Encoder *encoder, const GPtrArray *runs)
{
    for (guint i = 0; i < runs->len; i++) {
        const JobMessageRun *run = g_ptr_array_index (runs, i);
        RunRow row = {
            run->communicator,
            run->first,
            run->last,
            run->bytes,
            run->peer,
            run->tag,
            run->is_sent != FALSE,
            put_text (encoder, run->signature),
            put_text (encoder, run->name),
            put_place (encoder, run->place),
        };

        g_array_append_val (encoder->rows[RUNS], row);
    }
}

static void
put_waits (Encoder *encoder, GPtrArray *waits)
{
    for (guint i = 0; i < waits->len; i++) {
        const JobWait *wait = g_ptr_array_index (waits, i);
        WaitRow row = {
            wait->number,
            wait->turns,
            wait->kind,
            wait->flags,
            wait->thread,
            wait->other,
            put_text (encoder, wait->thread_name),
            put_text (encoder, wait->other_name),
            put_text (encoder, wait->name),
            put_text (encoder, wait->file),
            wait->line,
            wait->peer,
        };

        g_array_append_val (encoder->rows[WAITS], row);
    }
}

static void
put_queue (Encoder *encoder, const JobMessageQueue *queue)
{
    QueueRow row = {
        queue->completed,
        queue->rank,
        queue->source,
        queue->flags,
        queue->world_rank,
        queue->world_size,
        put_text (encoder, queue->library),
        put_text (encoder, queue->remark),
        put_text (encoder, queue->error),
        queue->calls->len,
        queue->recent->len,
        queue->operations->len,
        queue->communicators->len,
        queue->flows->len,
        queue->sent->len,
        queue->waits->len,
        queue->runs->len,
    };

    g_array_append_val (encoder->rows[QUEUES], row);
    put_calls (encoder, queue->calls);
    put_calls (encoder, queue->recent);
    put_operations (encoder, queue->operations);
    put_communicators (encoder, queue->communicators);
    put_flows (encoder, queue->flows);
    put_messages (encoder, queue->sent);
    put_runs (encoder, queue->runs);
    put_waits (encoder, queue->waits);
}

static guint
hash_place (gconstpointer place)
{
    return job_location_hash (place);
}

static gboolean
equal_places (gconstpointer a, gconstpointer b)
{
    const JobLocation *left = a, *right = b;

    return left->language == right->language && job_location_equal (left, right);
}

GVariant *
job_message_table_encode (const JobMessageTable *table)
{
    Encoder encoder = {
        .texts = g_hash_table_new (g_str_hash, g_str_equal),
        .places = g_hash_table_new (hash_place, equal_places),
        .lists = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                        (GDestroyNotify) g_bytes_unref, NULL),
    };
    GVariant *children[N_COLUMNS];

    g_variant_builder_init (&encoder.text_builder, G_VARIANT_TYPE ("aay"));
    g_variant_builder_init (&encoder.list_builder, G_VARIANT_TYPE ("aau"));
    for (guint i = PLACES; i < N_COLUMNS; i++) {
        encoder.rows[i] = g_array_new (FALSE, FALSE, (guint) row_sizes[i]);
    }
    for (guint i = 0; i < table->queues->len; i++) {
        put_queue (&encoder, g_ptr_array_index (table->queues, i));
    }
    children[TEXTS] = g_variant_builder_end (&encoder.text_builder);
    children[LISTS] = g_variant_builder_end (&encoder.list_builder);
    for (guint i = PLACES; i < N_COLUMNS; i++) {
        GArray *rows = encoder.rows[i];

        children[i] = g_variant_new_fixed_array (G_VARIANT_TYPE_UINT64, rows->data,
                                                 rows->len * row_sizes[i] / 8, 8);
        g_array_unref (rows);
    }
    g_hash_table_unref (encoder.texts);
    g_hash_table_unref (encoder.places);
    g_hash_table_unref (encoder.lists);
    return g_variant_new_tuple (children, N_COLUMNS);
}
