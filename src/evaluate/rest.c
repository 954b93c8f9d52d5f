/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hashes the part of a value that its text leaves out, so that values of many ranks can be
 * compared completely without sending them. */
#include <string.h>

#include "base/hash.h"
#include "evaluate/program-private.h"

#define CHUNK_BYTES (1u << 20)
#define PAGE_BYTES 4096u

void
evaluate_rest_note (EvaluateRun *run, guint64 hash)
{
    run->rest = base_hash_word (run->rest, hash);
    if (run->rest == 0)
        run->rest = 1; /* 0: nothing is left out */
}

gboolean
evaluate_rest_read (EvaluateRun *run, guint64 address, guint64 size, guint64 *hash)
{
    g_autofree guint8 *chunk = g_malloc (MIN (size, CHUNK_BYTES) + 1);

    while (size > 0) {
        gsize part = MIN (size, CHUNK_BYTES);

        if (base_memory_read_some (run->context->memory, address, chunk, part) != part)
            return FALSE;
        *hash = base_hash_bytes (*hash, chunk, part);
        address += part;
        size -= part;
    }
    return TRUE;
}

void
evaluate_rest_note_text (EvaluateRun *run, guint64 address, guint64 size, guint width)
{
    static const guint8 zero[4];
    guint8 page[PAGE_BYTES];
    guint64 hash = width, end = address + MIN (size, run->limits->compared);
    gboolean is_over = run->limits->compared == 0 || end < address;

    while (!is_over && address < end) {
        /* up to the end of a page: behind it nothing may be */
        gsize part = MIN (PAGE_BYTES - address % PAGE_BYTES, end - address), used = 0;
        gsize done = base_memory_read_some (run->context->memory, address, page, part);

        while (used + width <= done && memcmp (page + used, zero, width) != 0)
            used += width;
        is_over = used + width <= done || done < part || used == 0;
        hash = base_hash_bytes (hash, page, used);
        address += used;
    }
    if (run->limits->compared > 0)
        evaluate_rest_note (run, hash);
}
