/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python and native frames in one stack: order across C callbacks, threads, hiding, places. */
#include "inferior.h"
#include "target/process.h"
#include <string.h>

static char **
list_interpreters (void)
{
    g_autofree char *versions = g_build_filename (g_get_home_dir (), ".pyenv/versions", NULL);
    g_autoptr (GDir) folder = g_dir_open (versions, 0, NULL);
    GPtrArray *found = g_ptr_array_new ();
    const char *name;

    g_ptr_array_add (found, g_strdup ("/usr/bin/python3"));
    while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        guint64 minor = g_str_has_prefix (name, "3.") ? g_ascii_strtoull (name + 2, NULL, 10)
                                                      : 0;
        g_autofree char *program = g_build_filename (versions, name, "bin/python3", NULL);

        if (minor >= 8 && minor <= 14 && g_file_test (program, G_FILE_TEST_IS_EXECUTABLE)) {
            g_ptr_array_add (found, g_steal_pointer (&program));
        }
    }
    g_ptr_array_add (found, NULL);
    return (char **) g_ptr_array_free (found, FALSE);
}

static Inferior *
start (const char *interpreter, const char *name, PythonRuntime **ret_python,
       GArray **ret_threads)
{
    g_autofree char *script = g_test_build_filename (G_TEST_DIST, name, NULL);
    const char *arguments[] = { interpreter, script, NULL };
    Inferior *inferior = inferior_start (arguments);
    g_autoptr (GArray) images = NULL;
    g_autoptr (GError) error = NULL;

    inferior_stop (inferior, NULL);
    images = stack_modules_list_python_images (inferior->modules);
    *ret_python = python_runtime_open (inferior->memory, (PythonImage *) images->data,
                                       images->len, &error);
    g_assert_no_error (error);
    *ret_threads = python_runtime_read_threads (*ret_python, &error);
    g_assert_no_error (error);
    return inferior;
}

/* To 3.10 by the thread pointer, as Python's state has no thread id of the kernel. */
static const PythonThread *
find_thread (const GArray *threads, pid_t tid, const MachineRegisters *registers)
{
    for (guint i = 0; i < threads->len; i++) {
        const PythonThread *thread = &g_array_index (threads, PythonThread, i);

        if (thread->tid == tid
            || (thread->tid == 0
                && thread->pthread == machine_registers_get_thread_pointer (registers))) {
            return thread;
        }
    }
    return NULL;
}

static Stack *
read_stack (Inferior *inferior, PythonRuntime *python, const GArray *threads, pid_t tid)
{
    MachineRegisters registers;
    const PythonThread *thread;
    Stack *stack;

    g_assert_true (target_thread_get_registers (tid, &registers));
    thread = find_thread (threads, tid, &registers);
    g_assert_nonnull (thread);
    stack = stack_read (inferior->modules, inferior->memory, &registers, python, thread, 0);
    g_assert_nonnull (stack->python);
    g_assert_false (stack->incomplete);
    return stack;
}

/* "[lib] block key [lib] compare …": a run of native frames counts once. */
static char *
describe (const GPtrArray *frames)
{
    GString *text = g_string_new (NULL);
    gboolean in_native = FALSE;

    for (guint i = 0; i < frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (frames, i);

        if (job_frame_is_python (frame)) {
            g_string_append_printf (text, " %s", frame->location.function);
        } else if (!in_native) {
            g_string_append_printf (text, " [%s]", frame->location.module);
        }
        in_native = !job_frame_is_python (frame);
    }
    return g_string_free (text, FALSE);
}

static void
test_callback (gconstpointer data)
{
    PythonRuntime *python;
    g_autoptr (GArray) threads = NULL;
    Inferior *inferior = start (data, "blend.py", &python, &threads);
    g_autoptr (Stack) stack = read_stack (inferior, python, threads, inferior->pid);
    g_autoptr (GPtrArray) shown = stack_dup_shown (stack, FALSE);
    g_autoptr (GPtrArray) all = stack_dup_shown (stack, TRUE);
    g_autofree char *text = describe (shown);
    g_autoptr (JobLocation) place = stack_dup_place (stack, NULL);

    g_assert_cmpstr (text, ==,
                     " [libc.so.6] block key compare [libc.so.6] sort partial_target run"
                     " <module>");
    g_assert_cmpuint (all->len, ==, stack->frames->len);
    g_assert_cmpuint (all->len, >, shown->len);
    g_assert_cmpstr (place->function, ==, "block");
    g_assert_true (g_str_has_suffix (place->file, "/blend.py"));
    python_runtime_free (python);
    inferior_free (inferior);
}

static void
test_threads (gconstpointer data)
{
    PythonRuntime *python;
    g_autoptr (GArray) threads = NULL;
    Inferior *inferior = start (data, "blend.py", &python, &threads);
    g_autoptr (GArray) tids = target_process_list_threads (inferior->pid);
    guint n_taken = 0;

    g_assert_cmpuint (threads->len, ==, 3);
    for (guint i = 0; i < tids->len; i++) {
        pid_t tid = g_array_index (tids, pid_t, i);
        g_autoptr (Stack) stack = NULL;
        g_autoptr (GPtrArray) shown = NULL;
        g_autofree char *text = NULL;
        g_autoptr (JobLocation) place = NULL;

        if (tid == inferior->pid) {
            continue;
        }
        stack = read_stack (inferior, python, threads, tid);
        shown = stack_dup_shown (stack, FALSE);
        text = describe (shown);
        place = stack_dup_place (stack, NULL);
        g_assert_true (
            g_pattern_match_simple (" [lib*] take *run *_bootstrap_inner *_bootstrap", text));
        g_assert_cmpstr (place->function, ==, "take");
        n_taken++;
    }
    g_assert_cmpuint (n_taken, ==, 2);
    python_runtime_free (python);
    inferior_free (inferior);
}

/* ---- every way that Python code comes to run ---- */

static char *
format_python (const GPtrArray *frames)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (frames, i);

        if (job_frame_is_python (frame)) {
            g_string_append_printf (text, "%s|%s|%u\n", frame->location.function,
                                    frame->location.file, frame->location.line);
        }
    }
    return g_string_free (text, FALSE);
}

/* The frames that the thread noted itself; NULL for one that did not. */
static char *
find_noted (const char *report, guint64 ident)
{
    g_autofree char *head = g_strdup_printf ("thread %" G_GUINT64_FORMAT "\n", ident);
    const char *start = strstr (report, head);
    const char *end;

    if (start == NULL) {
        return NULL;
    }
    start += strlen (head);
    for (end = start; !g_str_has_prefix (end, "thread ") && !g_str_has_prefix (end, "count ");
         end = strchr (end, '\n') + 1) {
    }
    return g_strndup (start, (gsize) (end - start));
}

/* Each run of Python frames stands directly on the native frame that runs them: one of the
 * evaluation loop, whose part of the stack holds the anchor; to 3.10 one frame each. Counts the
 * frames of the loop that run none. */
static guint
check_places (const Stack *stack, PythonRuntime *python)
{
    gboolean has_anchors = python_runtime_get_version (python) >= 0x030b0000;
    const PythonFrame *above = NULL;
    guint n_above = 0;
    guint n_empty = 0;

    for (guint i = 0; i < stack->frames->len; i++) {
        const JobFrame *frame = g_ptr_array_index (stack->frames, i);
        const StackNativeFrame *native;
        gboolean is_loop;

        if (job_frame_is_python (frame)) {
            above = g_ptr_array_index (stack->python, frame->native_index);
            n_above++;
            continue;
        }
        native = &stack->native[frame->native_index];
        is_loop = python_runtime_is_evaluation (python, native->pc - 1);
        if (above != NULL) {
            g_assert_cmpuint (above->anchor, >=, native->sp);
            g_assert_cmpuint (above->anchor, <, native->cfa);
            /* to 3.10 only what is thrown through a generator makes two of one */
            g_assert_true (has_anchors || n_above == 1
                           || (n_above == 2 && strcmp (above->function, "thrown") == 0));
            /* a part that the compiler moved away is not known by its address */
            g_assert_true (is_loop || frame->location.function == NULL
                           || g_str_has_prefix (frame->location.function, "_PyEval_Eval"));
        }
        n_empty += is_loop && above == NULL;
        above = NULL;
        n_above = 0;
    }
    g_assert_null (above);
    return n_empty;
}

static void
test_matrix (gconstpointer data)
{
    PythonRuntime *python;
    g_autoptr (GArray) threads = NULL;
    Inferior *inferior = start (data, "../python/matrix.py", &python, &threads);
    g_autoptr (GArray) tids = target_process_list_threads (inferior->pid);
    guint n_compared = 0;
    guint n_empty = 0;

    for (guint i = 0; i < tids->len; i++) {
        pid_t tid = g_array_index (tids, pid_t, i);
        MachineRegisters registers;
        const PythonThread *thread;
        g_autofree char *expected = NULL;
        g_autofree char *seen = NULL;
        g_autoptr (Stack) stack = NULL;

        g_assert_true (target_thread_get_registers (tid, &registers));
        thread = find_thread (threads, tid, &registers);
        expected = thread != NULL ? find_noted (inferior->report, thread->pthread) : NULL;
        if (expected == NULL) {
            continue;
        }
        stack = read_stack (inferior, python, threads, tid);
        seen = format_python (stack->frames);
        g_assert_cmpstr (seen, ==, expected);
        n_empty += check_places (stack, python);
        n_compared++;
    }
    g_test_message ("%s: %u threads, %u activations without frames", (const char *) data,
                    n_compared, n_empty);
    g_assert_cmpuint (n_compared, >, 20);
    g_assert_cmpuint (n_empty, <=, 4);
    python_runtime_free (python);
    inferior_free (inferior);
}

/* A frame that nobody can unwind, in the middle of the stack: every Python frame is still there, and
 * the stack says that something is missing. */
static void
test_torn (gconstpointer data)
{
    PythonRuntime *python;
    g_autoptr (GArray) threads = NULL;
    Inferior *inferior = start (data, "torn.py", &python, &threads);
    MachineRegisters registers;
    const PythonThread *thread;
    g_autoptr (Stack) stack = NULL;
    g_autoptr (GPtrArray) shown = NULL;
    g_autoptr (GString) names = g_string_new (NULL);
    gboolean is_told = FALSE;

    g_assert_true (target_thread_get_registers (inferior->pid, &registers));
    thread = find_thread (threads, inferior->pid, &registers);
    stack = stack_read (inferior->modules, inferior->memory, &registers, python, thread, 0);
    shown = stack_dup_shown (stack, FALSE);
    for (guint i = 0; i < shown->len; i++) {
        const JobFrame *frame = g_ptr_array_index (shown, i);

        is_told |= (frame->flags & JOB_FRAME_INCOMPLETE) != 0;
        if (job_frame_is_python (frame)) {
            g_string_append_printf (names, " %s", frame->location.function);
        }
    }
    g_assert_cmpstr (names->str, ==, " block callback through outer <module>");
    g_assert_true (stack->incomplete == is_told);
    g_test_message ("%s: %s", (const char *) data, is_told ? "incomplete" : "found its way");
    python_runtime_free (python);
    inferior_free (inferior);
}

int
main (int argc, char **argv)
{
    g_auto (GStrv) interpreters = list_interpreters ();

    g_test_init (&argc, &argv, NULL);
    for (guint i = 0; interpreters[i] != NULL; i++) {
        g_autofree char *callback = g_strdup_printf ("/stack/blend/callback%s",
                                                     interpreters[i]);
        g_autofree char *torn = g_strdup_printf ("/stack/blend/torn%s", interpreters[i]);
        g_autofree char *matrix = g_strdup_printf ("/stack/blend/matrix%s", interpreters[i]);
        g_autofree char *threads = g_strdup_printf ("/stack/blend/threads%s", interpreters[i]);

        g_test_add_data_func (callback, interpreters[i], test_callback);
        g_test_add_data_func (threads, interpreters[i], test_threads);
        g_test_add_data_func (torn, interpreters[i], test_torn);
        g_test_add_data_func (matrix, interpreters[i], test_matrix);
    }
    return g_test_run ();
}
