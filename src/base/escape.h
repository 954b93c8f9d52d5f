/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one place that makes foreign text safe to show. What a program, a file or another host names may
 * hold control characters that drive a terminal, a newline that forges a line of pddt's, or marks that
 * turn the direction of text round; each is replaced by a backslash and its number, as C writes it. */
#pragma once
#include <glib.h>

typedef enum {
    BASE_ESCAPE_NAME = 0,             /* one line, no tab */
    BASE_ESCAPE_KEEP_TABS = 1 << 0,
    BASE_ESCAPE_KEEP_LINES = 1 << 1,  /* newline and tab stay */
    BASE_ESCAPE_KEEP_COLOURS = 1 << 2, /* "ESC [ numbers m" stays, and is taken back at the end */
    BASE_ESCAPE_FOR_BYTES = 1 << 3,   /* for who does not read UTF-8: no byte of 0x80 to 0x9f stays */
} BaseEscapeFlags;

/* Characters that are replaced: C0 (but what the flags keep), DEL, C1, marks of direction (U+061C,
 * U+200E, U+200F, U+202A to U+202E, U+2066 to U+206F), U+2028, U+2029, U+FEFF, U+FFF9 to U+FFFB, tags
 * (U+E0000 to U+E007F), and bytes of 0x80 to 0x9f that are no UTF-8. Other bytes stay as they are. */
gboolean base_escape_is_clean (const char *text, gsize size, BaseEscapeFlags flags);
void base_escape_append (GString *to, const char *text, gsize size, BaseEscapeFlags flags);
/* The text itself where it is clean. Takes it and gives it back; NULL stays NULL. */
char *base_escape_take (char *text, BaseEscapeFlags flags);
/* Caller owns; NULL of NULL. */
char *base_escape_dup (const char *text, BaseEscapeFlags flags);
