/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks of a group, one a row. Signals: "rank-chosen" (guint rank): a row was activated;
 * "set-chosen" (gpointer JobRankSet*, borrowed): the user has selected these rows. Properties, the last
 * three GUI_TYPE_RANK_SET:
 *  "session"     whose list of ranks it follows while it is seen
 *  "ranks"       the first 10,000 of these have rows; NULL: none is known yet
 *  "filter"      only these of them are shown; NULL: all
 *  "selection"   the selected rows */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_RANK_TABLE (gui_rank_table_get_type ())
G_DECLARE_FINAL_TYPE (GuiRankTable, gui_rank_table, GUI, RANK_TABLE, GtkScrolledWindow)

GtkWidget *gui_rank_table_new (void);
/* Updates the ages of stale rows. */
void gui_rank_table_update_ages (GuiRankTable *table);
