/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line at the foot of a window for what takes its time: the start of a job, a command, the
 * questions of panes, work of the window's own; with how far it is, and Cancel. Hidden otherwise. */
#pragma once
#include "gui/command-panel.h"

#define GUI_TYPE_PROGRESS_LINE (gui_progress_line_get_type ())
G_DECLARE_FINAL_TYPE (GuiProgressLine, gui_progress_line, GUI, PROGRESS_LINE, GtkBox)

GtkWidget *gui_progress_line_new (void);
/* panel: whose commands are looked after too; NULL: none. Both live as long as the line. */
void gui_progress_line_set_session (GuiProgressLine *line, Session *session,
                                    GuiCommandPanel *panel);
/* Work of the window's own. permille (atomic): how far it is; NULL: unknown. Ends with _end. */
void gui_progress_line_begin (GuiProgressLine *line, const char *text, GCancellable *cancellable,
                              const int *permille);
void gui_progress_line_end (GuiProgressLine *line);
/* What the button does; for Escape. FALSE: nothing is under way. */
gboolean gui_progress_line_cancel (GuiProgressLine *line);
