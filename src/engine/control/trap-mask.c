/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that meets one of our traps while it blocks SIGTRAP loses its program's handler of that signal: the kernel
 * forces the signal, resets what is done about it to the default, and unblocks it. So a thread of a program with such a
 * handler never runs with SIGTRAP blocked: it is unblocked as long as the thread runs. Handlers block signals, too,
 * SIGTRAP's its own: the thread is stopped where one begins. */
#include "engine/control/private.h"
#include <signal.h>

void
engine_trap_mask_begin (EngineThread *thread, int signal)
{
    pid_t tid = thread->tid;
    guint64 mask = 0;
    gboolean is_blocked = target_thread_get_mask (tid, &mask)
                          && (mask & target_signal_get_bit (SIGTRAP)) != 0;

    if ((!is_blocked && signal == 0) || thread->process->planted == NULL
        || !target_process_catches_signal (thread->process->pid, SIGTRAP)) {
        return;
    }
    if (is_blocked) {
        thread->mask = mask & ~target_signal_get_bit (SIGTRAP);
        thread->has_mask = target_thread_set_mask (tid, thread->mask);
    }
    if (signal != 0 && !thread->has_step_flag) { /* a step ends there by itself */
        thread->interrupt_pending = target_thread_interrupt (tid);
    }
}

void
engine_trap_mask_end (EngineThread *thread)
{
    guint64 mask = 0;

    if (thread->has_mask && target_thread_get_mask (thread->tid, &mask)
        && mask == thread->mask) { /* else the program has set it since */
        target_thread_set_mask (thread->tid, mask | target_signal_get_bit (SIGTRAP));
    }
    thread->has_mask = FALSE;
}
