/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of columns into queues. */
#include "job/message-queue-private.h"
#include "job/wire-private.h"
#include <string.h>

G_STATIC_ASSERT (JOB_MESSAGE_MAX_BYTES == 2 * sizeof (guint64));

typedef struct {
    JobWire wire;
    GVariant *children[N_COLUMNS];
    gconstpointer rows[N_COLUMNS];
    gsize n_rows[N_COLUMNS];
    gsize next[N_COLUMNS]; /* the first row that no queue has taken */
    GPtrArray *lists;      /* of GArray */
    GPtrArray *texts;      /* of char *, what has been read of them; NULL: not yet */
} Decoder;

static char *
take_text (Decoder *decoder, guint32 number)
{
    const char *text;

    if (number == 0) {
        return NULL;
    }
    if (number > decoder->texts->len) {
        decoder->wire.failed = TRUE;
        return NULL;
    }
    if (decoder->texts->pdata[number - 1] == NULL) { /* ranks name the same ones */
        decoder->texts->pdata[number - 1]
            = job_wire_take_text (&decoder->wire, decoder->children[TEXTS], number - 1);
    }
    text = decoder->texts->pdata[number - 1];
    return text != NULL && job_wire_spend (&decoder->wire, strlen (text) + 1) ? g_strdup (text)
                                                                              : NULL;
}

static JobLocation *
take_place (Decoder *decoder, guint32 number)
{
    const PlaceRow *row;
    JobLocation *place;

    if (number == 0) {
        return NULL;
    }
    if (number > decoder->n_rows[PLACES] || !job_wire_spend (&decoder->wire, sizeof *place)) {
        decoder->wire.failed = TRUE;
        return NULL;
    }
    row = (const PlaceRow *) decoder->rows[PLACES] + (number - 1);
    place = g_new0 (JobLocation, 1);
    place->function = take_text (decoder, row->function);
    place->file = take_text (decoder, row->file);
    place->module = take_text (decoder, row->module);
    place->line = row->line;
    place->offset = row->offset;
    place->language = row->language <= JOB_LANGUAGE_ASSEMBLER ? (JobLanguage) row->language
                                                              : JOB_LANGUAGE_UNKNOWN;
    return place;
}

static GArray *
take_list (Decoder *decoder, guint32 number)
{
    if (number == 0) {
        return NULL;
    }
    if (number > decoder->lists->len) {
        decoder->wire.failed = TRUE;
        return NULL;
    }
    return g_array_ref (g_ptr_array_index (decoder->lists, number - 1));
}

/* The next row of a column; NULL and failed when there is none. */
static gconstpointer
take_row (Decoder *decoder, guint column)
{
    gsize index = decoder->next[column];

    if (index >= decoder->n_rows[column] || !job_wire_spend (&decoder->wire, ROW_BYTES)) {
        decoder->wire.failed = TRUE;
        return NULL;
    }
    decoder->next[column]++;
    return (const guint8 *) decoder->rows[column] + index * row_sizes[column];
}

static gint32
check_peer (Decoder *decoder, gint32 peer)
{
    decoder->wire.failed |= peer < JOB_MESSAGE_OUTSIDE;
    return peer;
}

static JobMessageKind
check_kind (Decoder *decoder, guint32 kind)
{
    decoder->wire.failed |= kind >= JOB_MESSAGE_N_KINDS;
    return (JobMessageKind) kind;
}

static guint32
check_first (Decoder *decoder, guint32 n_first)
{
    decoder->wire.failed |= n_first > JOB_MESSAGE_MAX_BYTES;
    return n_first;
}

static void
take_waits (Decoder *decoder, JobMessageCall *call, const CallRow *row, guint32 n_operations)
{
    g_autoptr (GArray) waits = take_list (decoder, row->waits);

    if (waits == NULL || !job_wire_spend (&decoder->wire, (guint64) waits->len * 4)) {
        return;
    }
    for (guint i = 0; i < waits->len; i++) {
        decoder->wire.failed |= g_array_index (waits, guint32, i) >= n_operations;
    }
    g_array_append_vals (call->waits, waits->data, waits->len);
}

static void
take_calls (Decoder *decoder, GPtrArray *calls, guint32 n_calls, guint32 n_operations)
{
    for (guint32 i = 0; i < n_calls && !decoder->wire.failed; i++) {
        const CallRow *row = take_row (decoder, CALLS);
        JobMessageCall *call;

        if (row == NULL) {
            return;
        }
        call = job_message_call_new (check_kind (decoder, row->kind), NULL);
        g_ptr_array_add (calls, call);
        call->number = row->number;
        call->completed = row->completed;
        call->communicator = row->communicator;
        call->count = row->count;
        call->bytes = row->bytes;
        call->thread = row->thread;
        call->name = take_text (decoder, row->name);
        call->place = take_place (decoder, row->place);
        call->peer = check_peer (decoder, row->peer);
        call->local_peer = row->local_peer;
        call->tag = row->tag;
        call->result = row->result;
        take_waits (decoder, call, row, n_operations);
    }
}

static void
take_operations (Decoder *decoder, GPtrArray *operations, guint32 n_operations)
{
    for (guint32 i = 0; i < n_operations && !decoder->wire.failed; i++) {
        const OperationRow *row = take_row (decoder, OPERATIONS);
        JobMessageOperation *operation;

        if (row == NULL) {
            return;
        }
        operation = job_message_operation_new (check_kind (decoder, row->kind), NULL);
        g_ptr_array_add (operations, operation);
        operation->flags = row->flags;
        operation->name = take_text (decoder, row->name);
        operation->reduction = take_text (decoder, row->reduction);
        operation->datatype = take_text (decoder, row->datatype);
        operation->communicator = row->communicator;
        operation->peer = check_peer (decoder, row->peer);
        operation->local_peer = row->local_peer;
        operation->tag = row->tag;
        operation->count = row->count;
        operation->bytes = row->bytes;
        operation->sequence = row->sequence;
        operation->request = row->request;
        operation->buffer = row->buffer;
        operation->n_first = check_first (decoder, row->n_first);
        memcpy (operation->first, row->first, JOB_MESSAGE_MAX_BYTES);
        operation->n_partitions = row->n_partitions;
        operation->n_ready = row->n_ready;
        operation->unready = row->unready;
        operation->place = take_place (decoder, row->place);
    }
}

static void
take_collectives (Decoder *decoder, GPtrArray *collectives, guint32 n_collectives)
{
    for (guint32 i = 0; i < n_collectives && !decoder->wire.failed; i++) {
        const CollectiveRow *row = take_row (decoder, COLLECTIVES);
        JobMessageCollective *collective;

        if (row == NULL) {
            return;
        }
        collective = job_message_collective_new (row->sequence, NULL);
        g_ptr_array_add (collectives, collective);
        collective->name = take_text (decoder, row->name);
        collective->flags = row->flags;
        collective->root = check_peer (decoder, row->root);
        collective->reduction = take_text (decoder, row->reduction);
        collective->bytes = row->bytes;
        collective->signature = take_text (decoder, row->signature);
        collective->other_bytes = row->other_bytes;
        collective->other_signature = take_text (decoder, row->other_signature);
        collective->gives = take_list (decoder, row->gives);
        collective->gets = take_list (decoder, row->gets);
        collective->chain = row->chain;
        collective->place = take_place (decoder, row->place);
    }
}

/* The three lists of a Cartesian communicator go together. */
static gboolean
is_good_grid (const JobMessageCommunicator *communicator)
{
    const GArray *dims = communicator->dims, *periods = communicator->periods,
                 *coords = communicator->coords;

    if (dims == NULL || periods == NULL || coords == NULL) {
        return dims == NULL && periods == NULL && coords == NULL;
    }
    return dims->len == periods->len && dims->len == coords->len;
}

static void
take_communicators (Decoder *decoder, GPtrArray *communicators, guint32 n_communicators)
{
    for (guint32 i = 0; i < n_communicators && !decoder->wire.failed; i++) {
        const CommunicatorRow *row = take_row (decoder, COMMUNICATORS);
        JobMessageCommunicator *communicator;

        if (row == NULL) {
            return;
        }
        communicator = job_message_communicator_new (row->id, NULL);
        g_ptr_array_add (communicators, communicator);
        communicator->name = take_text (decoder, row->name);
        communicator->flags = row->flags;
        communicator->size = row->size;
        communicator->local_rank = row->local_rank;
        communicator->members = take_list (decoder, row->members);
        communicator->remote = take_list (decoder, row->remote);
        communicator->dims = take_list (decoder, row->dims);
        communicator->periods = take_list (decoder, row->periods);
        communicator->coords = take_list (decoder, row->coords);
        communicator->sources = take_list (decoder, row->sources);
        communicator->destinations = take_list (decoder, row->destinations);
        communicator->n_collectives = row->n_collectives;
        decoder->wire.failed |= !is_good_grid (communicator);
        take_collectives (decoder, communicator->collectives, row->n_kept);
    }
}

static void
take_flows (Decoder *decoder, GPtrArray *flows, guint32 n_flows)
{
    for (guint32 i = 0; i < n_flows && !decoder->wire.failed; i++) {
        const FlowRow *row = take_row (decoder, FLOWS);
        JobMessageFlow *flow;

        if (row == NULL) {
            return;
        }
        flow = job_message_flow_new (row->is_sent != 0, row->communicator,
                                     check_peer (decoder, row->peer), row->tag,
                                     row->n_messages);
        flow->n_matched = row->n_matched;
        flow->matched = take_place (decoder, row->matched);
        g_ptr_array_add (flows, flow);
    }
}

static void
take_messages (Decoder *decoder, GPtrArray *messages, guint32 n_messages)
{
    for (guint32 i = 0; i < n_messages && !decoder->wire.failed; i++) {
        const MessageRow *row = take_row (decoder, MESSAGES);
        JobMessage *message;

        if (row == NULL) {
            return;
        }
        message = job_message_new (NULL);
        g_ptr_array_add (messages, message);
        message->name = take_text (decoder, row->name);
        message->datatype = take_text (decoder, row->datatype);
        message->communicator = row->communicator;
        message->peer = check_peer (decoder, row->peer);
        message->tag = row->tag;
        message->number = row->number;
        message->bytes = row->bytes;
        message->n_first = check_first (decoder, row->n_first);
        memcpy (message->first, row->first, JOB_MESSAGE_MAX_BYTES);
        message->place = take_place (decoder, row->place);
    }
}

static void
take_runs (Decoder *decoder, GPtrArray *runs, guint32 n_runs)
{
    for (guint32 i = 0; i < n_runs && !decoder->wire.failed; i++) {
        const RunRow *row = take_row (decoder, RUNS);
        JobMessageRun *run;

        if (row == NULL) {
            return;
        }
        run = job_message_run_new (NULL);
        g_ptr_array_add (runs, run);
        decoder->wire.failed |= row->first == 0 || row->last < row->first;
        run->is_sent = row->is_sent != 0;
        run->communicator = row->communicator;
        run->peer = check_peer (decoder, row->peer);
        run->tag = row->tag;
        run->first = row->first;
        run->last = row->last;
        run->bytes = row->bytes;
        run->signature = take_text (decoder, row->signature);
        run->name = take_text (decoder, row->name);
        run->place = take_place (decoder, row->place);
    }
}

static void
take_waits_of (Decoder *decoder, GPtrArray *waits, guint32 n_waits)
{
    for (guint32 i = 0; i < n_waits; i++) {
        const WaitRow *row = take_row (decoder, WAITS);
        JobWait *wait;

        if (row == NULL || row->kind >= JOB_N_WAITS) {
            decoder->wire.failed = TRUE;
            return;
        }
        wait = job_wait_new ((JobWaitKind) row->kind);
        g_ptr_array_add (waits, wait);
        wait->flags = row->flags;
        wait->thread = row->thread;
        wait->other = row->other;
        wait->number = row->number;
        wait->turns = row->turns;
        wait->thread_name = take_text (decoder, row->thread_name);
        wait->other_name = take_text (decoder, row->other_name);
        wait->name = take_text (decoder, row->name);
        wait->file = take_text (decoder, row->file);
        wait->line = row->line;
        wait->peer = row->peer;
    }
}

static void
take_queue (Decoder *decoder, JobMessageTable *table)
{
    const QueueRow *row = take_row (decoder, QUEUES);
    JobMessageQueue *queue;

    if (row == NULL || row->rank >= decoder->wire.limit || row->source >= JOB_MESSAGE_N_SOURCES
        || job_message_table_find (table, row->rank) != NULL) {
        decoder->wire.failed = TRUE;
        return;
    }
    queue = job_message_queue_new (row->rank);
    job_message_table_add (table, queue);
    queue->source = (JobMessageSource) row->source;
    queue->flags = row->flags;
    queue->world_rank = row->world_rank;
    queue->world_size = row->world_size;
    queue->completed = row->completed;
    queue->library = take_text (decoder, row->library);
    queue->remark = take_text (decoder, row->remark);
    queue->error = take_text (decoder, row->error);
    take_calls (decoder, queue->calls, row->n_calls, row->n_operations);
    take_calls (decoder, queue->recent, row->n_recent, row->n_operations);
    take_operations (decoder, queue->operations, row->n_operations);
    take_communicators (decoder, queue->communicators, row->n_communicators);
    take_flows (decoder, queue->flows, row->n_flows);
    take_messages (decoder, queue->sent, row->n_sent);
    take_runs (decoder, queue->runs, row->n_runs);
    take_waits_of (decoder, queue->waits, row->n_waits);
}

static void
open_table (Decoder *decoder, GVariant *variant)
{
    for (guint i = 0; i < N_COLUMNS; i++) {
        decoder->children[i] = g_variant_get_child_value (variant, i);
        if (i >= PLACES) {
            gsize n_words;

            decoder->rows[i] = g_variant_get_fixed_array (decoder->children[i], &n_words, 8);
            decoder->wire.failed |= n_words * 8 % row_sizes[i] != 0;
            decoder->n_rows[i] = n_words * 8 / row_sizes[i];
        }
    }
    decoder->texts = g_ptr_array_new_with_free_func (g_free);
    if (job_wire_spend (&decoder->wire,
                        g_variant_n_children (decoder->children[TEXTS]) * sizeof (char *))) {
        g_ptr_array_set_size (decoder->texts,
                              (gint) g_variant_n_children (decoder->children[TEXTS]));
    }
    decoder->lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
    for (gsize i = 0; i < g_variant_n_children (decoder->children[LISTS]); i++) {
        g_autoptr (GVariant) child = g_variant_get_child_value (decoder->children[LISTS], i);
        GArray *list = g_array_new (FALSE, FALSE, 4);
        gsize n_values;
        gconstpointer values = g_variant_get_fixed_array (child, &n_values, 4);

        if (n_values > 0 && job_wire_spend (&decoder->wire, (guint64) n_values * 4 + 64)) {
            g_array_append_vals (list, values, (guint) n_values);
        }
        g_ptr_array_add (decoder->lists, list);
    }
}

static void
close_table (Decoder *decoder)
{
    for (guint i = 0; i < N_COLUMNS; i++) {
        /* Rows that belong to no queue contradict the queues. */
        decoder->wire.failed |= i > PLACES && decoder->next[i] != decoder->n_rows[i];
        g_variant_unref (decoder->children[i]);
    }
    g_ptr_array_unref (decoder->lists);
    g_ptr_array_unref (decoder->texts);
}

JobMessageTable *
job_wire_take_queues (JobWire *wire, GVariant *variant)
{
    g_autoptr (JobMessageTable) table = job_message_table_new ();
    Decoder decoder = { .wire = *wire };

    if (!job_wire_check (variant, TABLE_TYPE, NULL)) {
        wire->failed = TRUE;
        return NULL;
    }
    open_table (&decoder, variant);
    for (gsize i = 0; i < decoder.n_rows[QUEUES] && !decoder.wire.failed; i++) {
        take_queue (&decoder, table);
    }
    close_table (&decoder);
    *wire = decoder.wire;
    return wire->failed ? NULL : g_steal_pointer (&table);
}

JobMessageTable *
job_message_table_decode (GVariant *variant, guint32 limit, GError **error)
{
    JobWire wire = { limit, JOB_EVENT_MAX_BYTES, FALSE, FALSE };
    JobMessageTable *table = job_wire_take_queues (&wire, variant);

    if (table == NULL) {
        job_wire_fail (&wire, error, "a table of message queues");
    }
    return table;
}
