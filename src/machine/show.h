/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers as the user sees them: a name, and its value in hexadecimal and as what it means. */
#pragma once
#include "machine/registers.h"
#include "machine/vectors.h"

typedef void (*MachineShow) (const char *name, const char *value, gpointer user);

/* values: MACHINE_N_GENERAL, by DWARF's number; bit i of `valid`: values[i] is known. */
void machine_show_general (const guint64 *values, guint32 valid, MachineShow show,
                           gpointer user);
/* Flags and segments. */
void machine_show_control (const MachineRegisters *registers, MachineShow show, gpointer user);
/* Floating point and vectors, of `size` bytes of extended state as the kernel gives them. Parts whose place
 * in it is not known are left out. */
void machine_show_extended (const guint8 *data, gsize size, const MachineVectors *vectors,
                            MachineShow show, gpointer user);
