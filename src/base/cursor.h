/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds-checked reading of bytes that nobody vouches for, and the writing of the same forms.
 * A read past the end sets `failed`, answers 0, and every later read fails too: check once. */
#pragma once
#include <glib.h>

typedef struct {
    const guint8 *data;
    gsize size;
    gsize offset;
    gboolean failed;
} BaseCursor;

#define BASE_CURSOR_INIT(data_, size_) { (const guint8 *) (data_), (size_), 0, FALSE }

gsize base_cursor_get_left (const BaseCursor *cursor);
guint8 base_cursor_read_u8 (BaseCursor *cursor);
guint16 base_cursor_read_u16 (BaseCursor *cursor); /* little-endian, as all here */
guint32 base_cursor_read_u32 (BaseCursor *cursor);
guint64 base_cursor_read_u64 (BaseCursor *cursor);
guint64 base_cursor_read_uint (BaseCursor *cursor, guint n_bytes); /* 1 to 8 */
guint64 base_cursor_read_uleb (BaseCursor *cursor); /* DWARF 5 section 7.6; over 64 bits fails */
gint64 base_cursor_read_sleb (BaseCursor *cursor);
/* Borrowed from data; NULL and failed when no NUL comes before the end. */
const char *base_cursor_read_string (BaseCursor *cursor);
/* Borrowed; NULL and failed when fewer are left. */
const guint8 *base_cursor_read_bytes (BaseCursor *cursor, gsize size);
void base_cursor_skip (BaseCursor *cursor, gsize size);
void base_cursor_seek (BaseCursor *cursor, gsize offset);

void base_bytes_put_uleb (GByteArray *bytes, guint64 value);
