/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the agent into a program that runs without it: before the program's first code, for a breakpoint that
 * needs it, again after a failure. A child of fork keeps its parent's. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "engine/python/private.h"

#define LOAD_TIMEOUT_MS 10000
#define TRY_AGAIN_US 2000
#define TRY_FOR_US (2 * G_USEC_PER_SEC)
#define LOOK_AGAIN_US 50000
#define N_FAILURES 10
#define N_IDLE_LOOKS 19 /* each pause is longer, up to a second */
#define EVALUATION "PyEval_EvalCode"

void
engine_python_on_follow (EngineProcess *process)
{
    GPtrArray *list = engine_breakpoint_list (process);

    if (!process->python->has_agent || !process->python->begun
        || !engine_python_write_u32 (process, PYTHON_OFFSET (followed_pid),
                                     (guint32) process->pid)) {
        return;
    }
    process->python->sync_wanted = TRUE;
    for (guint i = 0; list != NULL && i < list->len; i++) {
        const JobRequest *request = g_ptr_array_index (list, i);

        if (engine_python_is_breakpoint_verb (request)) {
            g_ptr_array_add (process->python->queue, job_request_dup (request));
        }
    }
}

/* ---- before the program's first code ---- */

static EngineTrapAnswer on_code (EngineThread *thread, guint64 address, gpointer owner);

static void
stop_waiting (EngineProcess *process)
{
    EnginePython *python = process->python;

    engine_trap_remove (process, python->code_trap, on_code, process);
    python->code_trap = 0;
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
        engine_modules_note_change (process);
        engine_process_refresh_modules (process);
    }
    if (process->python->has_agent) {
        engine_python_write_u32 (process, PYTHON_OFFSET (request), PDDT_REQUEST_SYNC);
        engine_python_wake_soon (process);
    } else if (!process->ended && error != NULL) {
        engine_emit_notice (process, error->message);
    } else if (!process->ended) {
        engine_say (process, "pddt's agent could not be loaded into this interpreter");
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
    PythonRuntime *runtime = engine_runtime_find (process);
    g_autofree char *file = NULL;

    if (runtime == NULL || process->python->has_agent) {
        stop_waiting (process);
        return ENGINE_TRAP_RESUME;
    }
    python_runtime_invalidate (runtime);
    file = engine_thread_load_registers (thread) ? python_runtime_dup_code_file (
               runtime, machine_registers_get_argument (&thread->registers, 0))
                                                 : NULL;
    if (file != NULL && !python_is_library_file (file)) {
        stop_waiting (process);
        load_here (thread);
    }
    return ENGINE_TRAP_RESUME;
}

/* Until the program's first code is about to be executed. FALSE: that cannot be seen. */
static gboolean
wait_for_code (EngineProcess *process)
{
    EnginePython *python = process->python;
    guint64 address;

    if (python->code_trap == 0 && engine_process_find_symbol (process, EVALUATION, &address)
        && engine_trap_add (process, address, on_code, process, NULL)) {
        python->code_trap = address;
    }
    return python->code_trap != 0;
}

/* ---- for a breakpoint ---- */

/* The breakpoint is one for the agent, and the rank runs Python without it. */
static gboolean
needs_agent (EngineProcess *process, const JobRequest *request)
{
    gboolean is_pythons
        = request->verb == JOB_VERB_CATCH
          || (request->verb == JOB_VERB_BREAK
              && (request->where.kind == JOB_WHERE_LINE
                      ? g_str_has_suffix (request->where.file, ".py")
                      : request->where.kind == JOB_WHERE_FUNCTION
                            && !engine_python_is_in_native_code (process, request->number)));

    return is_pythons && !engine_python_is_missing (process) && !process->python->is_injected
           && !process->python->is_agent_expected && process->exec_seen
           && process->vfork == NULL && engine_runtime_find (process) != NULL;
}

void
engine_python_await_code (EngineProcess *process)
{
    EnginePython *python = process->python;
    GPtrArray *list;

    if (process->phase != ENGINE_START_STARTED || python->code_trap != 0
        || python->agent_request != NULL) {
        return;
    }
    list = engine_breakpoint_list (process);
    for (guint i = 0; i < list->len; i++) {
        if (needs_agent (process, g_ptr_array_index (list, i))) {
            wait_for_code (process);
            return;
        }
    }
}

/* A thread that is about to take a signal, or is at a system call that nobody catches, cannot make the call now,
 * but soon can. */
static gboolean
try_later (EnginePython *python, const JobRequest *request)
{
    gint64 now = g_get_monotonic_time ();

    if (python->agent_request == NULL) {
        python->agent_request = job_request_dup (request);
        python->agent_deadline_us = now + TRY_FOR_US;
    }
    python->agent_due_us = now + TRY_AGAIN_US;
    return now < python->agent_deadline_us;
}

static void
stop_trying (EnginePython *python)
{
    g_clear_pointer (&python->agent_request, job_request_free);
    python->agent_due_us = 0;
}

void
engine_python_look_later (EngineProcess *process)
{
    EnginePython *python = process->python;

    python->agent_due_us = g_get_monotonic_time ()
                           + LOOK_AGAIN_US * (1 + python->n_agent_failures);
}

void
engine_python_bring_agent (EngineProcess *process, const JobRequest *request)
{
    EnginePython *python = process->python;
    g_autoptr (GError) error = NULL;

    if (!needs_agent (process, request)) {
        return;
    }
    if (engine_python_inject (process, &error)) {
        if (!process->python->has_agent) {
            engine_say (
                process,
                "this Python program runs without pddt's agent: it is loaded as soon "
                "as the main thread executes Python code, or waits while no thread does");
        }
        g_clear_pointer (&python->agent_request, job_request_free);
        return;
    } else if (process->ended
               || (g_error_matches (error, BASE_ERROR, BASE_ERROR_BUSY)
                   && try_later (python, request))) {
        return;
    } else if (!wait_for_code (process)
               || g_error_matches (error, BASE_ERROR, BASE_ERROR_BUSY)) {
        engine_emit_notice (process, error->message);
    }
    stop_trying (python);
}

/* An EngineWork, after a failure: what keeps it from being asked now may be over at the next attempt, too. */
static void
ask_again (EngineProcess *process, const JobRequest *request)
{
    EnginePython *python = process->python;
    g_autoptr (GError) error = NULL;

    if (engine_python_inject (process, &error) || process->ended) {
        return;
    }
    python->n_agent_failures++;
    if (python->n_agent_failures < N_FAILURES) {
        engine_python_look_later (process);
    } else if (!wait_for_code (process)) {
        engine_emit_notice (process, error->message);
    }
}

/* An EngineWork: the main thread may wait all the time, in MPI or for a thread, and never come to a line. */
static void
look_for_idle (EngineProcess *process, const JobRequest *request)
{
    EnginePython *python = process->python;

    if (engine_runtime_find (process) == NULL || engine_python_load_idle (process)
        || process->ended) {
        return;
    }
    python->n_idle_looks += python->n_idle_looks < N_IDLE_LOOKS;
    python->agent_due_us = g_get_monotonic_time () + LOOK_AGAIN_US * (1 + python->n_idle_looks);
}

/* The interpreter was asked to load the agent and has not started it yet. */
static void
look_at_failure (EngineProcess *process)
{
    EnginePython *python = process->python;
    g_autofree char *failure = engine_python_dup_failure (process);

    if (failure == NULL) {
        engine_work_do (process, NULL, look_for_idle);
        return;
    }
    python->n_agent_failures++;
    if (python->n_agent_failures >= N_FAILURES) {
        engine_say (process, "pddt's agent could not be loaded into this interpreter: %s",
                    failure);
        return;
    }
    python->is_injected = python->is_agent_expected = FALSE;
    engine_python_look_later (process);
}

void
engine_python_bring_again (EngineProcess *process)
{
    EnginePython *python = process->python;
    g_autoptr (JobRequest) request = python->agent_request != NULL
                                         ? job_request_dup (python->agent_request)
                                         : job_request_new (JOB_VERB_BREAK, NULL);

    python->agent_due_us = 0;
    if (python->is_injected) {
        look_at_failure (process);
    } else {
        engine_work_do (process, request,
                        python->agent_request != NULL ? engine_python_bring_agent : ask_again);
    }
}
