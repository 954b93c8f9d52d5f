/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random damage to bytes that were well-formed. */
#pragma once
#include <glib.h>

/* PDDT_FUZZ_SEED, or a fixed one; printed, so that a failure can be had again. */
GRand *mutate_new_random (void);
/* One to eight changes: bits, bytes, numbers at their limits, parts left out, doubled, put in or taken from
 * the other bytes. Always differs from `from`. Transfer full. */
GByteArray *mutate_bytes (GRand *random, const guint8 *from, gsize size, const guint8 *other,
                          gsize other_size);
