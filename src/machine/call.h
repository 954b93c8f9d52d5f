/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a function is called and left: where the address is to which it returns. Each instruction set has
 * its own file for these functions (x86-64-call.c). */
#pragma once
#include "base/memory-reader.h"
#include "machine/registers.h"

/* So many bytes beyond the stack pointer may be in use. */
guint machine_call_get_red_zone (void);

/* At a function's first instruction: where it returns to, and the stack pointer there. */
gboolean machine_call_read_return (const MachineRegisters *registers, BaseMemoryReader *memory,
                                   guint64 *ret_pc, guint64 *ret_sp);

/* At the first instruction of the C library's longjmp: where it goes to, and the stack pointer there.
 * is_hidden: the library keeps them as glibc does, mixed with a secret. FALSE: what it is given cannot be read. */
gboolean machine_call_read_jump (const MachineRegisters *registers, BaseMemoryReader *memory,
                                 gboolean is_hidden, guint64 *ret_pc, guint64 *ret_sp);

/* The same of setcontext, as glibc has it. */
gboolean machine_call_read_context (const MachineRegisters *registers, BaseMemoryReader *memory,
                                    guint64 *ret_pc, guint64 *ret_sp);

/* Puts the thread at a function's first instruction, as if the instruction where it is now had called it.
 * FALSE: its stack cannot be written; nothing has changed. */
gboolean machine_call_enter (MachineRegisters *registers, BaseMemoryReader *memory,
                             guint64 function);

/* The place of n_words words of arguments that a function finds on the stack, below `top`, which is aligned
 * by 16; *ret_sp is the stack pointer with which it begins. */
guint64 machine_call_place_stack (guint64 top, gsize n_words, guint64 *ret_sp);
/* A function that begins with that stack pointer is to return there; the stack pointer after its return. */
gboolean machine_call_write_return (MachineRegisters *registers, BaseMemoryReader *memory,
                                    guint64 sp, guint64 pc, GError **error);
guint64 machine_call_get_sp_after (guint64 sp);

/* In an extended state, as the kernel gives it: the first n vector registers that arguments are in. FALSE:
 * it has none. */
gboolean machine_call_put_vectors (guint8 *state, gsize size, const guint8 (*values)[16],
                                   guint n);
/* The two vector registers, and the two of the other kind of floating point, that values come back in. */
gboolean machine_call_get_vectors (const guint8 *state, gsize size, guint8 (*ret_vectors)[16],
                                   guint8 (*ret_floats)[16]);
