/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tries to load capstone once, and remembers the outcome. */
#include "machine/disassembler.h"
#include "base/error.h"
#include <dlfcn.h>

#define LIBRARY "libcapstone.so." G_STRINGIFY (CS_API_MAJOR)

static gboolean
load (MachineDisassembler *disassembler)
{
    void *library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
    const struct {
        const char *name;
        void **place;
    } functions[] = { { "cs_open", (void **) &disassembler->open },
                      { "cs_close", (void **) &disassembler->close },
                      { "cs_option", (void **) &disassembler->option },
                      { "cs_disasm", (void **) &disassembler->disasm },
                      { "cs_disasm_iter", (void **) &disassembler->disasm_iter },
                      { "cs_malloc", (void **) &disassembler->malloc },
                      { "cs_free", (void **) &disassembler->free },
                      { "cs_insn_group", (void **) &disassembler->insn_group } };

    for (gsize i = 0; library != NULL && i < G_N_ELEMENTS (functions); i++) {
        *functions[i].place = dlsym (library, functions[i].name);
        if (*functions[i].place == NULL) {
            return FALSE;
        }
    }
    return library != NULL;
}

const MachineDisassembler *
machine_disassembler_load (GError **error)
{
    static MachineDisassembler disassembler;
    static gboolean is_tried, is_loaded;

    if (!is_tried) {
        is_tried = TRUE;
        is_loaded = load (&disassembler);
        if (!is_loaded) {
            g_message ("no %s here: breakpoints may stop all threads of a rank for a moment",
                       LIBRARY);
        }
    }
    if (!is_loaded) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED,
                        "cannot disassemble: this host has no %s", LIBRARY);
        return NULL;
    }
    return &disassembler;
}
