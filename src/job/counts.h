/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the threads of a rank have executed, as processor and kernel have counted it, by the place where a sample has
 * found them behind it. */
#pragma once
#include "base/cursor.h"
#include "job/metric.h"

typedef enum {
    JOB_COUNT_CYCLES,
    JOB_COUNT_INSTRUCTIONS,
    JOB_COUNT_STALLS, /* cycles that waited for memory */
    JOB_COUNT_CACHE_MISSES,
    JOB_COUNT_FAULTS, /* page faults: the kernel counts them, on each machine */
    JOB_N_COUNTS
} JobCount;

/* The metric that counts the same in the whole rank. */
JobMetric job_count_get_metric (JobCount count);

typedef struct {
    guint64 values[JOB_N_COUNTS]; /* 0 where it is not counted */
} JobCounts;

/* Sums stay at G_MAXUINT64. */
void job_counts_add (JobCounts *to, const JobCounts *more);
/* Leaves that share of them, 0 to 1, and returns the rest. */
JobCounts job_counts_split (JobCounts *counts, double share);

typedef struct {
    guint32 context; /* number in the rank's tree; 0: a stack that could not be read */
    JobCounts counts;
} JobContextCounts;

/* counted: set of JobCount (bit 1 << count) that are known of all threads; contexts: of JobContextCounts. */
void job_counts_write (GByteArray *block, guint32 counted, const GArray *contexts);
/* Appends those of the block, which may have more or fewer kinds than ours. FALSE: it is broken, has more than max, or names
 * a context above n_contexts. */
gboolean job_counts_read (BaseCursor *block, guint max, guint32 n_contexts,
                          guint32 *ret_counted, GArray *contexts);
