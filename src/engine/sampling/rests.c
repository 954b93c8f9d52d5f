/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of a thread before its first sample and after its last one. */
#include "engine/sampling/captures-private.h"
#include <string.h>

#define MOST_UNSEEN                                                                            \
    1000u /* threads of a rank that ended before their first sample, each of which is told */
#define LEAST_US 1000 /* that a thread has run after a wait */

gint64
engine_sampling_get_begin (const EngineSampling *sampling, const EngineThread *thread)
{
    return MAX (MAX (thread->began_us, thread->process->running_us), sampling->begun_us);
}

/* How long it has run, or waited for a processor, since its schedstat was last read. */
static gint64
read_awake_us (EngineThread *thread, SampledThread *known)
{
    const EngineSamplingQueued before = known->queued;
    char schedule[64];

    engine_sampling_read_schedule (thread->process, thread->tid, &known->schedule_file,
                                   schedule, sizeof schedule);
    return engine_sampling_queued_note (&known->queued, schedule) && before.is_known
               ? (gint64) (known->queued.ran_ns - before.ran_ns + known->queued.now_ns
                           - before.now_ns)
                     / 1000
               : 0;
}

/* So long it was awake until then, since it was seen to wait. */
static gint64
find_awake_us (EngineThread *thread, SampledThread *known, gint64 since_us, gint64 until_us)
{
    gint64 awake_us = CLAMP (read_awake_us (thread, known), 0,
                             MAX (until_us - since_us - 1, 0));

    return awake_us >= LEAST_US ? awake_us : 0;
}

/* What it has run until then since its last sample, it has run where that found it, unless that is too long ago. If it
 * waited there, it has gone on since, nobody knows to where. */
void
engine_sampling_add_rest (EngineThread *thread, EngineSampling *sampling, SampledThread *known,
                          gint64 until_us)
{
    JobCounts counts = engine_thread_counters_take (&known->counters);
    JobSample sample = known->last;
    gint64 waits_us = engine_sampling_get_captured_wait (sampling, thread->tid),
           awake_us = waits_us != 0 ? find_awake_us (thread, known, waits_us, until_us) : 0;

    if (engine_sampling_prolong_capture (sampling, thread->tid, until_us, awake_us, &counts)
        || known->last_us == 0 || until_us <= known->last_us
        || known->stop != thread->process->stop) {
        return;
    }
    if (!sample.is_blocked) {
        engine_sampling_add (sampling, thread->number, known, &sample, &counts, until_us,
                             FALSE);
        return;
    }
    awake_us = find_awake_us (thread, known, known->last_us, until_us);
    engine_sampling_add (sampling, thread->number, known, &sample, &(JobCounts){ { 0 } },
                         until_us - awake_us, TRUE);
    if (awake_us > 0) {
        engine_sampling_add_unseen (sampling, thread->number, awake_us, until_us, &counts);
        known->last_us = until_us;
    }
}

/* How long it has run, or waited for a processor, since its beginning; what it stands for its end is none of that. */
static gint64
read_all_awake_us (EngineThread *thread)
{
    EngineSamplingQueued all = { 0 };
    char schedule[64];

    engine_sampling_read_schedule (thread->process, thread->tid, NULL, schedule,
                                   sizeof schedule);
    return engine_sampling_queued_note (&all, schedule)
               ? (gint64) (all.ran_ns + all.now_ns) / 1000
               : G_MAXINT64;
}

/* It had no sample, since it was too short for one, or the sampler too late. */
static void
add_unseen (EngineThread *thread, EngineSampling *sampling, SampledThread *known, gint64 now)
{
    gint64 since_us = thread->number == 1 ? sampling->since_us
                                          : engine_sampling_get_begin (sampling, thread);
    JobCounts counts = { { 0 } };

    if (since_us == 0 || since_us >= now
        || (known == NULL && sampling->n_unseen >= MOST_UNSEEN)) {
        return;
    }
    if (known == NULL) {
        BASE_APPEND (sampling->fresh, JobSampleThread, thread->number, thread->tid);
        sampling->n_unseen++;
    } else {
        counts = engine_thread_counters_take (&known->counters);
    }
    engine_sampling_add_unseen (sampling, thread->number,
                                thread->number == 1
                                    ? now - since_us
                                    : MIN (now - since_us, read_all_awake_us (thread)),
                                now, &counts);
}

void
engine_sampling_end_thread (EngineThread *thread, EngineSampling *sampling)
{
    SampledThread *known = g_hash_table_lookup (sampling->threads,
                                                GINT_TO_POINTER (thread->tid));
    gint64 now = g_get_monotonic_time ();

    if (known != NULL
        && (known->last_us != 0 || engine_sampling_has_capture (sampling, thread->tid))) {
        engine_sampling_add_rest (thread, sampling, known, now);
    } else {
        add_unseen (thread, sampling, known, now);
    }
}
