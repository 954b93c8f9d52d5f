/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scale of time above a picture, and the arithmetic of what lies below it. */
#pragma once
#include "gui/profile/profile-colours.h"

enum { GUI_PROFILE_LABELS = 100, GUI_PROFILE_AXIS = 26, GUI_PROFILE_MARGIN = 26 };

/* The picture lies right of GUI_PROFILE_LABELS and below GUI_PROFILE_AXIS. */
typedef struct {
    double begin_s, end_s;
    double x, width;
} GuiProfileAxis;

/* width: of all, with the labels. */
void gui_profile_axis_init (GuiProfileAxis *axis, double begin_s, double end_s, double width);
double gui_profile_axis_get_x (const GuiProfileAxis *axis, double time_s);
/* Clamped to the axis. */
double gui_profile_axis_get_time (const GuiProfileAxis *axis, double x);
/* Between two ticks, in s: 1, 2 or 5 times a power of ten, at most max_ticks of them. digits: after the
 * point, which tell them apart. */
double gui_profile_axis_get_step (const GuiProfileAxis *axis, guint max_ticks,
                                  guint *ret_digits);
/* Digits after the point of a time in s, so that a thousandth of what is shown is seen; at least 3. */
guint gui_profile_axis_get_digits (double span_s);
/* The least time that is zoomed into: samples are further apart, and single events a few ns long. */
#define GUI_PROFILE_LEAST_SAMPLED 1e-4
#define GUI_PROFILE_LEAST_TRACED 1e-6
/* The stretch of time that the wheel makes of another one, of at least least_s and at most [0, duration]: steps < 0
 * comes nearer, and what is at time_s stays where it is. */
void gui_profile_axis_zoom (double *begin_s, double *end_s, double time_s, double steps,
                            double least_s, double duration_s);
/* Numbers above, and lines down to bottom. */
void gui_profile_axis_draw (const GuiProfileAxis *axis, cairo_t *cr,
                            const GuiProfileColours *colours, double bottom);
