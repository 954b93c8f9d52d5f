/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Functions view: each function once, with its time over the ranks; below it who calls the selected
 * one and what it calls. */
#pragma once
#include "gui/profile/profile-view.h"

#define GUI_TYPE_PROFILE_FUNCTIONS (gui_profile_functions_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileFunctions, gui_profile_functions, GUI, PROFILE_FUNCTIONS,
                      GtkBox)

GtkWidget *gui_profile_functions_new (GuiProfileSelection *selection);
