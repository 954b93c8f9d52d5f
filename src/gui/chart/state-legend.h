/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A button for each state that occurs, with its count. Signal "set-chosen" (gpointer JobRankSet*,
 * borrowed, guint GuiSelectHow): all ranks in the state that was pressed. Property "session". */
#pragma once
#include <gtk/gtk.h>
#include "gui/chart/selection-bar.h"
#include "session/session.h"

#define GUI_TYPE_STATE_LEGEND (gui_state_legend_get_type ())
G_DECLARE_FINAL_TYPE (GuiStateLegend, gui_state_legend, GUI, STATE_LEGEND, GtkFlowBox)

/* Updates the counts; the window decides how often. */
void gui_state_legend_update (GuiStateLegend *legend);
