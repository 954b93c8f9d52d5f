/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks' output, tagged "RANKS| ", with a filter by ranks. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_OUTPUT_VIEW (gui_output_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiOutputView, gui_output_view, GUI, OUTPUT_VIEW, GtkBox)

GtkWidget *gui_output_view_new (void);
void gui_output_view_set_session (GuiOutputView *view, Session *session);
/* Line for the command language's `input`; the owner runs it. Signal "input" (char *text). */
