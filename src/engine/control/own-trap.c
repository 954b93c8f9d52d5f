/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single steps, and whose they are: the processor's trap flag may also be the program's own, as may be an instruction
 * that raises the same trap. What the kernel shows of the flag is the program's alone. */
#include "engine/control/private.h"

void
engine_thread_note_step (EngineThread *thread)
{
    gboolean is_known = engine_thread_load_registers (thread);

    thread->step.is_ours = TRUE;
    thread->step.pc = is_known ? machine_registers_get_pc (&thread->registers) : 0;
    thread->step.sp = is_known ? machine_registers_get_sp (&thread->registers) : 0;
    thread->step.call = is_known ? machine_registers_get_result (&thread->registers, 0) : 0;
    thread->step.had_flag = is_known && machine_registers_has_trap_flag (&thread->registers);
    thread->step.is_in_call = is_known && machine_registers_will_restart (&thread->registers);
    thread->has_step_flag = TRUE;
    thread->process->may_trap = TRUE;
}

void
engine_thread_note_no_step (EngineThread *thread)
{
    /* a step that has ended may wait behind the stop that came first */
    thread->step.is_ours = thread->has_step_flag
                           && target_thread_has_pending_trap (thread->tid);
    thread->step.had_flag = FALSE;
    thread->step.pc = 0;
    thread->has_step_flag = FALSE;
}

static gsize
read_code (EngineThread *thread, guint8 *code)
{
    return thread->step.pc != 0
               ? base_memory_read_some (engine_process_get_memory (thread->process),
                                        thread->step.pc, code, MACHINE_MAX_INSTRUCTION)
               : 0;
}

gboolean
engine_thread_is_own_step (EngineThread *thread, const TargetStop *stop)
{
    guint8 code[MACHINE_MAX_INSTRUCTION];

    if (stop->kind != TARGET_STOP_STEP || thread->watch_hit || target_stop_is_watch (stop)) {
        return TRUE;
    }
    return thread->step.is_ours && !thread->step.had_flag
           && !(target_stop_is_reported (stop)
                && machine_code_is_debug_trap (code, read_code (thread, code)));
}

void
engine_thread_end_step (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    guint64 sp, value;
    guint8 code[MACHINE_MAX_INSTRUCTION];

    if (!thread->step.is_ours || thread->step.had_flag || thread->step.pc == 0
        || !engine_thread_load_registers (thread)) {
        return;
    }
    sp = machine_registers_get_sp (&thread->registers);
    if (sp < thread->step.sp && thread->step.sp - sp <= sizeof value
        && machine_code_pushes_flags (code, read_code (thread, code))
        && base_memory_read_u64 (engine_process_get_memory (process), sp, &value, NULL)
        && value != machine_flags_clear_trap (value)) {
        value = machine_flags_clear_trap (value);
        base_memory_write (engine_process_get_memory (process), sp, &value, sizeof value, NULL);
    }
}
