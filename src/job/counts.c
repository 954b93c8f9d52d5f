/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/counts.h"
#include "base/array.h"

#define MAX_KINDS 32u /* in a block of a newer pddt */

JobMetric
job_count_get_metric (JobCount count)
{
    static const JobMetric metrics[JOB_N_COUNTS] = {
        [JOB_COUNT_CYCLES] = JOB_METRIC_CYCLES,
        [JOB_COUNT_INSTRUCTIONS] = JOB_METRIC_INSTRUCTIONS,
        [JOB_COUNT_STALLS] = JOB_METRIC_STALLS,
        [JOB_COUNT_CACHE_MISSES] = JOB_METRIC_CACHE_MISSES,
        [JOB_COUNT_FAULTS] = JOB_METRIC_FAULTS,
    };

    return metrics[count];
}

void
job_counts_add (JobCounts *to, const JobCounts *more)
{
    for (guint i = 0; i < JOB_N_COUNTS; i++) {
        to->values[i] += MIN (more->values[i], G_MAXUINT64 - to->values[i]);
    }
}

JobCounts
job_counts_split (JobCounts *counts, double share)
{
    JobCounts rest;

    for (guint i = 0; i < JOB_N_COUNTS; i++) {
        guint64 all = counts->values[i];

        counts->values[i] = MIN ((guint64) ((double) all * share + 0.5), all);
        rest.values[i] = all - counts->values[i];
    }
    return rest;
}

void
job_counts_write (GByteArray *block, guint32 counted, const GArray *contexts)
{
    base_bytes_put_uleb (block, JOB_N_COUNTS);
    base_bytes_put_uleb (block, counted);
    base_bytes_put_uleb (block, contexts->len);
    BASE_EACH_ROW (contexts, const JobContextCounts, each) {
        base_bytes_put_uleb (block, each->context);
        for (guint j = 0; j < JOB_N_COUNTS; j++) {
            if (counted & 1u << j) {
                base_bytes_put_uleb (block, each->counts.values[j]);
            }
        }
    }
}

gboolean
job_counts_read (BaseCursor *block, guint max, guint32 n_contexts, guint32 *ret_counted,
                 GArray *contexts)
{
    guint64 n_kinds = base_cursor_read_uleb (block), counted = base_cursor_read_uleb (block);
    guint64 n = base_cursor_read_uleb (block);

    if (block->failed || n_kinds > MAX_KINDS || counted >> n_kinds != 0 || n > max) {
        return FALSE;
    }
    for (guint64 i = 0; i < n; i++) {
        guint64 context = base_cursor_read_uleb (block);
        JobContextCounts each = { (guint32) context, { { 0 } } };

        for (guint j = 0; j < n_kinds; j++) {
            guint64 value = counted & G_GUINT64_CONSTANT (1) << j
                                ? base_cursor_read_uleb (block)
                                : 0;

            if (j < JOB_N_COUNTS) {
                each.counts.values[j] = value;
            }
        }
        if (block->failed || context > n_contexts) {
            return FALSE;
        }
        g_array_append_val (contexts, each);
    }
    *ret_counted = (guint32) counted & ((1u << JOB_N_COUNTS) - 1);
    return TRUE;
}
