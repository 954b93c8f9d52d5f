/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Searching in a source file. */
#pragma once
#include <gtk/gtk.h>

/* The text in any case of its letters, from the cursor on and then around. step: 0 at the cursor or after it, 1
 * after it, -1 before it. FALSE: it is nowhere. */
gboolean gui_source_search_find (GtkTextBuffer *buffer, const char *text, int step,
                                 GtkTextIter *start, GtkTextIter *end);
