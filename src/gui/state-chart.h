/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chart of all ranks' states. Signal "set-chosen" (gpointer JobRankSet*, borrowed): a click on
 * a column, a drag over a range, a click on the totals bar. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_STATE_CHART (gui_state_chart_get_type ())
G_DECLARE_FINAL_TYPE (GuiStateChart, gui_state_chart, GUI, STATE_CHART, GtkDrawingArea)

GtkWidget *gui_state_chart_new (void);
void gui_state_chart_set_session (GuiStateChart *chart, Session *session);
/* "434 of 512 at a breakpoint, 52 running". Caller owns. */
char *gui_state_chart_format_counts (const guint32 *counts, guint32 n_ranks);
