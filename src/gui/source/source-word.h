/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expression under the pointer: a name with the selectors to its left. */
#pragma once
#include <gtksourceview/gtksource.h>

/* "grid->cells[i].x" when the pointer is on x, "grid" when it is on grid; NULL on a number,
 * punctuation, a comment or a string. Caller owns. */
char *gui_source_word_dup (GtkSourceBuffer *buffer, const GtkTextIter *iter);
/* The same on a line of text; `at` is a byte's index. */
char *gui_source_word_find (const char *line, gsize at);
