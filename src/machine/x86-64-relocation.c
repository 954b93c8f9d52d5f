/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86-64: System V psABI, 4.4 "Relocation". */
#include "machine/relocation.h"
#include <elf.h>

MachineRelocation
machine_relocation_find (guint32 type, guint *ret_size)
{
    *ret_size = 8;
    switch (type) {
    case R_X86_64_NONE: *ret_size = 0; return MACHINE_RELOCATION_NONE;
    case R_X86_64_RELATIVE: return MACHINE_RELOCATION_BIAS;
    case R_X86_64_64: return MACHINE_RELOCATION_ADDRESS;
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_GLOB_DAT: return MACHINE_RELOCATION_SLOT;
    case R_X86_64_IRELATIVE: return MACHINE_RELOCATION_RESOLVER;
    case R_X86_64_COPY: *ret_size = 0; return MACHINE_RELOCATION_COPY;
    case R_X86_64_TLSDESC: *ret_size = 16; return MACHINE_RELOCATION_OTHER;
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_PC32: *ret_size = 4; return MACHINE_RELOCATION_OTHER;
    default: return MACHINE_RELOCATION_OTHER;
    }
}
