/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Below the views: the merged stack of a moment, Python and native frames in one, with the ranks that were
 * there. A view (profile-view.h) only for its signals and its menu. Signal "closed" (). Property "selection". */
#pragma once
#include "gui/profile/profile-view.h"

#define GUI_TYPE_MOMENT_PANE (gui_moment_pane_get_type ())
G_DECLARE_FINAL_TYPE (GuiMomentPane, gui_moment_pane, GUI, MOMENT_PANE, GtkBox)

/* rank and thread: as for profile_moment_new; the stack of that rank is selected. */
void gui_moment_pane_show (GuiMomentPane *pane, double time_s, guint rank, guint thread);
