/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The breakpoints of the session. Signal "run-line" (const char *line): a check box or the
 * delete button was used; the line is in the command language. Properties: "session"; "ranks"
 * (GUI_TYPE_RANK_SET): only breakpoints of some of these are shown, NULL: all. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_BREAKPOINT_LIST (gui_breakpoint_list_get_type ())
G_DECLARE_FINAL_TYPE (GuiBreakpointList, gui_breakpoint_list, GUI, BREAKPOINT_LIST, GtkBox)

GtkWidget *gui_breakpoint_list_new (void);
/* Starts editing this breakpoint's condition. */
void gui_breakpoint_list_edit (GuiBreakpointList *list, guint number);
/* Starts entering a new breakpoint, with this initial text; typing goes on at its end, or before
 * a quote there. */
void gui_breakpoint_list_begin (GuiBreakpointList *list, const char *text);
