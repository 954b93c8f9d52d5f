/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source where a set of ranks is, their merged stack and their values: the middle of a group
 * window and of the console. Seen through one of the ranks, the viewed one. Asks when ranks of the
 * set have stopped, on request, and after commands of its window. Signals: "updated" (): what it
 * shows has changed, the viewed rank and its place included; "set-chosen" (gpointer JobRankSet*,
 * borrowed): a window of these ranks is wanted. */
#pragma once
#include "gui/console/breakpoint-list.h"
#include "gui/kit/command-panel.h"
#include "session/saved.h"

#define GUI_TYPE_GROUP_VIEW (gui_group_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiGroupView, gui_group_view, GUI, GROUP_VIEW, GtkBox)

/* has_lists: with pages for places, ranks and breakpoints, which the console has already. */
GtkWidget *gui_group_view_new (gboolean has_lists);
/* Once. panel: runs the view's lines and owns the selection of thread and frame. ranks: may be
 * empty as long as none is known. */
void gui_group_view_set_session (GuiGroupView *view, Session *session, GuiCommandPanel *panel,
                                 const JobRankSet *ranks);
/* Shows other ranks; keeps the viewed one where it is among them. */
void gui_group_view_set_ranks (GuiGroupView *view, const JobRankSet *ranks);
/* The window's list of breakpoints; where the view has none of its own. Not owned. */
void gui_group_view_set_breakpoints (GuiGroupView *view, GuiBreakpointList *list);
/* The actions of source, stack and values, on the window's map; after set_session. */
void gui_group_view_add_actions (GuiGroupView *view, GActionMap *window);
/* For the window's toolbar: the choice of the viewed rank, and the age of what is shown. */
GtkWidget *gui_group_view_get_chooser (GuiGroupView *view);
/* Asks again; also_running: running ranks too, which are sampled. */
void gui_group_view_refresh (GuiGroupView *view, gboolean also_running);
/* A line that was found elsewhere; the viewed rank's place stays. */
void gui_group_view_show_source (GuiGroupView *view, const char *file, guint line);
guint32 gui_group_view_get_shown_by (GuiGroupView *view); /* the viewed rank */
void gui_group_view_set_shown_by (GuiGroupView *view, guint32 rank);
/* "viewing rank 3 · work at a.c:5". Caller owns. */
char *gui_group_view_format_place (GuiGroupView *view);
/* Room for 100 columns of source where width, in pixels, has it; stack and values stand side by
 * side in a low view, else one above the other. */
void gui_group_view_set_room (GuiGroupView *view, int width, int height);
/* What is kept of it between runs of the program. */
void gui_group_view_save (GuiGroupView *view, SessionSavedWindow *saved);
void gui_group_view_restore (GuiGroupView *view, const SessionSavedWindow *saved);
