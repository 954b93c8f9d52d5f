/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source files in tabs with the debug gutter. Signals:
 *  "toggled" (const char *file, guint line)
 *  "hover" (const char *expression) returns char*: the tooltip, NULL not known yet
 *  "chosen" (const char *verb, const char *expression)   of the menu: print, watch, array,
 *                                               run-to-cursor, toggle-breakpoint; of a reader:
 *                                               debug-here
 *  "opened" (const char *file, GtkSourceView *view)   in a tab of its own, before its text is there
 *  "loaded" (const char *file, gboolean is_there)     FALSE: the tab says why it has no text
 *  "here" ()   the viewed rank's line is another one, or has its text now
 * Properties:
 *  "session"       knows where moved files are; when it learns more, files are read again; NULL: files
 *                  are where their names say
 *  "is-reader"     at construction: for files that no rank is in, without breakpoints
 *  "placeholder"   what is said while no file is open */
#pragma once
#include <gtk/gtk.h>
#include "gui/source/debug-gutter.h"
#include "session/session.h"

#define GUI_TYPE_SOURCE_VIEW (gui_source_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiSourceView, gui_source_view, GUI, SOURCE_VIEW, GtkBox)

GtkWidget *gui_source_view_new (void);
/* Opens the file's tab if need be, and shows the line; is_here: it is the viewed rank's line,
 * the only highlighted one of all tabs. */
void gui_source_view_show (GuiSourceView *view, const char *file, guint line, gboolean is_here);
/* Whether the viewed rank has gone on from its line, which is grey then. */
void gui_source_view_set_old (GuiSourceView *view, gboolean is_old);
/* What the viewed rank's line names, as gui_source_word_list; empty while its text is not there. */
char **gui_source_view_list_here (GuiSourceView *view);
/* Behind the end of that line, as long as it is the present one; NULL: nothing. */
void gui_source_view_set_inline (GuiSourceView *view, const char *text);
/* A tab of an earlier run: closes again where the file turns out to be gone, unless it was shown since. */
void gui_source_view_restore (GuiSourceView *view, const char *file, guint line);
/* Updates the marks: the session's breakpoints, lines of the group's ranks. */
void gui_source_view_update_marks (GuiSourceView *view, const JobRankSet *ranks,
                                   guint32 representative);
/* File and cursor line of the visible tab; NULL without one, or when its file is missing (a reader says
 * which). Borrowed. */
const char *gui_source_view_get_cursor (GuiSourceView *view, guint *ret_line);
void gui_source_view_go_to_line (GuiSourceView *view, guint line);
/* Files that have tabs; NULL-terminated, caller owns. */
char **gui_source_view_dup_files (GuiSourceView *view);
/* "/path/a.c:12" of each tab with its cursor, the visible one last; caller owns. */
char **gui_source_view_dup_places (GuiSourceView *view);
void gui_source_view_find (GuiSourceView *view);
void gui_source_view_close (GuiSourceView *view); /* the visible tab, if there is one */
