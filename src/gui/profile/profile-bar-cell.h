/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cell with a small bar for each rank, so that one that does more or less than the others is seen. */
#pragma once
#include <gtk/gtk.h>
#include "gui/profile/profile-colours.h"

#define GUI_TYPE_PROFILE_BAR_CELL (gui_profile_bar_cell_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileBarCell, gui_profile_bar_cell, GUI, PROFILE_BAR_CELL,
                      GtkCellRenderer)
/* Property "bars" (GBytes of float, each from 0; NULL: none). They are drawn relative to the highest of
 * the same row. */

GtkCellRenderer *gui_profile_bar_cell_new (void);
/* The same for print: bars in the rectangle. The highest ones are darker. */
void gui_profile_bar_cell_paint (cairo_t *cr, const float *bars, guint n_bars, guint32 colour,
                                 double x, double y, double width, double height);
