/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chooser of the ranks that buttons, keys and typed lines act on: it shows the session's focus, also
 * where a typed `pick` has changed it, and is itself a `pick`. Signal "run-line" (const char *line).
 * Property "session". */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_ACT_ON (gui_act_on_get_type ())
G_DECLARE_FINAL_TYPE (GuiActOn, gui_act_on, GUI, ACT_ON, GtkBox)

/* What the user reads there, which may be half typed. Borrowed. */
const char *gui_act_on_get_text (GuiActOn *chooser);
