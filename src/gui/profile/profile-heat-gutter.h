/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beside the lines of a file: how much time was spent at each, as a share and as a heat, and when, as a
 * sparkline by class. Signals: "selected" (guint line): a click on a line that has time. "get-lines"
 * (gpointer double *ret_total) → gpointer const ProfileFileLines*: the lines of the gutter's file, borrowed until
 * gui_profile_heat_gutter_invalidate, or NULL; ret_total: what shares are of, in s. It is emitted when the gutter is to
 * be drawn for the first time, and after each invalidate. */
#pragma once
#include <gtksourceview/gtksource.h>
#include "gui/profile/profile-colours.h"
#include "profile/file-lines.h"

#define GUI_TYPE_PROFILE_HEAT_GUTTER (gui_profile_heat_gutter_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileHeatGutter, gui_profile_heat_gutter, GUI, PROFILE_HEAT_GUTTER,
                      GtkSourceGutterRenderer)

GtkSourceGutterRenderer *gui_profile_heat_gutter_new (void);
void gui_profile_heat_gutter_invalidate (GuiProfileHeatGutter *gutter);
/* As wide as the view's font needs. */
void gui_profile_heat_gutter_resize (GuiProfileHeatGutter *gutter, GtkWidget *view);

/* Of the figures that are counted at lines, in px: shown on the right, where there are any. lines: NULL: none. */
double gui_profile_heat_gutter_get_figures_width (const ProfileFileLines *lines, double text);
/* The same for print: share and sparkline of a line. text: size of the font, in px. */
void gui_profile_heat_gutter_paint (cairo_t *cr, const GuiProfileColours *colours,
                                    const ProfileFileLines *lines, const ProfileFileLine *line,
                                    double total, double text, double x, double y, double width,
                                    double height);
