/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the threads of a rank have executed, by the place where a sample has found them: what a thread has counted since its
 * sample before belongs to the place of the next one. */
#include "engine/sampling/host-private.h"
#include "engine/sampling/state-private.h"

#define LEAST_CYCLES                                                                           \
    10000000u /* no program of so many has no instruction, or no wait for memory */

void
engine_sampling_begin_counters (EngineProcess *process)
{
    EngineSampling *sampling = process->sampling;
    g_autoptr (GArray) tids = g_array_new (FALSE, FALSE, sizeof (pid_t));
    const EngineSamplingEvent *events;
    guint n;

    for (guint i = 0; i < process->threads->len; i++) {
        const EngineThread *thread = g_ptr_array_index (process->threads, i);

        g_array_append_val (tids, thread->tid);
    }
    if (sampling->own == NULL) { /* sums have nothing of a rank's own */
        sampling->counters = engine_sampling_host_count (process->engine->sampling_host, tids);
    }
    if (!sampling->has_no_stacks) {
        events = engine_sampling_host_get_events (process->engine->sampling_host, &n);
        sampling->counted = engine_thread_counters_find_kinds (events, n);
        sampling->has_counts = sampling->counted != 0;
    }
}

static void
close_counters (gpointer key, gpointer value, gpointer user)
{
    engine_thread_counters_close (&((SampledThread *) value)->counters);
}

void
engine_sampling_count_thread (EngineProcess *process, SampledThread *known, pid_t tid)
{
    EngineSampling *sampling = process->sampling;
    const EngineSamplingEvent *events;
    guint n;

    if (sampling->counted != 0) {
        events = engine_sampling_host_get_events (process->engine->sampling_host, &n);
        engine_thread_counters_open (&known->counters, tid, events, n, &sampling->counted);
        if (sampling->counted == 0) { /* some threads alone would tell half of the truth */
            engine_thread_counters_close (&known->counters);
            g_hash_table_foreach (sampling->threads, close_counters, NULL);
        }
    }
}

void
engine_sampling_credit (EngineSampling *sampling, guint32 context, const JobCounts *counts)
{
    JobContextCounts fresh = { context, *counts };
    guint position;

    if (sampling->counted == 0) {
        return;
    }
    job_counts_add (&sampling->count_sums, counts);
    if (sampling->counts == NULL) {
        sampling->counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
        sampling->count_of = g_hash_table_new (NULL, NULL);
    }
    position = GPOINTER_TO_UINT (g_hash_table_lookup (sampling->count_of,
                                                      GUINT_TO_POINTER (context)));
    if (position > 0) {
        job_counts_add (&g_array_index (sampling->counts, JobContextCounts, position - 1)
                             .counts,
                        counts);
    } else {
        g_array_append_val (sampling->counts, fresh);
        g_hash_table_insert (sampling->count_of, GUINT_TO_POINTER (context),
                             GUINT_TO_POINTER (sampling->counts->len));
    }
}

/* A virtual machine may take an event that its processor then never counts. */
static void
drop_dead (EngineSampling *sampling)
{
    static const JobCount never_none[] = { JOB_COUNT_INSTRUCTIONS, JOB_COUNT_STALLS };

    for (guint i = 0; i < G_N_ELEMENTS (never_none); i++) {
        if (sampling->count_sums.values[never_none[i]] == 0
            && sampling->count_sums.values[JOB_COUNT_CYCLES] > LEAST_CYCLES) {
            sampling->counted &= ~(1u << never_none[i]);
        }
    }
}

GArray *
engine_sampling_take_counts (EngineSampling *sampling, guint32 *ret_counted)
{
    GArray *counts = g_steal_pointer (&sampling->counts);

    if (!sampling->has_counts) {
        return NULL;
    }
    drop_dead (sampling);
    *ret_counted = sampling->counted;
    g_clear_pointer (&sampling->count_of, g_hash_table_unref);
    return counts != NULL ? counts : g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
}

void
engine_sampling_free_counts (EngineSampling *sampling)
{
    engine_sampling_counters_free (sampling->counters);
    g_clear_pointer (&sampling->counts, g_array_unref);
    g_clear_pointer (&sampling->count_of, g_hash_table_unref);
}
