/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cell that draws the numbers of many ranks as small bars, so that outliers stand out. */
#pragma once
#include <gtk/gtk.h>
#include "job/value.h"

#define GUI_TYPE_SPARK_CELL (gui_spark_cell_get_type ())
G_DECLARE_FINAL_TYPE (GuiSparkCell, gui_spark_cell, GUI, SPARK_CELL, GtkCellRenderer)
/* Property "bars" (GBytes of gui_spark_cell_make_bars, or NULL: nothing is drawn). */

/* Bars for the numbers in their order; averages neighbours of more than 48, and leaves out what is not finite.
 * highlighted: which of them is; -1: none. */
GBytes *gui_spark_cell_make (const double *numbers, guint n, gint64 highlighted);
/* Bars for the row's numbers by rank; averages neighbours of more than 48 ranks. NULL when a
 * value is not a number or all are equal. Highlights the representative's bar. */
GBytes *gui_spark_cell_make_bars (const JobValueRow *row, const JobRankSet *ranks,
                                  guint32 representative);
