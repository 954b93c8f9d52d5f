/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole reads and strings over a memory of one readable stretch. */
#include "base/error.h"
#include "base/memory-reader.h"
#include <string.h>

#define START 0x1ff0u
static char memory[0x40];
static BaseMemoryReader reader;

static void
read_memory (BaseMemoryReader *unused, BaseMemoryItem *items, guint n_items)
{
    for (guint i = 0; i < n_items; i++) {
        gsize offset = items[i].address - START;

        items[i].done = 0;
        if (items[i].address >= START && offset < sizeof memory) {
            items[i].done = MIN (items[i].size, sizeof memory - offset);
            memcpy (items[i].data, memory + offset, items[i].done);
        }
    }
}

static void
test_whole (void)
{
    g_autoptr (GError) error = NULL;
    guint64 value = 0;
    guint32 small = 0;

    memcpy (memory, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    g_assert_true (base_memory_read_u64 (&reader, START, &value, &error));
    g_assert_cmphex (value, ==, G_GUINT64_CONSTANT (0x0807060504030201));
    g_assert_true (base_memory_read_u32 (&reader, START + 4, &small, &error));
    g_assert_cmphex (small, ==, 0x08070605);
    g_assert_cmpuint (base_memory_read_some (&reader, START + 0x3c, &value, 8), ==, 4);
    g_assert_false (base_memory_read_u64 (&reader, START + 0x3c, &value, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_FAULT);
    g_assert_true (g_str_has_prefix (error->message, "cannot read memory at 0x202c: "));
}

static void
assert_string (guint64 address, gsize max_size, const char *text, gboolean is_cut)
{
    gboolean cut = !is_cut;
    g_autofree char *read = base_memory_read_string (&reader, address, max_size, &cut, NULL);

    g_assert_cmpstr (read, ==, text);
    g_assert_cmpint (cut, ==, is_cut);
}

static void
test_string (void)
{
    g_autoptr (GError) error = NULL;

    memset (memory, 'x', sizeof memory);
    strcpy (memory + 0x0c, "across a page");
    assert_string (START + 0x0c, 100, "across a page", FALSE);
    assert_string (START + 0x0c, 13, "across a page", FALSE);
    assert_string (START + 0x0c, 12, "across a pag", TRUE);
    assert_string (START + 0x0c, 6, "across", TRUE);
    assert_string (START + 0x0c, 0, "", TRUE);
    assert_string (START + 0x3d, 100, "xxx", FALSE);
    g_assert_null (base_memory_read_string (&reader, 0x10, 5, NULL, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_FAULT);
}

static void
test_write (void)
{
    g_autoptr (GError) error = NULL;

    g_assert_false (base_memory_write (&reader, START, "x", 1, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_FAULT);
}

/* The process has ended. */
static void
test_gone (void)
{
    g_autoptr (GError) error = NULL;
    guint64 value = 7;

    g_assert_cmpuint (base_memory_read_some (NULL, START, &value, 8), ==, 0);
    g_assert_false (base_memory_read_u64 (NULL, START, &value, NULL));
    g_assert_cmpuint (value, ==, 7);
    g_assert_null (base_memory_read_string (NULL, START, 5, NULL, NULL));
    g_assert_null (base_memory_find_loss (NULL, START));
    g_assert_false (base_memory_write (NULL, START, "x", 1, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_FAULT);
    g_assert_cmpstr (error->message, ==,
                     "cannot write memory at 0x1ff0: the process has ended");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    reader.read = read_memory;
    g_test_add_func ("/base/memory-reader/whole", test_whole);
    g_test_add_func ("/base/memory-reader/string", test_string);
    g_test_add_func ("/base/memory-reader/write", test_write);
    g_test_add_func ("/base/memory-reader/gone", test_gone);
    return g_test_run ();
}
