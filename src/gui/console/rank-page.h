/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of all ranks, and which of them it shows. Signals as of the table: "rank-chosen" (guint rank),
 * "set-chosen" (gpointer JobRankSet*). Properties: "session"; "selection" (GUI_TYPE_RANK_SET): the rows that
 * are selected, and the only ones shown where the user wants that. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_RANK_PAGE (gui_rank_page_get_type ())
G_DECLARE_FINAL_TYPE (GuiRankPage, gui_rank_page, GUI, RANK_PAGE, GtkBox)

/* There may be other ranks. */
void gui_rank_page_update (GuiRankPage *page);
void gui_rank_page_update_ages (GuiRankPage *page);
