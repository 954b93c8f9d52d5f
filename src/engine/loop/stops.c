/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done about a stop: steps, traps, signals, events, each with the rooms that it concerns. A stop that has to wait
 * is held by control/status.c, and comes back here when its process runs again. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/loop/private.h"
#include "engine/python/python.h"
#include "engine/queue/queue.h"
#include "engine/sampling/sampling.h"
#include "engine/step/step.h"
#include <signal.h>

/* A child that became a rank of its own is ended by the one that made it: a pool does so with its workers. */
static gboolean
is_ended_by_parent (const EngineProcess *process, int signal, const TargetSignalInfo *info)
{
    const EngineProcess *parent = process->parent != 0
                                      ? engine_find_process (process->engine,
                                                             process->parent - 1)
                                      : NULL;

    return signal == SIGTERM && parent != NULL && info->sender == parent->pid;
}

/* Without a word: what is done about it has been decided. */
static void
pass_signal (EngineThread *thread, const TargetStop *stop)
{
    thread->pending_signal = stop->signal;
    thread->pending_info = stop->info;
    engine_thread_go_on (thread);
}

static void
take_signal_stop (EngineThread *thread, const TargetStop *arrived)
{
    EngineProcess *process = thread->process;
    TargetStop again = *arrived, *stop = &again;
    TargetSignalInfo info;
    int signal = stop->signal;

    if (engine_displaced_is_used (process)) {
        engine_thread_load_registers (thread); /* the handler's frame must not name a copy */
    }
    if (engine_signal_take_resent (thread, stop)) {
        pass_signal (thread, stop);
        return;
    }
    thread->pending_signal = engine_signal_is_pass (process, signal) ? signal : 0;
    thread->pending_info = stop->info;
    info = target_signal_info_make (&stop->info);
    if ((engine_signal_is_stop (process, signal)
         && !is_ended_by_parent (process, signal, &info))
        || engine_catch_signal (thread, signal)) {
        g_autofree char *reason = engine_signal_dup_reason (thread, signal, &info);

        engine_process_stop (process, thread, JOB_STATE_SIGNAL, signal,
                             engine_signal_get_name (signal), reason, NULL);
        return;
    } else if (engine_signal_is_print (process, signal)) {
        engine_say (process, "received %s", engine_signal_get_name (signal));
    }
    thread->call_will_restart = FALSE; /* its handler comes first, and may take its place */
    if (thread->pending_signal != 0) {
        engine_step_on_signal (thread);
    }
    engine_thread_go_on (thread);
}

/* An int3 that is not ours (any more): the program's own is a signal, as is a SIGTRAP that only looks like one; an old
 * one of ours is run again as what it was. */
static void
take_foreign_trap (EngineThread *thread, const TargetStop *stop, guint64 address)
{
    TargetTraps *planted = engine_process_get_traps (thread->process);
    guint8 bytes[MACHINE_MAX_TRAP] = { 0 };

    base_memory_read_some (engine_process_get_memory (thread->process), address, bytes,
                           machine_trap_size);
    if (machine_trap_is (bytes) || !target_traps_was_here (planted, address)) {
        take_signal_stop (thread, stop);
        return;
    }
    engine_thread_set_pc (thread, address);
    engine_thread_go_on (thread);
}

static void
take_step (EngineThread *thread)
{
    guint64 pc = engine_thread_get_pc (thread);

    if (engine_watch_check (thread)) {
        return;
    }
    if (engine_trap_is_planted (thread->process, pc)) {
        if (engine_trap_hit (thread, pc)) {
            return;
        }
        if (!engine_step_is_active (thread->process)) {
            engine_thread_go_on (thread);
            return;
        }
    }
    if (!engine_step_on_stop (thread)) {
        thread->resume_step = FALSE;
        engine_thread_go_on (thread);
    }
}

static void
take_trap (EngineThread *thread, const TargetStop *stop)
{
    guint64 address = machine_trap_get_address (engine_thread_get_pc (thread));

    if (!engine_trap_is_in_memory (thread->process, address)) {
        take_foreign_trap (thread, stop, address);
        return;
    }
    engine_thread_set_pc (thread, address);
    if (!thread->process->exit_kill) {
        engine_thread_store_registers (
            thread); /* it goes on from there if this process is killed */
    }
    if (!engine_trap_hit (thread, address) && thread->state != ENGINE_THREAD_RUNNING
        && !(thread->held_stops->len > 0)) {
        engine_thread_go_on (thread);
    }
}

/* Without a step of ours the program has sent it to itself. */
static gboolean
is_handler_entered (EngineThread *thread)
{
    return thread->resume_step || thread->watch_hit || thread->process->watch.n_software > 0;
}

/* The first thread has left its step alone. */
static gboolean
leave_step (EngineThread *thread)
{
    if (!engine_thread_leaves_step (thread)) {
        return FALSE;
    }
    engine_thread_resume (thread);
    engine_process_leave_step (thread->process);
    return TRUE;
}

/* What engine_thread_take_event has dealt with, and is_caught may be about. */
static gboolean
is_taken_once (TargetStopKind kind)
{
    return kind == TARGET_STOP_FORK || kind == TARGET_STOP_VFORK || kind == TARGET_STOP_EXIT;
}

static gboolean
is_caught (EngineThread *thread, TargetStopKind kind)
{
    switch (kind) {
    case TARGET_STOP_FORK:
    case TARGET_STOP_VFORK:
        return engine_fork_follow (thread)
               || engine_catch_fork (thread, kind == TARGET_STOP_VFORK);
    case TARGET_STOP_EXIT:
        engine_python_take_log (thread->process);
        return engine_catch_exit (thread) || engine_queue_check_exit (thread)
               || leave_step (thread);
    default: return FALSE;
    }
}

/* One that ends runs no more of the program, and its process does not end before it has. */
static void
judge_event (EngineThread *thread, TargetStopKind kind)
{
    if (!is_caught (thread, kind)
        && (kind == TARGET_STOP_EXIT || engine_thread_may_go (thread))) {
        engine_thread_go_on (thread);
    }
}

static void
take_stop (EngineThread *thread, const TargetStop *stop)
{
    switch (stop->kind) {
    case TARGET_STOP_EXEC:
        if (thread->shares_memory) {
            engine_fork_release_sharer (thread);
        } else {
            engine_exec_handle (thread);
        }
        return;
    case TARGET_STOP_TRAP: take_trap (thread, stop); return;
    case TARGET_STOP_STEP: take_step (thread); return;
    case TARGET_STOP_HANDLER:
        if (is_handler_entered (thread)) {
            take_step (thread);
        } else {
            take_signal_stop (thread, stop);
        }
        return;
    case TARGET_STOP_CALL:
        if (!engine_gain_let_go (thread) && !engine_catch_call (thread)) {
            engine_thread_go_on (thread);
        }
        return;
    case TARGET_STOP_SIGNAL: take_signal_stop (thread, stop); return;
    default:
        engine_thread_take_event (thread, stop->kind);
        judge_event (thread, stop->kind);
        return;
    }
}

/* ---- as work of the rank ---- */

static void
handle_new (EngineThread *thread, const TargetStop *stop)
{
    TargetStop classified;

    engine_thread_note_stop (thread, stop);
    classified = engine_thread_classify_stop (thread, stop);
    take_stop (thread, &classified);
}

static void
handle_held (EngineThread *thread, const TargetStop *stop)
{
    if (is_taken_once (stop->kind)) {
        judge_event (thread, stop->kind);
    } else {
        take_stop (thread, stop);
    }
}

/* Its samples wait for names, of copies. */
static gboolean
is_naming (const EngineProcess *process)
{
    return engine_sampling_is_busy (process) && process->ongoing != NULL
           && engine_ongoing_awaits_answer (process->ongoing);
}

/* What it is about ends: whoever waits for an answer has done with it first. */
static void
end_awaiting (EngineThread *thread, TargetStopKind kind)
{
    EngineOngoing *ongoing;

    if (kind == TARGET_STOP_ENDED && thread->process->threads->len == 1) {
        engine_sampling_finish (thread->process);
    }
    ongoing = thread->process->ongoing;
    if (kind == TARGET_STOP_ENDED && thread->tid != thread->process->pid
        && is_naming (thread->process)) {
        return; /* those of threads that have ended, too */
    }
    if (ongoing != NULL && engine_ongoing_awaits_answer (ongoing)
        && (kind == TARGET_STOP_ENDED || kind == TARGET_STOP_EXEC)) {
        engine_ongoing_abandon (ongoing);
    }
}

static gboolean
is_to_hold (const EngineProcess *process)
{
    return process->ongoing != NULL || process->suspended.n > 0 || process->held_at_exec
           || engine_process_is_stopped (process);
}

/* Where nothing is planted or stopped, no thread stands because names are read: it begins, or gets its signal. */
static gboolean
goes_on_meanwhile (const EngineProcess *process, TargetStopKind kind)
{
    return (kind == TARGET_STOP_CLONE || kind == TARGET_STOP_ASKED
            || kind == TARGET_STOP_SIGNAL)
           && process->engine->is_measured && is_naming (process) && process->suspended.n == 0
           && !process->held_at_exec && !engine_process_is_stopped (process)
           && process->guest == NULL
           && !BASE_HAS (process->threads, const EngineThread, thread, thread->in_vfork);
}

static void
hold (EngineThread *thread, const TargetStop *stop)
{
    EngineProcess *process = thread->process;

    process->has_stragglers |= process->ongoing != NULL;
    engine_thread_hold (thread, stop);
    if (process->ongoing != NULL) {
        engine_ongoing_hear_other (process->ongoing, thread, stop);
    }
    if (process->suspended.n == 0 && engine_process_is_stopped (process)) {
        engine_process_make_safe (process); /* it came to its stop after the others */
    }
}

void
engine_stops_take (Engine *engine, const TargetStop *stop)
{
    EngineThread *thread = g_hash_table_lookup (engine->by_tid, GINT_TO_POINTER (stop->tid));

    if (thread != NULL) {
        end_awaiting (thread, stop->kind);
    }
    if (thread == NULL) {
        engine_fork_take_unknown (engine, stop);
    } else if (thread->process->ongoing != NULL
               && engine_ongoing_is_for (thread->process->ongoing, thread)) {
        engine_ongoing_take_stop (thread->process->ongoing, stop);
    } else if (stop->kind == TARGET_STOP_ENDED) {
        engine_thread_end (thread, stop);
    } else if (engine_thread_is_in_call (thread)) {
        engine_thread_hold (thread, stop);
    } else if (stop->kind == TARGET_STOP_ASKED && engine_sampling_awaits (thread)) {
        engine_thread_note_stop (thread, stop);
        engine_sampling_take_stop (thread);
    } else if (is_to_hold (thread->process)
               && !goes_on_meanwhile (thread->process, stop->kind)) {
        hold (thread, stop);
    } else if (engine_gain_go_past (thread, stop)) {
        return;
    } else {
        engine_work_take_stop (thread, stop, handle_new);
    }
}

/* A signal that waits to be delivered is older than the held ones. */
static void
take_first_held (EngineThread *thread)
{
    TargetStop stop = g_array_index (thread->held_stops, TargetStop, 0);
    gboolean is_signal = stop.kind == TARGET_STOP_SIGNAL, is_decided = FALSE;

    if (is_signal && thread->pending_signal != 0) {
        engine_signal_resend_held (thread);
        if (thread->held_stops->len == 0) {
            engine_thread_go_on (thread);
        }
        return;
    }
    g_array_remove_index (thread->held_stops, 0);
    thread->process->engine->n_held--;
    is_decided = is_signal && engine_signal_take_resent (thread, &stop);
    engine_signal_resend_held (thread);
    if (is_decided) {
        pass_signal (thread, &stop);
    } else {
        engine_work_take_stop (thread, &stop, handle_held);
    }
}

static void
drain_process (EngineProcess *process)
{
    g_autoptr (GPtrArray) threads = g_ptr_array_copy (process->threads, NULL, NULL);

    for (guint i = 0; i < threads->len; i++) {
        EngineThread *thread = g_ptr_array_index (threads, i);

        if (!process->ended && process->ongoing == NULL && !engine_process_is_stopped (process)
            && thread->held_stops->len > 0) {
            take_first_held (thread);
        }
    }
}

void
engine_stops_drain (Engine *engine)
{
    for (guint i = 0; engine->n_held > 0 && i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (!process->ended && process->suspended.n == 0 && !process->held_at_exec
            && process->ongoing == NULL) {
            drain_process (process);
        }
    }
}
