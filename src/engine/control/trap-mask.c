/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that meets one of our traps or ends one of our steps while it blocks SIGTRAP loses its program's handler of
 * that signal: the kernel forces the signal, resets what is done about it to the default, and unblocks it. So SIGTRAP
 * is unblocked for a step. A handler blocks SIGTRAP, its own one and whichever says so: the thread stops where one
 * begins, and SIGTRAP is unblocked until it returns, when the kernel puts the mask back. Where a program blocks SIGTRAP
 * by itself and meets a trap before it has stopped, nothing can be done. */
#include "engine/control/private.h"
#include <signal.h>

static gboolean
is_call (EngineThread *thread, guint64 pc)
{
    guint8 code[MACHINE_MAX_INSTRUCTION];

    return machine_code_is_system_call (
        code, base_memory_read_some (engine_process_get_memory (thread->process), pc, code,
                                     sizeof code));
}

/* It steps over a system call, which may set the mask. */
gboolean
engine_thread_steps_call (EngineThread *thread)
{
    return thread->has_step_flag && thread->step.pc != 0 && is_call (thread, thread->step.pc);
}

gboolean
engine_thread_will_step_call (EngineThread *thread)
{
    return engine_thread_goes_by_steps (thread)
           && is_call (thread, engine_thread_get_pc (thread));
}

void
engine_trap_mask_begin (EngineThread *thread, int signal)
{
    EngineProcess *process = thread->process;
    gboolean is_entered = thread->enters_handler, is_blocked;
    guint64 mask = 0;

    thread->enters_handler = FALSE;
    engine_trap_action_begin (thread);
    if ((signal == 0 && !is_entered && !thread->has_step_flag)
        || !engine_space_takes_traps (process)
        || !target_thread_get_mask (thread->tid, &mask)) {
        return;
    }
    is_blocked = (mask & target_signal_get_bit (SIGTRAP)) != 0;
    if ((signal == 0 && !is_blocked)
        || target_process_get_signal_use (process->pid, SIGTRAP) != TARGET_SIGNAL_CAUGHT) {
        return;
    }
    if (is_blocked && (is_entered || thread->has_step_flag)) {
        thread->mask = mask & ~target_signal_get_bit (SIGTRAP);
        thread->has_mask = target_thread_set_mask (thread->tid, thread->mask) && !is_entered
                           && !engine_thread_steps_call (thread);
    }
    thread->enters_handler = signal != 0 && !is_blocked;
    if (thread->enters_handler && !thread->has_step_flag) { /* a step ends there by itself */
        thread->interrupt_pending = target_thread_interrupt (thread->tid);
    }
}

void
engine_trap_mask_end (EngineThread *thread)
{
    guint64 mask = 0;

    if (thread->has_mask && target_thread_get_mask (thread->tid, &mask)
        && mask == thread->mask) {
        target_thread_set_mask (thread->tid, mask | target_signal_get_bit (SIGTRAP));
    }
    thread->has_mask = FALSE;
}
