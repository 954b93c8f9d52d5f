/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of rank-set share. */
#pragma once
#include "job/rank-set.h"

/* Adds [first, end), first < end. It must not begin before the set's last range. */
void job_rank_set_append (JobRankSet *set, guint32 first, guint32 end);

/* As job_rank_set_decode, for a part of a message: takes at most *left_bytes of memory and
 * subtracts what it takes. */
JobRankSet *job_rank_set_decode_within (const guint8 *data, gsize size, guint32 limit,
                                        guint64 *left_bytes, GError **error);
