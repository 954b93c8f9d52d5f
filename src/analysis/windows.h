/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows: who has locked what another rank wants, and who of a group has not come. From what each
 * rank's recorder has counted (the tags of job/message-queue.h); MPI itself tells it nobody. */
#pragma once
#include "analysis/communicators.h"

typedef enum {
    ANALYSIS_WINDOW_UNKNOWN, /* cannot be told: an implementation may wait for the target's progress */
    ANALYSIS_WINDOW_RANKS,   /* for all of the ranks that were found; none: it is about to end */
    ANALYSIS_WINDOW_HOLDERS, /* the same, and these hold the lock that it wants */
} AnalysisWindowNeed;

/* For whom the rank waits in `operation`, of kind RMA. Adds to ranks. */
AnalysisWindowNeed analysis_windows_find (const AnalysisRank *ranks, guint32 n_ranks, guint32 rank,
                                          const JobMessageOperation *operation, JobRankSet *found);
/* Where the holder has taken its lock; NULL: not remembered. Borrowed. */
const JobLocation *analysis_windows_find_lock (const AnalysisRank *holder,
                                               const JobMessageOperation *operation);
