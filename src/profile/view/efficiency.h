/* SPDX-License-Identifier: GPL-3.0-or-later */
/* POP's hierarchy of efficiencies (pop-coe.eu, "POP Standard Metrics for Parallel Performance Analysis"), of what the
 * ranks' first threads did. Useful is what is neither MPI nor waiting. */
#pragma once
#include "profile/model.h"

typedef struct {
    guint n_ranks;             /* without child processes */
    double runtime_s;          /* of the longest rank */
    double useful_s, most_s;   /* mean and highest useful time of the ranks */
    double mpi_s, least_mpi_s; /* all ranks together; of the rank with the least */
    /* The same after MPI_Init, whose time no message takes. */
    double messages_s, least_messages_s;
    guint least;      /* the index of the rank with the least: the others have come before it */
    double waiting_s; /* of messages_s, what is more than that in the other ranks */
} ProfileEfficiency;

/* Neither MPI nor waiting. */
gboolean profile_efficiency_is_useful (guint class);
/* Of each context: MPI_Init has called it. Caller owns. */
guint8 *profile_efficiency_find_inits (const JobContextTree *tree);
/* "solve at app.c:120"; without a line the function, and its library if it has no name. Caller owns. */
char *profile_efficiency_format_place (const ProfileModel *model, const JobLocation *place);
/* The line with the most of the seconds, which are those of each context, or the function, if more of them are at none of the
 * program's own lines; NULL: nobody knows. Caller owns. */
char *profile_efficiency_find_most (const ProfileModel *model, const double *seconds,
                                    double *ret_seconds);
/* FALSE: fewer than two ranks, or only sums of them are known. */
gboolean profile_efficiency_find (const ProfileModel *model, ProfileEfficiency *ret);
/* "solve at app.c:120", where the most time of that class went, and how much; "MPI_Recv", if that was at no line of the
 * program's own; NULL: nobody knows. Caller owns. */
char *profile_efficiency_find_place (const ProfileModel *model, JobClass class,
                                     double *ret_seconds);
/* The ranks that the others wait for: their times in MPI are near the least, beside the mean. Caller owns. */
JobRankSet *profile_efficiency_dup_least (const ProfileModel *model,
                                          const ProfileEfficiency *all);
/* Where these ranks spent the most useful time; as find_place. */
char *profile_efficiency_find_work (const ProfileModel *model, const JobRankSet *ranks);
