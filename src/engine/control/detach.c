/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detaches a rank: removes traps, closes the mailbox, passes pending signals on. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/private.h"
#include "engine/python/python.h"
#include "engine/sampling/sampling.h"
#include "engine/step/step.h"
#include <signal.h>
#include <string.h>

static void
let_thread_go (EngineThread *thread, EngineVfork *vfork)
{
    int signal;

    for (guint i = 0; thread->pending_signal == 0 && i < thread->held_stops->len; i++) {
        const TargetStop *stop = &g_array_index (thread->held_stops, TargetStop, i);

        if (stop->kind == TARGET_STOP_SIGNAL
            && engine_signal_is_pass (thread->process, stop->signal)) {
            thread->pending_signal = stop->signal;
            thread->pending_info = stop->info;
        }
    }
    engine_fork_forget_newborn (thread);
    engine_thread_store_registers (thread);
    engine_watch_unload (thread);
    signal = engine_thread_take_signal (thread);
    if (vfork != NULL) {
        engine_vfork_hold (vfork, thread->tid, signal);
    } else {
        target_thread_detach (thread->tid, signal);
    }
}

gboolean
engine_process_let_go (EngineProcess *process, EngineVfork *vfork)
{
    if (!engine_process_halt (process)) {
        return FALSE;
    }
    process->watch.n_software = 0;
    if (!engine_process_take_pending_traps (process)) {
        return FALSE;
    }
    engine_python_close (process);
    for (guint i = 0; process->displaced != NULL && i < process->threads->len; i++) {
        engine_thread_load_registers (g_ptr_array_index (process->threads,
                                                         i)); /* out of copies */
    }
    engine_watch_forget (process, !process->detached);
    engine_displaced_clear (process, TRUE);
    engine_trap_clear (process, TRUE);
    engine_vfork_end (process);
    for (guint i = 0; i < process->threads->len; i++) {
        let_thread_go (g_ptr_array_index (process->threads, i), vfork);
    }
    engine_python_on_gone (process);
    engine_breakpoint_forget (process);
    engine_exec_forget (process);
    while (process->threads->len > 0) {
        engine_process_drop_thread (g_ptr_array_index (process->threads, 0));
    }
    engine_fork_on_gone (process);
    engine_process_forget_space (process);
    process->suspend_count = 0;
    return TRUE;
}

void
engine_process_detach (EngineProcess *process)
{
    engine_task_abandon (process);
    engine_step_cancel (process);
    process->detached = TRUE;
    if (!engine_process_let_go (process, NULL)) {
        return;
    }
    engine_sampling_end (process);
    process->ended = TRUE;
    process->stop++;
    process->state = JOB_STATE_LOST;
    g_free (process->state_text);
    process->state_text = g_strdup ("detached");
    g_clear_pointer (&process->state_place, job_location_free);
    engine_emit_state (process, process->motion, FALSE, 0);
}
