/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Queue page: the sentence of `why`, the button for its suggestion, the picture of which
 * rank waits for which, and a table of unfinished operations. Queries only on request. Signal
 * "run-line" (const char *line): may end in a blank, as for gui_command_panel_suggest. Signal
 * "place-chosen" (guint rank, const char *file, guint line): the operation of that row was called
 * there; file NULL: it is not known. Property "session". */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_WAIT_VIEW (gui_wait_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiWaitView, gui_wait_view, GUI, WAIT_VIEW, GtkBox)

/* Queries for the session's focus. */
void gui_wait_view_ask (GuiWaitView *view);
void gui_wait_view_update_ages (GuiWaitView *view);
