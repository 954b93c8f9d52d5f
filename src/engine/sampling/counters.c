/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sampling/counters-private.h"
#include "machine/counters.h"
#include "base/array.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LEAST_CYCLES 10000000u

struct _EngineSamplingCounters {
    guint n_events;
    EngineSamplingEvent events[ENGINE_SAMPLING_MAX_EVENTS];
    gboolean is_counted[ENGINE_SAMPLING_MAX_EVENTS]; /* in all threads */
    int error;                                       /* errno: why none of them is */
    int processor_error; /* the same: why only the kernel's own are */
    GArray *files;       /* of int: for each thread one for each event, -1 for none */
};

/* ---- what there is ---- */

static void
add_event (EngineSamplingEvent *events, guint *n, guint32 wanted,
           const EngineSamplingEvent *event)
{
    if ((wanted & 1u << event->metric) != 0 && event->config != G_MAXUINT64) {
        events[(*n)++] = *event;
    }
}

guint
engine_sampling_list_events (const char *cpuinfo, guint32 metrics,
                             EngineSamplingEvent events[ENGINE_SAMPLING_MAX_EVENTS])
{
    g_autofree char *text = NULL;
    MachineCounters own = { 0 };
    guint n = 0;

    if (g_file_get_contents (cpuinfo, &text, NULL, NULL)) {
        own = machine_counters_find (text);
    }
    {
        const EngineSamplingEvent all[] = {
            { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, JOB_METRIC_CYCLES, TRUE },
            { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, JOB_METRIC_INSTRUCTIONS, FALSE },
            { PERF_TYPE_RAW, own.memory_stalls != 0 ? own.memory_stalls : G_MAXUINT64,
              JOB_METRIC_STALLS, FALSE },
            { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, JOB_METRIC_CACHE_USES, TRUE },
            { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, JOB_METRIC_CACHE_MISSES, FALSE },
            { PERF_TYPE_RAW, own.scalar != 0 ? own.scalar : G_MAXUINT64, JOB_METRIC_SCALARS,
              TRUE },
            { PERF_TYPE_RAW, own.vector != 0 ? own.vector : G_MAXUINT64, JOB_METRIC_VECTORS,
              FALSE },
            { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, JOB_METRIC_FAULTS, TRUE },
        };

        for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
            add_event (events, &n, metrics, &all[i]);
        }
    }
    return n;
}

/* ---- counting ---- */

/* Of the thread, and of those that it will make; not of its child processes, which have counters of their own. Kernels of
 * before 5.13 cannot tell these from threads. */
static int
open_event (const EngineSamplingEvent *event, pid_t tid, int leader)
{
#ifdef PERF_ATTR_SIZE_VER7 /* headers of 5.13 */
    struct perf_event_attr attributes = {
        .type = event->type,
        .size = sizeof attributes,
        .config = event->config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .inherit = 1,
        .inherit_thread = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };

    return (int) syscall (SYS_perf_event_open, &attributes, tid, -1, leader,
                          PERF_FLAG_FD_CLOEXEC);
#else
    (void) event;
    (void) tid;
    (void) leader;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

/* Where the first event is refused, the processor counts nothing; the kernel itself may count all the same. */
static void
give_up_processor (EngineSamplingCounters *counters, int error)
{
    counters->processor_error = error;
    for (guint i = 0; i < counters->n_events; i++) {
        counters->is_counted[i] &= counters->events[i].type == PERF_TYPE_SOFTWARE;
    }
}

/* From the first one on. */
static void
close_files (EngineSamplingCounters *counters, guint first)
{
    for (guint i = first; i < counters->files->len; i++) {
        int file = g_array_index (counters->files, int, i);

        if (file >= 0) {
            close (file);
        }
    }
    g_array_set_size (counters->files, first);
}

/* FALSE: the thread has none of them, and counters->error says why. */
static gboolean
open_thread (EngineSamplingCounters *counters, pid_t tid)
{
    guint n_before = counters->files->len;
    int leader = -1;

    for (guint i = 0; i < counters->n_events; i++) {
        const EngineSamplingEvent *event = &counters->events[i];
        int file = -1;

        if (event->is_first) {
            leader = -1;
        }
        if (counters->is_counted[i]) {
            file = open_event (event, tid, leader);
        }
        if (file < 0 && counters->is_counted[i]) {
            int error = errno;

            if (error == ESRCH || error == EMFILE || error == ENFILE) {
                counters->error = error;
                close_files (counters, n_before);
                return FALSE;
            }
            counters->is_counted[i] = FALSE;
            if (i == 0) {
                give_up_processor (counters, error);
            }
        }
        if (event->is_first) {
            leader = file;
        }
        g_array_append_val (counters->files, file);
    }
    return TRUE;
}

EngineSamplingCounters *
engine_sampling_counters_new (const EngineSamplingEvent *events, guint n_events,
                              const GArray *tids)
{
    EngineSamplingCounters *counters = g_new0 (EngineSamplingCounters, 1);

    counters->n_events = MIN (n_events, ENGINE_SAMPLING_MAX_EVENTS);
    memcpy (counters->events, events, counters->n_events * sizeof *events);
    counters->files = g_array_new (FALSE, FALSE, sizeof (int));
    for (guint i = 0; i < counters->n_events; i++) {
        counters->is_counted[i] = TRUE;
    }
    for (guint i = 0; i < tids->len && counters->error == 0; i++) {
        if (!open_thread (counters, g_array_index (tids, pid_t, i)) && i > 0
            && counters->error == ESRCH) {
            counters->error = 0; /* it has ended meanwhile */
        }
    }
    if (counters->error != 0) {
        close_files (counters, 0);
    }
    return counters;
}

BASE_FREE_PUBLIC (engine_sampling_counters_free, EngineSamplingCounters, counters,
                  close_files (counters, 0);
                  g_array_unref (counters->files))

/* Where the processor has fewer counters than are wanted, they take turns: what was counted stands for all of the time. FALSE:
 * it never had its turn, or cannot be read. */
static gboolean
read_event (int file, guint64 *ret_count)
{
    guint64 values[3]; /* count, time that it was wanted, time that it was counted */

    if (file < 0 || read (file, values, sizeof values) != sizeof values
        || (values[1] > 0 && values[2] == 0)) {
        return FALSE;
    }
    *ret_count = values[2] < values[1]
                     ? (guint64) ((double) values[0] * (double) values[1] / (double) values[2])
                     : values[0];
    return TRUE;
}

/* Of all threads together; JOB_METRIC_UNKNOWN: some of it is not known. */
static guint64
sum_event (const EngineSamplingCounters *counters, guint event)
{
    guint64 sum = 0, count;

    for (guint i = event; i < counters->files->len; i += counters->n_events) {
        if (!read_event (g_array_index (counters->files, int, i), &count)) {
            return JOB_METRIC_UNKNOWN;
        }
        sum += count;
    }
    return sum;
}

/* A virtual machine may take an event that its processor then never counts: no program of so many cycles is without
 * instructions, or without a wait for memory. */
static gboolean
is_dead (const JobMetrics *metrics, JobMetric metric)
{
    return (metric == JOB_METRIC_INSTRUCTIONS || metric == JOB_METRIC_STALLS)
           && metrics->values[metric] == 0
           && metrics->values[JOB_METRIC_CYCLES] != JOB_METRIC_UNKNOWN
           && metrics->values[JOB_METRIC_CYCLES] > LEAST_CYCLES;
}

void
engine_sampling_counters_read (const EngineSamplingCounters *counters, JobMetrics *metrics)
{
    if (counters->n_events == 0) {
        return;
    }
    for (guint i = 0; i < counters->n_events && counters->error == 0; i++) {
        if (counters->is_counted[i]) {
            JobMetric metric = counters->events[i].metric;

            metrics->values[metric] = sum_event (counters, i);
            if (is_dead (metrics, metric)) {
                metrics->values[metric] = JOB_METRIC_UNKNOWN;
            }
        }
    }
    metrics->values[JOB_METRIC_NO_COUNTERS]
        = (guint64) (counters->error != 0 ? counters->error : counters->processor_error);
}
