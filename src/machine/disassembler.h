/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capstone, loaded on first use: its tables need more memory than the rest of an idle daemon,
 * and relocating them takes longer than the daemon's start. */
#pragma once
#include <capstone/capstone.h>
#include <glib.h>

typedef struct {
    __typeof__ (&cs_open) open;
    __typeof__ (&cs_close) close;
    __typeof__ (&cs_option) option;
    __typeof__ (&cs_disasm) disasm;
    __typeof__ (&cs_disasm_iter) disasm_iter;
    __typeof__ (&cs_malloc) malloc;
    __typeof__ (&cs_free) free;
    __typeof__ (&cs_insn_group) insn_group;
} MachineDisassembler;

/* NULL with UNSUPPORTED when this host has no capstone of the version pddt was built with. */
const MachineDisassembler *machine_disassembler_load (GError **error);
