/* SPDX-License-Identifier: GPL-3.0-or-later */
/* General registers of a stopped thread (x86-64: struct user_regs_struct behind one face). */
#pragma once
#include <glib.h>
#include <sys/user.h>

typedef struct user_regs_struct TargetRegisters;
typedef struct user_fpregs_struct TargetFloatRegisters;

/* DWARF number 0 rax … 16 rip (System V psABI figure 3.36). FALSE for others. */
gboolean target_registers_get (const TargetRegisters *registers, guint dwarf_number,
                               guint64 *ret_value);
gboolean target_registers_set (TargetRegisters *registers, guint dwarf_number, guint64 value);
/* By name "rax", "rip", "pc", "sp", "eflags"; -1 unknown; 17 eflags is ours. */
int target_registers_find (const char *name);
