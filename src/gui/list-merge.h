/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list that is read anew while somebody works in it: rows that are still there stay the same
 * rows, so that what is selected, the cursor and the scroll position stay where they are. */
#pragma once
#include <gtk/gtk.h>

/* Makes the rows of store those of fresh, in its order. Both have the same columns. A row is the
 * same as one of before when both have the same value in the column key (guint or char *), or, for
 * key -1, the same place in the list. */
void gui_list_merge (GtkListStore *store, GtkListStore *fresh, int key);
/* An empty list with the columns of store; the caller frees it. */
GtkListStore *gui_list_new_alike (GtkListStore *store);
