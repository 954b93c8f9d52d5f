/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows below an open rank's calls: its memory, and the metrics that the program itself has said. */
#pragma once
#include "gui/profile/profile-axis.h"
#include "gui/profile/timeline-rows.h"
#include "profile/model.h"

/* Appends a row for each counter of the rank of that index (GuiTimelineRow). */
void gui_timeline_counters_append (GArray *rows, const ProfileModel *model, guint index);
/* row: one of those, below as well. "memory", or what the program calls it; caller owns. */
char *gui_timeline_counters_dup_label (const ProfileModel *model, const GuiTimelineRow *row);
/* The highest value reaches up to y. */
void gui_timeline_counters_paint (cairo_t *cr, const ProfileModel *model,
                                  const GuiTimelineRow *row, const GuiProfileAxis *axis,
                                  double y, double height, const GuiProfileColours *colours);
/* The value then; NULL: there is none yet. Caller owns. */
char *gui_timeline_counters_dup_tip (const ProfileModel *model, const GuiTimelineRow *row,
                                     double time_s);
