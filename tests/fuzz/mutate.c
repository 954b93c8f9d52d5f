/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The changes, all equally likely. */
#include "mutate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 20261121
#define MAX_CHANGES 8
#define MAX_PART 64

GRand *
mutate_new_random (void)
{
    const char *given = g_getenv ("PDDT_FUZZ_SEED");
    guint32 seed = given ? (guint32) strtoul (given, NULL, 10) : SEED;
    printf ("# PDDT_FUZZ_SEED=%u\n", seed);
    return g_rand_new_with_seed (seed);
}

static guint
pick (GRand *random, gsize below)
{
    return below > 0 ? g_rand_int (random) % (guint) below : 0;
}

static void
put_number (GRand *random, GByteArray *bytes, guint at)
{
    static const guint64 limits[] = { 0,
                                      1,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0x7fff,
                                      0xffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      G_MAXUINT64 };
    guint64 number = GUINT64_TO_LE (limits[pick (random, G_N_ELEMENTS (limits))]);
    guint size = 1u << pick (random, 4);
    memcpy (bytes->data + at, &number, MIN (bytes->len - at, size));
}

static void
insert (GByteArray *bytes, guint at, const guint8 *part, guint size)
{
    g_autofree guint8 *copy = g_memdup2 (part, size);
    g_byte_array_set_size (bytes, bytes->len + size);
    memmove (bytes->data + at + size, bytes->data + at, bytes->len - size - at);
    memcpy (bytes->data + at, copy, size);
}

static void
change (GRand *random, GByteArray *bytes, const guint8 *other, gsize other_size)
{
    guint at = pick (random, bytes->len), left = MIN (bytes->len - at, MAX_PART);
    guint size = 1 + pick (random, left);
    guint8 noise[MAX_PART];
    guint from = pick (random, other_size);
    switch (pick (random, 8)) {
    case 0: bytes->data[at] ^= (guint8) (1u << pick (random, 8)); break;
    case 1: bytes->data[at] = (guint8) g_rand_int (random); break;
    case 2: put_number (random, bytes, at); break;
    case 3: g_byte_array_remove_range (bytes, at, MIN (size, bytes->len - at)); break;
    case 4: insert (bytes, at, bytes->data + at, MIN (size, bytes->len - at)); break;
    case 5:
        for (guint i = 0; i < size && i < MAX_PART; i++) {
            noise[i] = (guint8) g_rand_int (random);
        }
        insert (bytes, at, noise, MIN (size, MAX_PART));
        break;
    case 6: g_byte_array_set_size (bytes, at); break;
    default:
        if (other_size > 0) {
            size = MIN (MIN (size, bytes->len - at), (guint) other_size - from);
            memcpy (bytes->data + at, other + from, size);
        }
    }
}

GByteArray *
mutate_bytes (GRand *random, const guint8 *from, gsize size, const guint8 *other,
              gsize other_size)
{
    GByteArray *bytes = g_byte_array_new ();
    g_byte_array_append (bytes, from, (guint) size);
    guint n = 1 + pick (random, MAX_CHANGES);
    for (guint i = 0; i < n && bytes->len > 0; i++) {
        change (random, bytes, other, other_size);
    }
    if (bytes->len == size && (size == 0 || memcmp (bytes->data, from, size) == 0)) {
        guint8 one = (guint8) g_rand_int (random);
        g_byte_array_append (bytes, &one, 1);
    }
    return bytes;
}
