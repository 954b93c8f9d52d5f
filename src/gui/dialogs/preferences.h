/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The preferences window, whose settings take effect and are saved at once, and the about
 * window. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_PREFERENCES (gui_preferences_get_type ())
G_DECLARE_FINAL_TYPE (GuiPreferences, gui_preferences, GUI, PREFERENCES, GtkWindow)

/* Shows it, or brings it to the front. Needs settings (gui_settings_get). */
void gui_preferences_show (GtkWindow *parent);
/* Makes theme, font and keys follow the settings; once, at startup. */
void gui_preferences_apply (GtkApplication *application);
void gui_preferences_show_about (GtkWindow *parent);
