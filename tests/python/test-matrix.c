/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every interpreter, every way that Python code comes to run: live, while it runs, and from what a
 * core keeps of it. The oracle is each thread's own sys._getframe. */
#include "base/error.h"
#include "live.h"
#include "recorded.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define WALK_SECONDS 120
#define MIN_RUN_NS 50000 /* between two samples */
#define N_SAMPLES 100

/* Thread ident to its frames as text. */
static GHashTable *
parse_report (const char *report)
{
    GHashTable *stacks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    g_auto (GStrv) lines = g_strsplit (report, "\n", -1);
    g_autoptr (GString) text = g_string_new (NULL);
    const char *ident = NULL;
    guint64 count = 0;

    for (guint i = 0; lines[i] != NULL; i++) {
        gboolean is_count = g_str_has_prefix (lines[i], "count ");

        if (!is_count && !g_str_has_prefix (lines[i], "thread ")) {
            g_string_append_printf (text, "%s\n", lines[i]);
            continue;
        }
        if (ident != NULL) {
            g_hash_table_insert (stacks, g_strdup (ident), g_strdup (text->str));
        }
        g_string_truncate (text, 0);
        ident = lines[i] + strlen ("thread ");
        if (is_count) {
            count = g_ascii_strtoull (lines[i] + strlen ("count "), NULL, 10);
            break;
        }
    }
    g_assert_cmpuint (count, >, 20);
    g_assert_cmpuint (g_hash_table_size (stacks), ==, count);
    return stacks;
}

/* NULL when all threads of the report are as it says, else what is not. */
static char *
find_difference (PythonRuntime *runtime, GHashTable *expected)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) threads = NULL;
    guint n_seen = 0;

    python_runtime_invalidate (runtime);
    threads = python_runtime_read_threads (runtime, &error);
    if (threads == NULL) {
        return g_strdup (error->message);
    }
    for (guint i = 0; i < threads->len; i++) {
        const PythonThread *thread = &g_array_index (threads, PythonThread, i);
        g_autofree char *ident = g_strdup_printf ("%" G_GUINT64_FORMAT, thread->pthread);
        const char *wanted = g_hash_table_lookup (expected, ident);
        g_autofree char *seen = NULL;

        if (wanted == NULL) {
            continue;
        }
        n_seen++;
        seen = live_format_stack (runtime, thread);
        if (strcmp (seen, wanted) != 0) {
            return g_strdup_printf ("--- expected\n%s--- seen\n%s", wanted, seen);
        }
    }
    return n_seen == g_hash_table_size (expected)
               ? NULL
               : g_strdup_printf ("%u of %u threads", n_seen, g_hash_table_size (expected));
}

/* What was read of a thread is known to hold on without reading the others; what was not is known not to. */
static void
check_known (PythonRuntime *runtime)
{
    g_autoptr (GArray) threads = NULL;
    guint64 first = 0;
    gboolean is_only = TRUE;

    python_runtime_invalidate (runtime);
    threads = python_runtime_read_threads (runtime, NULL);
    g_assert_nonnull (threads);
    for (guint i = 0; i < threads->len; i++) {
        first = i == 0 ? g_array_index (threads, PythonThread, i).interpreter : first;
        is_only = is_only && g_array_index (threads, PythonThread, i).interpreter == first;
    }
    for (guint i = 0; i < threads->len; i++) {
        PythonThread thread = g_array_index (threads, PythonThread, i);

        python_runtime_invalidate (runtime);
        g_assert_cmpint (python_runtime_has_thread (runtime, &thread), ==, is_only);
        thread.pthread++;
        g_assert_false (python_runtime_has_thread (runtime, &thread));
        thread = g_array_index (threads, PythonThread, i);
        thread.state = g_array_index (threads, PythonThread, i == 0).state;
        g_assert_true (threads->len == 1 || !python_runtime_has_thread (runtime, &thread));
        thread = (PythonThread){ 0 };
        g_assert_false (python_runtime_has_thread (runtime, &thread));
    }
    g_test_message ("%u threads, %s", threads->len,
                    is_only ? "of one interpreter" : "of several interpreters");
}

static PythonRuntime *
open_runtime (BaseMemoryReader *memory, const GArray *images)
{
    g_autoptr (GError) error = NULL;
    PythonRuntime *runtime = python_runtime_open (memory, (PythonImage *) images->data,
                                                  images->len, &error);

    g_assert_no_error (error);
    g_assert_nonnull (runtime);
    return runtime;
}

static void
test_live_and_core (gconstpointer data)
{
    Live *live = live_start (data, "matrix.py");
    g_autoptr (GHashTable) expected = parse_report (live->report);
    PythonRuntime *runtime = open_runtime (live->memory, live->images);
    gint64 deadline = g_get_monotonic_time () + WALK_SECONDS * G_USEC_PER_SEC;
    BaseMemoryReader *recorded;
    char *difference;

    while ((difference = find_difference (runtime, expected)) != NULL
           && g_get_monotonic_time () < deadline) {
        g_free (difference);
    }
    g_assert_cmpstr (difference, ==, NULL);
    check_known (runtime);
    python_runtime_free (runtime);
    recorded = recorded_new (live->pid);
    kill (live->pid, SIGKILL);
    runtime = open_runtime (recorded, live->images);
    g_assert_cmpstr (find_difference (runtime, expected), ==, NULL);
    python_runtime_free (runtime);
    recorded_free (recorded);
    live_stop (live);
}

/* What busy.py allows, one line a function. */
static const char *
find_rule (char **rules, const char *function)
{
    gsize size = strlen (function);

    for (guint i = 0; rules[i] != NULL; i++) {
        if (g_str_has_prefix (rules[i], function) && rules[i][size] == '|') {
            return rules[i];
        }
    }
    return NULL;
}

static gboolean
is_one_of (const char *names, const char *name)
{
    g_auto (GStrv) list = g_strsplit (names, ",", -1);

    return g_strv_contains ((const char *const *) list, name);
}

/* NULL when the stack is one that the program can have. */
static char *
find_violation (char **rules, const GPtrArray *frames, gboolean *ret_is_whole)
{
    *ret_is_whole = TRUE;
    for (guint i = 0; i + 1 < frames->len; i++) {
        const PythonFrame *frame = g_ptr_array_index (frames, i);
        const PythonFrame *outer = g_ptr_array_index (frames, i + 1);
        const char *rule = find_rule (rules, frame->function);
        g_auto (GStrv) words = rule != NULL ? g_strsplit (rule, "|", -1) : NULL;

        if (rule == NULL || !is_one_of (words[3], outer->function)
            || frame->line < g_ascii_strtoull (words[1], NULL, 10)
            || frame->line > g_ascii_strtoull (words[2], NULL, 10)) {
            return g_strdup_printf ("%s:%u in %s:%u", frame->function, frame->line,
                                    outer->function, outer->line);
        }
    }
    if (frames->len > 0
        && ((PythonFrame *) g_ptr_array_index (frames, frames->len - 1))->is_incomplete) {
        *ret_is_whole = FALSE;
        return NULL;
    }
    if (frames->len == 0
        || strcmp (((PythonFrame *) g_ptr_array_index (frames, frames->len - 1))->function,
                   "<module>")
               != 0) {
        const PythonFrame *last = frames->len > 0 ? g_ptr_array_index (frames, frames->len - 1)
                                                  : NULL;

        return g_strdup_printf ("%u frames, outermost %s:%u", frames->len,
                                last != NULL ? last->function : "none",
                                last != NULL ? last->line : 0);
    }
    return NULL;
}

static char
read_state (pid_t pid)
{
    g_autofree char *name = g_strdup_printf ("/proc/%d/stat", pid);
    g_autofree char *text = NULL;

    g_assert_true (g_file_get_contents (name, &text, NULL, NULL));
    return strrchr (text, ')')[2];
}

static void
freeze (pid_t pid)
{
    gint64 deadline = g_get_monotonic_time () + WALK_SECONDS * G_USEC_PER_SEC;

    kill (pid, SIGSTOP);
    while (read_state (pid) != 'T') {
        g_assert_cmpint (g_get_monotonic_time (), <, deadline);
    }
}

static guint64
read_run_ns (pid_t pid)
{
    g_autofree char *name = g_strdup_printf ("/proc/%d/schedstat", pid);
    g_autofree char *text = NULL;

    g_assert_true (g_file_get_contents (name, &text, NULL, NULL));
    return g_ascii_strtoull (text, NULL, 10);
}

/* Lets it run on until it has had the processor: on a loaded machine it would be sampled again and
 * again at one and the same instruction. */
static void
thaw (pid_t pid)
{
    gint64 deadline = g_get_monotonic_time () + WALK_SECONDS * G_USEC_PER_SEC;
    guint64 before = read_run_ns (pid);

    kill (pid, SIGCONT);
    while (read_run_ns (pid) < before + MIN_RUN_NS) {
        g_assert_cmpint (g_get_monotonic_time (), <, deadline);
    }
}

static char *
walk_once (PythonRuntime *runtime, char **rules, gboolean *ret_is_whole)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) threads = NULL;
    g_autoptr (GPtrArray) frames = NULL;

    *ret_is_whole = TRUE;
    python_runtime_invalidate (runtime);
    threads = python_runtime_read_threads (runtime, &error);
    if (threads != NULL && threads->len > 0) {
        frames = python_runtime_read_frames (runtime, &g_array_index (threads, PythonThread, 0),
                                             &error);
    }
    if (frames == NULL && g_error_matches (error, BASE_ERROR, BASE_ERROR_CORRUPT)) {
        *ret_is_whole = FALSE;
        return NULL;
    }
    return frames != NULL ? find_violation (rules, frames, ret_is_whole)
                          : g_strdup ("no threads");
}

/* Stopped at any instruction what is shown is right, and all of it but when it stands between two
 * stores that link a frame; read while it runs it may be torn, but mostly is not. */
static void
test_sampled (gconstpointer data)
{
    Live *live = live_start (data, "busy.py");
    g_auto (GStrv) rules = g_strsplit (live->report, "\n", -1);
    PythonRuntime *runtime = open_runtime (live->memory, live->images);
    guint n_torn = 0;
    guint n_parts = 0;
    gboolean is_whole;

    for (guint i = 0; i < N_SAMPLES; i++) {
        g_autofree char *running = walk_once (runtime, rules, &is_whole);
        g_autofree char *stopped = NULL;

        n_torn += running != NULL || !is_whole;
        freeze (live->pid);
        stopped = walk_once (runtime, rules, &is_whole);
        g_assert_cmpstr (stopped, ==, NULL);
        n_parts += !is_whole;
        thaw (live->pid);
    }
    g_test_message (
        "%s: of %u walks %u are torn while it runs, %u incomplete when it is stopped",
        (const char *) data, N_SAMPLES, n_torn, n_parts);
    g_assert_cmpuint (n_torn, <, N_SAMPLES / 2);
    g_assert_cmpuint (n_parts, <, N_SAMPLES / 10);
    python_runtime_free (runtime);
    live_stop (live);
}

int
main (int argc, char **argv)
{
    g_auto (GStrv) interpreters = live_list_interpreters ();

    g_test_init (&argc, &argv, NULL);
    for (guint i = 0; interpreters[i] != NULL; i++) {
        g_autofree char *still = g_strdup_printf ("/python/matrix/live-core%s",
                                                  interpreters[i]);
        g_autofree char *sampled = g_strdup_printf ("/python/matrix/sampled%s",
                                                    interpreters[i]);

        g_test_message ("interpreter %s", interpreters[i]);
        g_test_add_data_func (still, interpreters[i], test_live_and_core);
        g_test_add_data_func (sampled, interpreters[i], test_sampled);
    }
    return g_test_run ();
}
