/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows: which rank holds a lock that another one wants, and which members of a group are
 * missing. Computed from the recorders' counts (the tags of job/message-queue.h), because MPI
 * does not report it. */
#pragma once
#include "analysis/communicators.h"

typedef enum {
    ANALYSIS_WINDOW_UNKNOWN, /* not known: MPI may wait for the target's progress */
    ANALYSIS_WINDOW_RANKS,   /* for all ranks found; none: about to complete */
    ANALYSIS_WINDOW_HOLDERS, /* for the ranks found, which hold the lock that it wants */
} AnalysisWindowNeed;

/* The ranks that the rank waits for in `operation`, of kind RMA. Adds to found. */
AnalysisWindowNeed analysis_windows_find (const AnalysisRank *ranks, guint32 n_ranks,
                                          guint32 rank, const JobMessageOperation *operation,
                                          JobRankSet *found);
/* Where the holder took its lock; NULL: no longer known. Borrowed. */
const JobLocation *analysis_windows_find_lock (const AnalysisRank *holder,
                                               const JobMessageOperation *operation);
