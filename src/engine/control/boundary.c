/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a trap may stand at an address: an instruction must begin there. Debug information may be wrong or belong to
 * another file, and a trap inside an instruction changes what the program computes. So this
 * decodes the code from the start of its function, which the unwind tables of the running
 * program give. And the kernel sends a thread that is stopped in a restartable sequence to the sequence's start (rseq(2)),
 * where it would meet the trap again, without end. */
#include "engine/control/private.h"
#include <glib/gi18n.h>
#include <linux/rseq.h>

#define MAX_BEFORE (256u << 10) /* bytes of the function before the address */
#define MAX_INSTRUCTION 15
#define MAX_SEQUENCES 4096u /* of a file */

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

    if (engine_process_get_modules (process) == NULL
        || !stack_find_code_range (engine_process_get_modules (process), address, &start, &end)
        || address == start || address - start > MAX_BEFORE) {
        return TRUE;
    }
    size = (gsize) MIN (end - start, address - start + MAX_INSTRUCTION);
    bytes = g_malloc (size);
    size = base_memory_read_some (engine_process_get_memory (process), start, bytes, size);
    return begins_at (bytes, size, (gsize) (address - start));
}

static gboolean
is_restartable (EngineProcess *process, guint64 address)
{
    const StackModule *module = engine_process_get_modules (process) != NULL
                                    ? stack_modules_find (engine_process_get_modules (process),
                                                          address)
                                    : NULL;
    struct rseq_cs sequence;
    guint64 start, size;
    gboolean found = FALSE;

    if (module == NULL || !stack_module_find_section (module, "__rseq_cs", &start, &size)) {
        return FALSE;
    }
    for (guint i = 0; i < MIN (size / sizeof sequence, MAX_SEQUENCES) && !found; i++) {
        found = base_memory_read (engine_process_get_memory (process),
                                  start + i * sizeof sequence, &sequence, sizeof sequence, NULL)
                && address - sequence.start_ip < sequence.post_commit_offset;
    }
    return found;
}

gboolean
engine_boundary_check (EngineProcess *process, guint64 address, GError **error)
{
    GHashTable *boundaries = engine_process_get_boundaries (process);
    const char *why = NULL;

    if (g_hash_table_contains (boundaries, &address)) {
        return TRUE;
    }
    if (engine_process_get_modules (process) != NULL
        && !stack_modules_is_code (engine_process_get_modules (process), address)) {
        why = N_ ("no code is there");
    } else if (!look_through (process, address)) {
        why = N_ ("it is inside an instruction");
    } else if (is_restartable (process, address)) {
        why = N_ (
            "the code there begins again whenever its thread is stopped in it (a restartable sequence)");
    }
    if (why == NULL) {
        g_hash_table_add (boundaries, g_memdup2 (&address, sizeof address));
    } else {
        g_autofree char *at = base_text_format_address (address);

        base_error_set_because (error, BASE_ERROR_INVALID, "cannot plant a trap at %s: %s", at,
                                why);
    }
    return why == NULL;
}
