/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sets of the job: named ones, those in each state, those at each place, with their ranks
 * and numbers of ranks. Named ones can be renamed and deleted. Signals: "open" (gpointer
 * JobRankSet*, const char *name or NULL); "select" (gpointer JobRankSet*); "run-line" (const
 * char *line). */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_GROUP_LIST (gui_group_list_get_type ())
G_DECLARE_FINAL_TYPE (GuiGroupList, gui_group_list, GUI, GROUP_LIST, GtkBox)

GtkWidget *gui_group_list_new (void);
/* Does nothing while hidden; updates when shown. */
void gui_group_list_update (GuiGroupList *list, Session *session);
