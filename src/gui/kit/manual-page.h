/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of the manual in a text buffer, for desktops that have no program which shows HTML. */
#pragma once
#include <gtk/gtk.h>

/* What lowdown writes, and render.py around it. Unknown elements are left out, their text is not; scripts and styles are.
 * Pictures stand in the folder. Caller owns. */
GtkTextBuffer *gui_manual_page_new (const char *html, const char *folder);
/* Where the link there leads, "mpi.html#queues"; NULL: there is none. Borrowed, as long as the buffer. */
const char *gui_manual_page_find_link (const GtkTextIter *iter);
/* Where the element with that id begins. FALSE: there is none. */
gboolean gui_manual_page_find_id (GtkTextBuffer *buffer, const char *id, GtkTextIter *ret_iter);
