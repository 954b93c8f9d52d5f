/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of decimal floating point, as they are written. */
#pragma once
#include <glib.h>

/* Reads "12.5e-3", all of it: `size` bytes (4, 8 or 16) of x86-64's encoding, rounded to the nearest, of
 * two to the even one, and to infinity. FALSE: it is no number, or there is no such size. */
gboolean index_decimal_parse (const char *text, guint64 size, guint8 ret_bytes[16]);
