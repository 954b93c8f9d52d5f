/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function's callers or callees as a list, or its callers' callers as a tree. Property "title", given at
 * construction: heads the first column and is its name for assistive technology. Signals: "activated"
 * (guint function, guint context): Enter, or a double click. "menu" (guint function, guint context,
 * GdkEvent *): its menu is wanted, at the event or (NULL) at the widget. */
#pragma once
#include <gtk/gtk.h>
#include "profile/call-tree.h"

#define GUI_TYPE_PROFILE_EDGE_LIST (gui_profile_edge_list_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileEdgeList, gui_profile_edge_list, GUI, PROFILE_EDGE_LIST,
                      GtkTreeView)

/* edges: of ProfileEdge; NULL: nothing. */
void gui_profile_edge_list_show (GuiProfileEdgeList *list, const ProfileCosts *costs,
                                 const GArray *edges);
/* The root is not shown: its callers are the rows, and the way of the most time is open. */
void gui_profile_edge_list_show_tree (GuiProfileEdgeList *list, const ProfileCosts *costs,
                                      const ProfileCallTree *tree);
