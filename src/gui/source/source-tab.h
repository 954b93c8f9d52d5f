/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tab of a source file: its short name and a button. Property "file": its whole name, given at construction.
 * Signal "closed" (): the user pressed the button. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_SOURCE_TAB (gui_source_tab_get_type ())
G_DECLARE_FINAL_TYPE (GuiSourceTab, gui_source_tab, GUI, SOURCE_TAB, GtkBox)

GtkWidget *gui_source_tab_new (const char *file);
