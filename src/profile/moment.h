/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged stack of a moment: which ranks were where then. */
#pragma once
#include "profile/slice.h"

typedef struct {
    guint32 context; /* number in the model's tree */
    guint depth;     /* 0: outermost */
    JobRankSet *ranks;
} ProfileMomentFrame;

/* GPtrArray of ProfileMomentFrame with free function: each frame before those inside it, the ones with
 * more ranks first. ranks: NULL: all. rank: of this one the thread with that index counts, of
 * all others the first one; G_MAXUINT: there is no such rank. */
GPtrArray *profile_moment_new (const ProfileModel *model, const JobRankSet *ranks,
                               double time_s, guint rank, guint thread);
