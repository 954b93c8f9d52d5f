/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one place that makes foreign text safe to show. Names from a program, a file or another
 * host may contain control characters that drive a terminal, a newline that forges a line of
 * pddt's, or marks that reverse the direction of text; each is replaced by a C escape
 * sequence. */
#pragma once
#include <glib.h>

typedef enum {
    BASE_ESCAPE_NAME = 0, /* one line, no tab */
    BASE_ESCAPE_KEEP_TABS = 1 << 0,
    BASE_ESCAPE_KEEP_LINES = 1 << 1,   /* newline and tab stay */
    BASE_ESCAPE_KEEP_COLOURS = 1 << 2, /* "ESC [ numbers m" stays; reset at the end */
    BASE_ESCAPE_FOR_BYTES = 1 << 3,    /* for readers without UTF-8: no byte 0x80 to 0x9f */
} BaseEscapeFlags;

/* Characters that are replaced: C0 (except what the flags keep), DEL, C1, direction marks
 * (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+206F), U+2028, U+2029, U+FEFF, U+FFF9
 * to U+FFFB, tags (U+E0000 to U+E007F), and bytes 0x80 to 0x9f outside UTF-8 sequences. Other
 * bytes stay as they are. */
gboolean base_escape_is_clean (const char *text, gsize size, BaseEscapeFlags flags);
void base_escape_append (GString *to, const char *text, gsize size, BaseEscapeFlags flags);
/* Takes ownership of text and returns it, or its escaped copy; NULL returns NULL. */
char *base_escape_take (char *text, BaseEscapeFlags flags);
/* Caller owns; NULL returns NULL. */
char *base_escape_dup (const char *text, BaseEscapeFlags flags);
