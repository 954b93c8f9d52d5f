/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expression under the pointer: a name with the selectors to its left. */
#pragma once
#include <gtksourceview/gtksource.h>

/* "grid->cells[i].x" when the pointer is on x, "grid" when it is on grid; NULL on a number,
 * punctuation, a comment or a string. Caller owns. */
char *gui_source_word_dup (GtkSourceBuffer *buffer, const GtkTextIter *iter);
/* The same at a place of the view, in its widget's coordinates. */
char *gui_source_word_dup_at (GtkTextView *view, int x, int y);
/* The variables that the line (from 0) names, in its order, each once, the longest form: "grid->cells[i].x", "i". No
 * functions that are called, and no words of the languages. NULL-terminated; caller owns. */
char **gui_source_word_list (GtkSourceBuffer *buffer, guint line);
/* The same on a line of text; `at` is a byte's index. */
char *gui_source_word_find (const char *line, gsize at);
