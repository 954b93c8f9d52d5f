/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The communication matrix: a row for each sender, a column for each receiver, and in each cell the bytes of their
 * messages. Of many ranks, neighbours share a cell. Signal "chosen" (guint from, guint to): a click, or Enter: the lowest
 * ranks of the cell. */
#pragma once
#include <gtk/gtk.h>
#include "gui/profile/profile-colours.h"
#include "profile/waits.h"

#define GUI_TYPE_MESSAGE_MATRIX (gui_message_matrix_get_type ())
G_DECLARE_FINAL_TYPE (GuiMessageMatrix, gui_message_matrix, GUI, MESSAGE_MATRIX, GtkDrawingArea)

/* traffic: of ProfileTraffic; copies. n_ranks: of the job, also those without any. ranks: cells of others are pale; NULL:
 * none is; copies. step: the traffic is an estimate, from one of so many messages; 1: it is exact. */
void gui_message_matrix_show (GuiMessageMatrix *matrix, const GArray *traffic, guint32 n_ranks,
                              const JobRankSet *ranks, guint64 step);
/* Into this rectangle from (0, 0), without the mark of the keyboard. */
void gui_message_matrix_paint (GuiMessageMatrix *matrix, cairo_t *cr, double width,
                               double height, const GuiProfileColours *colours);
/* What the cell at that point has; NULL: there is no cell. Caller owns. */
char *gui_message_matrix_describe (GuiMessageMatrix *matrix, double x, double y);
