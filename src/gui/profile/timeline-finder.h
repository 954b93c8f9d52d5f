/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bar that searches in the Timeline: Enter goes to the next occurrence, Shift and Enter to the one before. Property:
 * "view", a GuiTimelineView, set once. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_TIMELINE_FINDER (gui_timeline_finder_get_type ())
G_DECLARE_FINAL_TYPE (GuiTimelineFinder, gui_timeline_finder, GUI, TIMELINE_FINDER, GtkBox)
