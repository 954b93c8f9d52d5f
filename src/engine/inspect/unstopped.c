/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stack of a running rank whose main thread waits in the kernel: it is read from outside, and the rank is not
 * stopped, which could end the call with EINTR. */
#include "engine/control/control.h"
#include "engine/inspect/private.h"
#include "engine/modules/modules.h"
#include "base/error.h"

enum { MAX_TRIES = 3 }; /* at a thread that wakes up while it is read */

/* NULL: it computes, or woke up each time. */
static Stack *
read_stack (EngineThread *thread)
{
    PythonRuntime *runtime = engine_runtime_find (thread->process);
    Stack *stack = NULL;

    for (guint i = 0; i < MAX_TRIES && stack == NULL; i++) {
        g_autoptr (GArray) threads = NULL;

        if (runtime != NULL) {
            python_runtime_invalidate (runtime);
            threads = python_runtime_read_threads (runtime, NULL);
        }
        stack = engine_inspect_read_waiting (thread, runtime,
                                             threads != NULL
                                                 ? engine_inspect_find_python_thread (threads,
                                                                                      thread)
                                                 : NULL);
    }
    return stack;
}

gboolean
engine_inspect_answer_unstopped (EngineProcess *process, const JobRequest *request)
{
    EngineInspection look = { .process = process, .sampled = TRUE };
    EngineThread *thread = engine_process_get_main (process);
    g_autoptr (GError) error = NULL;
    g_autoptr (Stack) stack = NULL;
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);
    g_autoptr (GPtrArray) shown = NULL;
    JobEvent *event;

    if (!(request->flags & JOB_REQUEST_UNSTOPPED) || process->ended || !process->exec_seen
        || engine_process_is_stopped (process)) {
        return FALSE;
    }
    engine_modules_refresh_stale (process);
    stack = thread != NULL && engine_process_get_modules (process) != NULL ? read_stack (thread)
                                                                           : NULL;
    if (stack == NULL) {
        base_error_set (&error, BASE_ERROR_BUSY,
                        "cannot read the stack: the rank computes, and is not stopped for it");
        engine_emit_failure (process, request->id, error);
        return TRUE;
    }
    event = engine_inspect_new_event (&look, JOB_EVENT_STACKS, request->id);
    event->tree = job_stack_tree_new ();
    shown = engine_inspect_dup_shown (process, stack);
    if (request->count > 0 && shown->len > request->count) {
        g_ptr_array_set_size (shown, (gint) request->count);
    }
    job_stack_tree_add (event->tree, shown, slot);
    engine_emit (process->engine, event);
    return TRUE;
}

JobLocation *
engine_inspect_dup_running_place (EngineProcess *process)
{
    return engine_inspect_dup_running_place_of (process, process->pid);
}

JobLocation *
engine_inspect_dup_running_place_of (EngineProcess *process, pid_t tid)
{
    PythonRuntime *runtime = process->exec_seen ? engine_runtime_find (process) : NULL;
    g_autoptr (GArray) threads = NULL;
    g_autoptr (GPtrArray) frames = NULL;

    if (runtime == NULL) {
        return NULL;
    }
    python_runtime_invalidate (runtime);
    threads = python_runtime_read_threads (runtime, NULL);
    for (guint i = 0; threads != NULL && i < threads->len; i++) {
        const PythonThread *thread = &g_array_index (threads, PythonThread, i);

        if (thread->tid == tid || (threads->len == 1 && tid == process->pid)) {
            g_clear_pointer (&frames, g_ptr_array_unref);
            frames = python_runtime_read_frames (runtime, thread, NULL);
        }
    }
    for (guint i = 0; frames != NULL && i < frames->len; i++) {
        const PythonFrame *frame = g_ptr_array_index (frames, i);

        if (frame->line > 0 && frame->file != NULL && frame->file[0] == '/'
            && !python_is_agent_file (frame->file) && !python_is_library_file (frame->file)) {
            JobLocation *place = job_location_new (frame->function, frame->file, frame->line);

            place->language = JOB_LANGUAGE_PYTHON;
            return place;
        }
    }
    return NULL;
}
