/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source where ranks are, and what can be done at its lines: tabs of files, the bar that opens others, the
 * history of places, breakpoints, values under the pointer. Signals:
 *  "run-line" (const char *line)           for the ranks of the view
 *  "watch", "array" (const char *expression)
 *  "edit-breakpoint" (guint number, const char *text)   in a list; number 0: a new one, begun with the text */
#pragma once
#include <gtk/gtk.h>
#include "session/selection.h"

#define GUI_TYPE_GROUP_SOURCE (gui_group_source_get_type ())
G_DECLARE_FINAL_TYPE (GuiGroupSource, gui_group_source, GUI, GROUP_SOURCE, GtkBox)

/* Once, before all that follows. */
void gui_group_source_set_session (GuiGroupSource *source, Session *session,
                                   SessionSelection *selection);
/* Whose lines and breakpoints are marked from the next update_marks on; shown_by: the viewed rank. */
void gui_group_source_set_ranks (GuiGroupSource *source, const JobRankSet *ranks,
                                 guint32 shown_by);
void gui_group_source_update_marks (GuiGroupSource *source);
/* The actions of the source, on the window's map. */
void gui_group_source_add_actions (GuiGroupSource *source, GActionMap *window);
/* Shows the line, and enters it in the history; is_here: it is the viewed rank's. */
void gui_group_source_show (GuiGroupSource *source, const char *file, guint line,
                            gboolean is_here);
/* "/path/a.c:12" of each tab, the visible one last. Caller owns; NULL-terminated. */
char **gui_group_source_dup_places (GuiGroupSource *source);
/* Opens the tabs again, NULL for none; files that are gone are left out. */
void gui_group_source_restore (GuiGroupSource *source, char **places);
