/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gui/profile/profile-axis.h"
#include <math.h>

#define FACTOR 1.25 /* of one step of the wheel */

void
gui_profile_axis_init (GuiProfileAxis *axis, double begin_s, double end_s, double width)
{
    axis->begin_s = begin_s;
    axis->end_s = MAX (end_s, begin_s + 1e-9);
    axis->x = GUI_PROFILE_LABELS;
    axis->width = MAX (1, floor (width - GUI_PROFILE_LABELS - GUI_PROFILE_MARGIN));
}

double
gui_profile_axis_get_x (const GuiProfileAxis *axis, double time_s)
{
    return axis->x + (time_s - axis->begin_s) / (axis->end_s - axis->begin_s) * axis->width;
}

double
gui_profile_axis_get_time (const GuiProfileAxis *axis, double x)
{
    double share = CLAMP ((x - axis->x) / axis->width, 0, 1);

    return axis->begin_s + share * (axis->end_s - axis->begin_s);
}

double
gui_profile_axis_get_step (const GuiProfileAxis *axis, guint max_ticks, guint *ret_digits)
{
    double least = (axis->end_s - axis->begin_s) / MAX (max_ticks, 1);
    double power = floor (log10 (least)), step = pow (10, power);
    double factor = least <= step * (1 + 1e-9)       ? 1
                    : least <= 2 * step * (1 + 1e-9) ? 2
                    : least <= 5 * step * (1 + 1e-9) ? 5
                                                     : 10;

    power += factor == 10 ? 1 : 0;
    *ret_digits = power < 0 ? (guint) MIN (-power, 9) : 0;
    return step * factor;
}

guint
gui_profile_axis_get_digits (double span_s)
{
    guint digits = 3;

    for (double step = 1; digits < 9 && span_s < step; step /= 10) {
        digits++;
    }
    return digits;
}

void
gui_profile_axis_zoom (double *begin_s, double *end_s, double time_s, double steps,
                       double least_s, double duration_s)
{
    double span = *end_s - *begin_s;
    double wanted = CLAMP (span * pow (FACTOR, steps), MIN (least_s, duration_s), duration_s);
    double share = span > 0 ? CLAMP ((time_s - *begin_s) / span, 0, 1) : 0;
    double begin = CLAMP (time_s - share * wanted, 0, duration_s - wanted);

    *begin_s = begin;
    *end_s = begin + wanted;
}

void
gui_profile_axis_draw (const GuiProfileAxis *axis, cairo_t *cr,
                       const GuiProfileColours *colours, double bottom)
{
    guint digits;
    double step = gui_profile_axis_get_step (axis, (guint) MAX (1, axis->width / 90), &digits);

    cairo_set_line_width (cr, 1);
    for (double at = ceil (axis->begin_s / step - 1e-9) * step; at <= axis->end_s + step * 1e-9;
         at += step) {
        double x = floor (gui_profile_axis_get_x (axis, at)) + 0.5;
        g_autofree char *text = g_strdup_printf ("%.*f s", (int) digits,
                                                 fabs (at) < step / 2 ? 0 : at);

        gui_profile_set_colour (cr, colours->grid, 1);
        cairo_move_to (cr, x, GUI_PROFILE_AXIS - 5);
        cairo_line_to (cr, x, bottom);
        cairo_stroke (cr);
        gui_profile_draw_text (cr, text, 11, FALSE, colours->muted, GUI_PROFILE_MIDDLE, x, 4,
                               -1);
    }
}
