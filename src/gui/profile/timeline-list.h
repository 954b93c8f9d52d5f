/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows the Timeline has: one a rank, and below it those of what the user has opened. */
#pragma once
#include "gui/profile/timeline-rows.h"

typedef struct _GuiTimelineList GuiTimelineList;

GuiTimelineList *gui_timeline_list_new (void);
void gui_timeline_list_free (GuiTimelineList *self);
/* Of these ranks; NULL: all. model NULL: no rows. */
void gui_timeline_list_build (GuiTimelineList *self, const ProfileModel *model,
                              const JobRankSet *ranks);
/* Of GuiTimelineRow; the list's, the same array for all of its time. */
GArray *gui_timeline_list_get_rows (GuiTimelineList *self);
/* Rank to the number of its row + 1. */
GHashTable *gui_timeline_list_get_by_rank (GuiTimelineList *self);
/* Nothing is open. These take effect with the next build. */
void gui_timeline_list_close (GuiTimelineList *self);
/* The calls of that thread are shown. */
void gui_timeline_list_open (GuiTimelineList *self, const ProfileModel *model, guint index,
                             guint thread);
void gui_timeline_list_toggle_rank (GuiTimelineList *self, guint32 rank);
/* Of a rank its threads, of a thread its calls. */
void gui_timeline_list_toggle (GuiTimelineList *self, const ProfileModel *model,
                               const GuiTimelineRow *row);
gboolean gui_timeline_list_is_open (GuiTimelineList *self, const ProfileModel *model,
                                    const GuiTimelineRow *row);
