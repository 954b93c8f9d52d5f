/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four independent lanes of multiplications, so that memory bandwidth is the limit. */
#include "base/hash.h"
#include <string.h>

#define N_LANES 4u

/* Odd, with bits all over; 2^64 by the golden ratio. */
static const guint64 FACTOR = G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

guint64
base_hash_word (guint64 hash, guint64 word)
{
    hash = (hash ^ word) * FACTOR;
    return hash ^ hash >> 29;
}

guint64
base_hash_bytes (guint64 seed, const void *bytes, gsize size)
{
    guint64 lanes[N_LANES] = { seed, seed + 1, seed + 2, seed + 3 }, words[N_LANES],
            hash = size;
    const guint8 *at = bytes;

    while (size > 0) {
        gsize part = MIN (size, sizeof words);

        if (part < sizeof words) {
            memset (words, 0, sizeof words);
        }
        memcpy (words, at, part);
        for (guint i = 0; i < N_LANES; i++) {
            lanes[i] = base_hash_word (lanes[i], words[i]);
        }
        at += part;
        size -= part;
    }
    for (guint i = 0; i < N_LANES; i++) {
        hash = base_hash_word (hash, lanes[i]);
    }
    return hash;
}
