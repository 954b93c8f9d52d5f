/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children that are ranks of their own, as in a measured run, are let go before they execute a set-user-ID file: the kernel
 * gives its rights to nobody who is traced. For that they stop at their first system calls. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/loop/private.h"
#include "engine/sampling/sampling.h"

gboolean
engine_gain_go_past (EngineThread *thread, const TargetStop *stop)
{
    EngineProcess *process = thread->process;
    gboolean is_asked = thread->interrupt_pending || engine_sampling_awaits (thread);
    g_autofree char *program = NULL;

    if (stop->kind != TARGET_STOP_CALL || process->n_calls_watched == 0
        || thread->state != ENGINE_THREAD_RUNNING || thread->ends_call
        || engine_catch_wants_calls (process)) {
        return FALSE;
    }
    program = target_thread_dup_gaining (thread->tid);
    if (program != NULL) {
        return FALSE;
    }
    if (--process->n_calls_watched > 0) {
        target_thread_continue_to_call (thread->tid, 0);
    } else {
        target_thread_continue (thread->tid, 0);
    }
    if (is_asked) { /* the kernel has forgotten it */
        target_thread_interrupt (thread->tid);
    }
    return TRUE;
}

/* Also to what adds up what a measured run lacks. */
static void
tell (EngineProcess *process, const char *program)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_NOTICE, 0, slot);

    job_event_say (event,
                   job_text_new ("process %d executes %s, whose file has rights of its own, "
                                 "which the kernel gives to no program that is traced: it is "
                                 "let go",
                                 (int) process->pid, program));
    event->flags = JOB_EVENT_LET_GO;
    event->text2 = g_strdup (program);
    engine_emit (process->engine, event);
}

gboolean
engine_gain_let_go (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    g_autofree char *program = process->n_calls_watched > 0
                                   ? target_thread_dup_gaining (thread->tid)
                                   : NULL;

    if (program == NULL) {
        return FALSE;
    }
    tell (process, program);
    engine_process_detach (process);
    return TRUE;
}
