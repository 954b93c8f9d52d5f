/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading untrusted bytes: every read checks the remaining size, and the first failure is
 * permanent. */
#include "base/cursor.h"
#include <string.h>

guint64
base_cursor_read_uint (BaseCursor *cursor, guint n_bytes)
{
    const guint8 *bytes;
    guint64 value = 0;

    if (n_bytes < 1 || n_bytes > 8) {
        cursor->failed = TRUE;
        return 0;
    }
    bytes = base_cursor_read_bytes (cursor, n_bytes);
    for (guint i = 0; bytes != NULL && i < n_bytes; i++) {
        value |= (guint64) bytes[i] << (8 * i);
    }
    return value;
}

guint64
base_cursor_read_long_uleb (BaseCursor *cursor)
{
    guint64 value = 0;
    guint shift = 0;
    guint8 byte;

    do {
        guint64 bits;

        byte = base_cursor_read_u8 (cursor);
        bits = byte & 0x7f;
        /* Padding with zero groups is allowed; bits that would be lost are not. */
        if (bits != 0 && (shift > 63 || (bits << shift) >> shift != bits)) {
            cursor->failed = TRUE;
        }
        if (cursor->failed) {
            return 0;
        }
        value |= shift > 63 ? 0 : bits << shift;
        shift = MIN (shift + 7, 70);
    } while (byte & 0x80);
    return value;
}

gint64
base_cursor_read_sleb (BaseCursor *cursor)
{
    guint64 value = 0;
    guint shift = 0;
    guint8 byte;

    do {
        guint64 bits;

        byte = base_cursor_read_u8 (cursor);
        if (cursor->failed) {
            return 0;
        }
        bits = byte & 0x7f;
        /* From bit 63 on every group must repeat the sign. */
        if ((shift == 63 && bits != 0 && bits != 0x7f)
            || (shift > 63 && bits != (value >> 63 ? 0x7f : 0))) {
            cursor->failed = TRUE;
            return 0;
        }
        value |= shift > 63 ? 0 : bits << shift;
        shift = MIN (shift + 7, 70);
    } while (byte & 0x80);
    if (shift < 64 && (byte & 0x40)) {
        value |= G_MAXUINT64 << shift;
    }
    return (gint64) value;
}

const char *
base_cursor_read_string (BaseCursor *cursor)
{
    gsize left = base_cursor_get_left (cursor);
    const char *start = (const char *) cursor->data + cursor->offset;
    const char *end = left > 0 ? memchr (start, 0, left) : NULL;

    if (end == NULL) {
        cursor->failed = TRUE;
        return NULL;
    }
    cursor->offset += (gsize) (end - start) + 1;
    return start;
}

void
base_bytes_put_uleb (GByteArray *bytes, guint64 value)
{
    do {
        guint8 byte = value & 0x7f;

        value >>= 7;
        if (value != 0) {
            byte |= 0x80;
        }
        g_byte_array_append (bytes, &byte, 1);
    } while (value != 0);
}
