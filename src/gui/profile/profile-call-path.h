/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The callers of the Calls view's root as buttons, the outermost first. Signal "chosen" (guint
 * context): that one shall be the root; 0: everything. */
#pragma once
#include <gtk/gtk.h>
#include "profile/call-tree.h"

#define GUI_TYPE_PROFILE_CALL_PATH (gui_profile_call_path_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileCallPath, gui_profile_call_path, GUI, PROFILE_CALL_PATH, GtkBox)

/* Of a long path the last ones, and a button for the one before them. */
void gui_profile_call_path_show (GuiProfileCallPath *path, const ProfileCosts *costs,
                                 const ProfileCallTree *tree, guint32 root);
