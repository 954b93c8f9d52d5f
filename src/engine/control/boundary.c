/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether an instruction begins at an address. Debug information may be wrong or belong to
 * another file, and a trap inside an instruction changes what the program computes. So this
 * decodes the code from the start of its function, which the unwind tables of the running
 * program give. */
#include "engine/control/private.h"

#define MAX_BEFORE (256u << 10) /* bytes of the function before the address */
#define MAX_INSTRUCTION 15

/* FALSE: an instruction lies around the address. Bytes that are none (a table between instructions) prove
 * nothing. */
static gboolean
begins_at (const guint8 *bytes, gsize size, gsize wanted)
{
    gsize at = 0, length = 1;

    while (at < wanted && length > 0) {
        length = machine_code_get_length (bytes + at, size - at);
        at += length;
    }
    return length == 0 || at == wanted;
}

static gboolean
look_through (EngineProcess *process, guint64 address)
{
    g_autofree guint8 *bytes = NULL;
    guint64 start = 0, end = 0;
    gsize size;

    if (process->modules == NULL
        || !stack_find_code_range (process->modules, address, &start, &end) || address == start
        || address - start > MAX_BEFORE) {
        return TRUE;
    }
    size = (gsize) MIN (end - start, address - start + MAX_INSTRUCTION);
    bytes = g_malloc (size);
    size = base_memory_read_some (process->memory, start, bytes, size);
    return begins_at (bytes, size, (gsize) (address - start));
}

gboolean
engine_boundary_check (EngineProcess *process, guint64 address, GError **error)
{
    gboolean good;

    if (process->boundaries == NULL) {
        process->boundaries = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    }
    good = g_hash_table_contains (process->boundaries, &address)
           || look_through (process, address);
    if (good) {
        g_hash_table_add (process->boundaries, g_memdup2 (&address, sizeof address));
    } else {
        g_autofree char *at = base_text_format_address (address);

        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot plant a trap at %s: it is inside an instruction", at);
    }
    return good;
}
