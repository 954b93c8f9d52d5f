/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walker against Python's own word: names, files and lines of all threads. */
#include "live.h"
#include "python/runtime-private.h"
#include <string.h>

#define WALK_SECONDS 120

/* The frames of `ident` in the report. */
static char *
find_expected (const char *report, guint64 ident)
{
    g_autofree char *head = g_strdup_printf ("thread %" G_GUINT64_FORMAT "\n", ident);
    const char *start = strstr (report, head);
    const char *end;
    const char *next;

    if (start == NULL) {
        return NULL;
    }
    start += strlen (head);
    end = strstr (start, "end\n");
    next = strstr (start, "thread ");
    return g_strndup (start, (gsize) ((next != NULL ? next : end) - start));
}

/* All threads of the report once; what differs last is in *ret_seen and *ret_expected. */
static gboolean
compare_all (PythonRuntime *runtime, const Live *live, char **ret_seen, char **ret_expected)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) threads = NULL;
    guint n_compared = 0;
    gboolean all_equal = TRUE;

    python_runtime_invalidate (runtime);
    threads = python_runtime_read_threads (runtime, &error);
    g_assert_no_error (error);
    for (guint i = 0; i < threads->len; i++) {
        const PythonThread *thread = &g_array_index (threads, PythonThread, i);
        g_autofree char *expected = find_expected (live->report, thread->pthread);
        g_autofree char *seen = NULL;

        if (expected == NULL) {
            continue;
        }
        n_compared++;
        seen = live_format_stack (runtime, thread);
        if (strcmp (seen, expected) != 0) {
            all_equal = FALSE;
            g_free (*ret_seen);
            g_free (*ret_expected);
            *ret_seen = g_steal_pointer (&seen);
            *ret_expected = g_steal_pointer (&expected);
        }
    }
    g_assert_cmpuint (n_compared, ==, 3);
    return all_equal;
}

static void
test_frames (gconstpointer data)
{
    Live *live = live_start (data, "frames.py");
    g_autoptr (GError) error = NULL;
    PythonRuntime *runtime = python_runtime_open (live->memory,
                                                  (PythonImage *) live->images->data,
                                                  live->images->len, &error);
    gint64 deadline = g_get_monotonic_time () + WALK_SECONDS * G_USEC_PER_SEC;
    g_autofree char *seen = NULL;
    g_autofree char *expected = NULL;
    gboolean equal;

    g_assert_no_error (error);
    g_assert_nonnull (runtime);
    /* The report comes a moment before the threads block on the same lines. */
    do {
        equal = compare_all (runtime, live, &seen, &expected);
    } while (!equal && g_get_monotonic_time () < deadline);
    if (!equal) {
        g_assert_cmpstr (seen, ==, expected);
    }
    python_runtime_free (runtime);
    live_stop (live);
}

/* Two interpreters on one thread, and one that runs nothing. */
static void
test_subinterpreters (gconstpointer data)
{
    Live *live = live_start (data, "subinterpreters.py");
    g_autoptr (GError) error = NULL;
    PythonRuntime *runtime = python_runtime_open (live->memory,
                                                  (PythonImage *) live->images->data,
                                                  live->images->len, &error);
    gint64 deadline = g_get_monotonic_time () + WALK_SECONDS * G_USEC_PER_SEC;
    g_autofree char *seen = NULL;
    g_autofree char *expected = NULL;

    g_assert_no_error (error);
    do {
        g_autoptr (GArray) threads = NULL;
        const PythonThread *thread;

        python_runtime_invalidate (runtime);
        threads = python_runtime_read_threads (runtime, &error);
        g_assert_no_error (error);
        thread = &g_array_index (threads, PythonThread, 0);
        g_assert_cmpuint (threads->len, >=, 2);
        g_clear_pointer (&seen, g_free);
        g_clear_pointer (&expected, g_free);
        expected = find_expected (live->report, thread->pthread);
        seen = live_format_stack (runtime, thread);
    } while (g_strcmp0 (seen, expected) != 0 && g_get_monotonic_time () < deadline);
    g_assert_cmpstr (seen, ==, expected);
    python_runtime_free (runtime);
    live_stop (live);
}

static void
test_anchors (gconstpointer data)
{
    Live *live = live_start (data, "frames.py");
    PythonRuntime *runtime = python_runtime_open (live->memory,
                                                  (PythonImage *) live->images->data,
                                                  live->images->len, NULL);
    g_autoptr (GArray) threads = python_runtime_read_threads (runtime, NULL);

    for (guint i = 0; i < threads->len; i++) {
        g_autoptr (GPtrArray) frames
            = python_runtime_read_frames (runtime, &g_array_index (threads, PythonThread, i),
                                          NULL);
        guint64 last = 0;

        for (guint j = 0; j < frames->len; j++) {
            const PythonFrame *frame = g_ptr_array_index (frames, j);

            /* Anchors rise outwards, as the stack does; none before 3.11. */
            if (python_runtime_get_version (runtime) < 0x030b0000) {
                g_assert_cmpuint (frame->anchor, ==, 0);
            } else {
                g_assert_cmpuint (frame->anchor, !=, 0);
                g_assert_cmpuint (frame->anchor, >=, last);
            }
            last = frame->anchor;
        }
    }
    python_runtime_free (runtime);
    live_stop (live);
}

/* A process whose word at an address is another one. */
typedef struct {
    BaseMemoryReader reader;
    BaseMemoryReader *live;
    guint64 address, word; /* 0: all is as it is */
} Bent;

static void
read_bent (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    Bent *bent = (Bent *) reader;

    bent->live->read (bent->live, items, n_items);
    for (guint i = 0; i < n_items && bent->address != 0; i++) {
        for (guint j = 0; j < 8; j++) {
            guint64 within = bent->address + j - items[i].address;

            if (within < items[i].done) {
                ((guint8 *) items[i].data)[within] = ((const guint8 *) &bent->word)[j];
            }
        }
    }
}

/* A chain of frames that leads into itself, in an entry of the interpreter's or in a frame: it ends all the same. */
static void
test_circle (gconstpointer data)
{
    Live *live = live_start (data, "frames.py");
    Bent bent = { { .read = read_bent }, live->memory, 0, 0 };
    PythonRuntime *runtime = python_runtime_open (&bent.reader,
                                                  (PythonImage *) live->images->data,
                                                  live->images->len, NULL);
    g_autoptr (GArray) threads = python_runtime_read_threads (runtime, NULL);
    const PythonThread *thread = &g_array_index (threads, PythonThread, 0);
    g_autoptr (GPtrArray) frames = python_runtime_read_frames (runtime, thread, NULL);
    g_autoptr (GPtrArray) bent_frames = NULL;
    guint64 at = ((const PythonFrame *) g_ptr_array_index (frames, frames->len - 1))->frame;
    guint link = (guint) runtime->layout->frame_previous;
    guint64 outer = 0;

    g_assert_true (base_memory_read_u64 (live->memory, at + link, &outer, NULL));
    bent.word = outer != 0 ? outer : at;
    bent.address = bent.word + link;
    python_runtime_invalidate (runtime);
    bent_frames = python_runtime_read_frames (runtime, thread, NULL);
    g_assert_nonnull (bent_frames);
    g_assert_cmpuint (bent_frames->len, >=, frames->len);
    g_assert_cmpuint (bent_frames->len, <=, 250000);
    python_runtime_free (runtime);
    live_stop (live);
}

/* Memory that counts how often it is asked. */
typedef struct {
    BaseMemoryReader reader;
    guint n_asked;
} Counted;

static void
read_counted (BaseMemoryReader *reader, BaseMemoryItem *items, guint n_items)
{
    ((Counted *) reader)->n_asked++;
    for (guint i = 0; i < n_items; i++) {
        memset (items[i].data, 7, items[i].size);
        items[i].done = items[i].size;
    }
}

/* A heap and a stack whose pages have the same lowest bits: each is read once, and both at once after the next stop. */
static void
test_pages (void)
{
    Counted counted = { { .read = read_counted }, 0 };
    PythonRuntime *runtime = g_new0 (PythonRuntime, 1);
    guint64 value;

    runtime->memory = &counted.reader;
    runtime->types = g_hash_table_new (NULL, NULL);
    runtime->codes = g_hash_table_new (NULL, NULL);
    for (guint stop = 1; stop <= 3; stop++) {
        python_runtime_invalidate (runtime);
        for (guint i = 0; i < 20; i++) {
            g_assert_true (python_read_u64 (runtime, 0xa7e000 + 8 * i, &value));
            g_assert_true (python_read_u64 (runtime, 0x7fffffffe000 + 8 * i, &value));
        }
        g_assert_cmpuint (counted.n_asked, ==, 1 + stop);
    }
    python_runtime_free (runtime);
}

static void
test_embedded (gconstpointer name)
{
    g_autofree char *program = g_test_build_filename (G_TEST_BUILT, name, NULL);

    if (!g_file_test (program, G_FILE_TEST_IS_EXECUTABLE)) {
        g_test_skip ("no headers of a shared CPython here");
        return;
    }
    test_frames (program);
    test_subinterpreters (program);
}

static void
test_library (void)
{
    static const char *const libraries[]
        = { "/usr/lib/python3.11/json/decoder.py",
            "/usr/lib64/python3.9/threading.py",
            "/opt/lib/python3.13t/abc.py",
            "/opt/python3.11/lib/python3.11/threading.py",
            "/apps/python3.12.1/lib64/python3.12/abc.py",
            "/usr/lib/python3/dist-packages/mpi4py/run.py",
            "/home/u/v/lib/python3.12/site-packages/numpy/core.py",
            "<frozen runpy>" };
    static const char *const own[] = { "/home/u/lib/python3-tools/solve.py",
                                       "/home/u/lib/python3/solve.py",
                                       "/home/u/python3.11/solve.py",
                                       "/home/u/mylib/python3.11/solve.py", "solve.py" };

    for (guint i = 0; i < G_N_ELEMENTS (libraries); i++) {
        g_assert_true (python_is_library_file (libraries[i]));
    }
    for (guint i = 0; i < G_N_ELEMENTS (own); i++) {
        g_assert_false (python_is_library_file (own[i]));
    }
}

int
main (int argc, char **argv)
{
    g_auto (GStrv) interpreters = live_list_interpreters ();

    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/python/frame/pages", test_pages);
    g_test_add_func ("/python/frame/library", test_library);
    g_test_add_data_func ("/python/frame/embedded/pie", "embed-pie", test_embedded);
    g_test_add_data_func ("/python/frame/embedded/fixed", "embed-fixed", test_embedded);
    g_test_add_data_func ("/python/frame/embedded/stripped", "embed-stripped", test_embedded);
    for (guint i = 0; interpreters[i] != NULL; i++) {
        g_autofree char *frames = g_strdup_printf ("/python/frame/walk%s", interpreters[i]);
        g_autofree char *nested = g_strdup_printf ("/python/frame/subinterpreters%s",
                                                   interpreters[i]);
        g_autofree char *circle = g_strdup_printf ("/python/frame/circle%s", interpreters[i]);
        g_autofree char *anchors = g_strdup_printf ("/python/frame/anchors%s", interpreters[i]);

        g_test_add_data_func (frames, interpreters[i], test_frames);
        g_test_add_data_func (nested, interpreters[i], test_subinterpreters);
        g_test_add_data_func (anchors, interpreters[i], test_anchors);
        g_test_add_data_func (circle, interpreters[i], test_circle);
    }
    return g_test_run ();
}
