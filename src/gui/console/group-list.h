/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sets of the job: named ones, those in each state, those at each place, with their ranks
 * and numbers of ranks. Named ones can be renamed and deleted. Signals: "open" (gpointer
 * JobRankSet*, const char *name or NULL); "select" (gpointer JobRankSet*); "run-line" (const
 * char *line). Property "session": it follows its lists, those of groups only while it is seen. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_GROUP_LIST (gui_group_list_get_type ())
G_DECLARE_FINAL_TYPE (GuiGroupList, gui_group_list, GUI, GROUP_LIST, GtkBox)

/* Ranks have changed: which ones are in the live sets? Nothing while hidden. */
void gui_group_list_update_live (GuiGroupList *list);
void gui_group_list_update_ages (GuiGroupList *list);
