/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of rank-set share. */
#pragma once
#include "job/rank-set.h"

/* Adds [first, end), first < end, that does not begin before the set's last range begins. */
void job_rank_set_append (JobRankSet *set, guint32 first, guint32 end);

/* job_rank_set_decode of a part of a message, which may take *left_bytes in all; they become fewer. */
JobRankSet *job_rank_set_decode_within (const guint8 *data, gsize size, guint32 limit, guint64 *left_bytes,
                                        GError **error);
