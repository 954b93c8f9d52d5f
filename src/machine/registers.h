/* SPDX-License-Identifier: GPL-3.0-or-later */
/* General registers of a stopped thread: what they are for, whatever they are called. Each instruction
 * set has its own file for these functions (x86-64-registers.c). */
#pragma once
#include <glib.h>
#include <sys/user.h>

typedef struct user_regs_struct MachineRegisters;

guint64 machine_registers_get_pc (const MachineRegisters *registers);
void machine_registers_set_pc (MachineRegisters *registers, guint64 pc);
guint64 machine_registers_get_sp (const MachineRegisters *registers);
void machine_registers_set_sp (MachineRegisters *registers, guint64 sp);
/* Of the thread's own storage; on x86-64 fs_base. */
guint64 machine_registers_get_thread_pointer (const MachineRegisters *registers);

/* The `index`th of MACHINE_N_ARGUMENTS integers that a function gets in registers, at its first
 * instruction; and the first (0) or second (1) that it returns. */
#define MACHINE_N_ARGUMENTS 6
guint64 machine_registers_get_argument (const MachineRegisters *registers, guint index);
void machine_registers_set_argument (MachineRegisters *registers, guint index, guint64 value);
guint64 machine_registers_get_result (const MachineRegisters *registers, guint index);
void machine_registers_set_result (MachineRegisters *registers, guint64 value);
/* As a C function begins: the direction flag is clear, and a function of variable arguments finds how
 * many of them are in vector registers. */
void machine_registers_prepare_call (MachineRegisters *registers, guint n_vectors);

/* The processor raises a trap after each instruction, as the program itself wants it. */
gboolean machine_registers_has_trap_flag (const MachineRegisters *registers);
guint64 machine_flags_clear_trap (guint64 flags);

/* The number of the system call that the thread is in; -1: none. */
gint64 machine_registers_get_system_call (const MachineRegisters *registers);
guint64 machine_registers_get_system_argument (const MachineRegisters *registers, guint index);
/* For the instruction that makes such a call. */
void machine_registers_prepare_system_call (MachineRegisters *registers, gint64 number,
                                            const guint64 *arguments, guint n_arguments);
/* What the kernel tells of a thread that waits in it; the arguments only of one that is in a call, not of -1. */
void machine_registers_fill_waiting (MachineRegisters *ret_registers, gint64 number,
                                     const guint64 *arguments, guint64 sp, guint64 pc);
extern const guint32
    machine_system_arguments; /* bit n: DWARF's number n is of such an argument */
/* No call is restarted when the thread goes on. */
void machine_registers_forget_system_call (MachineRegisters *registers);
/* Puts the thread before the system call that a signal has interrupted, as the kernel would at its
 * resume. Nothing to do: the call is not one to restart. */
void machine_registers_restart_system_call (MachineRegisters *registers);
/* The kernel is about to do so. Until then the thread stands at the instruction behind the call without having come there. */
gboolean machine_registers_will_restart (const MachineRegisters *registers);
/* The kernel goes on with that call by what it has noted of it for the thread, which another call replaces. */
gboolean machine_registers_has_noted_call (const MachineRegisters *registers);
/* Such a call begins from the start instead. */
void machine_registers_begin_call_again (MachineRegisters *registers);
/* The call has just ended with EINTR. */
gboolean machine_registers_is_interrupted (const MachineRegisters *registers);
/* Such a call begins from the start instead. */
void machine_registers_begin_interrupted_call (MachineRegisters *registers);

/* Those that calls preserve, but for the stack pointer: their values, or their DWARF numbers. */
#define MACHINE_N_PRESERVED 6
guint64 machine_registers_get_preserved (const MachineRegisters *registers, guint index);
extern const guint8 machine_preserved_numbers[MACHINE_N_PRESERVED];

/* By DWARF's number: the general ones, and flags, segments and their bases. FALSE for others. Only the
 * general ones and the flags can be set. */
gboolean machine_registers_get (const MachineRegisters *registers, guint number,
                                guint64 *ret_value);
gboolean machine_registers_set (MachineRegisters *registers, guint number, guint64 value);
/* The same in all frames of a thread, by DWARF's number: where its storage begins. */
gboolean machine_registers_is_threads (guint number);
/* Those of a frame have the numbers below MACHINE_N_GENERAL. */
#define MACHINE_N_GENERAL 17
extern const guint8 machine_pc_number, machine_sp_number, machine_fp_number;
extern const guint16 machine_elf_number; /* in ELF headers: e_machine */
/* NULL: no general register has that number. */
const char *machine_registers_get_name (guint number);
