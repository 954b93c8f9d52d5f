/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A part of a profile: a stretch of time, some of the ranks, one class. Times are in seconds since the
 * profile's first sample, on the front end's clock. */
#pragma once
#include "profile/model.h"

#define PROFILE_ALL_CLASSES (-1)

typedef struct {
    double begin_s, end_s;   /* [begin, end) */
    const JobRankSet *ranks; /* borrowed; NULL: all */
    int class;               /* JobClass, or PROFILE_ALL_CLASSES */
} ProfileSlice;

/* When the last sample was taken; 0 without samples. */
double profile_model_get_end (const ProfileModel *model);
/* Seconds of a time of the rank's host. */
double profile_model_get_seconds (const ProfileModel *model, guint index, gint64 time_us);
/* The index of the rank; FALSE: it has no samples. */
gboolean profile_model_find_index (const ProfileModel *model, guint32 rank, guint *ret_index);

/* A model of that part alone: ranks outside the slice are not in it, samples across its ends count with
 * the time inside. Functions, lines, trees and reports are made of it as of a whole one. Its contexts
 * are the model's own and keep their numbers, so that it is valid only until the model's next batch. */
ProfileModel *profile_model_new_slice (const ProfileModel *model, const ProfileSlice *slice);
