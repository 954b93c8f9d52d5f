/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How evenly the ranks work. */
#pragma once
#include "profile/model.h"

typedef struct {
    guint n_ranks; /* without child processes */
    guint32 busiest, laziest;
    double least_s, mean_s, most_s; /* work of a rank */
    double imbalance;               /* most / mean - 1; 0 without work */
    JobRankSet *idle; /* ranks that worked less than a twentieth of the busiest one */
} ProfileBalance;

ProfileBalance *profile_balance_new (const ProfileModel *model);
void profile_balance_free (ProfileBalance *balance); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileBalance, profile_balance_free)
/* What a rank, or each of a group, computed, read and wrote, in s: everything but waiting and MPI. */
double profile_balance_get_work (const ProfileModel *model, guint index);
