/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace of MPI says of why ranks had to wait, and of what the length of the run consists. */
#pragma once
#include "profile/model.h"

/* Time of a rank in a function of its own, or in MPI (is_mpi: without waiting there), for which others have waited. */
typedef struct {
    guint32 rank, line; /* line: 0 unknown */
    gboolean is_mpi;
    char *function, *file; /* "" unknown */
    double seconds;        /* waits of ranks that waited for this one … */
    double passed_s;       /* … and of those that waited for them */
} ProfileDelay;

/* A function's part of the critical path: the longest chain of what waited for each other, from the end of the run to its
 * beginning. */
typedef struct {
    guint32 rank, line; /* rank: that has most of it */
    gboolean is_mpi;
    char *function, *file; /* "" unknown */
    double seconds;        /* on the path */
    double rank_s;         /* of them in that rank */
    double mean_s;         /* the mean time of all ranks in it, on the path or not */
} ProfilePathPart;

/* Copies. */
void profile_model_add_delay (ProfileModel *model, const ProfileDelay *delay);
void profile_model_add_path_part (ProfileModel *model, const ProfilePathPart *part);
/* Of ProfileDelay and ProfilePathPart, the most time first; borrowed. */
const GArray *profile_model_get_delays (const ProfileModel *model);
const GArray *profile_model_get_path (const ProfileModel *model);
