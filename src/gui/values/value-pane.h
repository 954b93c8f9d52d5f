/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locals or watches of a group: queries the stopped ranks and shows the answers in a
 * GuiVariableView. Sends no queries while hidden. Signals: "run-line" (const char *line), for
 * the ranks of the group; "show-value" (const char *as, const char *expression): in a window, as
 * "array" or "compare"; "watch" (const char *expression);
 * "watches-changed" (); "read" (): other values are shown, or they have become old.
 * Properties: "is-watch" (at construction); "is-line" (at construction): of expressions that set_expressions says, without
 * those that are none here; "is-needed": asks while it is hidden, too; "session"; "selection"
 * (SessionSelection): values are those of its frames; "ranks" (GUI_TYPE_RANK_SET): values of these from the
 * next refresh on; "shown-by" (guint): the viewed rank. */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

#define GUI_TYPE_VALUE_PANE (gui_value_pane_get_type ())
G_DECLARE_FINAL_TYPE (GuiValuePane, gui_value_pane, GUI, VALUE_PANE, GtkBox)

#define GUI_VALUE_PANE_MAX_READ 4096 /* ranks whose values are compared */

GtkWidget *gui_value_pane_new (gboolean is_watch);
/* Queries again, after ranks have stopped or a frame was selected. */
void gui_value_pane_refresh (GuiValuePane *pane);
/* The ranks have moved since: that there are no rows says nothing any more. */
void gui_value_pane_note_stale (GuiValuePane *pane);
/* Watches: adds one, or removes it. */
void gui_value_pane_add (GuiValuePane *pane, const char *expression);
/* These instead of those before. */
void gui_value_pane_set_expressions (GuiValuePane *pane, char **expressions);
/* "n = 3   x = 0.5": the viewed rank's values. NULL: none, or they are old. Caller owns. */
char *gui_value_pane_format (GuiValuePane *pane);
/* Watched expressions; NULL-terminated, caller owns. */
char **gui_value_pane_dup_expressions (GuiValuePane *pane);
