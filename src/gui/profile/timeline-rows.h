/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bars of the Timeline: what ranks and their threads did. */
#pragma once
#include "gui/profile/profile-axis.h"
#include "profile/model.h"

#define GUI_TIMELINE_NOTHING G_MAXUINT

typedef struct {
    guint index;  /* of the rank in the model; GUI_TIMELINE_NOTHING: an empty row */
    guint thread; /* or PROFILE_COUNTED_THREADS: the rank's own row */
    guint
        level; /* of the thread's calls, from 1 (timeline-levels.h); 0: what it does, whatever called that */
    guint counter; /* that the row shows instead (timeline-counters.h); 0: none */
} GuiTimelineRow;

/* "rank 3", "thread 2", or the number of a level; caller owns. */
char *gui_timeline_rows_dup_label (const ProfileModel *model, const GuiTimelineRow *row);
/* What the row is of, in words of its own: "rank 3", "rank 3, thread 2", or the label of a counter; caller owns. */
char *gui_timeline_rows_dup_title (const ProfileModel *model, const GuiTimelineRow *row);
/* The function of the call, or its library, with its marks; NULL: none. Caller owns. */
char *gui_timeline_rows_dup_name (const JobContext *call);
/* Into this rectangle, as far as there is room. */
void gui_timeline_rows_paint_name (cairo_t *cr, const char *name, guint32 colour, double x,
                                   double y, double width, double height);
/* The mark beside a row that can be opened. */
void gui_timeline_rows_paint_mark (cairo_t *cr, double x, double y, gboolean is_open,
                                   guint32 colour);
/* n rows as an image of the axis's width, each `height` high, with the gap below it. class: the others are faded;
 * PROFILE_ALL_CLASSES. Caller owns. */
cairo_surface_t *gui_timeline_rows_paint (const ProfileModel *model, const GuiTimelineRow *rows,
                                          guint n, guint height, int class,
                                          const GuiProfileAxis *axis,
                                          const GuiProfileColours *colours);
