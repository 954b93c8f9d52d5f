/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/kit/list-follow.h"

void
gui_list_follow (GtkListStore *store, guint position, guint removed, guint added,
                 GuiListFill fill, gpointer user)
{
    GtkTreeModel *model = GTK_TREE_MODEL (store);
    guint n = MIN (removed, added);
    GtkTreeIter iter;

    if (n > 0 && gtk_tree_model_iter_nth_child (model, &iter, NULL, (int) position)) {
        for (guint i = 0; i < n; i++) {
            fill (user, position + i, &iter);
            gtk_tree_model_iter_next (model, &iter);
        }
    }
    if (removed > n
        && gtk_tree_model_iter_nth_child (model, &iter, NULL, (int) (position + n))) {
        for (guint i = n; i < removed; i++) {
            gtk_list_store_remove (store, &iter);
        }
    }
    for (guint i = n; i < added; i++) {
        gtk_list_store_insert (store, &iter, (int) (position + i));
        fill (user, position + i, &iter);
    }
}
