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
    GArray *rows[JOB_N_COLUMNS]; /* from JOB_COLUMN_PLACES on */
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
    JobPlaceRow row = { 0 };

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
    g_array_append_val (encoder->rows[JOB_COLUMN_PLACES], row);
    number = encoder->rows[JOB_COLUMN_PLACES]->len;
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

static guint32 put_items (Encoder *encoder, const JobShape *shape, const GPtrArray *items);

static guint32
make_word (Encoder *encoder, const JobField *field, gconstpointer from)
{
    switch (field->kind) {
    case JOB_FIELD_FLAG: return *(const gboolean *) from != FALSE;
    case JOB_FIELD_TEXT: return put_text (encoder, *(char *const *) from);
    case JOB_FIELD_PLACE: return put_place (encoder, *(JobLocation *const *) from);
    case JOB_FIELD_LIST:
    case JOB_FIELD_OWN_LIST: return put_list (encoder, *(GArray *const *) from);
    case JOB_FIELD_ITEMS: return put_items (encoder, field->items, *(GPtrArray *const *) from);
    case JOB_FIELD_UNUSED: return 0;
    default: return *(const guint32 *) from;
    }
}

static void
put_value (Encoder *encoder, const JobShape *shape, gconstpointer value)
{
    guint8 row[MAX_ROW_BYTES];
    gsize n = 0;

    for (guint i = 0; i < shape->n_fields; i++) {
        const JobField *field = &shape->fields[i];
        gconstpointer from = (const char *) value + field->at;
        gsize size = job_field_get_size (field);
        guint32 word;

        if (size == sizeof word) {
            word = make_word (encoder, field, from);
            from = &word;
        }
        memcpy (row + n, from, size);
        n += size;
    }
    g_array_append_vals (encoder->rows[shape->column], row, 1);
}

static guint32
put_items (Encoder *encoder, const JobShape *shape, const GPtrArray *items)
{
    for (guint i = 0; i < items->len; i++) {
        put_value (encoder, shape, items->pdata[i]);
    }
    return items->len;
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
        .places = g_hash_table_new ((GHashFunc) job_location_hash, equal_places),
        .lists = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                        (GDestroyNotify) g_bytes_unref, NULL),
    };
    GVariant *children[JOB_N_COLUMNS];

    g_variant_builder_init (&encoder.text_builder, G_VARIANT_TYPE ("aay"));
    g_variant_builder_init (&encoder.list_builder, G_VARIANT_TYPE ("aau"));
    for (guint i = JOB_COLUMN_PLACES; i < JOB_N_COLUMNS; i++) {
        encoder.rows[i] = g_array_new (FALSE, FALSE, (guint) job_column_get_size (i));
    }
    put_items (&encoder, job_message_shapes[JOB_COLUMN_QUEUES], table->queues);
    children[JOB_COLUMN_TEXTS] = g_variant_builder_end (&encoder.text_builder);
    children[JOB_COLUMN_LISTS] = g_variant_builder_end (&encoder.list_builder);
    for (guint i = JOB_COLUMN_PLACES; i < JOB_N_COLUMNS; i++) {
        GArray *rows = encoder.rows[i];

        children[i] = g_variant_new_fixed_array (G_VARIANT_TYPE_UINT64, rows->data,
                                                 rows->len * job_column_get_size (i) / 8, 8);
        g_array_unref (rows);
    }
    g_hash_table_unref (encoder.texts);
    g_hash_table_unref (encoder.places);
    g_hash_table_unref (encoder.lists);
    return g_variant_new_tuple (children, JOB_N_COLUMNS);
}
