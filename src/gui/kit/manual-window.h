/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manual in a window of pddt's own, where the desktop has no program for it. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_MANUAL_WINDOW (gui_manual_window_get_type ())
G_DECLARE_FINAL_TYPE (GuiManualWindow, gui_manual_window, GUI, MANUAL_WINDOW, GtkWindow)

/* Shows that page, a path, whose links lead to others of its folder; the window that is open already, if there is one.
 * parent may be NULL. */
GtkWidget *gui_manual_window_open (GtkWindow *parent, const char *page);
