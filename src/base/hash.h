/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fast hash that compares large values of many ranks without sending them. Accidental
 * collisions are negligible, but a program can forge them: it is no protection against an
 * attacker. */
#pragma once
#include <glib.h>

/* One more word. */
guint64 base_hash_word (guint64 hash, guint64 word);
/* seed: 0, or the hash of the preceding bytes. Splitting the bytes differently gives another
 * hash. */
guint64 base_hash_bytes (guint64 seed, const void *bytes, gsize size);
