/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has been sampled, to the front end. */
#include "engine/inspect/inspect.h"
#include "engine/sampling/state-private.h"
#include "engine/sampling/sums-private.h"

/* Those that were named later were not taken later. */
BASE_ORDER (compare_samples, JobSample, BASE_BY (time_us))

void
engine_sampling_tell (EngineProcess *process, gboolean final)
{
    EngineSampling *sampling = process->sampling;
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);
    JobSampleExtras extras = { .metrics = sampling->metrics, .threads = sampling->fresh };
    JobEvent *event;

    if (final && sampling->own != NULL) {
        engine_sampling_sums_end (process);
        return;
    }
    if (!final && sampling->samples->len == 0
        && (!sampling->has_no_stacks || sampling->metrics->len == 0)) {
        return;
    }
    g_array_sort (sampling->samples, compare_samples);
    if (sampling->samples->len > 0) {
        sampling->told_us
            = g_array_index (sampling->samples, JobSample, sampling->samples->len - 1).time_us;
    }
    event = job_event_new (JOB_EVENT_SAMPLES, sampling->request, slot);
    event->final = final;
    extras.counts = engine_sampling_take_counts (sampling, &extras.counted);
    event->bytes = job_sample_batch_encode_all (sampling->tree, sampling->n_told + 1,
                                                sampling->samples, sampling->n_dropped,
                                                &extras);
    g_clear_pointer (&extras.counts, g_array_unref);
    sampling->n_told = job_context_tree_get_count (sampling->tree);
    g_array_set_size (sampling->samples, 0);
    g_array_set_size (sampling->metrics, 0);
    g_array_set_size (sampling->fresh, 0);
    engine_emit (process->engine, event);
}
