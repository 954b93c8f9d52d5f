/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beside the lines of a file: how much time was spent at each, as a share and as a heat, and when, as a
 * sparkline by class. Signal "selected" (guint line): a click on a line that has time. */
#pragma once
#include <gtksourceview/gtksource.h>
#include "gui/profile/profile-colours.h"
#include "profile/file-lines.h"

#define GUI_TYPE_PROFILE_HEAT_GUTTER (gui_profile_heat_gutter_get_type ())
G_DECLARE_FINAL_TYPE (GuiProfileHeatGutter, gui_profile_heat_gutter, GUI, PROFILE_HEAT_GUTTER,
                      GtkSourceGutterRenderer)

/* The lines of the gutter's file, borrowed until gui_profile_heat_gutter_invalidate; NULL: none.
 * ret_total: what shares are of, in s. */
typedef const ProfileFileLines *(*GuiProfileHeatFunc) (GuiProfileHeatGutter *gutter,
                                                       double *ret_total, gpointer user);

/* func is called when the gutter is to be drawn for the first time, and after each invalidate. */
GtkSourceGutterRenderer *gui_profile_heat_gutter_new (GuiProfileHeatFunc func, gpointer user);
void gui_profile_heat_gutter_invalidate (GuiProfileHeatGutter *gutter);
/* As wide as the view's font needs. */
void gui_profile_heat_gutter_resize (GuiProfileHeatGutter *gutter, GtkWidget *view);

/* The same for print: share and sparkline of a line. text: size of the font, in px. */
void gui_profile_heat_gutter_paint (cairo_t *cr, const GuiProfileColours *colours,
                                    const ProfileFileLines *lines, const ProfileFileLine *line,
                                    double total, double text, double x, double y, double width,
                                    double height);
