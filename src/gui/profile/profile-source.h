/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Source view: files by their time, and their text with the time of each line beside it. Property
 * "session": knows where moved files are, and learns it when the user chooses a folder. */
#pragma once
#include "gui/profile/profile-view.h"
#include "session/session.h"

#define GUI_TYPE_PROFILE_SOURCE (gui_profile_source_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileSource, gui_profile_source, GUI, PROFILE_SOURCE, GtkPaned)

GtkWidget *gui_profile_source_new (GuiProfileSelection *selection);
/* Shows that line, whatever is selected. */
void gui_profile_source_show (GuiProfileSource *view, const char *file, guint line);
/* Looks for files that are missing in this folder as well. */
void gui_profile_source_add_folder (GuiProfileSource *view, const char *folder);
