/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole run: which share of the ranks did what, over time, and below it what they used, as bands
 * from the least rank to the most. A drag selects a stretch of time; the wheel zooms the picture, not the
 * selection. */
#pragma once
#include "gui/profile/profile-canvas.h"

#define GUI_TYPE_ACTIVITY_VIEW (gui_activity_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiActivityView, gui_activity_view, GUI, ACTIVITY_VIEW, GuiProfileCanvas)

GtkWidget *gui_activity_view_new (GuiProfileSelection *selection);
/* Zooms to that stretch, in s. */
void gui_activity_view_set_shown (GuiActivityView *view, double begin_s, double end_s);
