/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A measured run in a few sentences. */
#pragma once
#include "profile/model.h"

/* The shortest end of a path that no other file of the model has. Caller owns. */
char *profile_dup_short_file (const ProfileModel *model, const char *path);
/* "native 70.0 %, MPI 30.0 %", the most expensive first; "" without samples. Caller owns. */
char *profile_format_classes (const ProfileModel *model);
/* "11.9 s", "0.024 s", "0.5 ms": no run took "0.0 s". Caller owns. */
char *profile_format_time (double seconds);
/* The percent of the time that the ranks could run in which they had a processor. FALSE: they had one nearly always, or
 * that is not known. */
gboolean profile_find_crowding (const ProfileModel *model, double *ret_share);
/* "Warning: the CPUs were oversubscribed. Ranks waited for a CPU 39 % of the time they could run, so …"; NULL: they had one nearly
 * always, or that is not known. Caller owns. */
char *profile_format_crowding (const ProfileModel *model);
/* All of it, without a newline at the end; caller owns. */
char *profile_format_summary (const ProfileModel *model);
