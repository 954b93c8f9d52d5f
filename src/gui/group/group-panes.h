/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands beside the source of a group view, in two notebooks: the merged stack, threads and lists of
 * the ranks; values, breakpoints, registers and instructions. Signals:
 *  "run-line" (const char *line)           for the ranks, with the ranks that it is for, or an option
 *  "thread-line" (const char *line)        for the viewed rank
 *  "show-value" (const char *as, const char *expression) wants a window of it: "array" or "compare"
 *  "place-chosen" (const char *file, guint line)
 *  "frame-chosen" (gpointer JobRankSet*, guint number)
 *  "set-chosen" (gpointer JobRankSet*)     wants a window of these ranks
 *  "rank-chosen" (guint rank)              is to be the viewed one
 *  "inline-text" (const char *text)        values of the viewed rank's line, where the preference wants them; NULL: none
 * Properties:
 *  "has-lists"     before there is a session: with pages for places, ranks and breakpoints
 *  "session", "selection" (SessionSelection)
 *  "ranks" (GUI_TYPE_RANK_SET), "shown-by" (guint, the viewed one of them)
 *  "breakpoints"   (GuiBreakpointList) its own, or the window's; NULL: there is none
 *  "is-stale"      what they show is old; "is-grey" (only read): it has been for a moment */
#pragma once
#include "gui/lists/breakpoint-list.h"
#include "session/selection.h"

#define GUI_TYPE_GROUP_PANES (gui_group_panes_get_type ())
G_DECLARE_FINAL_TYPE (GuiGroupPanes, gui_group_panes, GUI, GROUP_PANES, GtkPaned)

/* tree NULL: there is none, only what is known of the ranks without asking them, which is never stale. sampled: as in
 * gui_stack_view_set_tree. */
void gui_group_panes_show_stack (GuiGroupPanes *panes, const JobStackTree *tree,
                                 const JobRankSet *sampled);
/* The stack's selected row is the viewed rank's selected frame. */
void gui_group_panes_select_frame (GuiGroupPanes *panes);
/* Asks for what depends on the selected frame; for the threads. */
void gui_group_panes_refresh_values (GuiGroupPanes *panes);
void gui_group_panes_refresh_threads (GuiGroupPanes *panes);
/* The ages of rows in the lists of ranks and places. */
void gui_group_panes_update_ages (GuiGroupPanes *panes);
/* What the viewed rank's line names, for the page Current Line. */
void gui_group_panes_set_line (GuiGroupPanes *panes, char **words);
/* Adds the expression to the watches, and turns them to the front. */
void gui_group_panes_watch (GuiGroupPanes *panes, const char *expression);
/* In the list, which comes to the front; number 0: begins a new one with the text. */
void gui_group_panes_edit_breakpoint (GuiGroupPanes *panes, guint number, const char *text);
/* Watched expressions; NULL-terminated, caller owns. */
char **gui_group_panes_dup_watches (GuiGroupPanes *panes);
/* Adds these; NULL: none. */
void gui_group_panes_add_watches (GuiGroupPanes *panes, char **expressions);
/* Which pages are in front. */
void gui_group_panes_get_pages (GuiGroupPanes *panes, int *ret_upper, int *ret_lower);
void gui_group_panes_set_pages (GuiGroupPanes *panes, int upper, int lower);
/* The actions of stack and values, on the window's map. */
void gui_group_panes_add_actions (GuiGroupPanes *panes, GActionMap *window);
/* Where some of its ranks run, they can be stopped briefly to read their stacks. */
void gui_group_panes_offer_sample (GuiGroupPanes *panes);
