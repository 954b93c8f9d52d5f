/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of a thread by its stop, and what cannot wait: loop/stops.c does the rest. A stop that arrives while its
 * process must stay halted is held until it resumes; that of a trap is undone instead (pc back), so that the
 * thread hits the trap again. */
#include "engine/control/private.h"
#include "engine/notices.h"
#include <sys/syscall.h>

/* Whatever a thread stops for, the kernel forgets an interrupt that it was to stop for next. One that stands still is
 * moved by nothing but its death. */
void
engine_thread_note_stop (EngineThread *thread, const TargetStop *stop)
{
    gboolean had_run = thread->process->has_run;

    if (thread->state == ENGINE_THREAD_STOPPED && stop->kind == TARGET_STOP_EXIT) {
        engine_thread_set_state (thread, ENGINE_THREAD_RUNNING);
    }
    engine_thread_set_state (thread, ENGINE_THREAD_STOPPED);
    thread->stopped_us = g_get_monotonic_time ();
    thread->interrupt_pending = thread->is_told = FALSE;
    thread->at_call_entry = FALSE;
    thread->at_signal_stop = target_stop_takes_signal (stop);
    thread->at_handler = stop->kind == TARGET_STOP_HANDLER;
    engine_trap_mask_end (thread, stop);
    thread->process->has_run = had_run || !thread->is_open;
    if (stop->kind == TARGET_STOP_CALL) {
        if (!engine_call_is_watched (thread) && !thread->makes_our_call) {
            engine_thread_note_call (thread);
        }
    } else if (target_stop_is_trap (stop) || thread->hides_trap) {
        thread->met_trap = TRUE;
        engine_watch_note (thread);
        engine_thread_end_step (thread);
    } else if (stop->kind == TARGET_STOP_ASKED || stop->kind == TARGET_STOP_GROUP) {
        thread->in_group_stop = stop->kind == TARGET_STOP_GROUP;
    } else if (stop->kind == TARGET_STOP_EXIT) {
        thread->exiting = TRUE;
        thread->in_group_stop = FALSE; /* it was killed there */
        engine_tell_of_thread (thread, thread->process->engine->notices->exits);
    }
    if (thread->in_vfork && stop->kind != TARGET_STOP_VFORK_DONE
        && !(stop->kind == TARGET_STOP_EXIT && engine_vfork_hand_over (thread))) {
        engine_fork_take_vfork_done (
            thread); /* unless it is killed, it cannot stop while its child is in its memory */
    }
}

/* As the engine handles it: the program's own trap is a signal, and a step over the rest of a system call a step. */
TargetStop
engine_thread_classify_stop (EngineThread *thread, const TargetStop *stop)
{
    TargetStop classified = *stop;

    if (thread->hides_trap) {
        classified.kind = TARGET_STOP_TRAP;
    } else if (thread->is_at_early_trap) {
        classified.kind = TARGET_STOP_ASKED; /* the program does not get it yet */
    } else if (!engine_thread_is_own_step (thread, stop)) {
        classified.kind = TARGET_STOP_SIGNAL;
    } else if (stop->kind == TARGET_STOP_CALL && thread->ends_call && !thread->at_call_entry
               && !engine_ask_of_thread (thread,
                                         thread->process->engine->notices->wants_call)) {
        classified.kind = TARGET_STOP_STEP;
    }
    return classified;
}

/* Events that are dealt with at once, whatever the process does. */
gboolean
engine_thread_take_event (EngineThread *thread, TargetStopKind kind)
{
    switch (kind) {
    case TARGET_STOP_CLONE: engine_fork_take_clone (thread); return TRUE;
    case TARGET_STOP_FORK:
    case TARGET_STOP_VFORK: engine_fork_take (thread, kind); return TRUE;
    case TARGET_STOP_VFORK_DONE: engine_fork_take_vfork_done (thread); return TRUE;
    case TARGET_STOP_ASKED:
    case TARGET_STOP_GROUP:
    case TARGET_STOP_EXIT: return TRUE;
    default: return FALSE;
    }
}

/* Back to before an int3 of ours, which may have been removed since it was met. */
static gboolean
rewind_trap (EngineThread *thread)
{
    guint8 bytes[MACHINE_MAX_TRAP] = { 0 };
    guint64 pc = machine_trap_get_address (engine_thread_get_pc (thread));

    if (!engine_trap_is_planted (thread->process, pc)
        && (base_memory_read_some (engine_process_get_memory (thread->process), pc, bytes,
                                   machine_trap_size)
                != machine_trap_size
            || machine_trap_is (bytes))) {
        return FALSE;
    }
    engine_thread_set_pc (thread, pc);
    return TRUE;
}

/* The first thread leaves alone by pthread_exit: its end is reported with the last one's. */
gboolean
engine_thread_leaves_step (EngineThread *thread)
{
    EngineProcess *process = thread->process;

    return thread->tid == process->pid && process->engine->notices->is_stepped (thread)
           && process->threads->len > 1 && engine_thread_load_registers (thread)
           && machine_registers_get_system_call (&thread->registers) == SYS_exit;
}

/* Something is to be said or done about such an event. */
static gboolean
is_event_wanted (EngineThread *thread, TargetStopKind kind)
{
    return thread->newborn != 0
           || engine_ask_of_event (thread, kind, thread->process->engine->notices->wants_event)
           || (kind == TARGET_STOP_EXIT && engine_thread_leaves_step (thread));
}

EngineCame
engine_thread_await (EngineThread *thread, gint64 timeout_us, gboolean may_hurry,
                     TargetStop *ret_stop)
{
    if (!(may_hurry ? engine_work_wait (thread, timeout_us, ret_stop)
                    : engine_thread_wait (thread, timeout_us, ret_stop))) {
        return engine_thread_is_gone (thread) ? ENGINE_CAME_TO_END : ENGINE_CAME_NOT;
    }
    if (ret_stop->kind == TARGET_STOP_ENDED) {
        engine_thread_end (thread, ret_stop);
        return ENGINE_CAME_TO_END;
    }
    engine_thread_note_stop (thread, ret_stop);
    ret_stop->kind = thread->hides_trap ? TARGET_STOP_TRAP : ret_stop->kind;
    return ENGINE_CAME_TO_STOP;
}

EngineCame
engine_thread_go_to_stop (EngineThread *thread, int signal, gboolean is_call, gint64 timeout_us,
                          TargetStop *ret_stop)
{
    if (!(is_call ? target_thread_continue_to_call (thread->tid, signal)
                  : target_thread_continue (thread->tid, signal))) {
        return ENGINE_CAME_NOT;
    }
    engine_thread_set_state (thread, ENGINE_THREAD_RUNNING);
    return engine_thread_await (thread, timeout_us, FALSE, ret_stop);
}

gboolean
engine_thread_await_held (EngineThread *thread, gint64 timeout_us)
{
    TargetStop stop;
    gboolean has_come = engine_thread_wait (thread, timeout_us, &stop);

    if (has_come) {
        engine_thread_hold (thread, &stop);
    }
    return has_come;
}

void
engine_thread_hold (EngineThread *thread, const TargetStop *stop)
{
    thread->interrupt_pending = FALSE;
    if (stop->kind == TARGET_STOP_ENDED) {
        engine_thread_end (thread, stop);
    } else if (!engine_call_take_stop (thread, stop)) {
        engine_thread_note_stop (thread, stop);
        engine_thread_hold_noted (thread, stop);
    }
}

void
engine_thread_hold_noted (EngineThread *thread, const TargetStop *arrived)
{
    TargetStop classified = engine_thread_classify_stop (thread, arrived), *stop = &classified;

    if (thread->shares_memory && stop->kind == TARGET_STOP_EXEC) {
        engine_fork_release_sharer (thread);
        return;
    }
    if (engine_thread_take_event (thread, stop->kind)) {
        if (is_event_wanted (thread, stop->kind)) {
            engine_thread_queue_stop (thread, stop);
        } else if (stop->kind == TARGET_STOP_EXIT) {
            engine_thread_resume (thread);
        } else if (stop->kind == TARGET_STOP_ASKED && thread->process->may_trap) {
            engine_thread_take_pending_trap (thread);
        }
        return;
    }
    if ((stop->kind == TARGET_STOP_TRAP && rewind_trap (thread))
        || (stop->kind == TARGET_STOP_CALL
            && !engine_ask_of_thread (thread, thread->process->engine->notices->wants_call))) {
        return;
    }
    if (stop->kind == TARGET_STOP_TRAP
        && !engine_trap_is_in_memory (
            thread->process, machine_trap_get_address (engine_thread_get_pc (thread)))) {
        stop->kind = TARGET_STOP_SIGNAL; /* an int3 of the program's own */
    }
    engine_thread_queue_stop (thread, stop);
}

gboolean
engine_thread_pause (EngineThread *thread, gint64 timeout_us)
{
    TargetStop stop;

    thread->interrupt_pending = target_thread_interrupt (thread->tid);
    if (!thread->interrupt_pending || !engine_thread_wait (thread, timeout_us, &stop)) {
        return FALSE;
    }
    if (stop.kind != TARGET_STOP_ASKED) {
        thread->process->engine->notices->take_stop (thread->process->engine, &stop);
        return FALSE;
    }
    engine_thread_note_stop (thread, &stop);
    return TRUE;
}
