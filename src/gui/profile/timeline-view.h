/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row for each selected rank over the selected time: what it did. A click on a rank's name shows its
 * threads, a drag over names selects ranks. A drag in the picture, or the wheel, chooses the time, a click asks
 * for the moment. Properties: "archive", the model's, which is asked again for what is zoomed into, and
 * "archive-program", the path of pddt-archive; without both of them there is the model alone. */
#pragma once
#include "gui/profile/profile-canvas.h"

#define GUI_TYPE_TIMELINE_VIEW (gui_timeline_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiTimelineView, gui_timeline_view, GUI, TIMELINE_VIEW, GuiProfileCanvas)

GtkWidget *gui_timeline_view_new (GuiProfileSelection *selection);
guint gui_timeline_view_get_n_rows (GuiTimelineView *view);
/* The row at that height of the visible picture: the rank, and the index of the thread, or
 * PROFILE_COUNTED_THREADS for the rank's own. FALSE: there is none. */
gboolean gui_timeline_view_hit (GuiTimelineView *view, double y, guint32 *ret_rank,
                                guint *ret_thread);
/* The lines of messages and the areas of collective operations of a trace; they are shown at first. */
void gui_timeline_view_show_messages (GuiTimelineView *view, gboolean are_shown);
/* Searches in the calls of the selected ranks (timeline-search.h); "": no longer. Nothing moves. */
void gui_timeline_view_search (GuiTimelineView *view, const char *text);
/* Shows and marks the next occurrence, or the one before: opens its row and selects the time around it. Nothing happens where
 * there is none. */
void gui_timeline_view_step (GuiTimelineView *view, gboolean is_back);
/* What was found, in a line. Caller owns. */
char *gui_timeline_view_dup_found (GuiTimelineView *view);
/* TRUE: no answer of the archive is awaited. For tests. */
gboolean gui_timeline_view_is_settled (GuiTimelineView *view);
/* Shows or hides the rank's threads. */
void gui_timeline_view_toggle (GuiTimelineView *view, guint32 rank);
/* Before there is a widget of some size: the height that rows share. For tests. */
void gui_timeline_view_set_room (GuiTimelineView *view, double height);
