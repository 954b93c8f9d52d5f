/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processor's counters of one process, by perf_event_open(2): what its threads have executed outside the kernel. */
#pragma once
#include "job/metric.h"
#include <sys/types.h>

/* One that is counted: see perf_event_open(2). */
typedef struct {
    guint32 type;
    guint64 config;
    JobMetric metric;
    gboolean is_first; /* of those that are counted at the same time */
} EngineSamplingEvent;

#define ENGINE_SAMPLING_MAX_EVENTS 8u

/* What this host's processor has, of which metrics is a set. cpuinfo: file name. Returns how many. */
guint engine_sampling_list_events (const char *cpuinfo, guint32 metrics,
                                   EngineSamplingEvent events[ENGINE_SAMPLING_MAX_EVENTS]);

typedef struct _EngineSamplingCounters EngineSamplingCounters;

/* tids: of pid_t, all threads that the process has; those that they make later are counted, too. Never fails: what the kernel
 * does not count stays unknown, and if it counts nothing, the metrics say why. */
EngineSamplingCounters *engine_sampling_counters_new (const EngineSamplingEvent *events,
                                                      guint n_events, const GArray *tids);
void engine_sampling_counters_free (EngineSamplingCounters *counters); /* NULL is fine */
/* What has been counted until now, also of threads that have ended. */
void engine_sampling_counters_read (const EngineSamplingCounters *counters,
                                    JobMetrics *metrics);
