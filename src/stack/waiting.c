/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel tells the stack pointer and the pc of a thread that waits in it, the arguments of the call that it is in (one
 * of which is where vfork returns to), and nothing else. Most stacks can be unwound from these alone; a function that addresses its frame by the frame pointer
 * needs that, if the functions inside it have not saved it. It is then as far from the stack pointer as
 * the function's own instructions have moved this, if they say by how much; else the stack ends there. */
#include "stack/modules-private.h"

/* The frame pointer that the walk lacked where it has ended. FALSE: it ended otherwise, or nobody knows. */
static gboolean
find_missing (StackModules *modules, const GArray *native, guint64 *ret_pointer)
{
    for (guint i = 0; i < native->len; i++) {
        const StackNativeFrame *frame = &g_array_index (native, StackNativeFrame, i);

        if (frame->is_incomplete) {
            return (i == 0 || (frame->unsaved & 1u << machine_fp_number) != 0)
                   && stack_find_frame_pointer (modules,
                                                i == 0 || frame->is_signal ? frame->pc
                                                                           : frame->pc - 1,
                                                frame->sp, ret_pointer);
        }
    }
    return FALSE;
}

GArray *
stack_unwind_waiting (StackModules *modules, BaseMemoryReader *memory,
                      const MachineRegisters *registers)
{
    guint32 told
        = 1u << machine_sp_number | 1u << machine_pc_number
          | (machine_registers_get_system_call (registers) >= 0 ? machine_system_arguments : 0);
    GArray *native = stack_unwind_known (modules, memory, registers, told, 0);
    MachineRegisters known = *registers;
    guint64 pointer;

    if (find_missing (modules, native, &pointer)) {
        g_array_unref (native);
        machine_registers_set (&known, machine_fp_number, pointer);
        native = stack_unwind_known (modules, memory, &known, told | 1u << machine_fp_number,
                                     0);
    }
    return native;
}
