/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one door to the state of processes and threads, and to what keeps them from running: nobody else writes these. A
 * change that cannot be is a mistake of the engine's: the log tells of it, and tests fail. */
#include "engine/control/private.h"

static const char *const suspenders[ENGINE_N_SUSPENDERS] = {
    [ENGINE_SUSPENDS_HALT] = "a halt",        [ENGINE_SUSPENDS_GOING_ON] = "going on",
    [ENGINE_SUSPENDS_STOP] = "a stop",        [ENGINE_SUSPENDS_TRAP] = "a trap",
    [ENGINE_SUSPENDS_WATCH] = "a watchpoint", [ENGINE_SUSPENDS_EXEC] = "exec",
    [ENGINE_SUSPENDS_CALL] = "a call",        [ENGINE_SUSPENDS_TALK] = "the agent",
    [ENGINE_SUSPENDS_BIRTH] = "its birth",
};

/* ---- threads ---- */

void
engine_thread_set_state (EngineThread *thread, EngineThreadState state)
{
    if (state == thread->state) {
        g_critical ("thread %d of process %d is %s twice", (int) thread->tid,
                    (int) thread->process->pid,
                    state == ENGINE_THREAD_RUNNING ? "resumed" : "stopped");
    }
    g_debug ("thread %d: %s", (int) thread->tid,
             state == ENGINE_THREAD_RUNNING ? "runs" : "is stopped");
    thread->state = state;
    thread->has_registers = thread->registers_changed = FALSE;
    if (state == ENGINE_THREAD_STOPPED) {
        thread->is_open = FALSE; /* unless engine_thread_note_stop knows better, of both */
        thread->process->has_run = TRUE;
    } else {
        thread->stays_open = FALSE;
    }
}

/* ---- processes ---- */

static gboolean
is_possible (const EngineProcess *process, JobState state)
{
    const JobStateInfo *from = job_state_get_info (process->state),
                       *to = job_state_get_info (state);

    return !from->is_ended && !(from->is_stopped && to->is_stopped)
           && (state != JOB_STATE_BLOCKED || from->is_moving);
}

static void
note_state (EngineProcess *process, JobState state)
{
    const char *from = job_state_get_info (process->state)->word,
               *to = job_state_get_info (state)->word;

    if (!is_possible (process, state)) {
        g_critical ("process %d cannot be %s after %s", (int) process->pid, to, from);
    }
    g_debug ("process %d: %s, then %s", (int) process->pid, from, to);
    process->state = state;
}

void
engine_process_set_state (EngineProcess *process, JobState state, gint32 number,
                          const char *text, const char *text2)
{
    note_state (process, state);
    process->state_number = number;
    g_free (process->state_text);
    process->state_text = g_strdup (text);
    g_free (process->state_text2);
    process->state_text2 = g_strdup (text2);
    g_clear_pointer (&process->state_place, job_location_free);
}

void
engine_process_set_motion (EngineProcess *process, JobState state, const JobLocation *place)
{
    if (state != process->state) {
        note_state (process, state);
    }
    engine_process_take_place (process, job_location_dup (place));
}

void
engine_process_take_place (EngineProcess *process, JobLocation *place)
{
    job_location_free (process->state_place);
    process->state_place = place;
}

void
engine_process_leave_stop (EngineProcess *process)
{
    note_state (process, JOB_STATE_RUNNING);
}

void
engine_process_return_to_stop (EngineProcess *process, JobState state)
{
    if (!process->ended && !engine_process_is_stopped (process)) {
        note_state (process, state);
    }
}

gboolean
engine_process_is_stopped (const EngineProcess *process)
{
    return job_state_get_info (process->state)->is_stopped;
}

/* ---- what keeps them from running ---- */

static void
suspend (EngineSuspensions *suspended, EngineSuspender by)
{
    suspended->by[by]++;
    suspended->n++;
}

/* FALSE: it does not suspend it. */
static gboolean
unsuspend (EngineSuspensions *suspended, EngineSuspender by)
{
    if (suspended->by[by] == 0) {
        return FALSE;
    }
    suspended->by[by]--;
    suspended->n--;
    return TRUE;
}

void
engine_process_suspend (EngineProcess *process, EngineSuspender by)
{
    suspend (&process->suspended, by);
}

void
engine_process_unsuspend (EngineProcess *process, EngineSuspender by)
{
    if (!unsuspend (&process->suspended, by) && !process->ended) {
        g_critical ("process %d is not suspended by %s", (int) process->pid, suspenders[by]);
    }
}

void
engine_process_end_suspensions (EngineProcess *process)
{
    process->suspended = (EngineSuspensions){ 0 };
}

void
engine_thread_suspend (EngineThread *thread, EngineSuspender by)
{
    suspend (&thread->suspended, by);
}

void
engine_thread_unsuspend (EngineThread *thread, EngineSuspender by)
{
    if (!unsuspend (&thread->suspended, by) && !thread->process->ended) {
        g_critical ("thread %d is not suspended by %s", (int) thread->tid, suspenders[by]);
    }
}

void
engine_thread_end_suspensions (EngineThread *thread)
{
    thread->suspended = (EngineSuspensions){ 0 };
}
