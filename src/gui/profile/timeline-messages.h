/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lies over the rows of the Timeline of a trace: a line from each send to its receive, and collective operations
 * as areas over all of their members. Of too many the longest are drawn. */
#pragma once
#include "gui/profile/profile-axis.h"
#include "profile/messages.h"

/* Where the rows are. */
typedef struct {
    GuiProfileAxis axis;
    GHashTable *rows;              /* rank to number of its row + 1 */
    guint32 first_rank, last_rank; /* that have rows on the screen */
    double top;                    /* y of row 0 */
    double height;                 /* of a row */
    double bottom;                 /* of what is visible */
} GuiTimelineRows;

/* Appends to `messages` and `collectives` (guint32) what it has drawn, for gui_timeline_messages_get_tip. FALSE: there are
 * more. */
gboolean gui_timeline_messages_paint (cairo_t *cr, const ProfileModel *model,
                                      const GuiTimelineRows *rows,
                                      const GuiProfileColours *colours, GArray *messages,
                                      GArray *collectives);
/* In words what is there; NULL: nothing of both. Caller owns. */
char *gui_timeline_messages_get_tip (const ProfileModel *model, const GuiTimelineRows *rows,
                                     const GArray *messages, const GArray *collectives,
                                     double x, double y);
