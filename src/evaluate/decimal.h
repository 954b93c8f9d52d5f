/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing of decimal floating point numbers. */
#pragma once
#include <glib.h>

/* Reads "12.5e-3", all of it: `size` bytes (4, 8 or 16) of x86-64's encoding, rounded to
 * nearest, ties to even, overflow to infinity. FALSE: it is no number, or the size is wrong. */
gboolean evaluate_decimal_parse (const char *text, guint64 size, guint8 ret_bytes[16]);
