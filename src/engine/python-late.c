/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The agent where the program is not what it was started as: an interpreter that has not begun to execute
 * the program gets it before the program's first code, and a child of fork goes on with its parent's. */
#include "engine/python-private.h"
#include <string.h>

#define LOAD_TIMEOUT_MS 10000
#define EVALUATION "PyEval_EvalCode"

void
engine_python_on_follow (EngineProcess *process)
{
    GPtrArray *list = engine_breakpoint_list (process);

    if (!process->python.has_agent || !process->python.begun
        || !engine_python_write_u32 (process, PYTHON_OFFSET (followed_pid), (guint32) process->pid)) {
        return;
    }
    process->python.sync_wanted = TRUE;
    for (guint i = 0; list != NULL && i < list->len; i++) {
        const JobRequest *request = g_ptr_array_index (list, i);

        if (engine_python_is_breakpoint_verb (request)) {
            g_ptr_array_add (engine_python_get_share (process)->queue, job_request_dup (request));
        }
    }
}

/* ---- before the program's first code ---- */

static EngineTrapAnswer on_code (EngineThread *thread, guint64 address, gpointer owner);

static void
stop_waiting (EngineProcess *process)
{
    PythonShare *share = engine_python_get_share (process);

    engine_trap_remove (process, share->code_trap, on_code, process);
    share->code_trap = 0;
}

/* In the thread that has the interpreter's lock and is about to execute a module's code. */
static void
load_here (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    g_autoptr (GError) error = NULL;

    if (!engine_process_halt (process)) {
        return;
    }
    if (engine_python_inject_in (thread, LOAD_TIMEOUT_MS, &error)) {
        process->modules_stale = TRUE;
        engine_process_refresh_modules (process);
    }
    if (process->python.has_agent) {
        engine_python_write_u32 (process, PYTHON_OFFSET (request), PDDT_REQUEST_SYNC);
        engine_python_wake_soon (process);
    } else if (!process->ended) {
        engine_emit_notice (process, error != NULL ? error->message
                                                   : "pddt's agent could not be loaded into this interpreter");
    }
    if (!process->ended) {
        engine_process_release (process);
    }
}

/* PyEval_EvalCode (code, …): the interpreter's own modules come first, while it is being made. */
static EngineTrapAnswer
on_code (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineProcess *process = owner;
    PythonRuntime *runtime = engine_process_find_runtime (process);
    g_autofree char *file = NULL;

    if (runtime == NULL || process->python.has_agent) {
        stop_waiting (process);
        return ENGINE_TRAP_RESUME;
    }
    python_runtime_invalidate (runtime);
    file = engine_thread_load_registers (thread)
               ? python_runtime_dup_code_file (runtime, thread->registers.rdi)
               : NULL;
    if (file != NULL && !python_is_library_file (file)) {
        stop_waiting (process);
        load_here (thread);
    }
    return ENGINE_TRAP_RESUME;
}

gboolean
engine_python_wait_for_code (EngineProcess *process)
{
    PythonShare *share = engine_python_get_share (process);
    guint64 address;

    if (share->code_trap == 0 && engine_process_find_symbol (process, EVALUATION, &address)
        && engine_trap_add (process, address, on_code, process, NULL)) {
        share->code_trap = address;
    }
    return share->code_trap != 0;
}
