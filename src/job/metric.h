/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks and their hosts have used, a few times a second. */
#pragma once
#include "base/cursor.h"

typedef enum {
    /* of the rank */
    JOB_METRIC_RSS,     /* bytes of memory that it has now */
    JOB_METRIC_CPU,     /* µs of processor time since its start, of all threads */
    JOB_METRIC_READ,    /* bytes from storage since then */
    JOB_METRIC_WRITTEN, /* bytes to storage */
    JOB_METRIC_WAITS,   /* how often its threads have given up a processor to wait */
    JOB_METRIC_LOSSES,  /* how often they have lost one to somebody else */
    JOB_METRIC_THREADS, /* that it has now */
    /* µs that its threads could have run and had no processor, since it was measured */
    JOB_METRIC_QUEUED,
    /* of its MPI calls, from the recorder of MPI calls: without it they are unknown */
    JOB_METRIC_MPI_SENDS,       /* messages that it has sent since its start */
    JOB_METRIC_MPI_SENT,        /* bytes of them */
    JOB_METRIC_MPI_RECEIVES,    /* messages that it has received */
    JOB_METRIC_MPI_COLLECTIVES, /* collective operations that it has begun */
    JOB_METRIC_MPI_COLLECTED,   /* bytes that it has given to them, or got from a scatter */
    /* of its host and of all programs there: one rank of each host tells them */
    JOB_METRIC_NODE_USED,  /* bytes of memory that are not available */
    JOB_METRIC_NODE_TOTAL, /* bytes of memory */
    JOB_METRIC_ENERGY,     /* µJ of its processors since they were first looked at */
    JOB_METRIC_GPU_USE,    /* percent of the time that its accelerators computed, their mean */
    JOB_METRIC_GPU_MEMORY, /* bytes of their memory that are used, of all together */
    JOB_METRIC_GPU_POWER,  /* mW of all together */
    /* again of the rank's MPI calls: files count on the numbers of those before */
    JOB_METRIC_MPI_MOVES, /* one-sided operations that it has begun */
    JOB_METRIC_MPI_MOVED, /* bytes that it has put, got or accumulated by them */
    /* of the processor, what all threads of the rank have done outside the kernel since it was measured */
    JOB_METRIC_CYCLES,
    JOB_METRIC_INSTRUCTIONS,
    JOB_METRIC_STALLS,     /* cycles in which nothing was executed, and a load was waited for */
    JOB_METRIC_CACHE_USES, /* of the last cache before memory */
    JOB_METRIC_CACHE_MISSES, /* of these, those that it did not have */
    JOB_METRIC_SCALARS,      /* floating-point instructions on one number */
    JOB_METRIC_VECTORS,      /* and on several */
    JOB_METRIC_NO_COUNTERS,  /* 0, or the errno that says why nothing of that is counted */
    /* of the host again */
    JOB_METRIC_NODE_BUSY, /* µs of processors that all its programs have used since it was started */
    JOB_METRIC_NODE_CORES, /* processors that it has */
    /* of the rank: page faults of its threads outside the kernel since it was measured */
    JOB_METRIC_FAULTS,
    JOB_N_METRICS
} JobMetric;

#define JOB_METRIC_ALL                                                                         \
    (G_MAXUINT32 >> (32 - JOB_N_METRICS)) /* a set: bit 1 << metric for each */

typedef struct {
    const char *name, *about;
    const char *unit;
    const char *
        group; /* its word in a list: "io" is JOB_METRIC_READ and JOB_METRIC_WRITTEN; NULL: it is always measured */
    gboolean is_sum;  /* since the start, not of the moment */
    gboolean is_host; /* of the host, not of the rank */
} JobMetricInfo;

const JobMetricInfo *job_metric_get_info (JobMetric metric);
/* "rss,gpu" to the set of the metrics in these groups and in none. FALSE with INVALID, which names the groups. */
gboolean job_metric_parse_list (const char *text, guint32 *ret_set, GError **error);

#define JOB_METRIC_UNKNOWN G_MAXUINT64

typedef struct {
    gint64 time_us;                /* CLOCK_MONOTONIC of the rank's host */
    guint64 values[JOB_N_METRICS]; /* JOB_METRIC_UNKNOWN: the system did not say */
} JobMetrics;

void job_metrics_init (JobMetrics *metrics, gint64 time_us); /* all JOB_METRIC_UNKNOWN */
guint32 job_metrics_get_known (const JobMetrics *metrics);   /* the set of those that are not */
/* metrics: of JobMetrics, in the order of their times. */
void job_metrics_write (GByteArray *block, const GArray *metrics);
/* Appends those of the block, whose metrics may be fewer or more than ours. FALSE: they are broken, or more than max. */
gboolean job_metrics_read (BaseCursor *block, guint max, GArray *metrics);
