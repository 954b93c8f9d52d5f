/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a function, a call of MPI or a region is in the rows of the Timeline: one occurrence is a stretch of its level
 * (gui_timeline_levels_find_call), so that calls directly after each other are one. */
#pragma once
#include "gui/profile/profile-canvas.h"
#include "gui/profile/timeline-rows.h"

typedef struct {
    guint index, thread, level; /* as in a row of a level (GuiTimelineRow) */
    guint32 context;            /* of the model */
    double begin_s, end_s;      /* of the model's time */
} GuiTimelineFound;

typedef struct _GuiTimelineSearch GuiTimelineSearch;

GuiTimelineSearch *gui_timeline_search_new (void);
void gui_timeline_search_free (GuiTimelineSearch *search);
/* Names that contain the text, case-insensitively, in these ranks (NULL: all); "": no search. Nothing happens if that is
 * what was searched for before; anew: it happens anyway, as the model is another one. model NULL: nothing is found. */
void gui_timeline_search_set (GuiTimelineSearch *search, const ProfileModel *model,
                              const JobRankSet *ranks, const char *text, gboolean anew);
const char *gui_timeline_search_get_text (const GuiTimelineSearch *search);
/* The next occurrence, or with is_back the one before, and from the last one on to the first; at first the one that begins
 * after from_s, or before it. NULL: there is none. */
const GuiTimelineFound *gui_timeline_search_step (GuiTimelineSearch *search, gboolean is_back,
                                                  double from_s);
/* Which step has found; NULL: none has. */
const GuiTimelineFound *gui_timeline_search_get_current (const GuiTimelineSearch *search);
/* Of these rows (GuiTimelineRow) that of the current one; where its level has none, that of its thread or rank. G_MAXUINT: there
 * is none. */
guint gui_timeline_search_find_row (const GuiTimelineSearch *search, const GArray *rows);
/* Marks the current one; row_height: of each row, the first one at GUI_PROFILE_AXIS. */
void gui_timeline_search_paint (const GuiTimelineSearch *search, cairo_t *cr,
                                const GArray *rows, const GuiProfileAxis *axis,
                                double row_height, const GuiProfilePainting *painting);
/* The time that has it in the middle, in [0, duration_s]: as long as the one given, unless it does not fit there, or would be
 * narrower than a few of the `width` pixels. */
void gui_timeline_search_choose_time (const GuiTimelineFound *found, double width,
                                      double duration_s, double *begin_s, double *end_s);
/* "12 of 340: MPI_Recv, rank 3, 1.204000 s, lasts 3.2 ms"; "" without a search. model: which was searched. Caller owns. */
char *gui_timeline_search_dup_line (const GuiTimelineSearch *search, const ProfileModel *model);
