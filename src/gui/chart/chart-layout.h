/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of the state chart: positions of the totals bar and of each rank, and the
 * reverse. Knows neither GTK nor colours. Uses logical pixels. */
#pragma once
#include "job/state.h"

typedef struct {
    int x, y, width, height;
} GuiRectangle;

typedef struct {
    int width, height;
    guint32 n_ranks;
    GuiRectangle
        totals;         /* height 0: there are none, as the legend says the same in less room */
    GuiRectangle strip; /* cells only, without the labels */
    int label_width;    /* left of the strip; 0 with one row */
    guint32 n_rows;     /* 0 without ranks */
    guint32 ranks_per_row;
    guint32 ranks_per_column;
    guint32 columns_per_row;
    int row_height;
} GuiChartLayout;

typedef enum { GUI_CHART_NOWHERE, GUI_CHART_TOTALS, GUI_CHART_STRIP } GuiChartPart;

void gui_chart_layout_init (GuiChartLayout *layout, guint32 n_ranks, int width, int height);
/* The height that shows the ranks well at this width: 90 to 260. */
int gui_chart_layout_get_height (guint32 n_ranks, int width);
/* The same for a low window: without totals, 42 to 72. */
int gui_chart_layout_get_low_height (guint32 n_ranks, int width);
/* Ranks [*ret_first, *ret_end) of a column; empty past the last rank. */
void gui_chart_layout_get_column (const GuiChartLayout *layout, guint32 row, guint32 column,
                                  guint32 *ret_first, guint32 *ret_end);
/* Where the column is drawn; 1 px of space is included in wide cells. */
void gui_chart_layout_get_cell (const GuiChartLayout *layout, guint32 row, guint32 column,
                                GuiRectangle *ret_cell);
/* What is at the point; for the strip the ranks of the column there. */
GuiChartPart gui_chart_layout_hit (const GuiChartLayout *layout, double x, double y,
                                   guint32 *ret_first, guint32 *ret_end);
/* Widths of the totals bar's segments, most severe first in `ret_order`; returns how many. */
guint gui_chart_layout_get_totals (const GuiChartLayout *layout, const guint32 *counts,
                                   JobState *ret_order, int *ret_x, int *ret_widths);
/* All states, the most severe first. */
const JobState *gui_chart_layout_get_order (void);
