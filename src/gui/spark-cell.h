/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cell that draws one number of many ranks as small bars: who differs is seen at a glance. */
#pragma once
#include <gtk/gtk.h>
#include "job/value.h"

#define GUI_TYPE_SPARK_CELL (gui_spark_cell_get_type ())
G_DECLARE_FINAL_TYPE (GuiSparkCell, gui_spark_cell, GUI, SPARK_CELL, GtkCellRenderer)
/* Property "bars" (GBytes of gui_spark_cell_make_bars, or NULL: nothing is drawn). */

GtkCellRenderer *gui_spark_cell_new (void);
/* Bars of the row's numbers by rank, neighbours averaged when there are more than 48; NULL when a
 * value is no number or all are the same. representative: its bar is marked. */
GBytes *gui_spark_cell_make_bars (const JobValueRow *row, const JobRankSet *ranks,
                                  guint32 representative);
