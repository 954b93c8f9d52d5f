/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line at the bottom of a window for long operations: the start of a job, a command, queries
 * of panes, the window's own work; with progress and Cancel. Hidden otherwise. Properties: "session";
 * "panel" (GuiCommandPanel): its commands are shown, too; NULL: none. */
#pragma once
#include "gui/kit/command-panel.h"

#define GUI_TYPE_PROGRESS_LINE (gui_progress_line_get_type ())
G_DECLARE_FINAL_TYPE (GuiProgressLine, gui_progress_line, GUI, PROGRESS_LINE, GtkBox)

/* Begins the window's own work. permille (atomic): progress; NULL: unknown. End it with
 * _end. */
void gui_progress_line_begin (GuiProgressLine *line, const char *text,
                              GCancellable *cancellable, const int *permille);
void gui_progress_line_end (GuiProgressLine *line);
/* Cancels, like the button; for Escape. FALSE: nothing is running. */
gboolean gui_progress_line_cancel (GuiProgressLine *line);
