/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The letters of gdb's print/F, for numbers whose bits are known. */
#pragma once
#include <glib.h>

/* One of x d u o t z a c; bits above n_bits (1 to 64) are 0; is_signed counts for a and c. Caller owns. */
char *index_letter_format_bits (char letter, guint64 bits, guint n_bits, gboolean is_signed);
/* Shows values as they are without one: none, s, r. */
gboolean index_letter_is_plain (char letter);
