/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of many ranks as a picture: each over its rank, or, with the property "is-histogram" at construction,
 * how many ranks have a number of which range. Signal "set-chosen" (gpointer JobRankSet*, borrowed): a click on a bar
 * or point; it is of these ranks. */
#pragma once
#include <gtk/gtk.h>
#include "job/value.h"

#define GUI_TYPE_COMPARE_PLOT (gui_compare_plot_get_type ())
G_DECLARE_FINAL_TYPE (GuiComparePlot, gui_compare_plot, GUI, COMPARE_PLOT, GtkDrawingArea)

/* row: copied; NULL, or one with anything but numbers: nothing is drawn. */
void gui_compare_plot_set (GuiComparePlot *plot, const JobValueRow *row);
