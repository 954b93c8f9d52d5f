/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is read of a process that stands still, and kept until it moves: registers, stacks. */
#include "engine/control/private.h"
#include <string.h>

/* ---- registers ---- */

gboolean
engine_thread_load_registers (EngineThread *thread)
{
    if (!thread->has_registers && thread->state == ENGINE_THREAD_STOPPED) {
        thread->has_registers = target_thread_get_registers (thread->tid, &thread->registers);
        thread->loaded = thread->registers;
        if (thread->has_registers && engine_displaced_is_used (thread->process)) {
            engine_displaced_fix (thread);
        }
    }
    return thread->has_registers;
}

/* A hot breakpoint changes the pc alone, which is cheaper. */
gboolean
engine_thread_store_registers (EngineThread *thread)
{
    MachineRegisters wanted = thread->registers;
    gboolean is_pc, done = TRUE;

    if (!thread->has_registers || !thread->registers_changed) {
        return TRUE;
    }
    machine_registers_set_pc (&wanted, machine_registers_get_pc (&thread->loaded));
    is_pc = memcmp (&wanted, &thread->loaded, sizeof wanted) == 0;
    if (!is_pc) {
        done = target_thread_set_registers (thread->tid, &thread->registers);
    } else if (machine_registers_get_pc (&thread->registers)
               != machine_registers_get_pc (&wanted)) {
        done = target_thread_set_pc (thread->tid,
                                     machine_registers_get_pc (&thread->registers));
    }
    if (done) {
        thread->loaded = thread->registers;
        thread->registers_changed = FALSE;
    }
    return done;
}

GBytes *
engine_thread_read_extended (EngineThread *thread)
{
    if (thread->process->core != NULL) {
        return engine_core_read_extended (thread);
    }
    return thread->state == ENGINE_THREAD_STOPPED ? target_thread_read_extended (thread->tid)
                                                  : NULL;
}

guint64
engine_thread_get_pc (EngineThread *thread)
{
    return engine_thread_load_registers (thread) ? machine_registers_get_pc (&thread->registers)
                                                 : 0;
}

void
engine_thread_set_pc (EngineThread *thread, guint64 pc)
{
    if (engine_thread_load_registers (thread)) {
        machine_registers_set_pc (&thread->registers, pc);
        machine_registers_forget_system_call (
            &thread->registers); /* no restart of a system call from here */
        thread->registers_changed = TRUE;
    }
}

guint
engine_thread_count_hidden (EngineThread *thread)
{
    return thread->n_hidden > 0 && thread->inlines_pc == engine_thread_get_pc (thread)
               ? thread->n_hidden
               : 0;
}

/* ---- stacks ---- */

void
engine_process_forget_stacks (EngineProcess *process)
{
    g_clear_pointer (&process->stack, stack_free);
    g_clear_pointer (&process->stop_stack, stack_free);
    if (process->runtime != NULL) {
        python_runtime_invalidate (process->runtime);
    }
    process->selected_frame = process->stop_frame = 0;
    process->frame_is_chosen = FALSE;
}
