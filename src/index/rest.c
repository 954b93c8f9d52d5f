/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the text of a value leaves out, as a hash: so that values of many ranks are compared whole, and
 * none is sent. Equal hashes are equal bytes for all that chance can do; no one may rely on it against
 * a program that forges them. */
#include <string.h>

#include "index/program-private.h"

#define CHUNK_BYTES (1u << 20)
#define PAGE_BYTES 4096u
#define N_LANES 4u

/* Odd, with bits all over; 2^64 by the golden ratio. */
static const guint64 FACTOR = G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

static guint64
mix (guint64 hash, guint64 word)
{
    hash = (hash ^ word) * FACTOR;
    return hash ^ hash >> 29;
}

guint64
index_rest_hash (guint64 seed, const guint8 *bytes, gsize size)
{
    guint64 lanes[N_LANES] = { seed, seed + 1, seed + 2, seed + 3 }, words[N_LANES], hash = size;

    while (size > 0) {
        gsize part = MIN (size, sizeof words);

        if (part < sizeof words)
            memset (words, 0, sizeof words);
        memcpy (words, bytes, part);
        for (guint i = 0; i < N_LANES; i++)
            lanes[i] = mix (lanes[i], words[i]);
        bytes += part;
        size -= part;
    }
    for (guint i = 0; i < N_LANES; i++)
        hash = mix (hash, lanes[i]);
    return hash;
}

void
index_rest_note (IndexRun *run, guint64 hash)
{
    run->rest = mix (run->rest, hash);
    if (run->rest == 0)
        run->rest = 1; /* 0: nothing is left out */
}

gboolean
index_rest_read (IndexRun *run, guint64 address, guint64 size, guint64 *hash)
{
    g_autofree guint8 *chunk = g_malloc (MIN (size, CHUNK_BYTES) + 1);

    while (size > 0) {
        gsize part = MIN (size, CHUNK_BYTES);

        if (base_memory_read_some (run->context->memory, address, chunk, part) != part)
            return FALSE;
        *hash = index_rest_hash (*hash, chunk, part);
        address += part;
        size -= part;
    }
    return TRUE;
}

void
index_rest_note_text (IndexRun *run, guint64 address, guint64 size, guint width)
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
        hash = index_rest_hash (hash, page, used);
        address += used;
    }
    if (run->limits->compared > 0)
        index_rest_note (run, hash);
}
