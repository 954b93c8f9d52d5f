/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source where a set of ranks is, their merged stack and their values: the middle of a group
 * window and of the console. Seen through one of the ranks, the viewed one. Asks when ranks of the
 * set have stopped, on request, and after commands of its window. Signals: "updated" (): what it
 * shows has changed, the viewed rank and its place included; "set-chosen" (gpointer JobRankSet*,
 * borrowed): a window of these ranks is wanted. Properties:
 *  "has-lists"     at construction: with pages for places, ranks and breakpoints, which the console has
 *                  already
 *  "panel"         (GuiCommandPanel) runs the view's lines; its "session" is the view's, too, where it is
 *                  only read, and its selection of thread and frame
 *  "ranks"         (GUI_TYPE_RANK_SET) may be empty as long as none is known; the viewed rank stays
 *                  where it is among others that come
 *  "breakpoints"   (GuiBreakpointList) the window's list, where the view has none of its own
 *  "chooser"       (GuiViewedRank) stands in the window's bar: the choice of the viewed rank, and the age of
 *                  what is shown */
#pragma once
#include "gui/lists/breakpoint-list.h"
#include "gui/kit/command-panel.h"
#include "session/saved.h"

#define GUI_TYPE_GROUP_VIEW (gui_group_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiGroupView, gui_group_view, GUI, GROUP_VIEW, GtkBox)

/* The actions of source, stack and values, on the window's map. */
void gui_group_view_add_actions (GuiGroupView *view, GActionMap *window);
/* Of a session that is not started yet: what a view of all its ranks will ask first. */
void gui_group_view_foresee (Session *session);
/* Asks again, where there is a session. */
typedef enum {
    GUI_GROUP_ASK_STOPPED, /* those that are stopped */
    GUI_GROUP_ASK_WAITING, /* also running ones whose main thread waits, which are not stopped for it */
    GUI_GROUP_ASK_ALL, /* also all others, which are stopped briefly */
} GuiGroupAsk;
void gui_group_view_refresh (GuiGroupView *view, GuiGroupAsk ask);
/* Update: asks the ranks where they are, and for what can be read without stopping any. */
void gui_group_view_update (GuiGroupView *view);
/* A line that was found elsewhere; the viewed rank's place stays. */
void gui_group_view_show_source (GuiGroupView *view, const char *file, guint line);
void gui_group_view_set_shown_by (GuiGroupView *view, guint32 rank);
/* "viewing rank 3 · work at a.c:5". Caller owns. */
char *gui_group_view_format_place (GuiGroupView *view);
/* Room for 100 columns of source where width, in pixels, has it; stack and values stand side by
 * side in a low view, else one above the other. */
void gui_group_view_set_room (GuiGroupView *view, int width, int height);
/* What is kept of it between runs of the program. */
void gui_group_view_save (GuiGroupView *view, SessionSavedWindow *saved);
void gui_group_view_restore (GuiGroupView *view, const SessionSavedWindow *saved);
