/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chart of all ranks' states. Signals: "set-chosen" (gpointer JobRankSet*, borrowed, guint
 * GuiSelectHow): a click on a column or on the totals bar, a drag, the keys; "opened" (): a
 * double click, Enter; "menu" (gpointer GdkEvent*): a right click, the menu key. Properties: "session";
 * "selection" (GUI_TYPE_RANK_SET): ranks that are outlined; "is-low": it takes little height, and has no
 * totals bar. */
#pragma once
#include <gtk/gtk.h>
#include "gui/chart/selection-bar.h"
#include "session/session.h"

#define GUI_TYPE_STATE_CHART (gui_state_chart_get_type ())
G_DECLARE_FINAL_TYPE (GuiStateChart, gui_state_chart, GUI, STATE_CHART, GtkDrawingArea)

/* "8 ranks: 1 crashed (SIGFPE), 7 at a breakpoint". Caller owns. */
char *gui_state_chart_format_counts (const Session *session);
