/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the agent in a main thread that waits outside the interpreter while nobody has its lock. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/python/private.h"

#define LOAD_TIMEOUT_MS 10000
#define N_IDLE 10
#define IDLE_PAUSE_US 1000

/* Of the line that loads the agent, which the interpreter may be executing. */
static gboolean
is_of_line (const EngineProcess *process, const JobFrame *frame)
{
    return process->python->agent_line != 0 && job_frame_is_python (frame)
           && (g_strcmp0 (frame->location.file, "<string>") == 0
               || g_strcmp0 (frame->location.file, "<pddt>") == 0);
}

gboolean
engine_python_check_others (EngineProcess *process, GError **error)
{
    for (guint i = 0; i < process->threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);
        g_autoptr (Stack) stack = engine_inspect_read_stack (thread, 0);

        if (stack != NULL
            && BASE_HAS (stack->frames, const JobFrame, frame,
                         engine_python_is_dangerous (frame) || is_of_line (process, frame)
                             || (job_frame_is_python (frame) && frame->location.file != NULL
                                 && g_str_has_prefix (frame->location.file,
                                                      "<frozen importlib")))) {
            return engine_python_refuse (
                error, "another thread holds a lock that loading pddt's agent needs");
        }
    }
    return TRUE;
}

gboolean
engine_python_connect_loaded (EngineProcess *process, GError **error)
{
    engine_modules_note_change (process);
    engine_process_refresh_modules (process);
    return process->python->has_agent
           || engine_python_refuse (error, "pddt's agent could not be loaded");
}

/* The main thread waits outside the interpreter, and nobody has its lock. */
static gboolean
is_idle (EngineProcess *process, EngineThread *thread)
{
    g_autoptr (GArray) threads = python_runtime_read_threads (process->runtime, NULL);
    g_autoptr (Stack) stack = NULL;

    if (threads != NULL
        && BASE_ANY (i, threads->len, g_array_index (threads, PythonThread, i).holds_gil)) {
        return FALSE;
    }
    if (threads == NULL || threads->len == 0 || thread->state != ENGINE_THREAD_STOPPED
        || thread->held_stops->len > 0 || thread->in_vfork
        || !engine_thread_load_registers (thread)
        || machine_registers_get_system_call (&thread->registers) < 0) {
        return FALSE;
    }
    stack = engine_inspect_read_stack (thread, 0);
    return stack != NULL && stack->frames->len > 0
           && engine_python_check_others (process, NULL);
}

gboolean
engine_python_load_idle (EngineProcess *process)
{
    EngineThread *thread = engine_process_get_main (process);
    gboolean is_done = FALSE;

    for (guint i = 0; thread != NULL && i < N_IDLE && !is_done && engine_process_halt (process);
         i++) {
        python_runtime_invalidate (process->runtime);
        if (is_idle (process, thread)) {
            engine_python_take_line_back (process);
            is_done = engine_python_inject_in (thread, LOAD_TIMEOUT_MS, NULL)
                      && engine_python_connect_loaded (process, NULL);
        }
        if (is_done) {
            engine_python_write_u32 (process, PYTHON_OFFSET (request), PDDT_REQUEST_SYNC);
            engine_python_wake_soon (process);
        }
        if (!process->ended) {
            engine_process_release (process);
        }
        if (!is_done && !process->ended && engine_process_is_stopped (process)) {
            break;
        }
        if (!is_done) {
            engine_work_pause (process, IDLE_PAUSE_US);
        }
    }
    return is_done;
}
