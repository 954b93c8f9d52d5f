/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the clock of another host is from the front end's, over a run: of the questions in each stretch of
 * time the one that was answered fastest, as it is wrong by half of that time at most. And what contradicts
 * them: nothing comes before it was sampled. */
#pragma once
#include <glib.h>

typedef struct {
    gint64 there_us;  /* the host's time */
    gint64 offset_us; /* add it to have the front end's */
    gint64 round_us;  /* from the question to its answer; 0 of what was corrected */
} ProfileClockPoint;

typedef struct _ProfileClock ProfileClock;

ProfileClock *profile_clock_new (void);
void profile_clock_free (ProfileClock *clock); /* NULL is fine */

/* An answer. Those of one host come in the order of its time; one that does not is left out. */
void profile_clock_add (ProfileClock *clock, const ProfileClockPoint *point);
/* Something that was sampled then was here already: the offset was at most this. */
void profile_clock_add_limit (ProfileClock *clock, gint64 there_us, gint64 most_offset_us);

/* Of ProfileClockPoint, in the order of both clocks once it is settled; borrowed. */
const GArray *profile_clock_get_points (const ProfileClock *clock);
const GArray *profile_clock_get_limits (const ProfileClock *clock); /* the same */
/* FALSE: nobody has answered, and nothing has come. */
gboolean profile_clock_is_known (const ProfileClock *clock);

/* No more comes: leaves out the points that say nothing that their neighbours do not, and corrects what
 * still runs backwards. Settling twice is settling once. */
void profile_clock_settle (ProfileClock *clock);
/* By how much that had to be corrected at most, in µs; 0: not at all. */
gint64 profile_clock_get_corrected_us (const ProfileClock *clock);
/* Between two points on the line through both, beyond them that of the nearest. 0 without any. */
gint64 profile_clock_get_offset (const ProfileClock *clock, gint64 there_us);
