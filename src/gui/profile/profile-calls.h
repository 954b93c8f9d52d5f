/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Calls view: who has called whom for how long, as an icicle or a sunburst. A click makes a call
 * the root, and the selected context; a click on the root, or Backspace, goes back. */
#pragma once
#include "gui/profile/profile-view.h"

#define GUI_TYPE_PROFILE_CALLS (gui_profile_calls_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileCalls, gui_profile_calls, GUI, PROFILE_CALLS, GtkBox)

GtkWidget *gui_profile_calls_new (GuiProfileSelection *selection);
void gui_profile_calls_set_polar (GuiProfileCalls *view, gboolean is_polar);
