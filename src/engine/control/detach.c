/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detaches a rank: removes traps, closes the mailbox, passes pending signals on. */
#include "base/error.h"
#include "engine/control/private.h"
#include "engine/notices.h"
#include <errno.h>
#include <signal.h>

/* A thread of a process that was detached, which the kernel did not let stop then. */
typedef struct {
    gboolean is_in_call; /* saved and extended are what it had before */
    MachineRegisters saved;
    GBytes *extended;
} Leaver;

void
engine_leaver_free (gpointer data)
{
    Leaver *leaver = data;

    g_clear_pointer (&leaver->extended, g_bytes_unref);
    g_free (leaver);
}

gboolean
engine_leavers_are_in_calls (const Engine *engine)
{
    GHashTableIter iter;
    gpointer leaver;
    gboolean found = FALSE;

    g_hash_table_iter_init (&iter, engine->leavers);
    while (!found && g_hash_table_iter_next (&iter, NULL, &leaver)) {
        found = ((const Leaver *) leaver)->is_in_call;
    }
    return found;
}

static gboolean
is_inside_system_call (const TargetStop *stop)
{
    return target_stop_has_child (stop) || stop->kind == TARGET_STOP_VFORK_DONE
           || stop->kind == TARGET_STOP_CALL;
}

/* The signal that it is detached with: nobody waits for those of traps and steps any more. */
static int
judge_last_stop (const TargetStop *stop, gboolean is_in_call)
{
    switch (stop->kind) {
    case TARGET_STOP_SIGNAL:
        return is_in_call && target_stop_is_fault (stop) ? 0 : stop->signal;
    case TARGET_STOP_TRAP:
        return is_in_call || target_thread_undo_trap (stop->tid) ? 0 : stop->signal;
    default: return 0;
    }
}

gboolean
engine_leaver_take_stop (Engine *engine, const TargetStop *stop)
{
    gpointer tid = GINT_TO_POINTER (stop->tid);
    const Leaver *leaver = g_hash_table_lookup (engine->leavers, tid);
    gboolean is_new_program = stop->kind == TARGET_STOP_EXEC;
    int signal;

    if (leaver == NULL) {
        return FALSE;
    }
    if (stop->kind != TARGET_STOP_ENDED && !is_new_program && is_inside_system_call (stop)
        && leaver->is_in_call && target_thread_stop_again (stop->tid)) {
        return TRUE;
    }
    if (stop->kind != TARGET_STOP_ENDED) {
        signal = judge_last_stop (stop, leaver->is_in_call);
        if (leaver->is_in_call && !is_new_program) {
            target_thread_set_registers (stop->tid, &leaver->saved);
            if (leaver->extended != NULL) {
                target_thread_write_extended (stop->tid, leaver->extended);
            }
        }
        target_thread_clear_watches (stop->tid);
        if (signal == 0 && target_thread_has_pending_trap (stop->tid)
            && target_thread_continue (stop->tid, 0)) {
            return TRUE; /* runs no further than to that signal */
        }
        target_thread_detach (stop->tid, signal);
    }
    g_hash_table_remove (engine->leavers, tid);
    return TRUE;
}

/* It is detached as soon as it stops. */
static void
leave_later (EngineThread *thread)
{
    Leaver *leaver = g_new0 (Leaver, 1);

    leaver->is_in_call = engine_call_leave (thread, &leaver->saved, &leaver->extended);
    g_hash_table_insert (thread->process->engine->leavers, GINT_TO_POINTER (thread->tid),
                         leaver);
}

static void
let_thread_go (EngineThread *thread, EngineVfork *vfork)
{
    int signal;

    engine_fork_forget_newborn (thread);
    engine_trap_mask_leave (thread);
    engine_thread_store_registers (thread);
    engine_watch_unload (thread);
    signal = engine_signal_deliver_all (thread);
    if (engine_thread_is_gone (thread)) {
        return; /* killed meanwhile */
    }
    if (thread->state == ENGINE_THREAD_RUNNING && !thread->exiting) {
        leave_later (thread);
    } else if (vfork != NULL) {
        engine_vfork_hold (vfork, thread->tid, signal);
    } else {
        target_thread_detach (thread->tid, signal);
    }
}

gboolean
engine_process_let_go (EngineProcess *process, EngineVfork *vfork)
{
    g_autoptr (GPtrArray) threads = NULL;

    if (!engine_process_halt (process)) {
        return FALSE;
    }
    process->watch.n_software = 0;
    if (!engine_process_take_pending_traps (process)) {
        return FALSE;
    }
    for (guint i = 0; engine_displaced_is_used (process) && i < process->threads->len; i++) {
        engine_thread_load_registers (g_ptr_array_index (process->threads,
                                                         i)); /* out of copies */
    }
    engine_tell (process, process->engine->notices->is_let_go);
    engine_trap_action_end (process);
    engine_space_clear (process->space);
    engine_trap_clear (process);
    engine_vfork_stay (process);
    engine_vfork_end (process);
    threads = g_ptr_array_copy (process->threads, NULL, NULL);
    for (guint i = 0; i < threads->len && !process->ended; i++) {
        let_thread_go (g_ptr_array_index (threads, i), vfork);
    }
    if (process->ended) {
        return FALSE;
    }
    engine_tell (process, process->engine->notices->program_ends);
    while (process->threads->len > 0) {
        engine_process_drop_thread (g_ptr_array_index (process->threads, 0));
    }
    engine_fork_on_gone (process);
    engine_process_forget_space (process);
    engine_process_end_suspensions (process);
    return TRUE;
}

void
engine_process_detach (EngineProcess *process)
{
    engine_turn_abandon (process);
    engine_process_end_motion (process);
    process->detached = TRUE;
    if (!engine_process_let_go (process, NULL)) {
        return;
    }
    engine_tell (process, process->engine->notices->ends);
    process->ended = TRUE;
    process->stop++;
    engine_process_set_state (process, JOB_STATE_LOST, 0, "detached", NULL);
    engine_emit_state (process, process->motion, FALSE, 0);
}

/* The signal does not wake one that stands where the kernel tells of its end. */
static void
let_end (EngineProcess *process)
{
    g_autoptr (GPtrArray) threads = g_ptr_array_copy (process->threads, NULL, NULL);

    for (guint i = 0; i < threads->len && !process->ended; i++) {
        EngineThread *thread = g_ptr_array_index (threads, i);

        if (thread->exiting && thread->state == ENGINE_THREAD_STOPPED) {
            engine_thread_resume (thread);
        }
    }
}

void
engine_process_kill (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (GError) error = NULL;

    if (kill (process->pid, SIGKILL) != 0 && errno != ESRCH) {
        base_error_set (&error, BASE_ERROR_DENIED, "cannot kill process %d: %s",
                        (int) process->pid, g_strerror (errno));
        engine_emit_failure (process, request->id, error);
        return;
    }
    process->motion = request->id;
    process->motion_verb = request->verb;
    engine_emit_accepted (process, request->id);
    let_end (process);
}
