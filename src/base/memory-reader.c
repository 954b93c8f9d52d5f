/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convenience functions for batched readers: complete reads, words and strings. */
#include "base/memory-reader.h"
#include "base/error.h"
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#define STRING_CHUNK 4096

static void
fail_to_read (GError **error, const BaseMemoryReader *reader, guint64 address)
{
    g_autofree char *at = NULL;

    if (error == NULL) { /* nobody wants to know: tried often, where memory is looked through */
        return;
    }
    at = base_text_format_address (address);
    base_error_set_because (error, BASE_ERROR_FAULT, "cannot read memory at %s: %s", at,
                            reader != NULL ? N_ ("not mapped or not readable")
                                           : N_ ("the process has ended"));
}

/* reason: N_ ("…"). */
static void
fail_to_write (GError **error, guint64 address, const char *reason)
{
    g_autofree char *at = base_text_format_address (address);

    base_error_set_because (error, BASE_ERROR_FAULT, "cannot write memory at %s: %s", at,
                            reason);
}

gsize
base_memory_read_some (BaseMemoryReader *reader, guint64 address, void *data, gsize size)
{
    BaseMemoryItem item = { address, data, size, 0 };

    if (size == 0 || reader == NULL) {
        return 0;
    }
    reader->read (reader, &item, 1);
    return MIN (item.done, size);
}

guint64
base_memory_get_page_size (void)
{
    return (guint64) sysconf (_SC_PAGESIZE);
}

gboolean
base_memory_read (BaseMemoryReader *reader, guint64 address, void *data, gsize size,
                  GError **error)
{
    if (base_memory_read_some (reader, address, data, size) < size) {
        fail_to_read (error, reader, address);
        return FALSE;
    }
    return TRUE;
}

gboolean
base_memory_read_u64 (BaseMemoryReader *reader, guint64 address, guint64 *ret_value,
                      GError **error)
{
    guint64 value;

    if (!base_memory_read (reader, address, &value, sizeof value, error)) {
        return FALSE;
    }
    *ret_value = GUINT64_FROM_LE (value);
    return TRUE;
}

gboolean
base_memory_read_u32 (BaseMemoryReader *reader, guint64 address, guint32 *ret_value,
                      GError **error)
{
    guint32 value;

    if (!base_memory_read (reader, address, &value, sizeof value, error)) {
        return FALSE;
    }
    *ret_value = GUINT32_FROM_LE (value);
    return TRUE;
}

/* One step of a string: up to the end of the page, so that an unreadable next page costs
 * nothing already there. Returns the bytes read; sets *ret_ended at the NUL. */
static gsize
read_string_part (BaseMemoryReader *reader, guint64 address, GByteArray *bytes, gsize left,
                  gboolean *ret_ended)
{
    guint8 chunk[STRING_CHUNK];
    gsize wanted = MIN (left, STRING_CHUNK - (gsize) (address % STRING_CHUNK));
    gsize done = base_memory_read_some (reader, address, chunk, wanted);
    const guint8 *end = memchr (chunk, 0, done);

    g_byte_array_append (bytes, chunk, (guint) (end != NULL ? (gsize) (end - chunk) : done));
    *ret_ended = end != NULL || done < wanted;
    return done;
}

char *
base_memory_read_string (BaseMemoryReader *reader, guint64 address, gsize max_size,
                         gboolean *ret_cut, GError **error)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    gboolean ended = FALSE;
    /* One byte more: a NUL there shows that the string is complete. */
    gsize limit = MIN (max_size, G_MAXUINT32 / 2) + 1;
    gsize total = 0;
    gboolean is_cut;

    while (!ended && total < limit) {
        gsize done = read_string_part (reader, address + total, bytes, limit - total, &ended);

        if (total == 0 && done == 0) {
            fail_to_read (error, reader, address);
            return NULL;
        }
        total += done;
    }
    is_cut = bytes->len > limit - 1;
    if (is_cut) {
        g_byte_array_set_size (bytes, (guint) (limit - 1));
    }
    if (ret_cut != NULL) {
        *ret_cut = is_cut;
    }
    g_byte_array_append (bytes, (const guint8 *) "", 1);
    return (char *) g_byte_array_free (g_steal_pointer (&bytes), FALSE);
}

gboolean
base_memory_write (BaseMemoryReader *reader, guint64 address, const void *data, gsize size,
                   GError **error)
{
    if (reader == NULL) {
        fail_to_write (error, address, N_ ("the process has ended"));
        return FALSE;
    }
    if (reader->write == NULL) {
        fail_to_write (error, address, N_ ("this memory is read-only"));
        return FALSE;
    }
    return reader->write (reader, address, data, size, error);
}
