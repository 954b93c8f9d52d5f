/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has been sampled in all ranks, as one calling-context tree: every view and every report of a
 * profile reads it from here. Of each rank its first thread counts whatever it does, and the
 * others while they run: a pool of threads that only waits would hide everything else. */
#pragma once
#include "job/rank-set.h"
#include "job/sample.h"

typedef struct _ProfileModel ProfileModel;

ProfileModel *profile_model_new (void);
void profile_model_free (ProfileModel *model); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileModel, profile_model_free)

/* The rank's next batch. FALSE with CORRUPT: this one and all later ones of the rank are left
 * out. */
gboolean profile_model_add (ProfileModel *model, guint32 rank, GBytes *batch, GError **error);

/* Ranks with samples, in ascending order, are counted from 0 below. */
guint profile_model_get_n_ranks (const ProfileModel *model);
guint32 profile_model_get_rank (const ProfileModel *model, guint index);
guint64 profile_model_get_n_samples (const ProfileModel *model); /* that count */
guint64 profile_model_get_n_dropped (const ProfileModel *model);
/* From the first sample of the rank to its last one, in s. */
double profile_model_get_duration (const ProfileModel *model, guint index);
/* Time of the rank's threads in this class, in s. */
double profile_model_get_class (const ProfileModel *model, guint index, JobClass class);
/* Time of threads that do not count, because they waited. */
double profile_model_get_idle (const ProfileModel *model, guint index);

/* A function, whoever has called it. Times are in s. */
typedef struct {
    JobLocation location; /* line: the one where most of its own time went */
    guint32 flags;        /* JobFrameFlags */
    double self, total;   /* of all ranks; where it has called itself its total counts once */
    double *ranks;        /* its own time in each rank */
} ProfileFunction;

/* GPtrArray of ProfileFunction with free function, those with the most time of their own first. */
GPtrArray *profile_functions_new (const ProfileModel *model);

/* A function inside its callers: lines of it are one, and so are its calls of itself. Times are in s
 * and inclusive. */
typedef struct {
    JobLocation location; /* line: the one where most of the time went; texts are the model's */
    guint32 flags;        /* JobFrameFlags */
    gboolean is_recursive; /* it has called itself */
    double total, self;    /* of all ranks */
    double *ranks;         /* total of each rank */
    GPtrArray *children;   /* of ProfileNode, the dearest first */
} ProfileNode;

/* The root has no location: its children are the outermost functions. Valid as long as the model. */
ProfileNode *profile_tree_new (const ProfileModel *model);
void profile_tree_free (ProfileNode *root);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileNode, profile_tree_free)
