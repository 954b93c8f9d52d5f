/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actions "profile", which samples the ranks that are acted on, and "performance", which shows the
 * window of that, on a window's map. Signal "show-source" (const char *file, guint line): a line of the
 * profile is wanted in the window. Properties: "window", at construction; "session"; "panel" (GuiCommandPanel): profiling is lines of
 * it, and typed ones count as well. */
#pragma once
#include "gui/kit/command-panel.h"

#define GUI_TYPE_PROFILE_ACTIONS (gui_profile_actions_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileActions, gui_profile_actions, GUI, PROFILE_ACTIONS, GObject)

/* They live as long as the window. */
GuiProfileActions *gui_profile_actions_new (GtkApplicationWindow *window);
/* The state of "profile" is what the panel's lines have made it. */
void gui_profile_actions_update (GuiProfileActions *actions);
