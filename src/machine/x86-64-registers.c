/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: which member of the kernel's register block has which DWARF number and name (System V psABI,
 * figure 3.36), and which register is for what (3.2.1 to 3.2.3; of system calls, appendix A.2). */
#include "machine/registers.h"
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#define FLAG_TRAP 0x100u
#define FLAG_DIRECTION 0x400u
#define SYSCALL_SIZE 2u /* of the instruction */
/* What the kernel leaves as a result for itself: linux/errno.h, which programs do not see. */
#define RESTART_SYS 512
#define RESTART_BLOCK 516
#define NUMBER_FLAGS 49u
#define NUMBER_FS_BASE 58u
#define NUMBER_GS_BASE 59u

typedef struct {
    const char *name;
    gsize offset;
} Row;

/* clang-format off */
#define ROW(member) { #member, offsetof (struct user_regs_struct, member) }
/* clang-format on */

static const Row general[MACHINE_N_GENERAL] = {
    ROW (rax), ROW (rdx), ROW (rcx), ROW (rbx), ROW (rsi), ROW (rdi),
    ROW (rbp), ROW (rsp), ROW (r8),  ROW (r9),  ROW (r10), ROW (r11),
    ROW (r12), ROW (r13), ROW (r14), ROW (r15), ROW (rip),
};

static const struct {
    guint number;
    gsize offset;
} others[] = {
    { NUMBER_FLAGS, offsetof (struct user_regs_struct, eflags) },
    { 50, offsetof (struct user_regs_struct, es) },
    { 51, offsetof (struct user_regs_struct, cs) },
    { 52, offsetof (struct user_regs_struct, ss) },
    { 53, offsetof (struct user_regs_struct, ds) },
    { 54, offsetof (struct user_regs_struct, fs) },
    { 55, offsetof (struct user_regs_struct, gs) },
    { NUMBER_FS_BASE, offsetof (struct user_regs_struct, fs_base) },
    { NUMBER_GS_BASE, offsetof (struct user_regs_struct, gs_base) },
};

const guint8 machine_pc_number = 16, machine_sp_number = 7, machine_fp_number = 6;
const guint16 machine_elf_number = EM_X86_64;
const guint8 machine_preserved_numbers[MACHINE_N_PRESERVED] = { 3, 6, 12, 13, 14, 15 };

static const guint8 argument_numbers[MACHINE_N_ARGUMENTS] = { 5, 4, 1, 2, 8, 9 };

/* r10 in the place of rcx, which the instruction itself overwrites. */
static const guint8 system_argument_numbers[MACHINE_N_ARGUMENTS] = { 5, 4, 1, 10, 8, 9 };

static guint64
get (const MachineRegisters *registers, gsize offset)
{
    guint64 value;

    memcpy (&value, (const guint8 *) registers + offset, sizeof value);
    return value;
}

guint64
machine_registers_get_pc (const MachineRegisters *registers)
{
    return registers->rip;
}

void
machine_registers_set_pc (MachineRegisters *registers, guint64 pc)
{
    registers->rip = pc;
}

guint64
machine_registers_get_sp (const MachineRegisters *registers)
{
    return registers->rsp;
}

void
machine_registers_set_sp (MachineRegisters *registers, guint64 sp)
{
    registers->rsp = sp;
}

guint64
machine_registers_get_thread_pointer (const MachineRegisters *registers)
{
    return registers->fs_base;
}

guint64
machine_registers_get_argument (const MachineRegisters *registers, guint index)
{
    return get (registers, general[argument_numbers[index]].offset);
}

void
machine_registers_set_argument (MachineRegisters *registers, guint index, guint64 value)
{
    machine_registers_set (registers, argument_numbers[index], value);
}

guint64
machine_registers_get_result (const MachineRegisters *registers, guint index)
{
    return index == 0 ? registers->rax : registers->rdx;
}

void
machine_registers_set_result (MachineRegisters *registers, guint64 value)
{
    registers->rax = value;
}

void
machine_registers_prepare_call (MachineRegisters *registers, guint n_vectors)
{
    registers->rax = n_vectors;
    registers->eflags &= ~(guint64) FLAG_DIRECTION;
    machine_registers_forget_system_call (registers);
}

gint64
machine_registers_get_system_call (const MachineRegisters *registers)
{
    return (gint64) registers->orig_rax < 0 ? -1 : (gint64) registers->orig_rax;
}

guint64
machine_registers_get_system_argument (const MachineRegisters *registers, guint index)
{
    return get (registers, general[system_argument_numbers[index]].offset);
}

void
machine_registers_prepare_system_call (MachineRegisters *registers, gint64 number,
                                       const guint64 *arguments, guint n_arguments)
{
    registers->rax = (guint64) number;
    for (guint i = 0; i < n_arguments; i++) {
        machine_registers_set (registers, system_argument_numbers[i], arguments[i]);
    }
    machine_registers_forget_system_call (registers);
}

const guint32 machine_system_arguments = 1u << 5 | 1u << 4 | 1u << 1 | 1u << 10 | 1u << 8
                                         | 1u << 9;

void
machine_registers_fill_waiting (MachineRegisters *ret_registers, gint64 number,
                                const guint64 *arguments, guint64 sp, guint64 pc)
{
    memset (ret_registers, 0, sizeof *ret_registers);
    if (number >= 0) {
        machine_registers_prepare_system_call (ret_registers, number, arguments,
                                               MACHINE_N_ARGUMENTS);
    }
    ret_registers->orig_rax = (guint64) number;
    machine_registers_set_sp (ret_registers, sp);
    machine_registers_set_pc (ret_registers, pc);
}

void
machine_registers_forget_system_call (MachineRegisters *registers)
{
    registers->orig_rax = (guint64) -1;
}

gboolean
machine_registers_will_restart (const MachineRegisters *registers)
{
    gint64 result = (gint64) registers->rax;

    return (gint64) registers->orig_rax >= 0 && result >= -RESTART_BLOCK
           && result <= -RESTART_SYS;
}

void
machine_registers_restart_system_call (MachineRegisters *registers)
{
    if (machine_registers_will_restart (registers)) {
        registers->rip -= SYSCALL_SIZE;
        registers->rax = (gint64) registers->rax == -RESTART_BLOCK ? SYS_restart_syscall
                                                                   : registers->orig_rax;
    }
    machine_registers_forget_system_call (registers);
}

gboolean
machine_registers_has_noted_call (const MachineRegisters *registers)
{
    return (gint64) registers->orig_rax >= 0 && (gint64) registers->rax == -RESTART_BLOCK;
}

static void
begin_call (MachineRegisters *registers)
{
    registers->rip -= SYSCALL_SIZE;
    registers->rax = registers->orig_rax;
    machine_registers_forget_system_call (registers);
}

void
machine_registers_begin_call_again (MachineRegisters *registers)
{
    if (machine_registers_has_noted_call (registers)) {
        begin_call (registers);
    }
}

gboolean
machine_registers_is_interrupted (const MachineRegisters *registers)
{
    return (gint64) registers->orig_rax >= 0 && (gint64) registers->rax == -EINTR;
}

void
machine_registers_begin_interrupted_call (MachineRegisters *registers)
{
    if (machine_registers_is_interrupted (registers)) {
        begin_call (registers);
    }
}

gboolean
machine_registers_has_trap_flag (const MachineRegisters *registers)
{
    return (registers->eflags & FLAG_TRAP) != 0;
}

guint64
machine_flags_clear_trap (guint64 flags)
{
    return flags & ~(guint64) FLAG_TRAP;
}

guint64
machine_registers_get_preserved (const MachineRegisters *registers, guint index)
{
    return get (registers, general[machine_preserved_numbers[index]].offset);
}

static gboolean
find_offset (guint number, gsize *ret_offset)
{
    if (number < G_N_ELEMENTS (general)) {
        *ret_offset = general[number].offset;
        return TRUE;
    }
    for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
        if (others[i].number == number) {
            *ret_offset = others[i].offset;
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
machine_registers_get (const MachineRegisters *registers, guint number, guint64 *ret_value)
{
    gsize offset;

    if (!find_offset (number, &offset)) {
        return FALSE;
    }
    *ret_value = get (registers, offset);
    return TRUE;
}

gboolean
machine_registers_is_threads (guint number)
{
    return number == NUMBER_FS_BASE || number == NUMBER_GS_BASE;
}

gboolean
machine_registers_set (MachineRegisters *registers, guint number, guint64 value)
{
    gsize offset;

    if ((number >= G_N_ELEMENTS (general) && number != NUMBER_FLAGS)
        || !find_offset (number, &offset)) {
        return FALSE;
    }
    memcpy ((guint8 *) registers + offset, &value, sizeof value);
    return TRUE;
}

const char *
machine_registers_get_name (guint number)
{
    return number < G_N_ELEMENTS (general) ? general[number].name : NULL;
}
