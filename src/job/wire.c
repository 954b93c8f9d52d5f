/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text, rank sets and places inside variants. */
#include "job/wire-private.h"
#include "base/error.h"
#include "base/escape.h"
#include "job/rank-set-private.h"
#include <string.h>

gboolean
job_wire_fail (const JobWire *wire, GError **error, const char *what)
{
    if (wire->is_full) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot take %s: it is larger than pddt's limit", what);
        return FALSE;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "cannot decode %s: malformed data",
                 what);
    return FALSE;
}

gboolean
job_wire_spend (JobWire *wire, guint64 bytes)
{
    wire->is_full |= !wire->failed && bytes > wire->left;
    if (wire->failed || bytes > wire->left) {
        wire->failed = TRUE;
        return FALSE;
    }
    wire->left -= bytes;
    return TRUE;
}

gboolean
job_wire_check (GVariant *variant, const char *type, GError **error)
{
    if (variant == NULL || !g_variant_is_of_type (variant, G_VARIANT_TYPE (type))
        || !g_variant_is_normal_form (variant)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot decode a message: it does not have the form %s", type);
        return FALSE;
    }
    return TRUE;
}

GVariant *
job_wire_put_text (const char *text)
{
    gsize size = text != NULL ? strlen (text) + 1 : 0;

    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, text, size, 1);
}

GVariant *
job_wire_put_ranks (const JobRankSet *ranks)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    job_rank_set_encode (ranks, bytes);
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, bytes->data, bytes->len, 1);
}

GVariant *
job_wire_put_location (const JobLocation *location)
{
    return g_variant_new ("(@ay@ayu@ayty)", job_wire_put_text (location->function),
                          job_wire_put_text (location->file), location->line,
                          job_wire_put_text (location->module), location->offset,
                          (guint8) location->language);
}

char *
job_wire_take_text (JobWire *wire, GVariant *tuple, gsize index)
{
    g_autoptr (GVariant) child = g_variant_get_child_value (tuple, index);
    gsize size;
    const char *data = g_variant_get_fixed_array (child, &size, 1);

    if (size == 0) {
        return NULL;
    }
    if (memchr (data, 0, size) != data + size - 1) {
        wire->failed = TRUE;
        return NULL;
    }
    return job_wire_spend (wire, size) ? base_escape_dup (data, BASE_ESCAPE_NAME) : NULL;
}

static JobRankSet *
decode_ranks (JobWire *wire, const guint8 *data, gsize size)
{
    JobRankSet *ranks = wire->failed || data == NULL
                            ? NULL
                            : job_rank_set_decode_within (data, size, wire->limit, &wire->left,
                                                          NULL);

    wire->failed |= ranks == NULL;
    return ranks != NULL ? ranks : job_rank_set_new ();
}

JobRankSet *
job_wire_take_ranks (JobWire *wire, GVariant *tuple, gsize index)
{
    g_autoptr (GVariant) child = g_variant_get_child_value (tuple, index);
    gsize size;
    const guint8 *data = g_variant_get_fixed_array (child, &size, 1);

    return decode_ranks (wire, size > 0 ? data : (const guint8 *) "", size);
}

JobLocation *
job_wire_take_location (JobWire *wire, GVariant *tuple, gsize index)
{
    g_autoptr (GVariant) child = g_variant_get_child_value (tuple, index);
    JobLocation *location = g_new0 (JobLocation, 1);
    guint8 language;

    job_wire_spend (wire, sizeof *location);
    location->function = job_wire_take_text (wire, child, 0);
    location->file = job_wire_take_text (wire, child, 1);
    g_variant_get_child (child, 2, "u", &location->line);
    location->module = job_wire_take_text (wire, child, 3);
    g_variant_get_child (child, 4, "t", &location->offset);
    g_variant_get_child (child, 5, "y", &language);
    location->language = language <= JOB_LANGUAGE_ASSEMBLER ? language : JOB_LANGUAGE_UNKNOWN;
    return location;
}

void
job_wire_write_text (GByteArray *block, const char *text)
{
    base_bytes_put_uleb (block, text != NULL);
    if (text != NULL) {
        g_byte_array_append (block, (const guint8 *) text, (guint) strlen (text) + 1);
    }
}

void
job_wire_write_signed (GByteArray *block, gint32 value)
{
    base_bytes_put_uleb (block, ((guint32) value << 1) ^ (guint32) (value >> 31));
}

void
job_wire_write_ranks (GByteArray *block, const JobRankSet *ranks)
{
    g_autoptr (GByteArray) bytes = g_byte_array_sized_new (64);

    job_rank_set_encode (ranks, bytes);
    base_bytes_put_uleb (block, bytes->len);
    g_byte_array_append (block, bytes->data, bytes->len);
}

char *
job_wire_read_text (JobWire *wire, BaseCursor *block)
{
    guint32 is_there = job_wire_read_number (wire, block);
    const char *text = is_there == 1 ? base_cursor_read_string (block) : NULL;

    wire->failed |= block->failed || is_there > 1;
    return text != NULL && job_wire_spend (wire, strlen (text) + 1) ? g_strdup (text) : NULL;
}

char *
job_wire_read_name (JobWire *wire, BaseCursor *block)
{
    return base_escape_take (job_wire_read_text (wire, block), BASE_ESCAPE_NAME);
}

guint32
job_wire_read_number (JobWire *wire, BaseCursor *block)
{
    guint64 value = base_cursor_read_uleb (block);

    wire->failed |= block->failed || value > G_MAXUINT32;
    return (guint32) value;
}

gint32
job_wire_read_signed (JobWire *wire, BaseCursor *block)
{
    guint32 value = job_wire_read_number (wire, block);

    return (gint32) ((value >> 1) ^ (~(value & 1) + 1));
}

JobRankSet *
job_wire_read_ranks (JobWire *wire, BaseCursor *block)
{
    guint32 size = job_wire_read_number (wire, block);
    const guint8 *data = wire->failed ? NULL : base_cursor_read_bytes (block, size);

    return decode_ranks (wire, data, size);
}

void
job_wire_write_place (GByteArray *block, const JobLocation *place)
{
    job_wire_write_text (block, place->function);
    job_wire_write_text (block, place->file);
    job_wire_write_text (block, place->module);
    base_bytes_put_uleb (block, place->line);
    base_bytes_put_uleb (block, place->offset);
    base_bytes_put_uleb (block, (guint) place->language);
}

JobLocation *
job_wire_read_place (JobWire *wire, BaseCursor *block)
{
    JobLocation *place = g_new0 (JobLocation, 1);
    guint32 language;

    place->function = job_wire_read_name (wire, block);
    place->file = job_wire_read_name (wire, block);
    place->module = job_wire_read_name (wire, block);
    place->line = job_wire_read_number (wire, block);
    place->offset = base_cursor_read_uleb (block);
    language = job_wire_read_number (wire, block);
    place->language = language <= JOB_LANGUAGE_ASSEMBLER ? language : JOB_LANGUAGE_UNKNOWN;
    return place;
}
