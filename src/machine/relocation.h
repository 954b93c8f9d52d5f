/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loader writes into a module's data, by the type of the relocation. */
#pragma once
#include <glib.h>

typedef enum {
    MACHINE_RELOCATION_OTHER,
    MACHINE_RELOCATION_NONE,
    MACHINE_RELOCATION_BIAS,     /* the module's bias and the addend */
    MACHINE_RELOCATION_ADDRESS,  /* the symbol's address and the addend */
    MACHINE_RELOCATION_SLOT,     /* the symbol's address */
    MACHINE_RELOCATION_RESOLVER, /* what the function at bias and addend returns */
    MACHINE_RELOCATION_COPY,     /* the symbol's own bytes */
} MachineRelocation;

/* *ret_size: the bytes that it writes; 0 with COPY, which the symbol says. */
MachineRelocation machine_relocation_find (guint32 type, guint *ret_size);
