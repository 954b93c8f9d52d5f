/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that meets one of our traps or ends one of our steps while it blocks SIGTRAP loses its program's handler of
 * that signal: the kernel forces the signal, resets what is done about it to the default, and unblocks it. So SIGTRAP
 * is unblocked for a step; one of the program's own that has waited, and comes in by that, waits again until the step is
 * over. A system call, which may set the mask itself, is no step: the thread stops where it has made the call. A handler
 * blocks SIGTRAP, its own one and whichever says so: the thread stops where one begins, and SIGTRAP is unblocked until it
 * returns, when the kernel puts the mask back. Where a program blocks SIGTRAP by itself and meets a trap, it is blocked
 * again; what the kernel has forgotten then trap-action.c puts back, if it was known. */
#include "engine/control/private.h"
#include <signal.h>
#include <sys/syscall.h>

static gboolean
is_call (EngineThread *thread, guint64 pc)
{
    guint8 code[MACHINE_MAX_INSTRUCTION];

    return machine_code_is_system_call (
        code, base_memory_read_some (engine_process_get_memory (thread->process), pc, code,
                                     sizeof code));
}

gboolean
engine_thread_steps_mask (EngineThread *thread)
{
    return thread->has_step_flag && thread->step.pc != 0
           && (thread->step.call == SYS_rt_sigprocmask || thread->step.call == SYS_rt_sigreturn)
           && is_call (thread, thread->step.pc);
}

static gboolean
enters_handler (const EngineThread *thread, int signal)
{
    return signal != 0
           && target_process_get_signal_use (thread->process->pid, signal)
                  == TARGET_SIGNAL_CAUGHT;
}

gboolean
engine_thread_will_step_call (EngineThread *thread, int signal)
{
    return engine_thread_goes_by_steps (thread)
           && is_call (thread, engine_thread_get_pc (thread))
           && !enters_handler (thread, signal);
}

static pid_t
get_group (const EngineThread *thread)
{
    return thread->shares_memory ? thread->tid : thread->process->pid;
}

/* What a step has let in waits again. */
static void
queue_early_traps (EngineThread *thread)
{
    for (guint i = 0; i < thread->n_early_traps; i++) {
        const siginfo_t *info = &thread->early_traps[i];

        target_thread_queue_signal (get_group (thread),
                                    info->si_code == SI_TKILL ? thread->tid : 0, info);
    }
    thread->n_early_traps = 0;
}

/* A trap of ours has made the kernel unblock it. At one of the program's own that is right: it ends the program. */
static void
block_again (EngineThread *thread, int signal)
{
    if (thread->blocked_mask != 0 && thread->is_unblocked && signal != SIGTRAP) {
        target_thread_set_mask (thread->tid, thread->blocked_mask);
    }
    thread->blocked_mask = 0;
    thread->is_unblocked = FALSE;
}

void
engine_trap_mask_leave (EngineThread *thread)
{
    if (thread->state == ENGINE_THREAD_STOPPED) {
        block_again (thread, thread->pending_signal);
        queue_early_traps (thread);
    }
}

/* A step into a handler ends before it without a signal, and the mask is what the handler returns to. Where the thread has
 * waited with another mask (sigsuspend), what is set here would end that, and the signal could not come. */
static gboolean
keeps_mask (const EngineThread *thread, int signal)
{
    return thread->step.is_in_call || enters_handler (thread, signal);
}

/* Besides its tracer a thread's own system calls and signals alone change what it blocks. Steps over system calls end
 * with these calls, without a flag; one over a trap, which may stand at a system call, does not keep what is set here. */
static gboolean
keeps_open (const EngineThread *thread, int signal)
{
    return thread->has_step_flag && thread->step.pc != 0 && !thread->step.is_in_call
           && signal == 0;
}

void
engine_trap_mask_begin (EngineThread *thread, int signal)
{
    EngineProcess *process = thread->process;
    gboolean is_entered = thread->enters_handler, is_blocked, is_step;
    guint64 mask = 0;

    block_again (thread, signal);
    thread->enters_handler = FALSE;
    if (!thread->has_step_flag && !thread->has_mask) {
        queue_early_traps (thread);
    }
    engine_trap_action_begin (thread);
    if (!(engine_space_takes_traps (process) || thread->has_step_flag)
        || (!thread->is_open && !target_thread_get_mask (thread->tid, &mask))) {
        return;
    }
    is_blocked = (mask & target_signal_get_bit (SIGTRAP)) != 0;
    is_step = thread->has_step_flag && !(is_blocked && keeps_mask (thread, signal));
    if (is_blocked && (is_entered || is_step)) {
        thread->mask = mask & ~target_signal_get_bit (SIGTRAP);
        thread->has_mask = target_thread_set_mask (thread->tid, thread->mask) && !is_entered
                           && !engine_thread_steps_mask (thread);
    } else if (is_blocked) {
        thread->blocked_mask = mask;
    }
    thread->enters_handler = signal != 0 && !is_blocked
                             && target_process_get_signal_use (process->pid, SIGTRAP)
                                    == TARGET_SIGNAL_CAUGHT;
    if (thread->enters_handler && !thread->has_step_flag) { /* a step ends there by itself */
        thread->interrupt_pending = target_thread_interrupt (thread->tid);
    }
    thread->stays_open = !is_blocked && !thread->has_mask && keeps_open (thread, signal);
}

/* The kernel queues one SIGTRAP for a thread: where the program's own waits, that of our trap is lost, and the own one, which
 * is no longer blocked, comes in its place. */
static gboolean
is_at_trap (EngineThread *thread)
{
    return engine_trap_is_in_memory (thread->process,
                                     machine_trap_get_address (engine_thread_get_pc (thread)));
}

void
engine_trap_mask_end (EngineThread *thread, const TargetStop *stop)
{
    gboolean has_mask = thread->has_mask, was_blocked = thread->blocked_mask != 0,
             is_sent = stop->kind == TARGET_STOP_SIGNAL && stop->signal == SIGTRAP
                       && thread->n_early_traps < G_N_ELEMENTS (thread->early_traps);
    guint64 mask = 0;

    if (thread->makes_our_call) { /* with a mask of its own */
        thread->is_at_early_trap = thread->hides_trap = FALSE;
        return;
    }
    /* a step over a system call that nobody has taken for one is reported */
    thread->is_open = thread->stays_open && stop->kind == TARGET_STOP_STEP
                      && !target_stop_is_reported (stop) && !target_stop_is_watch (stop);
    thread->stays_open = FALSE;
    thread->is_at_early_trap = thread->hides_trap = thread->has_mask = FALSE;
    if (!(has_mask || (was_blocked && (is_sent || target_stop_is_trap (stop))))
        || !target_thread_get_mask (thread->tid, &mask)) {
        if (stop->kind != TARGET_STOP_EXIT) {
            queue_early_traps (thread);
        }
        return;
    }
    /* the end of the step waits behind this stop: blocked, it would take the place of the trap that is met next */
    if (has_mask && mask == thread->mask && !is_sent && !target_stop_is_trap (stop)
        && target_thread_has_pending_trap (thread->tid)) {
        thread->has_mask = TRUE;
        return;
    }
    if (has_mask && mask == thread->mask) {
        target_thread_set_mask (thread->tid, mask | target_signal_get_bit (SIGTRAP));
        thread->is_at_early_trap = is_sent;
    } else if (was_blocked
               && (mask & thread->blocked_mask)
                      == (thread->blocked_mask & ~target_signal_get_bit (SIGTRAP))
               && target_process_get_signal_use (get_group (thread), SIGTRAP)
                      == TARGET_SIGNAL_DEFAULT) { /* or it has left a handler since */
        gboolean is_same = (mask & ~thread->blocked_mask) == 0;

        thread->hides_trap = is_same && is_sent && is_at_trap (thread);
        thread->lost_trap = thread->hides_trap || target_stop_is_trap (stop);
        thread->is_unblocked = is_same && thread->lost_trap;
    }
    if (thread->is_at_early_trap || thread->hides_trap) {
        thread->early_traps[thread->n_early_traps++] = stop->info;
    } else {
        queue_early_traps (thread);
    }
}
