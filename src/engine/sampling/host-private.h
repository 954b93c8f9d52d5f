/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a whole host, which one of its sampled ranks tells for all. */
#pragma once
#include "engine/private.h"
#include "engine/sampling/counters-private.h"
#include "job/metric.h"

/* proc, sys: "/proc" and "/sys"; nvml: file name of NVIDIA's management library; wanted: a set of metrics. None of them
 * needs to be there. */
EngineSamplingHost *engine_sampling_host_new (const char *proc, const char *sys,
                                              const char *nvml, guint32 wanted);
/* This host's own, with what the engine is to measure. */
EngineSamplingHost *engine_sampling_host_open (const Engine *engine);
void engine_sampling_host_free (EngineSamplingHost *host); /* NULL is fine */
/* Fills in the host's metrics as far as they are wanted and there; waits for nothing. */
void engine_sampling_host_read (EngineSamplingHost *host, JobMetrics *metrics);
/* Of the processors' counters, for a process with these threads (of pid_t). Caller owns. */
EngineSamplingCounters *engine_sampling_host_count (const EngineSamplingHost *host,
                                                    const GArray *tids);
/* The events that are counted; borrowed. */
const EngineSamplingEvent *engine_sampling_host_get_events (const EngineSamplingHost *host,
                                                            guint *ret_n);
/* TRUE: the process tells them: it is the first that was asked about since another one was forgotten. */
gboolean engine_sampling_host_is_led_by (EngineSamplingHost *host, const void *process);
void engine_sampling_host_forget (EngineSamplingHost *host, const void *process);
