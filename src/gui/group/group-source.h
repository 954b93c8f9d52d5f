/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source where ranks are, and what can be done at its lines: tabs of files, the bar that opens others, the
 * history of places, breakpoints, values under the pointer. Signals:
 *  "run-line" (const char *line)           for the ranks of the view
 *  "watch" (const char *expression); "show-value" (const char *as, const char *expression): in a window
 *  "here" (GStrv words)   what the viewed rank's line names
 *  "edit-breakpoint" (guint number, const char *text)   in a list; number 0: a new one, begun with the text
 * Properties: "session"; "selection" (SessionSelection); "ranks" (GUI_TYPE_RANK_SET) and "shown-by"
 * (guint, the viewed one of them): whose lines and breakpoints are marked from the next update_marks on. */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

#define GUI_TYPE_GROUP_SOURCE (gui_group_source_get_type ())
G_DECLARE_FINAL_TYPE (GuiGroupSource, gui_group_source, GUI, GROUP_SOURCE, GtkBox)

/* All that follows wants a session. */
void gui_group_source_update_marks (GuiGroupSource *source);
/* The actions of the source, on the window's map. */
void gui_group_source_add_actions (GuiGroupSource *source, GActionMap *window);
/* Shows the line, and enters it in the history; is_here: it is the viewed rank's. */
void gui_group_source_show (GuiGroupSource *source, const char *file, guint line,
                            gboolean is_here);
/* Whether the viewed rank has gone on from its line. */
void gui_group_source_set_old (GuiGroupSource *source, gboolean is_old);
/* Behind the end of the viewed rank's line; NULL: nothing. */
void gui_group_source_set_inline (GuiGroupSource *source, const char *text);
/* "/path/a.c:12" of each tab, the visible one last. Caller owns; NULL-terminated. */
char **gui_group_source_dup_places (GuiGroupSource *source);
/* Opens the tabs again, NULL for none; files that are gone are left out. */
void gui_group_source_restore (GuiGroupSource *source, char **places);
