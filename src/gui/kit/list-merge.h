/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Updates a list while the user works in it: rows that persist keep their identity, so that the
 * selection, the cursor and the scroll position stay. */
#pragma once
#include <gtk/gtk.h>

/* Gives store the rows of fresh, in its order. Both have the same columns. Rows are identified
 * by the value in the column key (guint or char *) or, for key -1, by their position. */
void gui_list_merge (GtkListStore *store, GtkListStore *fresh, int key);
/* An empty list with the columns of store; the caller frees it. */
GtkListStore *gui_list_new_alike (GtkListStore *store);
