/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that comes in pieces: a character may be cut in two. */
#pragma once
#include <glib.h>

/* How many of the bytes stand before a character that is unfinished at their end; all of them when none is. */
gsize base_utf8_find_cut (const char *text, gsize size);
