/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bar for each rank: its time in each class, of the selected time. Above them a sentence on how evenly
 * they work. All ranks are shown; a click or a drag selects some, with Ctrl or Shift more. */
#pragma once
#include "gui/profile/profile-canvas.h"

#define GUI_TYPE_RANKS_VIEW (gui_ranks_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiRanksView, gui_ranks_view, GUI, RANKS_VIEW, GuiProfileCanvas)

GtkWidget *gui_ranks_view_new (GuiProfileSelection *selection);
/* "20 of 32 ranks did nothing: …"; caller owns. */
char *gui_ranks_view_dup_sentence (GuiRanksView *view);
/* The rank at that height of the visible picture. FALSE: there is none. */
gboolean gui_ranks_view_hit (GuiRanksView *view, double y, guint32 *ret_rank);
/* Before there is a widget of some size: the height that rows share. For tests. */
void gui_ranks_view_set_room (GuiRanksView *view, double height);
