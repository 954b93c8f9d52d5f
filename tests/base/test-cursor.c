/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading past ends, and LEB128 at its edges. */
#include "base/cursor.h"
#include <string.h>

static void
test_numbers (void)
{
    const guint8 data[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18 };
    BaseCursor cursor = BASE_CURSOR_INIT (data, sizeof data);

    g_assert_cmphex (base_cursor_read_u8 (&cursor), ==, 0x01);
    g_assert_cmphex (base_cursor_read_u16 (&cursor), ==, 0x0302);
    g_assert_cmphex (base_cursor_read_u32 (&cursor), ==, 0x07060504);
    g_assert_cmphex (base_cursor_read_u64 (&cursor), ==,
                     G_GUINT64_CONSTANT (0x0f0e0d0c0b0a0908));
    g_assert_cmphex (base_cursor_read_uint (&cursor, 3), ==, 0x121110);
    g_assert_false (cursor.failed);
    g_assert_cmpuint (base_cursor_get_left (&cursor), ==, 0);
    g_assert_cmphex (base_cursor_read_u8 (&cursor), ==, 0);
    g_assert_true (cursor.failed);
    base_cursor_seek (&cursor, 0);
    g_assert_cmphex (base_cursor_read_u8 (&cursor), ==, 0);
}

static void
test_strings (void)
{
    const char data[] = { 'a', 'b', 0, 0, 'c' };
    BaseCursor cursor = BASE_CURSOR_INIT (data, sizeof data);

    g_assert_cmpstr (base_cursor_read_string (&cursor), ==, "ab");
    g_assert_cmpstr (base_cursor_read_string (&cursor), ==, "");
    g_assert_null (base_cursor_read_string (&cursor));
    g_assert_true (cursor.failed);
}

static void
test_bounds (void)
{
    const guint8 data[4] = { 0 };
    BaseCursor cursor = BASE_CURSOR_INIT (data, sizeof data);

    base_cursor_skip (&cursor, 4);
    g_assert_false (cursor.failed);
    base_cursor_seek (&cursor, 2);
    g_assert_nonnull (base_cursor_read_bytes (&cursor, 2));
    base_cursor_seek (&cursor, 1);
    g_assert_null (base_cursor_read_bytes (&cursor, G_MAXSIZE));
    g_assert_true (cursor.failed);
}

static guint64
read_uleb (const char *bytes, gsize size, gboolean *ret_failed)
{
    BaseCursor cursor = BASE_CURSOR_INIT (bytes, size);
    guint64 value = base_cursor_read_uleb (&cursor);

    *ret_failed = cursor.failed;
    return value;
}

static void
test_uleb (void)
{
    static const guint64 values[] = { 0, 1, 127, 128, 300, G_MAXUINT32, G_MAXUINT64 };
    gboolean failed;

    for (gsize i = 0; i < G_N_ELEMENTS (values); i++) {
        g_autoptr (GByteArray) bytes = g_byte_array_new ();

        base_bytes_put_uleb (bytes, values[i]);
        g_assert_cmpuint (read_uleb ((char *) bytes->data, bytes->len, &failed), ==, values[i]);
        g_assert_false (failed);
    }
    g_assert_cmpuint (read_uleb ("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12,
                                 &failed),
                      ==, 1);
    g_assert_false (failed);
    read_uleb ("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, &failed);
    g_assert_true (failed);
    read_uleb ("\x80", 1, &failed);
    g_assert_true (failed);
}

static gint64
read_sleb (const char *bytes, gsize size, gboolean *ret_failed)
{
    BaseCursor cursor = BASE_CURSOR_INIT (bytes, size);
    gint64 value = base_cursor_read_sleb (&cursor);

    *ret_failed = cursor.failed;
    return value;
}

static void
test_sleb (void)
{
    gboolean failed;

    g_assert_cmpint (read_sleb ("\x02", 1, &failed), ==, 2);
    g_assert_cmpint (read_sleb ("\x7e", 1, &failed), ==, -2);
    g_assert_cmpint (read_sleb ("\xff\x00", 2, &failed), ==, 127);
    g_assert_cmpint (read_sleb ("\x81\x7f", 2, &failed), ==, -127);
    g_assert_false (failed);
    g_assert_true (read_sleb ("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, &failed)
                   == G_MININT64);
    g_assert_false (failed);
    g_assert_true (read_sleb ("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, &failed)
                   == G_MAXINT64);
    g_assert_false (failed);
    read_sleb ("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, &failed);
    g_assert_true (failed);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/base/cursor/numbers", test_numbers);
    g_test_add_func ("/base/cursor/strings", test_strings);
    g_test_add_func ("/base/cursor/bounds", test_bounds);
    g_test_add_func ("/base/cursor/uleb", test_uleb);
    g_test_add_func ("/base/cursor/sleb", test_sleb);
    return g_test_run ();
}
