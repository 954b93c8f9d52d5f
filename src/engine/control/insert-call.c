/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stopped thread makes one system call in between, which does not block, and is then where it was. Its program sees
 * nothing of it: signals are blocked meanwhile, and registers and mask put back, by us or, should we be killed or it get
 * no processor in time, by the code that makes the call (machine/rescue.h). No trap is needed: one would do what
 * trap-action.c undoes. */
#include "engine/control/private.h"
#include "machine/rescue.h"
#include <sys/syscall.h>

#define PATIENCE_US (2 * G_USEC_PER_SEC) /* of a thread that gets no processor */
#define MAX_STOPS 16

/* In the middle of a system call its registers are not its own. */
static gboolean
is_able (EngineThread *thread)
{
    TargetSignalInfo info;

    return thread->state == ENGINE_THREAD_STOPPED && !thread->in_group_stop && !thread->in_vfork
           && !thread->exiting && !thread->at_call_entry && thread->made_call == NULL
           && target_thread_get_signal_info (thread->tid, &info)
           && (thread->at_signal_stop || target_signal_info_is_asked (&info))
           && engine_thread_store_registers (thread);
}

typedef enum { UNTIL_CALL, UNTIL_ASKED } Until;

/* To its next stop of that kind; what comes first is kept. FALSE: the thread is gone, or has not come there in time. */
static gboolean
run_until (EngineThread *thread, Until until)
{
    for (guint i = 0; i < MAX_STOPS; i++) {
        TargetStop stop;

        if (engine_thread_go_to_stop (thread, 0, until == UNTIL_CALL, PATIENCE_US, &stop)
                != ENGINE_CAME_TO_STOP
            || stop.kind == TARGET_STOP_EXIT) {
            return FALSE;
        }
        if (stop.kind == (until == UNTIL_CALL ? TARGET_STOP_CALL : TARGET_STOP_ASKED)) {
            return TRUE;
        }
        if (stop.kind == TARGET_STOP_SIGNAL) {
            engine_thread_queue_stop (thread, &stop);
        }
        if (until == UNTIL_ASKED) {
            target_thread_interrupt (thread->tid);
        }
    }
    return FALSE;
}

/* At its entry, a call after which another one is to be told apart from it. */
static gboolean
changes_threads (EngineThread *thread)
{
    gint64 number = machine_registers_get_system_call (&thread->registers);

    return thread->at_call_entry
           && (number < 0 || target_system_call_makes_thread (number) || number == SYS_execve
               || number == SYS_execveat || number == SYS_exit || number == SYS_exit_group);
}

gboolean
engine_thread_leave_call (EngineThread *thread)
{
    if (thread->state != ENGINE_THREAD_STOPPED || thread->at_signal_stop
        || thread->in_group_stop || thread->in_vfork || thread->exiting
        || thread->made_call != NULL || !engine_thread_load_registers (thread)
        || changes_threads (thread) || !engine_thread_store_registers (thread)
        || !target_thread_interrupt (thread->tid) || !run_until (thread, UNTIL_ASKED)) {
        return FALSE;
    }
    return TRUE;
}

/* Whenever we are killed, it goes on as it was: the code is told how before the thread is sent there, and with every
 * signal blocked it is never anywhere else. */
static gboolean
enter (EngineThread *thread, guint64 code, const MachineRegisters *saved, guint64 mask,
       MachineRegisters *registers)
{
    const MachineRescueReturn back = machine_rescue_make_return (saved, mask);

    machine_registers_set_pc (registers, code + machine_rescue_call);
    return base_memory_write (engine_process_get_memory (thread->process),
                              code + machine_rescue_return, &back, sizeof back, NULL)
           && target_thread_set_registers (thread->tid, registers)
           && target_thread_set_mask (thread->tid, G_MAXUINT64);
}

EngineInserted
engine_thread_insert_call (EngineThread *thread, guint64 code, gint64 number,
                           const guint64 *arguments, guint n_arguments, gint64 *ret_result)
{
    MachineRegisters registers, saved;
    gint64 stopped_us = thread->stopped_us;
    guint64 mask = 0;
    gboolean done;

    *ret_result = -1;
    if (!is_able (thread) || !target_thread_get_registers (thread->tid, &saved)
        || !target_thread_get_mask (thread->tid, &mask)) {
        return ENGINE_INSERTED_NOT;
    }
    registers = saved;
    machine_registers_prepare_system_call (&registers, number, arguments, n_arguments);
    thread->makes_our_call = TRUE;
    done = enter (thread, code, &saved, mask, &registers) && run_until (thread, UNTIL_CALL)
           && run_until (thread, UNTIL_CALL)
           && target_thread_get_registers (thread->tid, &registers);
    /* where the kernel itself decides how the interrupted call goes on */
    if (done && target_thread_interrupt (thread->tid)) {
        run_until (thread, UNTIL_ASKED);
    }
    thread->makes_our_call = FALSE;
    thread->stopped_us = stopped_us; /* the program's own call has waited since then */
    thread->has_registers = thread->registers_changed = FALSE;
    if (thread->state == ENGINE_THREAD_STOPPED && !thread->exiting) {
        target_thread_set_mask (thread->tid, mask);
        target_thread_set_registers (thread->tid, &saved);
        thread->has_step_flag = FALSE;
    }
    *ret_result = done ? (gint64) machine_registers_get_result (&registers, 0) : -1;
    return thread->state != ENGINE_THREAD_STOPPED ? ENGINE_INSERTED_LEFT
           : done                                 ? ENGINE_INSERTED
                                                  : ENGINE_INSERTED_NOT;
}
