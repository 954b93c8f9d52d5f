/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job by state and place: a row for each state line. Signal "set-chosen" (gpointer
 * JobRankSet*, borrowed): a row was activated. Properties: "session": whose groups it follows while it is
 * seen; "ranks" (GUI_TYPE_RANK_SET): groups of these, NULL: of all. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_PLACE_LIST (gui_place_list_get_type ())
G_DECLARE_FINAL_TYPE (GuiPlaceList, gui_place_list, GUI, PLACE_LIST, GtkScrolledWindow)

GtkWidget *gui_place_list_new (void);
void gui_place_list_update_ages (GuiPlaceList *list);
