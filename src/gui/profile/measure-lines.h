/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dialog that runs a measured program once more, to count the lines of one of its functions. Properties, given at
 * construction: "pddt", "function" and "command", as below. */
#pragma once
#include <gtk/gtk.h>

#define GUI_TYPE_MEASURE_LINES (gui_measure_lines_get_type ())
G_DECLARE_FINAL_TYPE (GuiMeasureLines, gui_measure_lines, GUI, MEASURE_LINES, GtkDialog)

/* Asks for the command and its folder, runs `pddt --lines FUNCTION` there, and opens the new archive. pddt: its path;
 * command: of the run before, quoted for a shell. What the program prints goes to pddt's own standard output. Whoever closes
 * the dialog during the run hides it: the archive is opened all the same, and the application stays until then. While there
 * is such a run, its dialog is shown instead of a new one. Returns the dialog. */
GtkWidget *gui_measure_lines_open (GtkWindow *parent, const char *pddt, const char *function,
                                   const char *command);
