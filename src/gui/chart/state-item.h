/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A state in the legend: its colour, its name, and how many ranks are in it; without any it is hidden.
 * Properties: "state" (guint JobState), given at construction; "count" (guint). Signal "clicked" (). */
#pragma once
#include <gtk/gtk.h>
#include "job/state.h"

#define GUI_TYPE_STATE_ITEM (gui_state_item_get_type ())
G_DECLARE_FINAL_TYPE (GuiStateItem, gui_state_item, GUI, STATE_ITEM, GtkFlowBoxChild)

GtkWidget *gui_state_item_new (JobState state);
JobState gui_state_item_get_state (GuiStateItem *item);
