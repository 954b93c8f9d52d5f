/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rank's threads, or the registers or instructions of its selected frame. Sends no queries while
 * hidden. Signal "run-line" (const char *line): a thread was chosen. Properties: "what" (at construction):
 * "threads", "registers" or "code"; "session"; "selection" (SessionSelection); "rank" (guint). */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

#define GUI_TYPE_TEXT_PANE (gui_text_pane_get_type ())
G_DECLARE_FINAL_TYPE (GuiTextPane, gui_text_pane, GUI, TEXT_PANE, GtkScrolledWindow)

/* Asks again, once it is seen. */
void gui_text_pane_refresh (GuiTextPane *pane);
