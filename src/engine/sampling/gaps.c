/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a sample counts. Time between two samples of a thread for which neither can speak, because the sampler had no
 * processor, is nobody's. */
#include "engine/sampling/state-private.h"

#define MAX_SAMPLES 100000u /* in one batch */
#define MOST_PERIODS 10     /* so many of the rate's */
#define MOST_TIMES 3        /* as many of its usual intervals */
#define MEMORY 8            /* its usual interval is that of about so many samples */

/* So much has passed since the thread's last sample. is_same_wait: it has slept in one place since then. Returns how much of
 * it was not sampled: 0, or all but what a sample usually stands for. While the thread waits for a processor it goes
 * nowhere. */
static gint64
find_gap (SampledThread *known, gint64 period_us, gint64 passed_us, gboolean is_same_wait)
{
    guint64 queued_ns = engine_sampling_queued_get_ns (&known->queued);
    gint64 free_us = passed_us - (gint64) ((queued_ns - known->last_queued_ns) / 1000);
    gint64 usual_us = MAX (known->usual_us, period_us);
    gint64 most_us = MAX (MAX (SAMPLED_MOST_US, MOST_PERIODS * period_us),
                          MOST_TIMES * usual_us);

    known->usual_us = usual_us + (MIN (passed_us, most_us) - usual_us) / MEMORY;
    known->last_queued_ns = queued_ns;
    return free_us > most_us && !is_same_wait ? passed_us - usual_us : 0;
}

/* The sample of nobody before the next one. is_blocked: the thread waited at both of its ends. */
static JobSample
make_gap (JobContextTree *tree, const JobSample *next, gboolean is_blocked, gint64 gap_us)
{
    const JobLocation nowhere = { .function = (char *) "(not sampled)" };
    JobSample gap = *next;

    gap.time_us = next->time_us - (gint64) next->weight_us;
    gap.weight_us = (guint32) MIN (gap_us, G_MAXUINT32);
    gap.context = job_context_tree_add (tree, 0, &nowhere, JOB_FRAME_LIBRARY);
    gap.class = JOB_CLASS_UNSAMPLED;
    gap.is_blocked = is_blocked;
    return gap;
}

/* Of a thread that has no sample yet, or none since it stood: a measured rank has run before it could be looked at. */
static gint64
get_first_weight (EngineSampling *sampling, guint32 number, const SampledThread *known,
                  gint64 now)
{
    gint64 since_us = number == 1 ? sampling->since_us : known->seen_us;

    if (number == 1) {
        sampling->since_us = 0;
    }
    return since_us != 0 ? MAX (now - since_us, 1) : sampling->period_us;
}

static void
keep_sample (EngineSampling *sampling, const JobSample *sample)
{
    if (sampling->own != NULL) {
        engine_sampling_sums_add (sampling->own, sample);
    } else {
        g_array_append_val (sampling->samples, *sample);
    }
}

void
engine_sampling_add (EngineSampling *sampling, guint32 number, SampledThread *known,
                     JobSample *sample, const JobCounts *counts, gint64 now,
                     gboolean is_same_wait)
{
    gint64 passed_us = MAX (known->last_us != 0
                                ? now - known->last_us
                                : get_first_weight (sampling, number, known, now),
                            1);
    gint64 gap_us = find_gap (known, sampling->period_us, passed_us, is_same_wait);
    JobCounts own = *counts;
    JobSample gap;

    if (sampling->samples->len + 1 >= MAX_SAMPLES) {
        sampling->n_dropped++; /* the next one counts for its time */
        return;
    }
    sample->time_us = now;
    sample->thread = number;
    if (gap_us > 0) { /* it ends no earlier than what has been told */
        gap_us = CLAMP (sampling->told_us - (now - passed_us), gap_us, passed_us - 1);
    }
    sample->weight_us = (guint32) MIN (passed_us - gap_us, G_MAXUINT32);
    if (gap_us > 0) {
        JobCounts lost = job_counts_split (&own, 1 - (double) gap_us / (double) passed_us);

        gap = make_gap (sampling->tree, sample, known->last.is_blocked && sample->is_blocked,
                        gap_us);
        keep_sample (sampling, &gap);
        engine_sampling_credit (sampling, gap.context, &lost);
    }
    engine_sampling_credit (sampling, sample->context, &own);
    known->last_us = now;
    known->last = *sample;
    keep_sample (sampling, sample);
}

void
engine_sampling_add_unseen (EngineSampling *sampling, guint32 number, gint64 unseen_us,
                            gint64 until_us, const JobCounts *counts)
{
    const JobSample next = { .time_us = until_us, .thread = number };
    JobSample gap = make_gap (sampling->tree, &next, FALSE, unseen_us);

    if (unseen_us <= 0 || sampling->samples->len >= MAX_SAMPLES) {
        sampling->n_dropped += unseen_us > 0;
        return;
    }
    keep_sample (sampling, &gap);
    engine_sampling_credit (sampling, gap.context, counts);
    if (number == 1) {
        sampling->since_us = 0;
    }
}
