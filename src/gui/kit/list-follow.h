/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list store whose rows are those of a GListModel, in its order. */
#pragma once
#include <gtk/gtk.h>

/* Fills the row of the list's item at the position. */
typedef void (*GuiListFill) (gpointer user, guint position, GtkTreeIter *row);
/* Does to the rows what "items-changed" has said: rows of items that only say something else stay, and with
 * them selection and scroll. */
void gui_list_follow (GtkListStore *store, guint position, guint removed, guint added,
                      GuiListFill fill, gpointer user);
