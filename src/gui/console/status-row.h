/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line above the chart: how many ranks are in which state, a step that is under way, hosts that are
 * silent; how old that is; Auto-refresh, which is a setting, and Update. Property "session". Signal
 * "refresh" (): Auto-refresh asks; the row itself has asked for the states. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_STATUS_ROW (gui_status_row_get_type ())
G_DECLARE_FINAL_TYPE (GuiStatusRow, gui_status_row, GUI, STATUS_ROW, GtkBox)

/* Shows what is now; the window decides how often, because it triggers a layout. */
void gui_status_row_update (GuiStatusRow *row);
/* Only what changes by the second. */
void gui_status_row_update_age (GuiStatusRow *row);
/* Switches auto-refresh off, or on with the last period or 1 s. */
void gui_status_row_toggle_auto (GuiStatusRow *row);
