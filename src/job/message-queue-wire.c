/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of columns into queues. */
#include "job/message-queue-private.h"
#include "job/wire-private.h"
#include "base/array.h"
#include <string.h>

#define ROW_BYTES 128 /* that a row becomes, with its empty lists */

typedef struct {
    JobWire wire;
    GVariant *children[JOB_N_COLUMNS];
    gconstpointer rows[JOB_N_COLUMNS];
    gsize n_rows[JOB_N_COLUMNS], row_sizes[JOB_N_COLUMNS];
    gsize next[JOB_N_COLUMNS]; /* the first row that no queue has taken */
    GPtrArray *lists;          /* of GArray */
    GPtrArray *nothing;        /* empty lists */
    GArray *no_numbers;
    GPtrArray *texts; /* of char *, what has been read of them; NULL: not yet */
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
            = job_wire_take_text (&decoder->wire, decoder->children[JOB_COLUMN_TEXTS],
                                  number - 1);
    }
    text = decoder->texts->pdata[number - 1];
    return text != NULL && job_wire_spend (&decoder->wire, strlen (text) + 1) ? g_strdup (text)
                                                                              : NULL;
}

static JobLocation *
take_place (Decoder *decoder, guint32 number)
{
    const JobPlaceRow *row;
    JobLocation *place;

    if (number == 0) {
        return NULL;
    }
    if (number > decoder->n_rows[JOB_COLUMN_PLACES]
        || !job_wire_spend (&decoder->wire, sizeof *place)) {
        decoder->wire.failed = TRUE;
        return NULL;
    }
    row = (const JobPlaceRow *) decoder->rows[JOB_COLUMN_PLACES] + (number - 1);
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
    return (const guint8 *) decoder->rows[column] + index * decoder->row_sizes[column];
}

static gboolean take_value (Decoder *decoder, const JobShape *shape, gpointer value);

/* Most ranks lack most lists: these share one without anything, which nobody changes. */
static GPtrArray *
take_items (Decoder *decoder, const JobShape *shape, guint32 n)
{
    GPtrArray *items;

    if (n == 0) {
        return g_ptr_array_ref (decoder->nothing);
    }
    items = g_ptr_array_new_with_free_func (shape->free);
    for (guint32 i = 0; i < n; i++) {
        gpointer item = g_malloc0 (shape->size);

        g_ptr_array_add (items, item);
        if (!take_value (decoder, shape, item)) {
            break;
        }
    }
    return items;
}

static GArray *
take_own_list (Decoder *decoder, guint32 number)
{
    g_autoptr (GArray) list = take_list (decoder, number);

    return list != NULL && job_wire_spend (&decoder->wire, (guint64) list->len * 4)
               ? g_array_copy (list)
               : g_array_ref (decoder->no_numbers);
}

static void
take_word (Decoder *decoder, const JobField *field, guint32 word, gpointer to)
{
    gpointer *part = to;

    switch (field->kind) {
    case JOB_FIELD_FLAG: *(gboolean *) to = word != 0; break;
    case JOB_FIELD_TEXT: *part = take_text (decoder, word); break;
    case JOB_FIELD_PLACE: *part = take_place (decoder, word); break;
    case JOB_FIELD_LIST: *part = take_list (decoder, word); break;
    case JOB_FIELD_OWN_LIST: *part = take_own_list (decoder, word); break;
    case JOB_FIELD_ITEMS: *part = take_items (decoder, field->items, word); break;
    case JOB_FIELD_UNUSED: break;
    default:
        *(guint32 *) to = word;
        decoder->wire.failed |= (field->limit != 0 && word >= field->limit)
                                || (field->kind == JOB_FIELD_PEER
                                    && (gint32) word < JOB_MESSAGE_OUTSIDE);
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

/* What holds between the parts of one. */
static gboolean
is_good (JobColumn column, gconstpointer value)
{
    const JobMessageRun *run = value;

    return column == JOB_COLUMN_COMMUNICATORS ? is_good_grid (value)
           : column == JOB_COLUMN_RUNS        ? run->first != 0 && run->last >= run->first
                                              : TRUE;
}

/* From the next row of its column; FALSE with failed set. The value is all 0 before. */
static gboolean
take_value (Decoder *decoder, const JobShape *shape, gpointer value)
{
    const guint8 *row = take_row (decoder, shape->column);

    for (guint i = 0; i < shape->n_fields && !decoder->wire.failed; i++) {
        const JobField *field = &shape->fields[i];
        gpointer to = (char *) value + field->at;
        gsize size = job_field_get_size (field);
        guint32 word;

        if (size == sizeof word) {
            memcpy (&word, row, size);
            take_word (decoder, field, word, to);
        } else {
            memcpy (to, row, size);
        }
        row += size;
    }
    decoder->wire.failed |= row == NULL || !is_good (shape->column, value);
    return !decoder->wire.failed;
}

static gboolean
are_good_waits (const JobMessageQueue *queue, const GPtrArray *calls)
{
    BASE_EACH (calls, const JobMessageCall, call) {
        if (BASE_ANY (k, call->waits->len,
                      g_array_index (call->waits, guint32, k) >= queue->operations->len)) {
            return FALSE;
        }
    }
    return TRUE;
}

static void
take_queue (Decoder *decoder, JobMessageTable *table)
{
    g_autoptr (JobMessageQueue) queue = g_atomic_rc_box_new0 (JobMessageQueue);

    if (!take_value (decoder, job_message_shapes[JOB_COLUMN_QUEUES], queue)
        || queue->rank >= decoder->wire.limit || !are_good_waits (queue, queue->calls)
        || !are_good_waits (queue, queue->recent)
        || job_message_table_find (table, queue->rank) != NULL) {
        decoder->wire.failed = TRUE;
        return;
    }
    job_message_table_add (table, g_steal_pointer (&queue));
}

static void
open_table (Decoder *decoder, GVariant *variant)
{
    for (guint i = 0; i < JOB_N_COLUMNS; i++) {
        decoder->children[i] = g_variant_get_child_value (variant, i);
        if (i >= JOB_COLUMN_PLACES) {
            gsize n_words;

            decoder->rows[i] = g_variant_get_fixed_array (decoder->children[i], &n_words, 8);
            decoder->row_sizes[i] = job_column_get_size (i);
            decoder->wire.failed |= n_words * 8 % decoder->row_sizes[i] != 0;
            decoder->n_rows[i] = n_words * 8 / decoder->row_sizes[i];
        }
    }
    decoder->nothing = g_ptr_array_new ();
    decoder->no_numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
    decoder->texts = g_ptr_array_new_with_free_func (g_free);
    if (job_wire_spend (&decoder->wire,
                        g_variant_n_children (decoder->children[JOB_COLUMN_TEXTS])
                            * sizeof (char *))) {
        g_ptr_array_set_size (decoder->texts,
                              (gint)
                                  g_variant_n_children (decoder->children[JOB_COLUMN_TEXTS]));
    }
    decoder->lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
    for (gsize i = 0; i < g_variant_n_children (decoder->children[JOB_COLUMN_LISTS]); i++) {
        g_autoptr (GVariant) child
            = g_variant_get_child_value (decoder->children[JOB_COLUMN_LISTS], i);
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
    for (guint i = 0; i < JOB_N_COLUMNS; i++) {
        /* Rows that belong to no queue contradict the queues. */
        decoder->wire.failed |= i > JOB_COLUMN_PLACES && decoder->next[i] != decoder->n_rows[i];
        g_variant_unref (decoder->children[i]);
    }
    g_ptr_array_unref (decoder->lists);
    g_ptr_array_unref (decoder->texts);
    g_ptr_array_unref (decoder->nothing);
    g_array_unref (decoder->no_numbers);
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
    for (gsize i = 0; i < decoder.n_rows[JOB_COLUMN_QUEUES] && !decoder.wire.failed; i++) {
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
