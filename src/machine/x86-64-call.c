/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: calls (System V psABI, 3.2.2 and 3.2.3). The return address is on the stack. */
#include "machine/call.h"
#include <string.h>
#include <ucontext.h>

#define RED_ZONE 128u
#define WORD 8u

guint
machine_call_get_red_zone (void)
{
    return RED_ZONE;
}

gboolean
machine_call_read_return (const MachineRegisters *registers, BaseMemoryReader *memory,
                          guint64 *ret_pc, guint64 *ret_sp)
{
    *ret_sp = registers->rsp + WORD;
    return base_memory_read_u64 (memory, registers->rsp, ret_pc, NULL);
}

gboolean
machine_call_enter (MachineRegisters *registers, BaseMemoryReader *memory, guint64 function)
{
    guint64 stack = registers->rsp - RED_ZONE - WORD, pc = registers->rip;

    if (!base_memory_write (memory, stack, &pc, sizeof pc, NULL)) {
        return FALSE;
    }
    registers->rsp = stack;
    registers->rip = function;
    return TRUE;
}

guint64
machine_call_place_stack (guint64 top, gsize n_words, guint64 *ret_sp)
{
    guint64 words = top - ((n_words + 1) & ~(gsize) 1) * WORD;

    *ret_sp = words - WORD;
    return words;
}

gboolean
machine_call_write_return (MachineRegisters *registers, BaseMemoryReader *memory, guint64 sp,
                           guint64 pc, GError **error)
{
    registers->rsp = sp;
    return base_memory_write (memory, sp, &pc, sizeof pc, error);
}

guint64
machine_call_get_sp_after (guint64 sp)
{
    return sp + WORD;
}

/* The FXSAVE area is in front (Intel SDM volume 1, 10.5.1): x87's registers, then the vectors. Bit 1 of
 * XSTATE_BV, behind it, says that these are in use. */
#define FXSAVE_SIZE 512u
#define FLOATS_OFFSET 32u
#define VECTORS_OFFSET 160u
#define VECTORS_USED 2u

gboolean
machine_call_put_vectors (guint8 *state, gsize size, const guint8 (*values)[16], guint n)
{
    if (size < FXSAVE_SIZE) {
        return FALSE;
    }
    memcpy (state + VECTORS_OFFSET, values, n * sizeof *values);
    if (size > FXSAVE_SIZE) {
        state[FXSAVE_SIZE] |= VECTORS_USED;
    }
    return TRUE;
}

gboolean
machine_call_get_vectors (const guint8 *state, gsize size, guint8 (*ret_vectors)[16],
                          guint8 (*ret_floats)[16])
{
    if (size < FXSAVE_SIZE) {
        return FALSE;
    }
    memcpy (ret_vectors, state + VECTORS_OFFSET, 2 * sizeof *ret_vectors);
    memcpy (ret_floats, state + FLOATS_OFFSET, 2 * sizeof *ret_floats);
    return TRUE;
}

/* The saved registers of glibc's jmp_buf (sysdeps/x86_64/jmpbuf-offsets.h), and the secret that it hides
 * addresses with (tcbhead_t.pointer_guard). musl has the same places, and hides nothing. */
#define JUMP_SP 48
#define JUMP_PC 56
#define POINTER_GUARD 0x30

static guint64
reveal (guint64 hidden, guint64 guard)
{
    return (hidden >> 17 | hidden << 47) ^ guard;
}

gboolean
machine_call_read_jump (const MachineRegisters *registers, BaseMemoryReader *memory,
                        gboolean is_hidden, guint64 *ret_pc, guint64 *ret_sp)
{
    guint64 buffer = machine_registers_get_argument (registers, 0), guard = 0;
    guint64 at_guard = machine_registers_get_thread_pointer (registers) + POINTER_GUARD;

    if ((is_hidden && !base_memory_read_u64 (memory, at_guard, &guard, NULL))
        || !base_memory_read_u64 (memory, buffer + JUMP_PC, ret_pc, NULL)
        || !base_memory_read_u64 (memory, buffer + JUMP_SP, ret_sp, NULL)) {
        return FALSE;
    }
    if (is_hidden) {
        *ret_pc = reveal (*ret_pc, guard);
        *ret_sp = reveal (*ret_sp, guard);
    }
    return TRUE;
}

gboolean
machine_call_read_context (const MachineRegisters *registers, BaseMemoryReader *memory,
                           guint64 *ret_pc, guint64 *ret_sp)
{
    guint64 context = machine_registers_get_argument (registers, 0);

    return base_memory_read_u64 (memory,
                                 context + offsetof (ucontext_t, uc_mcontext.gregs[REG_RIP]),
                                 ret_pc, NULL)
           && base_memory_read_u64 (memory,
                                    context + offsetof (ucontext_t, uc_mcontext.gregs[REG_RSP]),
                                    ret_sp, NULL);
}
