/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a source file as text that a widget can show. */
#pragma once
#include <gtksourceview/gtksource.h>
#include <glib.h>

typedef enum {
    GUI_SOURCE_UTF_8,
    GUI_SOURCE_LATIN_1,
    GUI_SOURCE_WINDOWS, /* Windows-1252 */
    GUI_SOURCE_DAMAGED, /* UTF-8 with bytes that are none, now U+FFFD */
} GuiSourceEncoding;

/* UTF-8 without control characters, lines end with a newline, the last one without. What is not UTF-8 is
 * taken for the old encoding of Western languages, unless most of its other characters are UTF-8.
 * Caller owns. */
char *gui_source_text_dup (const char *bytes, gsize size, GuiSourceEncoding *ret_encoding);
/* Shows the text in the view. is_shown: there is one already. FALSE: it is the same. */
gboolean gui_source_text_set (GtkTextView *view, const char *text, gsize size,
                              gboolean is_shown, GuiSourceEncoding *ret_encoding);
