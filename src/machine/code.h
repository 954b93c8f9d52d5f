/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code: how long an instruction is, what it does, how it reads. Each instruction set has its own
 * files for these functions, named for it. */
#pragma once
#include "machine/registers.h"
#include "base/memory-reader.h"

#define MACHINE_MAX_INSTRUCTION 16 /* bytes */

/* The length of the instruction that begins there; 0: unknown instruction, or longer than `size` bytes. */
gsize machine_code_get_length (const guint8 *code, gsize size);

/* ---- emulation ---- */

/* Words of the program's memory. FALSE: not readable, not writable. */
typedef struct {
    gboolean (*load) (BaseMemoryReader *memory, guint64 address, guint64 *ret_value);
    gboolean (*store) (BaseMemoryReader *memory, guint64 address, guint64 value);
    BaseMemoryReader *memory;
} MachineWords;

/* Emulates the instruction at the pc, with its effects on registers and stack. FALSE: not supported;
 * nothing has changed. */
gboolean machine_code_emulate (const MachineWords *words, MachineRegisters *registers);

/* ---- displacing ---- */

/* An instruction as it can stand elsewhere, and after it a jump to the one that followed it. */
typedef struct {
    guint8 bytes[2 * MACHINE_MAX_INSTRUCTION];
    guint length; /* of the instruction, the same in both places */
    guint size;
} MachineCopy;
/* FALSE: the instruction at `from` does not do the same at `to`, as what jumps, calls or traps does not, or
 * capstone is not here. */
gboolean machine_code_displace (const guint8 *code, gsize size, guint64 from, guint64 to,
                                MachineCopy *ret_copy);

/* ---- what code is for ---- */

gboolean machine_code_is_call (const guint8 *code, gsize size);
/* A call, or a return from one. */
gboolean machine_code_is_linking (const guint8 *code, gsize size);
/* So many bytes before a return address are looked at. */
#define MACHINE_MAX_CALL 8
/* A call of any kind ends there. */
gboolean machine_code_ends_with_call (const guint8 code[MACHINE_MAX_CALL]);
/* The instruction that begins there enters the kernel. */
gboolean machine_code_is_system_call (const guint8 *code, gsize size);
/* It raises the trap of a single step (icebp), or puts the flags on the stack, where one that is stepped shows the
 * debugger's trap flag. */
gboolean machine_code_is_debug_trap (const guint8 *code, gsize size);
gboolean machine_code_pushes_flags (const guint8 *code, gsize size);
/* The number that the code which ends there, with a system call, has given to that call. FALSE: it does not
 * say. */
#define MACHINE_MAX_NUMBERED_CALL 7
gboolean machine_code_find_system_call (const guint8 code[MACHINE_MAX_NUMBERED_CALL],
                                        guint32 *ret_number);
/* Whether the code, which ends with a call, has put this number on the stack for it. */
gboolean machine_code_passes_number (const guint8 *code, gsize size, guint64 number);
/* The slot that an entry of a linkage table at pc jumps through. */
gboolean machine_code_find_slot (const guint8 *code, gsize size, guint64 pc, guint64 *ret_slot);
/* What a slot leads to at first has the number of its relocation. */
gboolean machine_code_find_unresolved (const guint8 *code, gsize size, guint32 *ret_index);
/* What the call in front of the return address calls, of `size` bytes of code that end there. FALSE: it does
 * not say, or is none. */
gboolean machine_code_find_called (const guint8 *code, gsize size, guint64 return_pc,
                                   guint64 *ret_target);
/* The jump with a fixed distance at `at`: its length; 0: it is none. */
#define MACHINE_MAX_JUMP 6
guint machine_code_read_jump (const guint8 code[MACHINE_MAX_JUMP], guint64 at,
                              guint64 *ret_target);
/* The same of one that ends there. 0: there is none. */
guint machine_code_read_jump_before (const guint8 code[MACHINE_MAX_JUMP], guint64 end,
                                     gboolean (*is_code) (gconstpointer user, guint64 target),
                                     gconstpointer user, guint64 *ret_target);
/* How many bytes the set-up of a frame pointer takes at a function's entry; 0: there is none. */
#define MACHINE_MAX_FRAME_SETUP 12
guint machine_code_measure_frame_setup (const guint8 code[MACHINE_MAX_FRAME_SETUP]);
/* How far the stack pointer is below the CFA before the instruction that has the byte at `at`, of a function's
 * code from its first instruction on: it is by `entry` there, and the frame pointer by `frame` once it is set. FALSE:
 * only its registers tell. */
gboolean machine_code_find_depth (const guint8 *code, gsize size, gsize at, gint64 entry,
                                  gint64 frame, gint64 *ret_depth);
/* Could what a signal's handler returns to begin with these bytes at the pc, or have its system call there? */
gboolean machine_code_may_be_signal_return (const guint8 code[8]);
/* Is it that? `before` bytes of `code` are in front of the pc. */
#define MACHINE_SIGNAL_RETURN_BEFORE 8
gboolean machine_code_is_signal_return (const guint8 *code, gsize size, gsize before);
/* A function that returns a place in the thread's storage, and does nothing else: *ret_slot is that of the
 * loader's two numbers for it (0: there is none), *ret_offset is added, to the thread pointer without them. */
gboolean machine_code_find_thread_place (const guint8 *code, gsize size, guint64 pc,
                                         guint64 *ret_slot, guint64 *ret_offset);
/* Where a thunk in front of a virtual C++ function jumps to (Itanium C++ ABI, 3.2.3). 0: it does something else. */
guint64 machine_code_find_behind_thunk (const guint8 *code, gsize size, guint64 pc);

/* ---- text ---- */

typedef struct _MachineText MachineText;
typedef struct {
    guint64 address;
    guint length;
    const char *mnemonic, *operands; /* borrowed until the next one */
    guint64 target;   /* of a jump or call, or the data that an operand names; 0: none */
    gboolean is_code; /* the target is */
} MachineInstruction;

/* NULL with UNSUPPORTED when this host has no capstone. */
MachineText *machine_text_new (GError **error);
void machine_text_free (MachineText *text);
/* FALSE: these bytes are no instruction. */
gboolean machine_text_read (MachineText *text, const guint8 *code, gsize size, guint64 address,
                            MachineInstruction *ret_instruction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (MachineText, machine_text_free)
