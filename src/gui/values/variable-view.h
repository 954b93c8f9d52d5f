/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the viewed rank as a tree, beside those of the other ranks. Signals:
 *  "edited" (const char *expression, const char *text)   the user typed another value
 *  "expand" (const char *expression, const char *path)   PRINT of expression has the path's parts
 *  "renamed" (const char *old, const char *expression)   a watch; old NULL: a new one;
 *                                                        expression "": it is removed
 *  "chosen" (const char *verb, const char *expression)   "watch", "stop", "array", "compare"
 *                                                        or "copy" of the menu; a double click on the other
 *                                                        ranks' values is "compare"
 * Properties, which the next table follows:
 *  "is-watch"    names can be edited, and the last row takes a new one
 *  "is-line"     they are those of a source line
 *  "function"    whose variables they are; NULL: unknown. "was" compares values of one function only
 *  "n-ranks"     the tables are of so many: those which are not in them are not stopped
 *  "n-unread"    tables have the viewed rank only, so many others were not read; 0: all are in them
 *  "is-moving"   the viewed rank runs: what the tables lack of it is not known, instead of not there */
#pragma once
#include <gtk/gtk.h>
#include "job/value.h"

#define GUI_TYPE_VARIABLE_VIEW (gui_variable_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiVariableView, gui_variable_view, GUI, VARIABLE_VIEW, GtkScrolledWindow)

/* table NULL: nothing known. stop: equal for tables of the same stop; changed values show their
 * value at the previous stop. Keeps the selection and scroll position. */
void gui_variable_view_set_table (GuiVariableView *view, const JobValueTable *table,
                                  guint32 representative, guint64 stop);
/* Where no row is, that says nothing any more: the ranks have moved since. Until the next table. */
void gui_variable_view_note_stale (GuiVariableView *view);
/* Why there are no rows. Until the next table. */
void gui_variable_view_set_reason (GuiVariableView *view, const char *text);
/* The next table is not compared with what was shown: that was of another job. */
void gui_variable_view_forget (GuiVariableView *view);
/* The text of a value as it is shown; NULL: it is not. The view's. */
const char *gui_variable_view_get_shown (GuiVariableView *view, const char *path);
void gui_variable_view_add_parts (GuiVariableView *view, const char *path,
                                  const JobValue *value);
