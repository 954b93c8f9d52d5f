/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bar that an edit of a value opens: it has been made on one rank, and can be made on all that
 * have stopped, or undone. It goes when the rank moves or another frame is selected, because the name
 * means another variable then. Signal "run-line" (const char *line). Properties: "session"; "selection"
 * (SessionSelection). */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

#define GUI_TYPE_VALUE_EDIT (gui_value_edit_get_type ())
G_DECLARE_FINAL_TYPE (GuiValueEdit, gui_value_edit, GUI, VALUE_EDIT, GtkRevealer)

/* Asks stopped for the values that they have, then sets the expression on that rank. */
void gui_value_edit_begin (GuiValueEdit *edit, const JobRankSet *stopped, guint32 rank,
                           const char *expression, const char *text);
/* Ranks may have moved, or another frame may be selected. */
void gui_value_edit_update (GuiValueEdit *edit);
