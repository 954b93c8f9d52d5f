/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include <glib.h>

/* As gdb has it: the fewest digits, from 6, 15 or 18 on (5 of two bytes), that give the same number of so many bytes again. Caller owns. */
char *base_real_format (long double real, guint64 size);
