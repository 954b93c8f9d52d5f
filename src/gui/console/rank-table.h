/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks of a group, one a row. Signals: "rank-chosen" (guint rank): a row was activated;
 * "set-chosen" (gpointer JobRankSet*, borrowed): the user has selected these rows. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_RANK_TABLE (gui_rank_table_get_type ())
G_DECLARE_FINAL_TYPE (GuiRankTable, gui_rank_table, GUI, RANK_TABLE, GtkScrolledWindow)

GtkWidget *gui_rank_table_new (void);
/* Shows the first 10,000 of the ranks, and follows the session's list of them while it is seen. */
void gui_rank_table_set_ranks (GuiRankTable *table, Session *session, const JobRankSet *ranks);
/* Selects their rows; emits nothing. */
void gui_rank_table_set_selection (GuiRankTable *table, const JobRankSet *set);
/* Shows only these ranks. NULL: all of the table's. */
void gui_rank_table_set_filter (GuiRankTable *table, const JobRankSet *set);
/* Updates the ages of stale rows. */
void gui_rank_table_update_ages (GuiRankTable *table);
