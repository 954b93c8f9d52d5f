/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A value holds until the next one. */
#include "gui/profile/timeline-counters.h"
#include <glib/gi18n.h>
#include <math.h>
#include "profile/messages.h"
#include "profile/values.h"
#include "base/array.h"

/* of a row's counter; own metrics follow */
enum { MEMORY = 1, FIRST_OWN };

typedef struct {
    double time_s, value;
} Point;

static const ProfileOwnMetric *
get_own (const ProfileModel *model, const GuiTimelineRow *row)
{
    return &g_array_index (profile_model_get_own_metrics (model), ProfileOwnMetric,
                           row->counter - FIRST_OWN);
}

static gboolean
has_memory (const ProfileModel *model, guint index)
{
    return profile_samples_find_most (model, index, JOB_METRIC_RSS) != JOB_METRIC_UNKNOWN;
}

void
gui_timeline_counters_append (GArray *rows, const ProfileModel *model, guint index)
{
    const GArray *own = profile_model_get_own_metrics (model);
    GuiTimelineRow row = { index, PROFILE_COUNTED_THREADS, 0, MEMORY };

    if (has_memory (model, index)) {
        g_array_append_val (rows, row);
    }
    for (guint i = 0; i < own->len; i++) {
        row.counter = FIRST_OWN + i;
        if (get_own (model, &row)->rank == profile_model_get_rank (model, index)) {
            g_array_append_val (rows, row);
        }
    }
}

char *
gui_timeline_counters_dup_label (const ProfileModel *model, const GuiTimelineRow *row)
{
    return g_strdup (row->counter == MEMORY ? _ ("memory") : get_own (model, row)->name);
}

static void
list_memory (const ProfileModel *model, guint index, GArray *points)
{
    const GArray *metrics = profile_samples_get_metrics (model, index);

    BASE_EACH_ROW (metrics, const JobMetrics, each) {
        Point point = { profile_model_get_seconds (model, index, each->time_us),
                        (double) each->values[JOB_METRIC_RSS] };

        if (each->values[JOB_METRIC_RSS] != JOB_METRIC_UNKNOWN) {
            g_array_append_val (points, point);
        }
    }
}

/* By time. */
static GArray *
list_points (const ProfileModel *model, const GuiTimelineRow *row)
{
    GArray *points = g_array_new (FALSE, FALSE, sizeof (Point));
    const GArray *own;

    if (row->counter == MEMORY) {
        list_memory (model, row->index, points);
        return points;
    }
    own = get_own (model, row)->points;
    BASE_EACH_ROW (own, const ProfilePoint, each) {
        BASE_APPEND (points, Point, profile_messages_get_seconds (model, each->time_us),
                     each->value);
    }
    return points;
}

static void
find_range (const GArray *points, double *ret_least, double *ret_most)
{
    *ret_least = *ret_most = 0;
    for (guint i = 0; i < points->len; i++) {
        double value = g_array_index (points, Point, i).value;

        if (isfinite (value)) {
            *ret_least = MIN (*ret_least, value);
            *ret_most = MAX (*ret_most, value);
        }
    }
}

void
gui_timeline_counters_paint (cairo_t *cr, const ProfileModel *model, const GuiTimelineRow *row,
                             const GuiProfileAxis *axis, double y, double height,
                             const GuiProfileColours *colours)
{
    g_autoptr (GArray) points = list_points (model, row);
    double least, most, zero;

    find_range (points, &least, &most);
    if (most <= least) {
        return;
    }
    zero = y + height * most / (most - least);
    cairo_save (cr);
    cairo_rectangle (cr, axis->x, y, axis->width, height);
    cairo_clip (cr);
    for (guint i = 0; i < points->len; i++) {
        const Point *point = &g_array_index (points, Point, i);
        double end_s = i + 1 < points->len ? point[1].time_s : MAX (point->time_s, axis->end_s);
        double left = gui_profile_axis_get_x (axis, point->time_s);
        double right = gui_profile_axis_get_x (axis, end_s);
        double top = y + height * (most - point->value) / (most - least);

        if (right < axis->x || left > axis->x + axis->width || !isfinite (top)) {
            continue;
        }
        left = floor (MAX (left, axis->x));
        cairo_rectangle (cr, left, MIN (top, zero), MAX (1, ceil (right) - left),
                         MAX (1, fabs (zero - top)));
    }
    gui_profile_set_colour (cr, colours->muted, 0.6);
    cairo_fill (cr);
    cairo_restore (cr);
}

char *
gui_timeline_counters_dup_tip (const ProfileModel *model, const GuiTimelineRow *row,
                               double time_s)
{
    g_autoptr (GArray) points = list_points (model, row);
    const Point *found = NULL;
    g_autofree char *size = NULL;
    const char *unit = "";

    for (guint i = 0; i < points->len && g_array_index (points, Point, i).time_s <= time_s;
         i++) {
        found = &g_array_index (points, Point, i);
    }
    if (found == NULL) {
        return NULL;
    }
    if (row->counter == MEMORY) {
        size = g_format_size_full ((guint64) found->value, G_FORMAT_SIZE_IEC_UNITS);
    } else {
        unit = get_own (model, row)->unit;
        size = g_strdup_printf ("%.6g%s%s", found->value, *unit != '\0' ? " " : "", unit);
    }
    /* Translators: a value, and since when it is so */
    return g_strdup_printf (_ ("%s since %.6f s"), size, found->time_s);
}
