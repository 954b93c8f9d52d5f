/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the interpreter of a rank is told to look into the mailbox: a function of the agent is called in a
 * thread that stands still, wherever that is. It never waits for another one (agent.c says why). */
#include "engine/python-private.h"

#define TIMEOUT_MS 500
#define N_THREADS 8
#define N_TIMES 60
#define PAUSE_US 500      /* the first one; each is as much longer, up to */
#define MAX_PAUSE_US 10000

typedef enum { WAKE_DONE, WAKE_LATER, WAKE_NOWHERE } WakeAnswer;

/* Not in every thread can a function be called: where it cannot, or does not return as its thread has a
 * lock of the interpreter, the next one is tried. */
static WakeAnswer
wake (EngineProcess *process)
{
    guint64 answer = 0;

    for (guint i = 0; i < process->threads->len && i < N_THREADS && !process->ended; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);

        if (thread->state == ENGINE_THREAD_STOPPED && thread->held_stops->len == 0
            && engine_call (thread, process->python.wake_function, 0, 0, TIMEOUT_MS, &answer, NULL)) {
            return (guint32) answer == PDDT_WAKE_LATER ? WAKE_LATER : WAKE_DONE;
        }
    }
    return WAKE_NOWHERE;
}

gboolean
engine_python_wake (EngineProcess *process)
{
    return wake (process) == WAKE_DONE;
}

gboolean
engine_python_wake_soon (EngineProcess *process)
{
    WakeAnswer answer = wake (process);

    for (guint i = 0; i < N_TIMES && answer == WAKE_LATER && !engine_process_is_stopped (process); i++) {
        engine_process_release (process);
        g_usleep (MIN ((i + 1) * PAUSE_US, MAX_PAUSE_US));
        if (!engine_process_halt (process)) {
            return FALSE;
        }
        answer = wake (process);
    }
    return answer == WAKE_DONE;
}
