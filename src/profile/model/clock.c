/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/clock.h"
#include "base/array.h"

#define FIRST_STRETCH_US (5 * G_USEC_PER_SEC)
#define MAX_POINTS 256u
#define LEAST_US 1000 /* that something comes too early: less is the error of any of them */

/* The best of each stretch of the host's time. */
typedef struct {
    GArray *best;                /* of ProfileClockPoint */
    gint64 begin_us, stretch_us; /* of the last stretch, whose point is the last */
    gboolean (*is_better) (const ProfileClockPoint *point, const ProfileClockPoint *than);
} Series;

struct _ProfileClock {
    Series points, limits;
    ProfileClockPoint recent; /* of the last questions the one that was answered fastest */
    gint64 recent_us;         /* since when they are the last; 0: there was none */
    gint64 corrected_us;
    gboolean is_settled;
};

/* ---- what comes ---- */

static gboolean
is_faster (const ProfileClockPoint *point, const ProfileClockPoint *than)
{
    return point->round_us < than->round_us;
}

static gboolean
is_closer (const ProfileClockPoint *point, const ProfileClockPoint *than)
{
    return point->offset_us < than->offset_us;
}

static ProfileClockPoint *
get (const GArray *points, guint index)
{
    return &g_array_index (points, ProfileClockPoint, index);
}

static void
init_series (Series *series,
             gboolean (*is_better) (const ProfileClockPoint *, const ProfileClockPoint *))
{
    series->best = g_array_new (FALSE, FALSE, sizeof (ProfileClockPoint));
    series->stretch_us = FIRST_STRETCH_US;
    series->is_better = is_better;
}

/* Two stretches become one, so that a week has no more of them than an hour. The first stays: nothing is
 * before it. */
static void
double_stretches (Series *series)
{
    guint n = 1;

    for (guint i = 1; i < series->best->len; i += 2) {
        ProfileClockPoint kept = *get (series->best, i);

        if (i + 1 < series->best->len && series->is_better (get (series->best, i + 1), &kept)) {
            kept = *get (series->best, i + 1);
        }
        *get (series->best, n++) = kept;
    }
    g_array_set_size (series->best, n);
    series->stretch_us *= 2;
}

static void
add_to_series (Series *series, const ProfileClockPoint *point)
{
    ProfileClockPoint *last = series->best->len > 0 ? get (series->best, series->best->len - 1)
                                                    : NULL;

    if (last != NULL && point->there_us - series->begin_us < series->stretch_us) {
        if (point->there_us >= series->begin_us && series->is_better (point, last)) {
            *last = *point;
        }
        return;
    }
    if (series->best->len >= MAX_POINTS) {
        double_stretches (series);
    }
    series->begin_us = point->there_us;
    g_array_append_val (series->best, *point);
}

ProfileClock *
profile_clock_new (void)
{
    ProfileClock *clock = g_new0 (ProfileClock, 1);

    init_series (&clock->points, is_faster);
    init_series (&clock->limits, is_closer);
    return clock;
}

BASE_FREE_PUBLIC (profile_clock_free, ProfileClock, clock, g_array_unref (clock->points.best);
                  g_array_unref (clock->limits.best))

void
profile_clock_add (ProfileClock *clock, const ProfileClockPoint *point)
{
    if (point->round_us < 0) {
        return;
    }
    add_to_series (&clock->points, point);
    if (clock->recent_us == 0 || point->there_us - clock->recent_us >= FIRST_STRETCH_US
        || (point->there_us >= clock->recent_us && is_faster (point, &clock->recent))) {
        clock->recent_us = clock->recent_us == 0
                                   || point->there_us - clock->recent_us >= FIRST_STRETCH_US
                               ? MAX (point->there_us, 1)
                               : clock->recent_us;
        clock->recent = *point;
    }
    clock->is_settled = FALSE;
}

void
profile_clock_add_limit (ProfileClock *clock, gint64 there_us, gint64 most_offset_us)
{
    const ProfileClockPoint limit = { there_us, most_offset_us, 0 };

    add_to_series (&clock->limits, &limit);
    clock->is_settled = FALSE;
}

const GArray *
profile_clock_get_points (const ProfileClock *clock)
{
    return clock->points.best;
}

const GArray *
profile_clock_get_limits (const ProfileClock *clock)
{
    return clock->limits.best;
}

gboolean
profile_clock_is_known (const ProfileClock *clock)
{
    return clock->points.best->len + clock->limits.best->len > 0;
}

gint64
profile_clock_get_corrected_us (const ProfileClock *clock)
{
    return clock->corrected_us;
}

/* ---- offsets ---- */

/* The first point that is later. */
static guint
find_later (const GArray *points, gint64 there_us)
{
    return BASE_BISECT (middle, 0, points->len, get (points, middle)->there_us <= there_us);
}

static gint64
interpolate (const ProfileClockPoint *from, const ProfileClockPoint *to, gint64 there_us)
{
    double part = (double) (there_us - from->there_us)
                  / (double) MAX (to->there_us - from->there_us, 1);

    return from->offset_us + (gint64) (part * (double) (to->offset_us - from->offset_us));
}

gint64
profile_clock_get_offset (const ProfileClock *clock, gint64 there_us)
{
    const GArray *points = clock->points.best;
    guint later = find_later (points, there_us);

    if (points->len == 0) {
        return 0;
    }
    if (later == 0 || later == points->len) {
        return get (points, later == 0 ? 0 : later - 1)->offset_us;
    }
    return interpolate (get (points, later - 1), get (points, later), there_us);
}

/* ---- settling ---- */

static void
note_corrected (ProfileClock *clock, gint64 us)
{
    clock->corrected_us = MAX (clock->corrected_us, us);
}

static gint64
get_here (const ProfileClockPoint *point)
{
    return point->there_us + point->offset_us;
}

/* Nobody has answered: what came soonest after it was sampled is as near as anybody can know. */
static void
take_limit (ProfileClock *clock)
{
    const ProfileClockPoint *closest = get (clock->limits.best, 0);

    for (guint i = 1; i < clock->limits.best->len; i++) {
        if (is_closer (get (clock->limits.best, i), closest)) {
            closest = get (clock->limits.best, i);
        }
    }
    g_array_append_val (clock->points.best, *closest);
}

/* Stretches may be long by now: the last of them must not be the last word. */
static void
add_recent (ProfileClock *clock)
{
    GArray *points = clock->points.best;

    if (clock->recent_us != 0
        && clock->recent.there_us > get (points, points->len - 1)->there_us) {
        g_array_append_val (points, clock->recent);
    }
}

/* Of two answers that cannot both be right the slower one goes. */
static void
order_points (ProfileClock *clock)
{
    GArray *points = clock->points.best;
    guint i = 1;

    while (i < points->len) {
        const ProfileClockPoint *before = get (points, i - 1), *after = get (points, i);

        if (get_here (after) >= get_here (before)) {
            i++;
            continue;
        }
        note_corrected (clock, get_here (before) - get_here (after));
        g_array_remove_index (points, after->round_us > before->round_us ? i : i - 1);
        i = MAX (i - 1, 1);
    }
}

/* Whether those between the two lie on the line through them, as well as anybody knows. */
static gboolean
is_line (const GArray *points, guint first, guint last)
{
    for (guint i = first + 1; i < last; i++) {
        const ProfileClockPoint *point = get (points, i);
        gint64 between_us = interpolate (get (points, first), get (points, last),
                                         point->there_us);

        if (ABS (point->offset_us - between_us) > point->round_us / 2) {
            return FALSE;
        }
    }
    return TRUE;
}

/* The first and the last stay. */
static void
leave_out (ProfileClock *clock)
{
    const GArray *points = clock->points.best;
    GArray *kept = g_array_new (FALSE, FALSE, sizeof (ProfileClockPoint));

    for (guint first = 0, i = 0; i < points->len; i++) {
        if (i == 0 || i + 1 == points->len || !is_line (points, first, i + 1)) {
            g_array_append_val (kept, *get (points, i));
            first = i;
        }
    }
    g_array_unref (clock->points.best);
    clock->points.best = kept;
}

/* The clocks have parted for a while, as when a machine sleeps: then it was as late as it can have been. */
static void
obey_limits (ProfileClock *clock)
{
    GArray *points = clock->points.best;

    for (guint i = 0; i < clock->limits.best->len; i++) {
        const ProfileClockPoint *limit = get (clock->limits.best, i);
        gint64 early_us = profile_clock_get_offset (clock, limit->there_us) - limit->offset_us;
        guint at = find_later (points, limit->there_us);

        if (early_us <= LEAST_US) {
            continue;
        }
        note_corrected (clock, early_us);
        if (at > 0 && get (points, at - 1)->there_us == limit->there_us) {
            *get (points, at - 1) = *limit;
        } else {
            g_array_insert_val (points, at, *limit);
        }
    }
}

void
profile_clock_settle (ProfileClock *clock)
{
    if (clock->is_settled || !profile_clock_is_known (clock)) {
        return;
    }
    if (clock->points.best->len == 0) {
        take_limit (clock);
    }
    add_recent (clock);
    order_points (clock);
    leave_out (clock);
    obey_limits (clock);
    order_points (clock);
    clock->is_settled = TRUE;
}
