/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The letters of gdb's print/F, for numbers with known bits. */
#pragma once
#include <glib.h>

/* One of x d u o t z a c; bits above n_bits (1 to 64) are 0; is_signed matters for a and c.
 * Caller owns. */
char *evaluate_letter_format_bits (char letter, guint64 bits, guint n_bits, gboolean is_signed);
/* TRUE when values look the same as without a letter: none, s, r. */
gboolean evaluate_letter_is_plain (char letter);
