/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that wait for the lock of Python's interpreter (GIL), and the one that has it: of a running rank,
 * too. Such a thread wakes up every 5 ms and asks for the lock again, so it never sleeps for long. */
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include <linux/futex.h>
#include <sys/syscall.h>

#define TRY_US 100u /* it is awake for less, if it has a processor */
#define MAX_TRIES 20u
#define MAX_QUEUED 1000u  /* tries, while it waits for one */
#define AWAKE_NS 1000000u /* of a processor: no thread that asks for the lock needs as much */

static EngineThread *
find_thread (EngineProcess *process, const PythonThread *python)
{
    g_autoptr (GArray) one = g_array_new (FALSE, FALSE, sizeof (PythonThread));

    if (python->state == 0) {
        return NULL;
    }
    g_array_append_val (one, *python);
    return BASE_FIND (process->threads, EngineThread, thread,
                      !thread->shares_memory
                          && engine_inspect_find_python_thread (one, thread) != NULL);
}

/* Another thread has the lock, so that this one, which is not asleep, may be asking for it. */
static gboolean
may_ask (EngineProcess *process, pid_t tid)
{
    PythonRuntime *runtime = engine_runtime_find (process);
    g_autoptr (GArray) threads = NULL;
    gboolean is_taken = FALSE;

    if (runtime != NULL) {
        python_runtime_invalidate (runtime);
        threads = python_runtime_read_threads (runtime, NULL);
    }
    for (guint i = 0; threads != NULL && i < threads->len; i++) {
        const PythonThread *thread = &g_array_index (threads, PythonThread, i);

        is_taken |= thread->holds_gil && thread->tid != tid;
    }
    return is_taken;
}

/* What it has had of a processor (proc(5), schedstat); 0: not known. */
static guint64
read_run_ns (const EngineProcess *process, pid_t tid)
{
    char text[64];

    return engine_task_file_read (process, tid, "schedstat", NULL, text, sizeof text) > 0
               ? g_ascii_strtoull (text, NULL, 10)
               : 0;
}

/* What it sleeps in. */
static gboolean
read_call (EngineProcess *process, pid_t tid, gboolean is_patient, EngineSystemCall *ret_call)
{
    guint64 begin_ns;

    if (engine_system_call_read (process, tid, ret_call)) {
        return TRUE;
    }
    if (!is_patient || engine_process_is_stopped (process) || !may_ask (process, tid)) {
        return FALSE;
    }
    begin_ns = read_run_ns (process, tid);
    for (guint i = 0; i < MAX_QUEUED; i++) {
        g_usleep (TRY_US);
        if (engine_system_call_read (process, tid, ret_call)) {
            return TRUE;
        }
        if (i >= MAX_TRIES
            && (begin_ns == 0 || read_run_ns (process, tid) - begin_ns > AWAKE_NS)) {
            return FALSE;
        }
    }
    return FALSE;
}

gboolean
engine_python_waits_for_interpreter (EngineProcess *process, pid_t tid, gboolean is_patient,
                                     EngineThread **ret_holder)
{
    EngineSystemCall call;
    PythonRuntime *runtime;
    PythonThread holder;
    guint operation;

    *ret_holder = NULL;
    if (!read_call (process, tid, is_patient, &call) || call.number != SYS_futex) {
        return FALSE;
    }
    operation = (guint) call.arguments[1] & FUTEX_CMD_MASK;
    runtime = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET
                  ? engine_runtime_find (process)
                  : NULL;
    if (runtime == NULL) {
        return FALSE;
    }
    python_runtime_invalidate (runtime);
    if (!python_runtime_find_lock_holder (runtime, call.arguments[0], &holder)) {
        return FALSE;
    }
    *ret_holder = find_thread (process, &holder);
    return TRUE;
}

JobWait *
engine_python_dup_interpreter_wait (EngineProcess *process, EngineThread *thread,
                                    gboolean is_patient)
{
    EngineThread *holder;
    JobWait *wait;

    if (!engine_python_waits_for_interpreter (process, thread->tid, is_patient, &holder)
        || holder == thread) {
        return NULL;
    }
    wait = job_wait_new (JOB_WAIT_INTERPRETER);
    wait->thread = thread->number;
    wait->other = holder != NULL ? holder->number : 0;
    return wait;
}
