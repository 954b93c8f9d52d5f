/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of a window and its transcript. Every action of a window goes through
 * gui_command_panel_run, so the user sees the command behind each button. */
#pragma once
#include <gtk/gtk.h>
#include "command/command.h"

#define GUI_TYPE_COMMAND_PANEL (gui_command_panel_get_type ())
G_DECLARE_FINAL_TYPE (GuiCommandPanel, gui_command_panel, GUI, COMMAND_PANEL, GtkBox)
/* Signal "done" (gboolean ok, char *line): that line was answered.  "quit" (): the user typed quit.
 * "busy" (): a line has started.
 * Properties: "session"; "ranks" (GUI_TYPE_RANK_SET): those of the window, whose lines get "on SET " in
 * front, and events of other ranks are not shown; NULL: lines act on the session's focus, all events are
 * shown; "selection" (SessionSelection, only read): what lines of this panel have selected. */

GtkWidget *gui_command_panel_new (void);
/* Runs the line unchanged (no prefix) and shows it; there is a session. Of several lines, with \n between them, each
 * runs only when the one before has succeeded on all its ranks. */
void gui_command_panel_run (GuiCommandPanel *panel, const char *lines);
/* Of its session's one prompt: see command_context_keep_displays. */
void gui_command_panel_keep_displays (GuiCommandPanel *panel);
void gui_command_panel_runf (GuiCommandPanel *panel, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Runs the line; if it ends in a blank, puts it into the command line for the user to complete. */
void gui_command_panel_suggest (GuiCommandPanel *panel, const char *line);
gboolean gui_command_panel_is_busy (GuiCommandPanel *panel);    /* a line is running */
gboolean gui_command_panel_is_waiting (GuiCommandPanel *panel); /* the running line is a wait */
/* `profile start` was run here, and no `profile stop` yet. */
gboolean gui_command_panel_is_profiling (GuiCommandPanel *panel);
/* As command_has_hooks. */
gboolean gui_command_panel_has_hooks (GuiCommandPanel *panel, guint32 breakpoint);
gboolean gui_command_panel_cancel (GuiCommandPanel *panel); /* FALSE: none is running */
void gui_command_panel_focus (GuiCommandPanel *panel);
/* The prompt follows the session's focus. */
void gui_command_panel_update_prompt (GuiCommandPanel *panel);
