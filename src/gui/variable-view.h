/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of the representative, with their range over the group. Signals: "edited" (const char
 * *name, const char *text); "expand" (const char *name): parts are wanted of a value that has none
 * yet: answer with gui_variable_view_add_parts. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_VARIABLE_VIEW (gui_variable_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiVariableView, gui_variable_view, GUI, VARIABLE_VIEW, GtkScrolledWindow)

GtkWidget *gui_variable_view_new (void);
/* table NULL: nothing known. `stop` is the same number for tables of the same stop: values that
 * changed since the stop before say what they were. */
void gui_variable_view_set_table (GuiVariableView *view, const JobValueTable *table,
                                  guint32 representative, guint64 stop);
void gui_variable_view_add_parts (GuiVariableView *view, const char *name, const JobValue *value);
