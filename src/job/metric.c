/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/metric.h"
#include "base/array.h"
#include "base/error.h"

#define MAX_METRICS 64u /* in a block of a newer pddt */

const JobMetricInfo *
job_metric_get_info (JobMetric metric)
{
    static const JobMetricInfo infos[JOB_N_METRICS] = {
        [JOB_METRIC_RSS] = { "rss", "memory", "bytes", "rss", FALSE, FALSE },
        [JOB_METRIC_CPU] = { "cpu", "processor time", "us", "cpu", TRUE, FALSE },
        [JOB_METRIC_READ] = { "read", "read from storage", "bytes", "io", TRUE, FALSE },
        [JOB_METRIC_WRITTEN] = { "written", "written to storage", "bytes", "io", TRUE, FALSE },
        [JOB_METRIC_WAITS] = { "waits", "voluntary context switches", "#", "switches", TRUE,
                               FALSE },
        [JOB_METRIC_LOSSES] = { "losses", "involuntary context switches", "#", "switches", TRUE,
                                FALSE },
        [JOB_METRIC_THREADS] = { "threads", "threads", "#", "threads", FALSE, FALSE },
        [JOB_METRIC_QUEUED] = { "queued", "waiting for a processor", "us", "cpu", TRUE, FALSE },
        [JOB_METRIC_MPI_SENDS] = { "mpi_sends", "messages sent", "#", NULL, TRUE, FALSE },
        [JOB_METRIC_MPI_SENT] = { "mpi_sent", "bytes of messages", "bytes", NULL, TRUE, FALSE },
        [JOB_METRIC_MPI_RECEIVES] = { "mpi_receives", "messages received", "#", NULL, TRUE,
                                      FALSE },
        [JOB_METRIC_MPI_COLLECTIVES] = { "mpi_collectives", "collective operations", "#", NULL,
                                         TRUE, FALSE },
        [JOB_METRIC_MPI_COLLECTED] = { "mpi_collected", "bytes of collective operations",
                                       "bytes", NULL, TRUE, FALSE },
        [JOB_METRIC_MPI_MOVES] = { "mpi_moves", "one-sided operations", "#", NULL, TRUE,
                                   FALSE },
        [JOB_METRIC_MPI_MOVED] = { "mpi_moved", "bytes of one-sided operations", "bytes", NULL,
                                   TRUE, FALSE },
        [JOB_METRIC_CYCLES] = { "cycles", "cycles outside the kernel", "#", "counters", TRUE,
                                FALSE },
        [JOB_METRIC_INSTRUCTIONS] = { "instructions", "instructions outside the kernel", "#",
                                      "counters", TRUE, FALSE },
        [JOB_METRIC_STALLS] = { "stalls", "cycles that waited for memory", "#", "counters",
                                TRUE, FALSE },
        [JOB_METRIC_CACHE_USES] = { "cache_uses", "uses of the last cache", "#", "counters",
                                    TRUE, FALSE },
        [JOB_METRIC_CACHE_MISSES] = { "cache_misses", "misses of the last cache", "#",
                                      "counters", TRUE, FALSE },
        [JOB_METRIC_SCALARS] = { "scalars", "scalar floating-point instructions", "#",
                                 "counters", TRUE, FALSE },
        [JOB_METRIC_VECTORS] = { "vectors", "vector floating-point instructions", "#",
                                 "counters", TRUE, FALSE },
        [JOB_METRIC_FAULTS] = { "faults", "page faults outside the kernel", "#", "counters",
                                TRUE, FALSE },
        [JOB_METRIC_NO_COUNTERS] = { "no_counters", "error of the processor's counters, or 0",
                                     "errno", "counters", FALSE, FALSE },
        [JOB_METRIC_NODE_BUSY] = { "node_busy", "processor time of the host", "us", "node",
                                   TRUE, TRUE },
        [JOB_METRIC_NODE_CORES] = { "node_cores", "processors of the host", "#", "node", FALSE,
                                    TRUE },
        [JOB_METRIC_NODE_USED] = { "node_used", "used memory of the host", "bytes", "node",
                                   FALSE, TRUE },
        [JOB_METRIC_NODE_TOTAL] = { "node_total", "memory of the host", "bytes", "node", FALSE,
                                    TRUE },
        [JOB_METRIC_ENERGY] = { "energy", "energy of the host's processors", "uJ", "energy",
                                TRUE, TRUE },
        [JOB_METRIC_GPU_USE] = { "gpu_use", "use of the host's accelerators", "%", "gpu", FALSE,
                                 TRUE },
        [JOB_METRIC_GPU_MEMORY] = { "gpu_memory", "used memory of the accelerators", "bytes",
                                    "gpu", FALSE, TRUE },
        [JOB_METRIC_GPU_POWER] = { "gpu_power", "power of the accelerators", "mW", "gpu", FALSE,
                                   TRUE },
    };

    return &infos[metric];
}

/* ---- lists ---- */

/* name NULL: those that are always measured. */
static guint32
find_group (const char *name)
{
    guint32 set = 0;

    for (guint i = 0; i < JOB_N_METRICS; i++) {
        set |= g_strcmp0 (job_metric_get_info (i)->group, name) == 0 ? 1u << i : 0;
    }
    return set;
}

static char *
list_groups (void)
{
    GString *text = g_string_new (NULL);

    for (guint i = 0; i < JOB_N_METRICS; i++) {
        const char *group = job_metric_get_info (i)->group;

        gboolean is_first = group != NULL;

        for (guint j = 0; j < i; j++) {
            is_first &= g_strcmp0 (group, job_metric_get_info (j)->group) != 0;
        }
        if (is_first) {
            g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", group);
        }
    }
    return g_string_free (text, FALSE);
}

gboolean
job_metric_parse_list (const char *text, guint32 *ret_set, GError **error)
{
    g_auto (GStrv) names = g_strsplit (text, ",", -1);
    guint32 set = find_group (NULL);

    for (guint i = 0; names[i] != NULL || i == 0; i++) {
        guint32 group = names[i] != NULL ? find_group (g_strstrip (names[i])) : 0;

        if (group == 0) {
            g_autofree char *groups = list_groups ();

            base_error_set (error, BASE_ERROR_INVALID,
                            "no metric is named \"%s\"; there are: %s",
                            names[i] != NULL ? names[i] : "", groups);
            return FALSE;
        }
        set |= group;
    }
    *ret_set = set;
    return TRUE;
}

/* ---- values ---- */

void
job_metrics_init (JobMetrics *metrics, gint64 time_us)
{
    metrics->time_us = time_us;
    for (guint i = 0; i < JOB_N_METRICS; i++) {
        metrics->values[i] = JOB_METRIC_UNKNOWN;
    }
}

guint32
job_metrics_get_known (const JobMetrics *metrics)
{
    guint32 set = 0;

    for (guint i = 0; i < JOB_N_METRICS; i++) {
        set |= metrics->values[i] != JOB_METRIC_UNKNOWN ? 1u << i : 0;
    }
    return set;
}

/* Differences, because most of them hardly change. */
void
job_metrics_write (GByteArray *block, const GArray *metrics)
{
    JobMetrics before = { 0 };

    base_bytes_put_uleb (block, metrics->len);
    base_bytes_put_uleb (block, JOB_N_METRICS);
    BASE_EACH_ROW (metrics, const JobMetrics, each) {
        base_bytes_put_uleb (block, (guint64) (each->time_us - before.time_us));
        for (guint j = 0; j < JOB_N_METRICS; j++) {
            gint64 more = (gint64) (each->values[j] - before.values[j]);

            base_bytes_put_uleb (block, (guint64) more << 1 ^ (guint64) (more >> 63));
        }
        before = *each;
    }
}

static gboolean
read_one (BaseCursor *block, guint64 n_values, JobMetrics *each)
{
    guint64 later_us = base_cursor_read_uleb (block);

    if (block->failed || later_us > (guint64) (G_MAXINT64 - each->time_us)) {
        return FALSE;
    }
    each->time_us += (gint64) later_us;
    for (guint i = 0; i < n_values; i++) {
        guint64 more = base_cursor_read_uleb (block);

        if (i < JOB_N_METRICS) {
            each->values[i] += more >> 1 ^ (more & 1 ? G_MAXUINT64 : 0);
        }
    }
    return !block->failed;
}

gboolean
job_metrics_read (BaseCursor *block, guint max, GArray *metrics)
{
    guint64 n = base_cursor_read_uleb (block), n_values = base_cursor_read_uleb (block);
    JobMetrics each = { 0 };

    if (block->failed || n > max || n_values > MAX_METRICS) {
        return FALSE;
    }
    for (guint i = (guint) n_values; i < JOB_N_METRICS; i++) {
        each.values[i] = JOB_METRIC_UNKNOWN;
    }
    for (guint64 i = 0; i < n; i++) {
        if (!read_one (block, n_values, &each)) {
            return FALSE;
        }
        g_array_append_val (metrics, each);
    }
    return TRUE;
}
