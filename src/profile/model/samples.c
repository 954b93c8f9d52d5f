/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples themselves, for all that is shown over time. A week's run keeps no more of them than
 * a minute's: they only stand for more time each. */
#include "profile/private.h"

#define MAX_OF_RANK 1000000u /* threads may come and go without end */
#define ENOUGH (PROFILE_MAX_SAMPLES / 4 * 3)
#define MAX_ROUNDS 64u
#define MOST_US 1000000 /* of a wait that is told as one sample */
#define NEAR_US 1000

BASE_FREE (free_thread, ProfileThread, thread, g_array_unref (thread->samples))

void
profile_samples_init (ProfileRank *rank)
{
    rank->threads = g_ptr_array_new_with_free_func (free_thread);
    rank->by_number = g_hash_table_new (NULL, NULL);
    rank->tids = g_hash_table_new (NULL, NULL);
    rank->metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
}

void
profile_samples_clear (ProfileRank *rank)
{
    g_clear_pointer (&rank->by_number, g_hash_table_unref);
    g_clear_pointer (&rank->tids, g_hash_table_unref);
    g_ptr_array_unref (rank->threads);
    g_array_unref (rank->metrics);
}

ProfileThread *
profile_samples_find_thread (ProfileRank *rank, guint32 number)
{
    ProfileThread *thread = g_hash_table_lookup (rank->by_number, GUINT_TO_POINTER (number));

    if (thread == NULL) {
        thread = g_new0 (ProfileThread, 1);
        thread->number = number;
        thread->tid = GPOINTER_TO_INT (g_hash_table_lookup (rank->tids,
                                                            GUINT_TO_POINTER (number)));
        thread->samples = g_array_new (FALSE, FALSE, sizeof (ProfileSample));
        g_hash_table_insert (rank->by_number, GUINT_TO_POINTER (number), thread);
        g_ptr_array_add (rank->threads, thread);
    }
    return thread;
}

void
profile_samples_note_thread (ProfileRank *rank, const JobSampleThread *thread)
{
    gpointer key = GUINT_TO_POINTER (thread->number);
    ProfileThread *known = g_hash_table_lookup (rank->by_number, key);

    g_hash_table_insert (rank->tids, key, GINT_TO_POINTER (thread->tid));
    if (known != NULL) {
        known->tid = thread->tid;
    }
}

/* The same for the same sample, whenever it is read. */
static guint32
scatter (gint64 time_us)
{
    return (guint32) (((guint64) time_us * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32);
}

/* One of the two stands for both, so that all of them still add up to the time: each as often as it has
 * the more of it. */
static void
merge_next (ProfileRank *rank, const ProfileThread *thread, ProfileSample *into,
            const ProfileSample *next)
{
    guint64 weight_us = (guint64) into->weight_us + next->weight_us;
    gboolean is_next = scatter (next->time_us) % MAX (weight_us, 1) < next->weight_us;
    ProfileSample kept = is_next ? *next : *into, gone = is_next ? *into : *next;

    profile_model_count (rank, thread->number, &gone, -(double) gone.weight_us);
    profile_model_count (rank, thread->number, &kept, gone.weight_us);
    kept.time_us = next->time_us;
    kept.weight_us = (guint32) MIN (weight_us, G_MAXUINT32);
    *into = kept;
}

static gboolean
is_small (const ProfileRank *rank, const ProfileSample *last, const ProfileSample *next)
{
    return (double) last->weight_us + next->weight_us <= rank->grain_us * 1.5;
}

static void
thin_thread (ProfileRank *rank, ProfileThread *thread)
{
    ProfileSample *samples = (ProfileSample *) (void *) thread->samples->data;
    guint n = 0;

    for (guint i = 0; i < thread->samples->len; i++) {
        if (n > 0 && is_small (rank, &samples[n - 1], &samples[i])) {
            merge_next (rank, thread, &samples[n - 1], &samples[i]);
        } else {
            samples[n++] = samples[i];
        }
    }
    rank->n_kept -= thread->samples->len - n;
    g_array_set_size (thread->samples, n);
}

/* From now on samples stand for twice the time, those that are there and those that come. */
static void
halve (ProfileRank *rank, const ProfileThread *full)
{
    if (rank->grain_us <= 0) {
        for (guint i = 0; i < full->samples->len; i++) {
            rank->grain_us += (double) g_array_index (full->samples, ProfileSample, i).weight_us
                              / full->samples->len;
        }
    }
    rank->grain_us = MAX (2 * rank->grain_us, 2);
    for (guint i = 0; i < rank->threads->len; i++) {
        thin_thread (rank, g_ptr_array_index (rank->threads, i));
    }
    rank->n_halvings++;
}

/* A long wait in one place. */
static gboolean
extend_last (ProfileThread *thread, const ProfileSample *sample)
{
    ProfileSample *last = thread->samples->len > 0
                              ? &g_array_index (thread->samples, ProfileSample,
                                                thread->samples->len - 1)
                              : NULL;

    if (last == NULL || !last->is_blocked || !sample->is_blocked
        || last->context != sample->context
        || last->class != sample->class || last->is_spread != sample->is_spread
        || ABS (sample->time_us - (gint64) sample->weight_us - last->time_us) > NEAR_US
        || (guint64) last->weight_us + sample->weight_us > MOST_US) {
        return FALSE;
    }
    last->time_us = sample->time_us;
    last->weight_us += sample->weight_us;
    return TRUE;
}

/* One that comes more often than what is kept. */
static gboolean
join_last (ProfileRank *rank, ProfileThread *thread, const ProfileSample *sample)
{
    ProfileSample *last = thread->samples->len > 0
                              ? &g_array_index (thread->samples, ProfileSample,
                                                thread->samples->len - 1)
                              : NULL;

    if (last == NULL || !is_small (rank, last, sample)
        || ABS (sample->time_us - (gint64) sample->weight_us - last->time_us) > NEAR_US) {
        return FALSE;
    }
    merge_next (rank, thread, last, sample);
    return TRUE;
}

void
profile_samples_keep (ProfileRank *rank, const JobSample *sample)
{
    ProfileThread *thread = profile_samples_find_thread (rank, sample->thread);
    ProfileSample kept
        = { sample->time_us, sample->weight_us,          sample->context,
            sample->class,   sample->is_blocked ? 1 : 0, sample->is_spread ? 1 : 0 };

    if (thread->samples->len > 0) { /* whatever a file says, time does not run backwards */
        const ProfileSample *last = &g_array_index (thread->samples, ProfileSample,
                                                    thread->samples->len - 1);

        kept.time_us = MAX (kept.time_us, last->time_us);
    }
    profile_model_count (rank, sample->thread, &kept, sample->weight_us);
    if (extend_last (thread, &kept) || join_last (rank, thread, &kept)) {
        return;
    }
    if (thread->samples->len >= PROFILE_MAX_SAMPLES
        || (rank->n_kept >= MAX_OF_RANK && !rank->is_full)) {
        for (guint i = 0;
             i < MAX_ROUNDS
             && (thread->samples->len >= ENOUGH || rank->n_kept >= MAX_OF_RANK / 4 * 3);
             i++) {
            halve (rank, thread);
        }
        rank->is_full = rank->n_kept > MAX_OF_RANK / 4 * 3;
    }
    if (rank->n_kept < MAX_OF_RANK) { /* else its time is in the sums alone */
        g_array_append_val (thread->samples, kept);
        rank->n_kept++;
    }
}

guint
profile_samples_get_n_threads (const ProfileModel *model, guint index)
{
    return ((const ProfileRank *) g_ptr_array_index (model->ranks, index))->threads->len;
}

const GArray *
profile_samples_get (const ProfileModel *model, guint index, guint number, guint32 *ret_number)
{
    const ProfileRank *rank = g_ptr_array_index (model->ranks, index);
    const ProfileThread *thread = g_ptr_array_index (rank->threads, number);

    *ret_number = thread->number;
    return thread->samples;
}

gint32
profile_samples_get_tid (const ProfileModel *model, guint index, guint thread)
{
    const ProfileRank *rank = g_ptr_array_index (model->ranks, index);

    return ((const ProfileThread *) g_ptr_array_index (rank->threads, thread))->tid;
}

guint32
profile_samples_get_seen (const ProfileModel *model, guint index, const ProfileSample *sample)
{
    guint32 at = profile_model_get_merged (model, index, sample->context);

    while (sample->is_spread && at != 0) {
        const JobContext *context = job_context_tree_get (model->tree, at);

        if ((context->flags & JOB_FRAME_SAMPLED) == 0) {
            break;
        }
        at = context->parent;
    }
    return at;
}

guint
profile_samples_find (const GArray *samples, double time_us)
{
    return BASE_BISECT (middle, 0, samples->len,
                        (double) g_array_index (samples, ProfileSample, middle).time_us
                            <= time_us);
}

/* Marks the first record that has the most of each metric that is no sum: of that no other one speaks. */
static void
mark_peaks (const GArray *metrics, gboolean *is_peak)
{
    for (guint metric = 0; metric < JOB_N_METRICS; metric++) {
        guint64 most = 0;
        guint at = metrics->len;

        for (guint i = 0; i < metrics->len && !job_metric_get_info (metric)->is_sum; i++) {
            guint64 value = g_array_index (metrics, JobMetrics, i).values[metric];

            if (value != JOB_METRIC_UNKNOWN && (at == metrics->len || value > most)) {
                most = value;
                at = i;
            }
        }
        if (at < metrics->len) {
            is_peak[at] = TRUE;
        }
    }
}

/* The first stays, as what has grown has grown since, and others that are not too near to one that stays. */
static void
thin_metrics (ProfileRank *rank)
{
    JobMetrics *metrics = (JobMetrics *) (void *) rank->metrics->data;
    g_autofree gboolean *is_peak = g_new0 (gboolean, rank->metrics->len);
    gint64 next_us = G_MININT64;
    guint n = 0;

    mark_peaks (rank->metrics, is_peak);
    for (guint i = 0; i < rank->metrics->len; i++) {
        if (metrics[i].time_us >= next_us || is_peak[i]) {
            next_us = metrics[i].time_us >= next_us
                          ? metrics[i].time_us + rank->metrics_us / 4 * 3
                          : next_us;
            metrics[n++] = metrics[i];
        }
    }
    g_array_set_size (rank->metrics, n);
}

/* The beginning of a long run is as fine as its end. */
static void
make_room (ProfileRank *rank)
{
    const JobMetrics *metrics = (const JobMetrics *) (const void *) rank->metrics->data;

    if (rank->metrics_us == 0) {
        rank->metrics_us = 2 * (metrics[PROFILE_MAX_METRICS - 1].time_us - metrics[0].time_us)
                           / PROFILE_MAX_METRICS;
    }
    rank->metrics_us = MAX (rank->metrics_us, 2);
    thin_metrics (rank);
    while (rank->metrics->len > PROFILE_MAX_METRICS / 4 * 3
           && rank->metrics_us < G_MAXINT64 / 4) {
        rank->metrics_us *= 2;
        thin_metrics (rank);
    }
}

void
profile_samples_keep_metrics (ProfileRank *rank, const JobMetrics *metrics)
{
    JobMetrics kept = *metrics;

    if (rank->metrics->len > 0) {
        const JobMetrics *last = &g_array_index (rank->metrics, JobMetrics,
                                                 rank->metrics->len - 1);

        kept.time_us = MAX (kept.time_us, last->time_us);
    }
    if (rank->metrics->len >= PROFILE_MAX_METRICS) {
        make_room (rank);
    }
    g_array_append_val (rank->metrics, kept);
}

const GArray *
profile_samples_get_metrics (const ProfileModel *model, guint index)
{
    return ((const ProfileRank *) g_ptr_array_index (model->ranks, index))->metrics;
}

guint64
profile_samples_find_most (const ProfileModel *model, guint index, JobMetric metric)
{
    const GArray *metrics = profile_samples_get_metrics (model, index);
    guint64 most = JOB_METRIC_UNKNOWN;

    for (guint i = 0; i < metrics->len; i++) {
        guint64 value = g_array_index (metrics, JobMetrics, i).values[metric];

        if (value != JOB_METRIC_UNKNOWN) {
            most = most == JOB_METRIC_UNKNOWN ? value : MAX (most, value);
        }
    }
    return most;
}
