/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/source/source-search.h"

gboolean
gui_source_search_find (GtkTextBuffer *buffer, const char *text, int step, GtkTextIter *start,
                        GtkTextIter *end)
{
    gboolean (*look) (const GtkTextIter *, const char *, GtkTextSearchFlags, GtkTextIter *,
                      GtkTextIter *, const GtkTextIter *)
        = step < 0 ? gtk_text_iter_backward_search : gtk_text_iter_forward_search;
    GtkTextIter from;

    gtk_text_buffer_get_iter_at_mark (buffer, &from, gtk_text_buffer_get_insert (buffer));
    if (step > 0) {
        gtk_text_iter_forward_char (&from);
    }
    if (look (&from, text, GTK_TEXT_SEARCH_CASE_INSENSITIVE, start, end, NULL)) {
        return TRUE;
    }
    if (step < 0) {
        gtk_text_buffer_get_end_iter (buffer, &from);
    } else {
        gtk_text_buffer_get_start_iter (buffer, &from);
    }
    return look (&from, text, GTK_TEXT_SEARCH_CASE_INSENSITIVE, start, end, NULL);
}
