/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of rank-set share. */
#pragma once
#include "job/rank-set.h"

/* Adds [first, end), first < end, that does not begin before the set's last range begins. */
void job_rank_set_append (JobRankSet *set, guint32 first, guint32 end);
