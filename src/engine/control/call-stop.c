/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stops at system calls: which one it is, and whether it is the program's. */
#include "engine/control/private.h"
#include <sys/syscall.h>

/* A stop of ours interrupts a call that waits: the kernel lets it come back with one of its own numbers,
 * and enters it again when the thread goes on (linux/errno.h). Neither is the program's. */
static gboolean
take_restart (EngineThread *thread, const TargetSystemCall *call)
{
    enum { RESTARTSYS = 512, RESTARTNOINTR, RESTARTNOHAND, RESTART_RESTARTBLOCK = 516 };
    gboolean again = thread->call_will_restart;

    thread->call_will_restart = FALSE;
    if (call->is_entry) {
        return again
               && (call->number == thread->call.number || call->number == SYS_restart_syscall);
    }
    thread->call_will_restart = (call->result <= -RESTARTSYS && call->result >= -RESTARTNOHAND)
                                || call->result == -RESTART_RESTARTBLOCK;
    return thread->call_will_restart;
}

void
engine_thread_note_call (EngineThread *thread)
{
    TargetSystemCall call;

    thread->ignores_call_stop = TRUE;
    if (!target_thread_get_system_call (thread->tid, &call)
        || !engine_thread_load_registers (thread)) {
        return;
    }
    thread->ignores_call_stop = take_restart (thread, &call);
    call.number = (long) machine_registers_get_system_call (
        &thread->registers); /* a new thread begins with a return */
    call.number = call.number != SYS_restart_syscall ? call.number : thread->call.number;
    thread->call = call;
    thread->at_call_entry = call.is_entry;
}
