/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registers as the user sees them: a name, in hexadecimal, and as what they mean. Each appends lines that
 * are separated, not ended, by a newline; the first of machine_show_general begins the text. */
#pragma once
#include "machine/registers.h"
#include "machine/vectors.h"

/* values: MACHINE_N_GENERAL, by DWARF's number; bit i of `valid`: values[i] is known. */
void machine_show_general (GString *text, const guint64 *values, guint32 valid);
/* Flags and segments. */
void machine_show_control (GString *text, const MachineRegisters *registers);
/* Floating point and vectors, of `size` bytes of extended state as the kernel gives them. Parts whose place
 * in it is not known are left out. */
void machine_show_extended (GString *text, const guint8 *data, gsize size,
                            const MachineVectors *vectors);
