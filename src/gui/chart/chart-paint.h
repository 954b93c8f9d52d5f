/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paints the chart into a cairo image surface: colours by direct pixel writes, one pass over the
 * states; text, outlines and beacons over it. Without widgets. */
#pragma once
#include <cairo.h>
#include "gui/chart/chart-layout.h"
#include "gui/kit/palette.h"

/* `states`: one JobState a rank, layout->n_ranks of them, none JOB_N_STATES or more; `counts`: of them all, by state. Draws at the
 * surface's device scale, given again as `scale`. The surface is an ARGB32 image of layout's
 * size x scale; it is cleared first. */
void gui_chart_paint (cairo_surface_t *surface, int scale, const GuiChartLayout *layout,
                      const guint8 *states, const guint32 *counts,
                      const GuiPaletteColours *colours);
/* Heights of a column's segments, most severe first, each at least 2 of `height` px. Returns n. */
guint gui_chart_paint_stack (const guint32 *counts, guint32 n_ranks, int height,
                             JobState *ret_order, int *ret_heights);
