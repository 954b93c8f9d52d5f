/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What else a model is told of a run that is still being measured, or whose records are read: clocks of hosts, and how its
 * ranks end. */
#pragma once
#include "profile/clock.h"
#include "profile/model.h"

gboolean profile_model_has_rank (const ProfileModel *model, guint32 number);
/* The index of the rank, or where it belongs. */
guint profile_model_find_place (const ProfileModel *model, guint32 rank);
/* When it was sampled last, by its host's clock; 0: never. */
gint64 profile_model_get_last_us (const ProfileModel *model, guint index);
void profile_model_set_ending (ProfileModel *model, guint index,
                               const char *ending); /* interned */

/* The clock of that host; adds it, if it is new. */
ProfileClock *profile_model_find_clock (ProfileModel *model, const char *host);
/* NULL: nothing is known of it, or it is the front end's. */
const ProfileClock *profile_model_get_host_clock (const ProfileModel *model, const char *host);
gboolean profile_model_has_clock (const ProfileModel *model, const char *host);
gboolean profile_model_has_clocks (const ProfileModel *model); /* of any host */
/* No more is told of them: settles them, and gives each rank the offset of the middle of its time. */
void profile_model_settle_clocks (ProfileModel *model);
/* TRUE: the rank's host has a clock of its own that is known. */
gboolean profile_model_has_offset (const ProfileModel *model, guint index);
