/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rank's threads, or the registers or instructions of its selected frame. Sends no queries while
 * hidden. Signal "run-line" (const char *line): a thread was chosen. */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

#define GUI_TYPE_TEXT_PANE (gui_text_pane_get_type ())
G_DECLARE_FINAL_TYPE (GuiTextPane, gui_text_pane, GUI, TEXT_PANE, GtkScrolledWindow)

/* verb: THREADS, REGISTERS or DISASSEMBLE; id and name for screen readers. */
GtkWidget *gui_text_pane_new (JobVerb verb, const char *id, const char *name);
void gui_text_pane_refresh (GuiTextPane *pane, Session *session, guint32 rank,
                            SessionSelection *selection);
