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

/* ---- over time: n_bins equal parts of [begin, end) ---- */
#define PROFILE_COUNTED_THREADS G_MAXUINT

/* Adds the rank's time in each class, in s, to bins (n_bins × JOB_N_CLASSES, the classes of a bin
 * beside each other): of its thread with that index (profile_samples_get), or of those that count. */
void profile_model_add_bins (const ProfileModel *model, guint index, guint thread,
                             double begin_s, double end_s, guint n_bins, float *bins);
/* The share of the ranks in each class, 0 to 1, into shares (as above); what is missing to 1 was not there,
 * or not measured. A rank with several running threads counts as one. Child processes are left out.
 * ranks: NULL: all. */
void profile_model_get_activity (const ProfileModel *model, const JobRankSet *ranks,
                                 double begin_s, double end_s, guint n_bins, float *shares);

/* A metric over ranks; of one that is a sum since the start, its growth in a second. */
typedef struct {
    double least, mean, most;
    guint n_ranks; /* for which it is known; 0: the rest is 0 */
} ProfileBand;

void profile_model_get_bands (const ProfileModel *model, const JobRankSet *ranks,
                              JobMetric metric, double begin_s, double end_s, guint n_bins,
                              ProfileBand *bands);
/* What that thread (index) was doing then. FALSE: not known. */
gboolean profile_model_find_sample (const ProfileModel *model, guint index, guint thread,
                                    double time_s, ProfileSample *ret);
/* The thread (index) with number 1; FALSE: it has no samples. */
gboolean profile_model_find_first_thread (const ProfileModel *model, guint index,
                                          guint *ret_thread);
