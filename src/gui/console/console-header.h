/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The console window's header bar: New Session, the main menu, Help; below the title what runs, and for how
 * long. Property "session". */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_CONSOLE_HEADER (gui_console_header_get_type ())
G_DECLARE_FINAL_TYPE (GuiConsoleHeader, gui_console_header, GUI, CONSOLE_HEADER, GtkHeaderBar)

/* Shows the time that has gone by. */
void gui_console_header_update (GuiConsoleHeader *header);
