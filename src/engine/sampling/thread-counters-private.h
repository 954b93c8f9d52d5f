/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of single threads, by perf_event_open(2), so that what a thread has executed since its last sample is known. */
#pragma once
#include "engine/sampling/counters-private.h"
#include "job/counts.h"

/* What is counted in one thread. All zero: nothing. */
typedef struct {
    guint n; /* files, the first of which reads all of them */
    int files[JOB_N_COUNTS];
    guint8 kinds[JOB_N_COUNTS];                          /* JobCount of each */
    guint64 wanted_ns, counted_ns, values[JOB_N_COUNTS]; /* when they were last taken */
} EngineThreadCounters;

/* The set of JobCount that is among the events. */
guint32 engine_thread_counters_find_kinds (const EngineSamplingEvent *events, guint n_events);
/* Begins to count in the thread, which has none yet. *kinds: set of JobCount that are wanted; loses those that the kernel
 * does not count, and all where there are no more files for counters of this thread: about half of those that this process may
 * open are left to others. */
void engine_thread_counters_open (EngineThreadCounters *counters, pid_t tid,
                                  const EngineSamplingEvent *events, guint n_events,
                                  guint32 *kinds);
/* What has been counted since they were opened or last taken, by one system call. Where the processor has too few counters, they
 * take turns, and what was counted stands for all of the time; what had no turn yet is left for the next time. */
JobCounts engine_thread_counters_take (EngineThreadCounters *counters);
void engine_thread_counters_close (EngineThreadCounters *counters);
