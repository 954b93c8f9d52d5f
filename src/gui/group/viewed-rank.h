/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For a window's toolbar: the choice of the rank whose source and values are shown, and how old they
 * are. Signal "chosen" (guint rank): by the user. Properties: "ranks" (GUI_TYPE_RANK_SET): those to
 * choose from; "rank" (guint): the viewed one; "age-text": text, NULL when they are new. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_VIEWED_RANK (gui_viewed_rank_get_type ())
G_DECLARE_FINAL_TYPE (GuiViewedRank, gui_viewed_rank, GUI, VIEWED_RANK, GtkBox)
