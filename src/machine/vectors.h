/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registers in an extended state (XSAVE's standard form: Intel SDM volume 1, chapter 13). The positions
 * of the wider ones differ between processors, which report them by CPUID. */
#pragma once
#include <glib.h>

#define MACHINE_FIRST_VECTOR 17u /* DWARF's number of the first vector register */

/* Offsets; 0: there is none, or it is not known. */
typedef struct {
    guint32 ymm_upper; /* upper halves of ymm0-15 */
    guint32 masks;     /* k0-7 */
    guint32 zmm_upper; /* upper halves of zmm0-15 */
    guint32 zmm_more;  /* zmm16-31 */
} MachineVectors;

/* Of this host's processor. */
MachineVectors machine_vectors_find (void);
/* As a core file has it in its note NT_X86_XSAVE_LAYOUT (Linux' fs/binfmt_elf.c, from 6.12 on). */
MachineVectors machine_vectors_read (const guint8 *note, gsize size);
/* Of an extended state from some other host: those of the families of processors that have states of this size. */
MachineVectors machine_vectors_guess (const guint8 *state, gsize size);

/* 16 bytes of a register, by the number that DWARF gives it: a vector register (is_upper: its second 16
 * bytes; they are zero while nobody uses them) or one of the stack of floats, by its place from the top.
 * FALSE: the state has none of that number; `state` is unchanged. A set register is in use from then on. */
gboolean machine_vectors_get (const MachineVectors *vectors, const guint8 *state, gsize size,
                              guint number, gboolean is_upper, guint8 *ret_bytes);
gboolean machine_vectors_set (const MachineVectors *vectors, guint8 *state, gsize size,
                              guint number, gboolean is_upper, const guint8 *bytes);
/* The control and status words of the vector and float units, by DWARF's numbers. FALSE: it is none of
 * them, or (set) a status that is not written. */
gboolean machine_vectors_get_control (const guint8 *state, gsize size, guint number,
                                      guint64 *ret_value);
gboolean machine_vectors_set_control (guint8 *state, gsize size, guint number, guint64 value);
