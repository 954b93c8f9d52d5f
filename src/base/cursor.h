/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds-checked reading of untrusted bytes, and writing of the same encodings. A read past the
 * end sets `failed` and returns 0, as does every later read: check once. */
#pragma once
#include <string.h>
#include <glib.h>

typedef struct {
    const guint8 *data;
    gsize size;
    gsize offset;
    gboolean failed;
} BaseCursor;

#define BASE_CURSOR_INIT(data_, size_)                                                         \
    {                                                                                          \
        (const guint8 *) (data_), (size_), 0, FALSE                                            \
    }

/* Scans of whole files call these all the time, so they are inline and cost one comparison. */
static inline gsize
base_cursor_get_left (const BaseCursor *cursor)
{
    return cursor->failed || cursor->offset > cursor->size ? 0 : cursor->size - cursor->offset;
}

/* Borrowed; NULL and failed when fewer are left. */
static inline const guint8 *
base_cursor_read_bytes (BaseCursor *cursor, gsize size)
{
    if (cursor->failed || size > base_cursor_get_left (cursor)) {
        cursor->failed = TRUE;
        return NULL;
    }
    const guint8 *bytes = cursor->data + cursor->offset;
    cursor->offset += size;
    return bytes;
}

static inline void
base_cursor_skip (BaseCursor *cursor, gsize size)
{
    base_cursor_read_bytes (cursor, size);
}

static inline void
base_cursor_seek (BaseCursor *cursor, gsize offset)
{
    if (offset > cursor->size)
        cursor->failed = TRUE;
    if (!cursor->failed)
        cursor->offset = offset;
}

guint64 base_cursor_read_uint (BaseCursor *cursor, guint n_bytes); /* 1 to 8 */

static inline guint8
base_cursor_read_u8 (BaseCursor *cursor)
{
    const guint8 *bytes = base_cursor_read_bytes (cursor, 1);
    return bytes ? *bytes : 0;
}

static inline guint16
base_cursor_read_u16 (BaseCursor *cursor) /* little-endian, as all here */
{
    const guint8 *bytes = base_cursor_read_bytes (cursor, 2);
    return bytes ? (guint16) (bytes[0] | bytes[1] << 8) : 0;
}

static inline guint32
base_cursor_read_u32 (BaseCursor *cursor)
{
    guint32 value = 0;
    const guint8 *bytes = base_cursor_read_bytes (cursor, sizeof value);
    if (bytes)
        memcpy (&value, bytes, sizeof value);
    return GUINT32_FROM_LE (value);
}

static inline guint64
base_cursor_read_u64 (BaseCursor *cursor)
{
    guint64 value = 0;
    const guint8 *bytes = base_cursor_read_bytes (cursor, sizeof value);
    if (bytes)
        memcpy (&value, bytes, sizeof value);
    return GUINT64_FROM_LE (value);
}

guint64 base_cursor_read_long_uleb (BaseCursor *cursor);

/* DWARF 5 section 7.6; over 64 bits fails */
static inline guint64
base_cursor_read_uleb (BaseCursor *cursor)
{
    if (!cursor->failed && cursor->offset < cursor->size && cursor->data[cursor->offset] < 0x80)
        return cursor->data[cursor->offset++];
    return base_cursor_read_long_uleb (cursor);
}

gint64 base_cursor_read_sleb (BaseCursor *cursor);
/* Borrowed from data; NULL and failed when no NUL comes before the end. */
const char *base_cursor_read_string (BaseCursor *cursor);

void base_bytes_put_uleb (GByteArray *bytes, guint64 value);
