/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the interpreter of a rank is told to look into the mailbox: a function of the agent is called in a
 * thread that stands still, wherever that is. It never waits for another one (agent.c says why); where one has
 * a lock that this takes, all go on for a moment before the next attempt.
 * Before CPython 3.12 that switches on tracing, which the interpreter itself may be about to switch off: in 3.10
 * each evaluation copies the switch when it begins and back when it ends, and a thread that stands between the two
 * halves of a copy undoes what it was told. So an interpreter that has not taken the request after a while is told
 * again. One that stands in the same place for long has heard it the first time: after a few times that ends. */
#include "engine/control/control.h"
#include "engine/python/private.h"

#define WAIT_MS 50 /* in the kernel, for a lock */
#define N_THREADS 8
#define N_TIMES 60
#define PAUSE_US 500 /* the first one; each is as much longer, up to */
#define MAX_PAUSE_US 10000
#define N_REMINDERS 8
#define REMINDER_US 20000 /* the first one; each is twice as much later */

/* Not in every thread can a function be called: where it cannot, the next one is tried. One that waits, or
 * would, does so in any. */
gboolean
engine_python_wake (EngineProcess *process)
{
    guint64 answer = 0;

    for (guint i = 0; i < process->threads->len && i < N_THREADS && !process->ended; i++) {
        EngineThread *thread = g_ptr_array_index (process->threads, i);
        g_autoptr (GError) error = NULL;

        if (thread->state != ENGINE_THREAD_STOPPED || thread->held_stops->len > 0) {
            continue;
        }
        if (engine_call (thread, process->python->wake_function, 0, 0, WAIT_MS, &answer,
                         &error)) {
            return (guint32) answer != PDDT_WAKE_LATER;
        }
        if (g_error_matches (error, BASE_ERROR, BASE_ERROR_TIMEOUT)) {
            return FALSE;
        }
    }
    return FALSE;
}

static void
put_off (EnginePython *python)
{
    python->wake_due_us = g_get_monotonic_time ()
                          + MIN ((python->n_wakes + 1) * PAUSE_US, MAX_PAUSE_US);
}

static void
remind_later (EnginePython *python)
{
    if (python->n_reminders < N_REMINDERS) {
        python->wake_due_us = g_get_monotonic_time () + (REMINDER_US << python->n_reminders);
        python->n_reminders++;
    }
}

void
engine_python_wake_soon (EngineProcess *process)
{
    EnginePython *python = process->python;
    gboolean is_told;

    python->n_wakes = python->n_reminders = 0;
    python->wake_due_us = 0;
    is_told = engine_python_wake (process);
    if (!process->ended && is_told) {
        remind_later (python);
    } else if (!process->ended) {
        put_off (python);
    }
}

/* Somebody else may have taken the request meanwhile. */
static gboolean
is_asked (EngineProcess *process)
{
    guint32 request = 0;

    return engine_python_read_u32 (process, PYTHON_OFFSET (request), &request) && request != 0;
}

/* An EngineWork. */
static void
wake_again (EngineProcess *process, const JobRequest *request)
{
    EnginePython *python = process->python;

    python->wake_due_us = 0;
    if (!is_asked (process) || !engine_process_halt (process)) {
        return;
    }
    if (engine_python_wake (process)) {
        remind_later (python);
    } else if (!process->ended) {
        python->n_wakes++;
        if (python->n_wakes < N_TIMES) {
            put_off (python);
        } else if (!python->has_wake_failed) {
            python->has_wake_failed = TRUE;
            engine_say (process,
                        "cannot reach the interpreter now: the change takes effect at its next "
                        "Python stop on");
        }
    }
    if (!process->ended) {
        engine_process_release (process);
    }
}

/* The agent was there from the start, or has begun where it was asked for later. */
static gboolean
is_loaded (const EngineProcess *process)
{
    const EnginePython *python = process->python;

    return process->python->has_agent && (process->python->begun || python->agent_status == 0);
}

/* 0: nothing is to be tried while it is as it is. */
static gint64
get_due_us (const EngineProcess *process)
{
    const EnginePython *python = process->python;

    if (process->ended || process->suspended.n > 0 || process->ongoing != NULL
        || engine_process_is_stopped (process)) {
        return 0;
    }
    return is_loaded (process) ? python->wake_due_us : python->agent_due_us;
}

void
engine_python_wakes_check (Engine *engine)
{
    gint64 now = g_get_monotonic_time ();

    for (guint i = 0; i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);
        gint64 due = get_due_us (process);

        if (due == 0 || due > now) {
            continue;
        }
        if (is_loaded (process)) {
            engine_work_do (process, NULL, wake_again);
        } else {
            engine_python_bring_again (process);
        }
    }
}

int
engine_python_wakes_get_timeout_ms (const Engine *engine)
{
    gint64 now = g_get_monotonic_time (), nearest = G_MAXINT64;

    for (guint i = 0; i < engine->processes->len; i++) {
        gint64 due = get_due_us (g_ptr_array_index (engine->processes, i));

        nearest = due != 0 ? MIN (nearest, due) : nearest;
    }
    return nearest == G_MAXINT64 ? -1 : (int) MAX ((nearest - now + 999) / 1000, 0);
}
