/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVIDIA's management library, loaded and asked by a thread of its own: a driver that hangs holds up nobody. */
#pragma once
#include "job/metric.h"

#define ENGINE_SAMPLING_NVML "libnvidia-ml.so.1"

typedef struct _EngineSamplingNvml EngineSamplingNvml;

/* library: its file name; one that is not there has no accelerators. Never fails, and waits for nothing. */
EngineSamplingNvml *engine_sampling_nvml_new (const char *library);
void engine_sampling_nvml_free (EngineSamplingNvml
                                    *nvml); /* NULL is fine; waits for nothing either */
/* What the thread has read last; what it could not read, or has not read for a second, stays as it is. */
void engine_sampling_nvml_read (EngineSamplingNvml *nvml, JobMetrics *metrics);
