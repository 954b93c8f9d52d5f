/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks' output, tagged "RANKS| ", with a filter by ranks. Signal "input" (const char *text): a line for
 * the command language's `input`; the owner runs it. Property "session". */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_OUTPUT_VIEW (gui_output_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiOutputView, gui_output_view, GUI, OUTPUT_VIEW, GtkBox)

void gui_output_view_find (GuiOutputView *view); /* the focus goes to its search */
