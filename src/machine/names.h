/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of registers in expressions, and what they are. */
#pragma once
#include <glib.h>

typedef enum {
    MACHINE_REGISTER_NUMBER,
    MACHINE_REGISTER_CODE, /* an address of code */
    MACHINE_REGISTER_DATA, /* an address of data */
    MACHINE_REGISTER_FLOAT,
    MACHINE_REGISTER_VECTOR,
    MACHINE_REGISTER_WIDE, /* a vector of twice the size, which has the same number from 0 on */
} MachineRegisterKind;

typedef struct {
    MachineRegisterKind kind;
    guint number; /* DWARF's, but for WIDE */
    guint size;   /* bytes; of a part that has a name of its own, as of eax */
} MachineRegisterName;

/* "rax", "pc", "xmm3". FALSE: there is no such register. */
gboolean machine_register_find (const char *name, MachineRegisterName *ret_found);
