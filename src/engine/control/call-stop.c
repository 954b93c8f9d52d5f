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

/* signal(7), of stops: these end with EINTR all the same, and have done nothing then, so that the kernel itself begins them
 * again where they have no time limit. Without one only semop, epoll_wait and io_uring_enter end. */
static gboolean
is_ended_by_stops (gint64 number)
{
    switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_sendfile:
    case SYS_splice:
    case SYS_connect:
    case SYS_accept:
    case SYS_accept4:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_rt_sigtimedwait:
    case SYS_io_getevents:
    case SYS_io_uring_enter:
    case SYS_epoll_pwait:
#ifdef SYS_epoll_wait /* newer architectures lack it */
    case SYS_epoll_wait:
#endif
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
        return TRUE;
    default: return FALSE;
    }
}

void
engine_thread_undo_interruption (EngineThread *thread)
{
    if (engine_thread_load_registers (thread)
        && machine_registers_is_interrupted (&thread->registers)
        && is_ended_by_stops (machine_registers_get_system_call (&thread->registers))
        && target_thread_get_pending (thread->tid) == 0) {
        machine_registers_begin_interrupted_call (&thread->registers);
        thread->registers_changed = TRUE;
    }
}
