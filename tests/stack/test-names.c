/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and lines of native frames through a real pddt-symbols: inlined functions, lines by marks,
 * the C library's start hidden, the place. */
#include "inferior.h"
#include "target/process.h"
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

typedef struct {
    pid_t pid;
    char *folder, *socket;
    IndexClient *client;
} Symbols;

static Symbols *
start_symbols (void)
{
    Symbols *symbols = g_new0 (Symbols, 1);
    g_autoptr (GError) error = NULL;
    gint64 deadline = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    symbols->folder = g_dir_make_tmp ("pddt-names-XXXXXX", &error);
    g_assert_no_error (error);
    symbols->socket = g_build_filename (symbols->folder, "symbols", NULL);
    {
        const char *arguments[] = { g_getenv ("PDDT_SYMBOLS"), "--socket",
                                    symbols->socket,           "--cache",
                                    symbols->folder,           NULL };

        g_spawn_async (NULL, (char **) arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                       &symbols->pid, &error);
        g_assert_no_error (error);
    }
    while (!g_file_test (symbols->socket, G_FILE_TEST_EXISTS)) {
        g_assert_cmpint (g_get_monotonic_time (), <, deadline);
        g_thread_yield ();
    }
    symbols->client = index_client_new (symbols->socket);
    return symbols;
}

static void
stop_symbols (Symbols *symbols)
{
    g_autoptr (GDir) folder = g_dir_open (symbols->folder, 0, NULL);
    const char *name;

    index_client_free (symbols->client);
    kill (symbols->pid, SIGKILL);
    waitpid (symbols->pid, NULL, 0);
    while ((name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *path = g_build_filename (symbols->folder, name, NULL);

        g_unlink (path);
    }
    g_rmdir (symbols->folder);
    g_free (symbols->folder);
    g_free (symbols->socket);
    g_free (symbols);
}

/* The line of "//@ mark" in nested.c. */
static guint32
find_mark (const char *mark)
{
    g_autofree char *path = g_test_build_filename (G_TEST_DIST, "nested.c", NULL);
    g_autofree char *text = NULL;
    g_autofree char *comment = g_strdup_printf ("//@ %s\n", mark);
    const char *found;
    guint32 line = 1;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    found = strstr (text, comment);
    g_assert_nonnull (found);
    for (const char *at = text; at < found; at++) {
        line += *at == '\n';
    }
    return line;
}

/* The program's own frames: "block:block compare:compare …", where the word after the colon is the
 * mark of the line. Fails on a line that has no mark. */
static void
check_own_frames (const GPtrArray *shown, const char *const *expected)
{
    guint next = 0;

    for (guint i = 0; i < shown->len; i++) {
        const JobFrame *frame = g_ptr_array_index (shown, i);
        g_auto (GStrv) words = NULL;

        if (frame->location.file == NULL
            || !g_str_has_suffix (frame->location.file, "/nested.c")) {
            continue;
        }
        g_assert_nonnull (expected[next]);
        words = g_strsplit (expected[next], ":", 2);
        g_assert_cmpstr (frame->location.function, ==, words[0]);
        g_assert_cmpuint (frame->location.line, ==, find_mark (words[1]));
        g_assert_cmpuint (frame->flags & JOB_FRAME_LIBRARY, ==, 0);
        next++;
    }
    g_assert_null (expected[next]);
}

static void
test_names (gconstpointer data)
{
    static const char *const plain[] = { "block:block",
                                         "compare:compare",
                                         "beta:beta",
                                         "alpha:alpha-call",
                                         "alpha:alpha-call",
                                         "alpha:alpha-call",
                                         "alpha:alpha-call",
                                         "alpha:alpha-call",
                                         "alpha:alpha-call",
                                         "main:main",
                                         NULL };
    static const char *const with_signal[]
        = { "block:block",      "on_signal:handler", "compare:raise",    "beta:beta",
            "alpha:alpha-call", "alpha:alpha-call",  "alpha:alpha-call", "alpha:alpha-call",
            "alpha:alpha-call", "alpha:alpha-call",  "main:main",        NULL };
    g_auto (GStrv) words = g_strsplit (data, " ", 2);
    g_autofree char *program = g_test_build_filename (G_TEST_BUILT, words[0], NULL);
    const char *arguments[] = { program, words[1], NULL };
    gboolean is_signal = strcmp (words[1], "signal") == 0;
    Symbols *symbols = start_symbols ();
    Inferior *inferior = inferior_start (arguments);
    g_autoptr (Stack) stack = NULL;
    g_autoptr (GPtrArray) shown = NULL;
    g_autoptr (JobLocation) place = NULL;
    MachineRegisters registers;
    const JobFrame *outermost;
    guint n_trampolines = 0;

    inferior_stop (inferior, symbols->client);
    g_assert_true (target_thread_get_registers (inferior->pid, &registers));
    stack = stack_read (inferior->modules, inferior->memory, &registers, NULL, NULL, 0);
    shown = stack_dup_shown (stack, FALSE);
    check_own_frames (shown, is_signal ? with_signal : plain);
    outermost = g_ptr_array_index (shown, shown->len - 1);
    g_assert_cmpstr (outermost->location.function, ==, "main");
    for (guint i = 0; i < shown->len; i++) {
        const JobFrame *frame = g_ptr_array_index (shown, i);

        n_trampolines += (frame->flags & JOB_FRAME_SIGNAL) != 0;
    }
    g_assert_cmpuint (n_trampolines, ==, is_signal ? 1 : 0);
    place = stack_dup_place (stack, NULL);
    g_assert_cmpstr (place->function, ==, "block");
    g_assert_cmpuint (place->line, ==, find_mark ("block"));
    inferior_free (inferior);
    stop_symbols (symbols);
}

static void
test_inlined (void)
{
    g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "nested-O2", NULL);
    const char *arguments[] = { program, "plain", NULL };
    Symbols *symbols = start_symbols ();
    Inferior *inferior = inferior_start (arguments);
    g_autoptr (Stack) stack = NULL;
    const JobFrame *block = NULL;
    const JobFrame *compare = NULL;
    MachineRegisters registers;

    inferior_stop (inferior, symbols->client);
    g_assert_true (target_thread_get_registers (inferior->pid, &registers));
    stack = stack_read (inferior->modules, inferior->memory, &registers, NULL, NULL, 0);
    for (guint i = 0; i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);

        block = g_strcmp0 (frame->location.function, "block") == 0 ? frame : block;
        compare = g_strcmp0 (frame->location.function, "compare") == 0 ? frame : compare;
    }
    g_assert_nonnull (block);
    g_assert_nonnull (compare);
    if ((block->flags & JOB_FRAME_INLINED) != 0) {
        g_assert_cmpuint (block->native_index, ==, compare->native_index);
    }
    g_assert_cmpuint (compare->flags & JOB_FRAME_INLINED, ==, 0);
    inferior_free (inferior);
    stop_symbols (symbols);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_data_func ("/stack/names/O0", "nested-O0 plain", test_names);
    g_test_add_data_func ("/stack/names/signal", "nested-O0 signal", test_names);
    g_test_add_data_func ("/stack/names/static", "nested-static0 plain", test_names);
    g_test_add_func ("/stack/names/inlined", test_inlined);
    return g_test_run ();
}
