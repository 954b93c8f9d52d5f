/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged stacks of a group as a tree. Signals: "place-chosen" (const char *file, guint line);
 *  "frame-chosen" (gpointer JobRankSet*, guint number): a click; emitted for each number that
 * the frame has, with its ranks; "set-chosen" (gpointer JobRankSet*, borrowed): double click on
 * a frame. Property "session". */
#pragma once
#include <gtk/gtk.h>
#include "session/session.h"

#define GUI_TYPE_STACK_VIEW (gui_stack_view_get_type ())
G_DECLARE_FINAL_TYPE (GuiStackView, gui_stack_view, GUI, STACK_VIEW, GtkScrolledWindow)

/* tree NULL: nothing known. Keeps the selection and scroll position where the frames
 * persist. sampled: ranks whose stacks were read while they ran, which are grey, with their age; NULL: none. */
void gui_stack_view_set_tree (GuiStackView *view, const JobStackTree *tree,
                              const JobRankSet *sampled);
/* Ranks whose stacks the tree does not have, by place: rows below it say what is known of them, and follow
 * that. They lead to their lines; there is no frame to choose. Of more than 4,096 one row says that they were not
 * read. Empty: none. */
void gui_stack_view_set_others (GuiStackView *view, const JobRankSet *ranks);
/* Call each second: the other ranks' rows have ages. */
void gui_stack_view_update_ages (GuiStackView *view);
/* Selects the rank's frame, innermost 0, without a signal; with `place`, the innermost frame at
 * that place instead, if there is one. */
void gui_stack_view_select (GuiStackView *view, guint32 rank, guint32 number,
                            const JobLocation *place);
/* The tree as text, as `where` prints it, and what is known of the other ranks. Caller owns. */
char *gui_stack_view_format (GuiStackView *view);
