/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fast hash of long runs of bytes, by which values of many ranks are compared whole without being
 * sent. Equal hashes are equal bytes for all that chance can do; no one may rely on it against a
 * program that forges them. */
#pragma once
#include <glib.h>

/* One more word. */
guint64 base_hash_word (guint64 hash, guint64 word);
/* seed: 0, or the hash of what came before; then how the bytes are cut into calls counts. */
guint64 base_hash_bytes (guint64 seed, const void *bytes, gsize size);
