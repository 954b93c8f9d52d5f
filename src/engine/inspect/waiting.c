/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of a stopped rank that have not stopped: what can be told of them all the same. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include <glib/gi18n.h>

/* Of a thread that the kernel does not let stop, as it waits there: what stands in memory. NULL: it does not wait, or has
 * gone on meanwhile. */
Stack *
engine_inspect_read_waiting (EngineThread *thread, PythonRuntime *runtime,
                             const PythonThread *python_thread)
{
    EngineProcess *process = thread->process;
    g_autoptr (Stack) stack = NULL;
    EngineSystemCall call, after;
    MachineRegisters registers;
    GPtrArray *python = NULL;

    if (!engine_system_call_read (process, thread->tid, &call))
        return NULL;
    engine_system_call_fill_registers (&call, &registers);
    if (runtime != NULL && python_thread != NULL)
        python = python_runtime_read_frames (runtime, python_thread, NULL);
    stack = stack_make_waiting (engine_process_get_modules (process),
                                engine_process_get_memory (process), &registers, runtime,
                                python);
    return engine_system_call_read (process, thread->tid, &after) && after.sp == call.sp
                   && after.pc == call.pc && after.number == call.number
               ? g_steal_pointer (&stack)
               : NULL;
}

gboolean
engine_inspect_is_waiting (const EngineThread *thread)
{
    return thread->process->core == NULL && !thread->process->ended
           && thread->state == ENGINE_THREAD_RUNNING && !thread->exiting;
}

/* NULL: it stands still. */
const char *
engine_inspect_explain_running (const EngineThread *thread)
{
    return !engine_inspect_is_waiting (thread) ? NULL
           : engine_thread_is_in_call (thread)
               ? N_ ("in a function that was called, not stopped")
           : target_thread_get_state (thread->process->pid, thread->tid) == 'D'
               ? N_ ("waits in the kernel, not stopped")
               : N_ ("still runs, not stopped");
}

void
engine_inspect_tell_missing (EngineThread *thread)
{
    if (engine_inspect_is_waiting (thread)) {
        g_autofree char *number = g_strdup_printf ("%u", thread->number);

        engine_say (thread->process, "thread %s does not stop: its stack is missing", number);
    }
}

gboolean
engine_inspect_refuse_stack (const EngineProcess *process, GError **error)
{
    if (engine_process_get_selected (process) != NULL
        && engine_inspect_is_waiting (engine_process_get_selected (process))) {
        base_error_set (error, BASE_ERROR_BUSY,
                        "cannot read the stack: the thread does not stop");
    } else {
        base_error_set (error, BASE_ERROR_FAULT,
                        "cannot read the stack: no registers or no memory map");
    }
    return FALSE;
}
