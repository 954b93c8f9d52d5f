/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interpreter's own offsets: 3.13's are those of the table made from its headers; 3.14's order
 * is read from a block whose words hold their own places. */
#include "base/error.h"
#include "live.h"
#include "python/runtime-private.h"
#include <string.h>

static void
test_same_as_table (gconstpointer data)
{
    Live *live = live_start (data, "values.py");
    PythonRuntime *runtime = python_runtime_open (live->memory,
                                                  (PythonImage *) live->images->data,
                                                  live->images->len, NULL);
    guint minor = python_runtime_get_version (runtime) >> 16 & 0xff;
    const PythonLayout *table = python_layout_find (minor);

    g_assert_true (minor < 13 || runtime->layout != table);
#define COMPARE(name, ...) g_assert_cmpint (runtime->layout->name, ==, table->name);
    PYTHON_LAYOUT_FIELDS (COMPARE)
#undef COMPARE
    python_runtime_free (runtime);
    live_stop (live);
}

static guint8 *
load_block (gsize *ret_size)
{
    g_autofree char *path = g_test_build_filename (G_TEST_DIST, "../recorded",
                                                   "python-3.14-offsets.bin", NULL);
    g_autoptr (GError) error = NULL;
    char *bytes;

    g_file_get_contents (path, &bytes, ret_size, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (*ret_size, <=, PYTHON_OFFSETS_MAX_SIZE);
    return (guint8 *) bytes;
}

/* The number of the word that the field was taken from. */
#define PLACE(field) (layout.field / 8)

static void
test_order_14 (void)
{
    gsize size;
    g_autofree guint8 *bytes = load_block (&size);
    PythonLayout layout = *python_layout_find (13);
    g_autoptr (GError) error = NULL;

    g_assert_true (python_offsets_decode (bytes, size, &layout, &error));
    g_assert_no_error (error);
    g_assert_cmpuint (layout.minor, ==, 14);
    g_assert_cmpint (PLACE (runtime_interpreters), ==, 5);
    g_assert_cmpint (PLACE (interpreter_next), ==, 8);
    g_assert_cmpint (PLACE (interpreter_threads), ==, 9); /* then threads_main */
    g_assert_cmpint (PLACE (interpreter_sysdict), ==, 13);
    g_assert_cmpint (PLACE (interpreter_gil), ==, 15);
    g_assert_cmpint (PLACE (gil_locked), ==, 18 - 16);
    g_assert_cmpint (PLACE (gil_holder), ==, 19 - 16);
    g_assert_cmpint (PLACE (thread_size), ==, 22); /* behind two generations */
    g_assert_cmpint (PLACE (thread_frame), ==, 26);
    g_assert_cmpint (PLACE (thread_native_id), ==, 28);
    g_assert_cmpint (PLACE (frame_previous), ==, 32);
    g_assert_cmpint (PLACE (frame_owner), ==, 36);
    g_assert_cmpint (PLACE (code_size), ==, 39); /* behind stackpointer and tlbc_index */
    g_assert_cmpint (PLACE (code_bytecode), ==, 48);
    g_assert_cmpint (PLACE (type_name), ==, 53); /* behind co_tlbc and the object */
    g_assert_cmpint (PLACE (tuple_items), ==, 57);
    g_assert_cmpint (PLACE (list_items), ==, 60);
    g_assert_cmpint (PLACE (set_used), ==, 63);
    g_assert_cmpint (PLACE (dict_keys), ==, 67);
    g_assert_cmpint (PLACE (float_value), ==, 70);
    g_assert_cmpint (PLACE (long_tag), ==, 72);
    g_assert_cmpint (PLACE (bytes_data), ==, 76);
    g_assert_cmpint (PLACE (string_ascii), ==, 80);
}

static void
expect_refused (const guint8 *bytes, gsize size, int code)
{
    PythonLayout layout = *python_layout_find (13);
    PythonLayout before = layout;
    g_autoptr (GError) error = NULL;

    g_assert_false (python_offsets_decode (bytes, size, &layout, &error));
    g_assert_error (error, BASE_ERROR, code);
    g_assert_cmpint (memcmp (&layout, &before, sizeof layout), ==, 0);
}

static void
test_refused (void)
{
    gsize size;
    g_autofree guint8 *bytes = load_block (&size);

    expect_refused (bytes, 100, BASE_ERROR_CORRUPT);
    expect_refused (bytes, 0, BASE_ERROR_CORRUPT);
    bytes[10] = 15; /* 3.15 */
    expect_refused (bytes, size, BASE_ERROR_UNSUPPORTED);
    bytes[10] = 14;
    bytes[16] = 1; /* free threading */
    expect_refused (bytes, size, BASE_ERROR_UNSUPPORTED);
    bytes[16] = 0;
    bytes[26 * 8 + 5] = 1; /* far away */
    expect_refused (bytes, size, BASE_ERROR_CORRUPT);
    bytes[0] = 'y';
    expect_refused (bytes, size, BASE_ERROR_CORRUPT);
}

/* An interpreter that lies about itself is refused in one sentence, when it is opened or when its
 * threads are read; nothing is made up. Here its memory says another version than it is of. */
typedef struct {
    BaseMemoryReader reader;
    BaseMemoryReader *live;
    guint64 address; /* of the word that tells the version */
    guint32 version;
} Liar;

static void
read_lies (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    Liar *liar = (Liar *) reader;

    liar->live->read (liar->live, items, n_items);
    for (guint i = 0; i < n_items; i++) {
        guint64 start = items[i].address;

        if (liar->address >= start && liar->address + 4 <= start + items[i].done) {
            memcpy ((guint8 *) items[i].data + (liar->address - start), &liar->version, 4);
        }
    }
}

static void
test_unknown (gconstpointer data)
{
    Live *live = live_start (data, "values.py");
    Liar liar = { .reader = { .read = read_lies }, .live = live->memory };
    PythonRuntime *runtime = python_runtime_open (live->memory,
                                                  (PythonImage *) live->images->data,
                                                  live->images->len, NULL);
    guint versions[] = { 0x030f00f0, 0x030a00f0, 0x030b00f0, 0x030c00f0 };
    guint minor = python_runtime_get_version (runtime) >> 16 & 0xff;

    /* from 3.11 Py_Version tells it */
    if (runtime->version_address == 0) {
        g_test_message ("%s does not tell its version by a symbol", (const char *) data);
    }
    for (guint i = 0; runtime->version_address != 0 && i < G_N_ELEMENTS (versions); i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (GArray) threads = NULL;
        PythonRuntime *fooled;

        if ((versions[i] >> 16 & 0xff) == minor) {
            continue;
        }
        liar.address = runtime->version_address;
        liar.version = versions[i];
        fooled = python_runtime_open (&liar.reader, (PythonImage *) live->images->data,
                                      live->images->len, &error);
        threads = fooled != NULL ? python_runtime_read_threads (fooled, &error) : NULL;
        g_test_message ("as 0x%08x: %s", versions[i],
                        error != NULL ? error->message : "nobody");
        g_assert_true (threads != NULL ? threads->len == 0 : error != NULL);
        g_assert_true (error == NULL || strchr (error->message, '\n') == NULL);
        python_runtime_free (fooled);
    }
    python_runtime_free (runtime);
    live_stop (live);
}

int
main (int argc, char **argv)
{
    g_auto (GStrv) interpreters = live_list_interpreters ();

    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/python/offsets/order-14", test_order_14);
    g_test_add_func ("/python/offsets/refused", test_refused);
    for (guint i = 0; interpreters[i] != NULL; i++) {
        g_autofree char *same = g_strdup_printf ("/python/offsets/table%s", interpreters[i]);
        g_autofree char *unknown = g_strdup_printf ("/python/offsets/unknown%s",
                                                    interpreters[i]);

        g_test_add_data_func (same, interpreters[i], test_same_as_table);
        g_test_add_data_func (unknown, interpreters[i], test_unknown);
    }
    return g_test_run ();
}
