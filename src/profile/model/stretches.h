/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stretches of time that may overlap, of which a drawing has room for a few: those of a part of the time are found
 * without looking at all of them, and of too many the longest of neighbours are taken. */
#pragma once
#include <glib.h>

typedef struct {
    gint64 begin_us, end_us; /* begin ≤ end */
    guint32 number;          /* whatever the caller finds it by */
} ProfileStretch;

typedef struct _ProfileStretches ProfileStretches;

/* Takes the array of ProfileStretch, in any order. */
ProfileStretches *profile_stretches_new (GArray *list);
void profile_stretches_free (ProfileStretches *stretches); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileStretches, profile_stretches_free)
/* Appends the numbers (guint32) of those that have a part in [begin, end], in the order of their begins: all of
 * them, if they are at most `most`. Else of each so many neighbours the longest, so that it is at most `most`. TRUE: all of
 * them. */
gboolean profile_stretches_find (const ProfileStretches *stretches, gint64 begin_us,
                                 gint64 end_us, guint most, GArray *to);
