/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a source file as text that a widget can show. */
#pragma once
#include <glib.h>

/* UTF-8 without control characters, lines end with a newline, the last one without. Caller owns. */
char *gui_source_text_dup (const char *bytes, gsize size);
