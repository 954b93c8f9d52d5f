/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampling that somebody has asked for, while he debugs. */
#include "base/error.h"
#include "engine/sampling/private.h"
#include "engine/sampling/state-private.h"
#include "engine/sampling/sums-private.h"

#define MAX_PERIOD_US (60 * G_USEC_PER_SEC)

/* As PROFILE wants it, for one rank. FALSE with GONE or BUSY. */
static gboolean
begin_requested (EngineProcess *process, const JobRequest *request, GError **error)
{
    EngineSampling *sampling;

    if (process->ended) {
        base_error_set (error, BASE_ERROR_GONE, "cannot profile: the rank has ended");
        return FALSE;
    }
    if (process->sampling != NULL) {
        base_error_set (error, BASE_ERROR_BUSY, "cannot profile: the rank is being profiled");
        return FALSE;
    }
    sampling = engine_sampling_begin (process, request->id, request->rate);
    if (request->flags & JOB_REQUEST_SUMMED) {
        sampling->own = engine_sampling_sums_begin (process->engine, request->id,
                                                    (guint32) (sampling->period_us / 1000));
    }
    engine_sampling_begin_counters (process);
    if (request->ms != 0) {
        sampling->end_us = sampling->due_us + (gint64) MIN (request->ms, G_MAXINT32) * 1000;
    }
    return TRUE;
}

static void
slow_down (EngineProcess *process, guint times)
{
    if (process->sampling != NULL) {
        process->sampling->period_us = MIN (process->sampling->period_us * MIN (times, 1000),
                                            MAX_PERIOD_US);
    }
}

void
engine_sampling_handle (Engine *engine, const JobRequest *request)
{
    JOB_EACH_RANK (request->ranks, slot) {
        EngineProcess *process = engine_find_process (engine, slot);
        g_autoptr (GError) error = NULL;

        if (process == NULL) {
            continue;
        }
        if (request->rate == 0) {
            engine_sampling_end (process);
            engine_emit_accepted (process, request->id);
        } else if (request->flags & JOB_REQUEST_SLOWER) {
            slow_down (process, request->rate);
            engine_emit_accepted (process, request->id);
        } else if (!begin_requested (process, request, &error)) {
            engine_emit_failure (process, request->id, error);
        }
    }
}

void
engine_sampling_cancel (Engine *engine, const JobRequest *request)
{
    JobRankIter iter = { 0 };
    guint32 slot;

    while (engine->n_sampled > 0 && job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process != NULL && process->sampling != NULL
            && process->sampling->request == request->cancels) {
            engine_sampling_end (process);
        }
    }
}
