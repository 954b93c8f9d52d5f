/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The selected ranks and what the user can do with them: open a window, invert the
 * selection, combine it with another set, name it. Hidden while nothing is selected. Signals: "open"
 * (gpointer JobRankSet*, const char *name or NULL, both borrowed); "run-line" (const char *line).
 * Properties: "session"; "set" (GUI_TYPE_RANK_SET): the selection, empty when nothing is selected. */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_SELECTION_BAR (gui_selection_bar_get_type ())
G_DECLARE_FINAL_TYPE (GuiSelectionBar, gui_selection_bar, GUI, SELECTION_BAR, GtkRevealer)

/* How a newly chosen set changes the selection. */
typedef enum {
    GUI_SELECT_ONLY,
    GUI_SELECT_ADD,
    GUI_SELECT_REMOVE,
    GUI_SELECT_COMMON
} GuiSelectHow;

/* Changes "set". */
void gui_selection_bar_take (GuiSelectionBar *bar, const JobRankSet *set, GuiSelectHow how);
/* "set": never NULL. Borrowed. */
const JobRankSet *gui_selection_bar_get (const GuiSelectionBar *bar);
/* The actions "selection-open", "-complement", "-clear", "-copy", "-name", "-combine",
 * on the window's map; they are sensitive while something is selected. */
void gui_selection_bar_add_actions (GuiSelectionBar *bar, GActionMap *map);
/* Shows the context menu. */
void gui_selection_bar_popup (GuiSelectionBar *bar, GtkWidget *widget, const GdkEvent *event);
/* By the modifier keys: Ctrl adds, Ctrl+Shift removes. */
GuiSelectHow gui_selection_bar_get_how (GdkModifierType state);
