/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls of a thread inside each other, traced or as far as samples have seen them: a row for each level, the outermost one above. */
#pragma once
#include "gui/profile/profile-axis.h"
#include "gui/profile/timeline-rows.h"
#include "profile/model.h"

/* Appends a row for each level of the row's thread (GuiTimelineRow). */
void gui_timeline_levels_append (GArray *rows, const ProfileModel *model,
                                 const GuiTimelineRow *row);
/* row: its level is the first of n. top: where that begins; each is `height` high, with the gap below it. */
void gui_timeline_levels_paint (cairo_t *cr, const ProfileModel *model,
                                const GuiTimelineRow *row, guint n, guint height,
                                const GuiProfileAxis *axis, double top,
                                const GuiProfileColours *colours);
/* The call on that level, of a sample of the rank's: a context of the model; 0: there is none. */
guint32 gui_timeline_levels_find (const ProfileModel *model, guint index,
                                  const ProfileSample *sample, guint level);
/* From when to when it lasts that is under way there at time_s; in seconds of the model. Returns its context; 0: there is
 * none. */
guint32 gui_timeline_levels_find_call (const ProfileModel *model, const GuiTimelineRow *row,
                                       double time_s, double *ret_begin_s, double *ret_end_s);
