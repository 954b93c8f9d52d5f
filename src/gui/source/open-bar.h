/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An entry for a file, FILE:LINE, a line or a function, with completion. Signals:
 *  "open" (const char *file, guint line) file "": the visible one
 *  "lookup" (const char *text) find names that match text: answer with add_function, then call
 *  finish
 * Property "session": whose files it shows. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_OPEN_BAR (gui_open_bar_get_type ())
G_DECLARE_FINAL_TYPE (GuiOpenBar, gui_open_bar, GUI, OPEN_BAR, GtkBox)

GtkWidget *gui_open_bar_new (void);
/* files: known ones; the bar adds others in their folders. lines_only: for "go to line". */
void gui_open_bar_show (GuiOpenBar *bar, char **files, gboolean lines_only);
/* Adds a function, or a file with line 1. file NULL: its source is not known. is_library: offered after
 * the program's own. */
void gui_open_bar_add_function (GuiOpenBar *bar, const char *function, const char *file,
                                guint line, gboolean is_library);
void gui_open_bar_finish (GuiOpenBar *bar);
