/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the agent into a running interpreter: one call in the stopped rank schedules a line of
 * Python for its next bytecode, where signal handlers run too. The call itself needs neither
 * the GIL nor memory. */
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "engine/python/private.h"
#include <glib/gi18n.h>
#include <string.h>
#include <sys/mman.h>

#define CALL_TIMEOUT_MS 500
#define FIRST_VERSION 0x03080000u
#define LAST_VERSION 0x030f0000u

#define STATUS_SIZE                                                                            \
    512 /* at the end of the line's memory: after a failure a byte and the exception's text */
#define STATUS_FAILED 1

/* Leaves nothing in the program's __main__ and raises nothing. A failure, such as an import of a module that the
 * program itself is just importing, is written to the status. */
static char *
format_line (const char *folder, guint64 status)
{
    g_autoptr (GString) quoted = g_string_new (NULL);

    for (const char *at = folder; *at != '\0'; at++) {
        g_string_append_printf (quoted, "\\x%02x", (guint8) *at);
    }
    return g_strdup_printf (
        "try:\n exec(\"try:\\n with open(path, 'rb') as stream:\\n  source = stream.read()\\n"
        " exec(compile(source, '<pddt>', 'exec'), {'__name__': 'pddt_inject', 'folder': folder})\\n"
        "except BaseException as error:\\n"
        " text = (type(error).__name__ + ': ' + str(error)).encode('utf-8', 'replace')[:%d]\\n"
        " with open('/proc/self/mem', 'r+b', 0) as memory:\\n"
        "  memory.seek(status)\\n"
        "  memory.write(bytes([%d]) + text)\\n\","
        " {'path': b'%s/pddt_inject.py', 'folder': b'%s'.decode('utf-8', 'surrogateescape'),"
        " 'status': %" G_GUINT64_FORMAT "})\n"
        "except BaseException:\n pass\n",
        STATUS_SIZE - 2, STATUS_FAILED, quoted->str, quoted->str, status);
}

static gboolean
set_unsupported (GError **error, const char *reason)
{
    base_error_set_because (error, BASE_ERROR_UNSUPPORTED,
                            "cannot load pddt's agent into this interpreter: %s", reason);
    return FALSE;
}

/* Nothing can be imported yet, and an exception could not be reported. */
static gboolean
set_not_begun (GError **error)
{
    return set_unsupported (error, N_ ("it is still being started"));
}

typedef struct {
    guint64 map, add, run;  /* mmap, Py_AddPendingCall, PyRun_SimpleString */
    guint64 is_initialized; /* Py_IsInitialized */
    /* add takes it first and any thread may do the call; 0: the main thread */
    guint64 interpreter;
    char *folder;
} Injection;

static void
clear_injection (Injection *injection)
{
    g_free (injection->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Injection, clear_injection)

static gboolean
prepare (EngineProcess *process, Injection *injection, GError **error)
{
    const char *runner = process->engine->options.runner_path;
    PythonRuntime *runtime = engine_runtime_find (process);
    g_autofree char *file = NULL;
    guint version;

    if (runtime == NULL) {
        return set_unsupported (error, N_ ("it contains no CPython that pddt knows"));
    }
    version = python_runtime_get_version (runtime);
    if (version < FIRST_VERSION || version >= LAST_VERSION) {
        return set_unsupported (error, N_ ("it is not CPython 3.8 to 3.14"));
    }
    injection->folder = runner != NULL ? g_path_get_dirname (runner) : g_strdup ("");
    file = g_build_filename (injection->folder, "pddt_inject.py", NULL);
    if (runner == NULL || !g_file_test (file, G_FILE_TEST_EXISTS)) {
        return set_unsupported (error, N_ ("the agent is not installed on this host"));
    }
    if (!engine_process_find_symbol (process, "Py_AddPendingCall", &injection->add)
        || !engine_process_find_symbol (process, "PyRun_SimpleString", &injection->run)
        || !engine_process_find_symbol (process, "Py_IsInitialized", &injection->is_initialized)
        || !engine_process_find_symbol (process, "mmap", &injection->map)) {
        return set_unsupported (error, N_ ("it does not export the functions that pddt needs"));
    }
    return TRUE;
}

/* As of 3.12 there are calls that any thread does, not only the main one. */
static void
use_any_thread (EngineThread *thread, Injection *injection)
{
    EngineProcess *process = thread->process;
    guint version = python_runtime_get_version (process->runtime) >> 16 & 0xff;
    guint64 add, get;

    if (version >= 12 && engine_process_find_symbol (process, "_PyEval_AddPendingCall", &add)
        && engine_process_find_symbol (process, "PyInterpreterState_Main", &get)
        && engine_call (thread, get, 0, 0, CALL_TIMEOUT_MS, &injection->interpreter, NULL)
        && injection->interpreter != 0) {
        injection->add = add;
    }
}

/* It executes Python: begun and not at its end, when there is nobody to ask. */
static gboolean
is_executing (EngineProcess *process)
{
    PythonRuntime *runtime = engine_runtime_find (process);
    g_autoptr (GArray) threads = NULL;
    gboolean has_frames = FALSE;

    python_runtime_invalidate (runtime);
    threads = python_runtime_read_threads (runtime, NULL);
    for (guint i = 0; threads != NULL && i < threads->len && !has_frames; i++) {
        g_autoptr (GPtrArray) frames
            = python_runtime_read_frames (runtime, &g_array_index (threads, PythonThread, i),
                                          NULL);

        has_frames = frames != NULL && frames->len > 0;
    }
    return has_frames;
}

/* A call may not be made where its thread holds the lock that it needs: such a one does not return
 * and is tried on the next thread. */
static gboolean
call_anywhere (EngineProcess *process, guint64 function, const guint64 *arguments,
               guint64 *ret_value, GError **error)
{
    for (guint i = 0; i < process->threads->len && i < 8 && !process->ended; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        if (thread->state == ENGINE_THREAD_STOPPED && thread->held_stops->len == 0
            && engine_call_with (thread, function, arguments, CALL_TIMEOUT_MS, ret_value,
                                 NULL)) {
            return TRUE;
        }
    }
    base_error_set (
        error, BASE_ERROR_BUSY,
        "cannot load pddt's agent now: no thread can make the call; set the breakpoint again later");
    return FALSE;
}

/* The arguments of mmap for the line and the status. */
static void
fill_map (const Injection *injection, guint64 *arguments)
{
    arguments[1] = (8 * strlen (injection->folder) + 2 * STATUS_SIZE + 8191) & ~(guint64) 4095;
    arguments[2] = PROT_READ | PROT_WRITE;
    arguments[3] = MAP_PRIVATE | MAP_ANONYMOUS;
    arguments[4] = (guint64) -1;
}

/* The memory of a line that has run, and failed, is there for the next one; 0: there is none. */
static guint64
find_old_line (EngineProcess *process, gsize size)
{
    guint64 status = process->python->agent_status;
    guint8 word = 0, nothing = 0;

    return status != 0
                   && base_memory_read (engine_process_get_memory (process), status, &word,
                                        sizeof word, NULL)
                   && word == STATUS_FAILED
                   && base_memory_write (engine_process_get_memory (process), status, &nothing,
                                         sizeof nothing, NULL)
               ? status + STATUS_SIZE - size
               : 0;
}

static guint64
take_memory (EngineProcess *process, gsize size)
{
    guint64 unused = process->python->unused_line;

    process->python->unused_line = 0;
    return unused != 0 ? unused : find_old_line (process, size);
}

static gboolean
write_line (EngineProcess *process, const Injection *injection, guint64 memory, gsize size,
            GError **error)
{
    guint64 status = memory + size - STATUS_SIZE;
    g_autofree char *line = format_line (injection->folder, status);

    if (memory == 0 || memory >= (guint64) -4095 || strlen (line) >= size - STATUS_SIZE) {
        return set_unsupported (error, N_ ("it has no memory left"));
    }
    process->python->agent_status = status;
    return base_memory_write (engine_process_get_memory (process), memory, line,
                              strlen (line) + 1, error);
}

static gboolean
inject (EngineProcess *process, GError **error)
{
    g_auto (Injection) injection = { 0 };
    guint64 map[ENGINE_CALL_N_ARGUMENTS] = { 0 }, pending[ENGINE_CALL_N_ARGUMENTS] = { 0 };
    guint64 memory = 0, answer = 0;
    guint n = 0;

    if (!prepare (process, &injection, error)) {
        return FALSE;
    }
    if (!is_executing (process)) {
        return set_unsupported (error,
                                N_ ("it does not execute Python now; start the program with "
                                    "%python_debug%, or set the breakpoint later"));
    }
    if (!call_anywhere (process, injection.is_initialized, pending, &answer, error)) {
        return FALSE;
    }
    if ((guint32) answer == 0) {
        return set_not_begun (error);
    }
    fill_map (&injection, map);
    memory = take_memory (process, map[1]);
    if (memory == 0 && !call_anywhere (process, injection.map, map, &memory, error)) {
        return FALSE;
    }
    process->python->unused_line = memory; /* as long as nobody has been asked */
    if (!write_line (process, &injection, memory, map[1], error)) {
        return FALSE;
    }
    use_any_thread (engine_process_get_main (process), &injection);
    if (injection.interpreter != 0) {
        pending[n++] = injection.interpreter;
    }
    pending[n++] = injection.run;
    pending[n] = memory;
    if (!call_anywhere (process, injection.add, pending, &answer, error)) {
        return FALSE;
    }
    if ((gint32) answer != 0) {
        return set_unsupported (error, N_ ("it has too many pending calls"));
    }
    process->python->unused_line = 0;
    process->python->agent_line = memory;
    process->python->n_idle_looks = 0;
    return TRUE;
}

void
engine_python_take_line_back (EngineProcess *process)
{
    EnginePython *python = process->python;
    const char nothing = '\0';

    if (python->agent_line != 0) {
        base_memory_write (engine_process_get_memory (process), python->agent_line, &nothing,
                           sizeof nothing, NULL);
        python->agent_line = 0;
        python->is_injected = python->is_agent_expected = FALSE;
    }
}

gboolean
engine_python_inject_in (EngineThread *thread, guint timeout_ms, GError **error)
{
    EngineProcess *process = thread->process;
    g_auto (Injection) injection = { 0 };
    guint64 map[ENGINE_CALL_N_ARGUMENTS] = { 0 };
    guint64 ensure, release, address = 0, state = 0;
    gboolean is_done;

    if (!prepare (process, &injection, error)) {
        return FALSE;
    }
    if (!engine_process_find_symbol (process, "PyGILState_Ensure", &ensure)
        || !engine_process_find_symbol (process, "PyGILState_Release", &release)) {
        return set_unsupported (error, N_ ("it does not export the functions that pddt needs"));
    }
    if (!engine_call (thread, injection.is_initialized, 0, 0, CALL_TIMEOUT_MS, &state, error)) {
        return FALSE;
    }
    if ((guint32) state == 0) {
        return set_not_begun (error);
    }
    fill_map (&injection, map);
    address = take_memory (process, map[1]);
    if (address == 0
        && !engine_call_with (thread, injection.map, map, CALL_TIMEOUT_MS, &address, error)) {
        return FALSE;
    }
    process->python->unused_line = address;
    if (!write_line (process, &injection, address, map[1], error)
        || !engine_call (thread, ensure, 0, 0, CALL_TIMEOUT_MS, &state, error)) {
        return FALSE;
    }
    process->python->unused_line = 0;
    is_done = engine_call (thread, injection.run, address, 0, timeout_ms, NULL, error)
              && engine_call (thread, release, state & G_MAXUINT32, 0, CALL_TIMEOUT_MS, NULL,
                              error);
    if (is_done) {
        process->python->is_injected = TRUE;
        process->python->is_agent_expected = TRUE;
    }
    return is_done;
}

char *
engine_python_dup_failure (EngineProcess *process)
{
    guint64 status = process->python->agent_status;
    char text[STATUS_SIZE] = "";

    if (status == 0
        || !base_memory_read (engine_process_get_memory (process), status, text, sizeof text,
                              NULL)
        || text[0] != STATUS_FAILED) {
        return NULL;
    }
    text[sizeof text - 1] = '\0';
    return g_utf8_make_valid (text + 1, -1);
}

/* The runner's function that runs the program knows why there is no agent. Caller owns; NULL: there is one, or no runner. */
static char *
dup_reason_of (EngineProcess *process, const PythonThread *thread)
{
    const PythonLimits limits = PYTHON_LIMITS_DEFAULT;
    g_autoptr (GPtrArray) frames = python_runtime_read_frames (process->runtime, thread, NULL);

    for (guint i = 0; frames != NULL && i < frames->len; i++) {
        const PythonFrame *frame = g_ptr_array_index (frames, i);
        g_autoptr (JobValue) value = NULL;

        if (g_strcmp0 (frame->function, "main") == 0 && frame->file != NULL
            && g_str_has_suffix (frame->file, "/pddt_runner.py")) {
            value = python_frame_evaluate (process->runtime, frame, "failure", &limits, NULL);
            return value != NULL && value->text != NULL && strlen (value->text) > 2
                           && strchr ("'\"", value->text[0]) != NULL
                       ? g_strndup (value->text + 1, strlen (value->text) - 2)
                       : NULL;
        }
    }
    return NULL;
}

/* Caller owns. */
static char *
dup_reason (EngineProcess *process)
{
    g_autoptr (GArray) threads = NULL;
    char *reason = NULL;

    python_runtime_invalidate (process->runtime);
    threads = python_runtime_read_threads (process->runtime, NULL);
    for (guint i = 0; threads != NULL && i < threads->len && reason == NULL; i++) {
        reason = dup_reason_of (process, &g_array_index (threads, PythonThread, i));
    }
    return reason;
}

static gboolean
look_for_missing (EngineProcess *process)
{
    g_autofree char *reason = NULL;

    if (engine_runtime_find (process) != NULL) {
        reason = dup_reason (process);
    } else if (engine_runtime_is_unsupported (process)) {
        engine_say (process, "this Python program runs without pddt's agent, which could not "
                             "be loaded into its interpreter: Python breakpoints and steps do "
                             "not work in it (CPython 3.8 to 3.14 is needed)");
        return TRUE;
    }
    if (reason != NULL) {
        engine_say (process,
                    "this Python program runs without pddt's agent, which could not be loaded "
                    "into its interpreter: Python breakpoints and steps do not work in it (%s)",
                    reason);
    }
    return reason != NULL;
}

gboolean
engine_python_is_missing (EngineProcess *process)
{
    EnginePython *python = process->python;

    if (!process->python->is_agent_expected || process->python->has_agent
        || python->is_injected) {
        return FALSE;
    }
    if (!python->is_missing && engine_process_can_read (process)
        && engine_process_halt (process)) {
        python->is_missing = look_for_missing (process);
        engine_process_release (process);
    }
    return python->is_missing;
}

gboolean
engine_python_inject (EngineProcess *process, GError **error)
{
    EnginePython *python = process->python;
    gboolean is_done;

    if (python->is_injected
        || (engine_runtime_find (process) != NULL && engine_python_load_idle (process))) {
        return TRUE;
    }
    if (!engine_process_halt (process)) {
        base_error_set (error, BASE_ERROR_GONE, "cannot load pddt's agent: the rank has ended");
        return FALSE;
    }
    is_done = inject (process, error);
    if (is_done) {
        python->is_injected = TRUE;
        engine_python_look_later (process);
        process->python->is_agent_expected = TRUE;
    }
    if (!process->ended) {
        engine_process_release (process);
    }
    return is_done;
}
