/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an instruction begins at an address. What debug information says may be wrong, or of another
 * file; a trap inside an instruction changes what the program computes. So the code is decoded from where
 * its function begins, by the unwind tables that the running program itself uses. */
#include "engine/disassembler.h"
#include "engine/private.h"

#define MAX_BEFORE (256u << 10) /* bytes of the function before the address */
#define MAX_INSTRUCTION 15

/* FALSE: an instruction lies around the address. Bytes that are none (a table between instructions) prove
 * nothing. */
static gboolean
begins_at (const EngineDisassembler *capstone, csh handle, const guint8 *bytes, gsize size, gsize wanted)
{
    cs_insn *instruction = capstone->malloc (handle);
    uint64_t at = 0;
    size_t left = size;
    gboolean is_code = TRUE;

    while (at < wanted && is_code) {
        is_code = capstone->disasm_iter (handle, &bytes, &left, &at, instruction);
    }
    capstone->free (instruction, 1);
    return !is_code || at == wanted;
}

static gboolean
decode (EngineProcess *process, guint64 address)
{
    static csh handle;
    const EngineDisassembler *capstone;
    g_autofree guint8 *bytes = NULL;
    guint64 start = 0, end = 0;
    gsize size;

    if (process->modules == NULL || !stack_find_code_range (process->modules, address, &start, &end)
        || address == start || address - start > MAX_BEFORE) {
        return TRUE;
    }
    capstone = engine_disassembler_load (NULL);
    if (capstone == NULL
        || (handle == 0 && capstone->open (CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)) {
        return TRUE;
    }
    size = (gsize) MIN (end - start, address - start + MAX_INSTRUCTION);
    bytes = g_malloc (size);
    size = base_memory_read_some (process->memory, start, bytes, size);
    return begins_at (capstone, handle, bytes, size, (gsize) (address - start));
}

gboolean
engine_boundary_check (EngineProcess *process, guint64 address, GError **error)
{
    gboolean good;

    if (process->boundaries == NULL) {
        process->boundaries = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    }
    good = g_hash_table_contains (process->boundaries, &address) || decode (process, address);
    if (good) {
        g_hash_table_add (process->boundaries, g_memdup2 (&address, sizeof address));
    } else {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "cannot plant a trap at 0x%" G_GINT64_MODIFIER
                     "x: it is inside an instruction", address);
    }
    return good;
}
