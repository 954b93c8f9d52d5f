/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What processes have spent where, for a request that does not ask when: their host tells it once, when the last
 * of them has come to its end. */
#pragma once
#include "engine/private.h"
#include "job/sample.h"

/* Begins for one process of the request. */
EngineSamplingOwn *engine_sampling_sums_begin (Engine *engine, guint64 request,
                                               guint32 period_ms);
/* Of threads after the first those that wait do not count. */
void engine_sampling_sums_add (EngineSamplingOwn *own, const JobSample *sample);
/* That is all of the process, whose sampling has such sums. */
void engine_sampling_sums_end (EngineProcess *process);
/* Those of requests whose processes are all gone without an end: there are none in an engine that is ended in
 * order. */
void engine_sampling_sums_clear (Engine *engine);
