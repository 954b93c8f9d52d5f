/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: which member of the kernel's register block has which DWARF number and name. */
#include "target/registers.h"
#include <stddef.h>
#include <string.h>

#define NUMBER_EFLAGS 17

typedef struct {
    const char *name;
    gsize offset;
} RegisterRow;

#define ROW(member)                                                                            \
    {                                                                                          \
#member, offsetof(struct user_regs_struct, member)                                     \
    }

/* By DWARF number (System V psABI, figure 3.36); 17 is ours. */
static const RegisterRow rows[] = {
    ROW (rax), ROW (rdx), ROW (rcx), ROW (rbx), ROW (rsi), ROW (rdi),
    ROW (rbp), ROW (rsp), ROW (r8),  ROW (r9),  ROW (r10), ROW (r11),
    ROW (r12), ROW (r13), ROW (r14), ROW (r15), ROW (rip), ROW (eflags),
};

gboolean
target_registers_get (const TargetRegisters *registers, guint dwarf_number, guint64 *ret_value)
{
    if (dwarf_number >= G_N_ELEMENTS (rows)) {
        return FALSE;
    }
    memcpy (ret_value, (const guint8 *) registers + rows[dwarf_number].offset,
            sizeof *ret_value);
    return TRUE;
}

gboolean
target_registers_set (TargetRegisters *registers, guint dwarf_number, guint64 value)
{
    if (dwarf_number >= G_N_ELEMENTS (rows)) {
        return FALSE;
    }
    memcpy ((guint8 *) registers + rows[dwarf_number].offset, &value, sizeof value);
    return TRUE;
}

int
target_registers_find (const char *name)
{
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (strcmp (rows[i].name, name) == 0) {
            return (int) i;
        }
    }
    return strcmp (name, "pc") == 0      ? 16
           : strcmp (name, "sp") == 0    ? 7
           : strcmp (name, "fp") == 0    ? 6
           : strcmp (name, "flags") == 0 ? NUMBER_EFLAGS
                                         : -1;
}
