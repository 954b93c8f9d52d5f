/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is drawn over time. A sample, and a metric, stand for the time since the one before. */
#include "profile/slice.h"
#include "profile/private.h"
#include <math.h>
#include <string.h>

typedef struct {
    double begin, width; /* of the bins, in µs of the rank's host */
    guint n;
} Bins;

static const ProfileRank *
get_rank (const ProfileModel *model, guint index)
{
    return g_ptr_array_index (model->ranks, index);
}

static void
make_bins (const ProfileModel *model, guint index, double begin_s, double end_s, guint n,
           Bins *ret)
{
    double origin_s = profile_model_get_seconds (model, index, 0);

    ret->begin = (begin_s - origin_s) * G_USEC_PER_SEC;
    ret->width = (end_s - begin_s) * G_USEC_PER_SEC / MAX (n, 1);
    ret->n = n;
}

/* The bins that a stretch of time touches: from *ret_first to before the result. */
static guint
find_bins (const Bins *bins, double begin, double end, guint *ret_first)
{
    double first = floor ((begin - bins->begin) / bins->width);
    double past = ceil ((end - bins->begin) / bins->width);

    *ret_first = (guint) CLAMP (first, 0, bins->n);
    return (guint) CLAMP (past, 0, bins->n);
}

/* The part of the stretch that is in the bin. */
static double
get_overlap (const Bins *bins, guint bin, double begin, double end)
{
    double low = bins->begin + bin * bins->width;

    return MAX (0, MIN (end, low + bins->width) - MAX (begin, low));
}

/* ---- classes ---- */

static void
add_thread (const ProfileThread *thread, gboolean is_counted_only, const Bins *bins, float *to)
{
    const ProfileSample *samples = (const ProfileSample *) (const void *) thread->samples->data;
    double end = bins->begin + bins->width * bins->n, per_us = 1 / bins->width;

    for (guint i = profile_samples_find (thread->samples, bins->begin);
         i < thread->samples->len; i++) {
        double sample_end = (double) samples[i].time_us;
        double sample_begin = sample_end - samples[i].weight_us;
        guint first, past;

        if (sample_begin >= end) {
            break;
        }
        if (is_counted_only && thread->number != 1 && samples[i].is_blocked) {
            continue;
        }
        if (sample_begin >= bins->begin && sample_end <= end) { /* most are in one bin alone */
            first = (guint) ((sample_begin - bins->begin) * per_us);
            past = (guint) ((sample_end - bins->begin) * per_us);
            if (first == past && first < bins->n) {
                to[(gsize) first * JOB_N_CLASSES + samples[i].class]
                    += (float) (samples[i].weight_us * 1e-6);
                continue;
            }
        }
        past = find_bins (bins, sample_begin, sample_end, &first);
        for (guint bin = first; bin < past; bin++) {
            to[(gsize) bin * JOB_N_CLASSES + samples[i].class]
                += (float) (get_overlap (bins, bin, sample_begin, sample_end) / G_USEC_PER_SEC);
        }
    }
}

void
profile_model_add_bins (const ProfileModel *model, guint index, guint thread, double begin_s,
                        double end_s, guint n_bins, float *to)
{
    const ProfileRank *rank = get_rank (model, index);
    Bins bins;

    if (end_s <= begin_s || n_bins == 0) {
        return;
    }
    make_bins (model, index, begin_s, end_s, n_bins, &bins);
    for (guint i = 0; i < rank->threads->len; i++) {
        if (thread == PROFILE_COUNTED_THREADS || thread == i) {
            add_thread (g_ptr_array_index (rank->threads, i), thread == PROFILE_COUNTED_THREADS,
                        &bins, to);
        }
    }
}

void
profile_model_get_activity (const ProfileModel *model, const JobRankSet *ranks, double begin_s,
                            double end_s, guint n_bins, float *shares)
{
    gsize size = (gsize) n_bins * JOB_N_CLASSES;
    g_autofree float *own = g_new (float, MAX (size, 1));
    double width_s = (end_s - begin_s) / MAX (n_bins, 1);
    guint n = 0;

    for (gsize i = 0; i < size; i++) {
        shares[i] = 0;
    }
    for (guint index = 0; index < model->ranks->len; index++) {
        if (profile_model_is_child (model, index)
            || (ranks != NULL
                && !job_rank_set_contains (ranks, get_rank (model, index)->rank))) {
            continue;
        }
        n++;
        memset (own, 0, size * sizeof *own);
        profile_model_add_bins (model, index, PROFILE_COUNTED_THREADS, begin_s, end_s, n_bins,
                                own);
        for (guint bin = 0; bin < n_bins; bin++) {
            double sum = 0;

            for (guint class = 0; class < JOB_N_CLASSES; class ++) {
                sum += own[bin * JOB_N_CLASSES + class];
            }
            for (guint class = 0; class < JOB_N_CLASSES && sum > 0; class ++) {
                shares[bin * JOB_N_CLASSES + class] += (float) (own[bin * JOB_N_CLASSES + class]
                                                                / MAX (sum, width_s));
            }
        }
    }
    for (gsize i = 0; i < size && n > 0; i++) {
        shares[i] /= (float) n;
    }
}

/* ---- metrics ---- */

/* What it was between the two; FALSE: not known. */
static gboolean
get_value (JobMetric metric, const JobMetrics *before, const JobMetrics *metrics,
           double *ret_value)
{
    guint64 now = metrics->values[metric], then = before->values[metric];
    double us = (double) (metrics->time_us - before->time_us);

    if (now == JOB_METRIC_UNKNOWN || us <= 0) {
        return FALSE;
    }
    if (!job_metric_get_info (metric)->is_sum) {
        *ret_value = (double) now;
        return TRUE;
    }
    if (then == JOB_METRIC_UNKNOWN || now < then) {
        return FALSE;
    }
    *ret_value = (double) (now - then) / us * G_USEC_PER_SEC;
    return TRUE;
}

/* sums: value × µs; times: µs. */
static void
add_metrics (const ProfileRank *rank, JobMetric metric, const Bins *bins, double *sums,
             double *times)
{
    for (guint i = 1; i < rank->metrics->len; i++) {
        const JobMetrics *before = &g_array_index (rank->metrics, JobMetrics, i - 1);
        const JobMetrics *metrics = before + 1;
        double begin = (double) before->time_us, end = (double) metrics->time_us, value;
        guint first, past = find_bins (bins, begin, end, &first);

        if (first >= past || !get_value (metric, before, metrics, &value)) {
            continue;
        }
        for (guint bin = first; bin < past; bin++) {
            double overlap = get_overlap (bins, bin, begin, end);

            sums[bin] += value * overlap;
            times[bin] += overlap;
        }
    }
}

static void
add_to_band (ProfileBand *band, double value)
{
    band->least = band->n_ranks == 0 ? value : MIN (band->least, value);
    band->most = band->n_ranks == 0 ? value : MAX (band->most, value);
    band->n_ranks++;
    band->mean += (value - band->mean) / band->n_ranks;
}

void
profile_model_get_bands (const ProfileModel *model, const JobRankSet *ranks, JobMetric metric,
                         double begin_s, double end_s, guint n_bins, ProfileBand *bands)
{
    g_autofree double *sums = g_new (double, (gsize) n_bins + 1);
    g_autofree double *times = g_new (double, (gsize) n_bins + 1);
    Bins bins;

    memset (bands, 0, n_bins * sizeof *bands);
    for (guint index = 0; index < model->ranks->len && end_s > begin_s; index++) {
        if (profile_model_is_child (model, index)
            || (ranks != NULL
                && !job_rank_set_contains (ranks, get_rank (model, index)->rank))) {
            continue;
        }
        memset (sums, 0, n_bins * sizeof *sums);
        memset (times, 0, n_bins * sizeof *times);
        make_bins (model, index, begin_s, end_s, n_bins, &bins);
        add_metrics (get_rank (model, index), metric, &bins, sums, times);
        for (guint bin = 0; bin < n_bins; bin++) {
            if (times[bin] > 0) {
                add_to_band (&bands[bin], sums[bin] / times[bin]);
            }
        }
    }
}

/* ---- one sample ---- */

gboolean
profile_model_find_sample (const ProfileModel *model, guint index, guint thread, double time_s,
                           ProfileSample *ret)
{
    const ProfileRank *rank = get_rank (model, index);
    const ProfileThread *from = thread < rank->threads->len
                                    ? g_ptr_array_index (rank->threads, thread)
                                    : NULL;
    double time = (time_s - profile_model_get_seconds (model, index, 0)) * G_USEC_PER_SEC;
    guint found = from != NULL ? profile_samples_find (from->samples, time) : 0;

    if (from == NULL || found >= from->samples->len) {
        return FALSE;
    }
    *ret = g_array_index (from->samples, ProfileSample, found);
    return (double) ret->time_us - ret->weight_us <= time;
}

gboolean
profile_model_find_first_thread (const ProfileModel *model, guint index, guint *ret_thread)
{
    const ProfileRank *rank = get_rank (model, index);

    for (guint i = 0; i < rank->threads->len; i++) {
        if (((const ProfileThread *) g_ptr_array_index (rank->threads, i))->number == 1) {
            *ret_thread = i;
            return TRUE;
        }
    }
    return FALSE;
}
