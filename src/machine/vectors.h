/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The positions of vector registers in an extended state (XSAVE's standard form: Intel SDM
 * volume 1, chapter 13). They differ between processors, which report them by CPUID. */
#pragma once
#include <glib.h>

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
