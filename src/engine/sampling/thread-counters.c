/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sampling/thread-counters-private.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a group reads: see perf_event_open(2), PERF_FORMAT_GROUP. */
typedef struct {
    guint64 n, wanted_ns, counted_ns, values[JOB_N_COUNTS];
} Group;

/* JOB_N_COUNTS: it is none of them. */
static JobCount
find_kind (const EngineSamplingEvent *event)
{
    JobCount kind = 0;

    while (kind < JOB_N_COUNTS && job_count_get_metric (kind) != event->metric) {
        kind++;
    }
    return kind;
}

guint32
engine_thread_counters_find_kinds (const EngineSamplingEvent *events, guint n_events)
{
    guint32 kinds = 0;

    for (guint i = 0; i < n_events; i++) {
        JobCount kind = find_kind (&events[i]);

        kinds |= kind < JOB_N_COUNTS ? 1u << kind : 0;
    }
    return kinds;
}

static int
open_event (const EngineSamplingEvent *event, pid_t tid, int leader)
{
    struct perf_event_attr attributes = {
        .type = event->type,
        .size = PERF_ATTR_SIZE_VER0, /* nothing newer is asked for */
        .config = event->config,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED
                       | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };

    return (int) syscall (SYS_perf_event_open, &attributes, tid, -1, leader,
                          PERF_FLAG_FD_CLOEXEC);
}

/* A file that leaves enough to others; -1: errno says why. */
static int
open_file (const EngineSamplingEvent *event, pid_t tid, int leader)
{
    int file = open_event (event, tid, leader);
    struct rlimit limit;

    if (file >= 0 && getrlimit (RLIMIT_NOFILE, &limit) == 0
        && (rlim_t) file >= limit.rlim_cur / 2) {
        close (file);
        errno = EMFILE;
        return -1;
    }
    return file;
}

void
engine_thread_counters_open (EngineThreadCounters *counters, pid_t tid,
                             const EngineSamplingEvent *events, guint n_events, guint32 *kinds)
{
    for (guint i = 0; i < n_events; i++) {
        JobCount kind = find_kind (&events[i]);
        int file;

        if (kind == JOB_N_COUNTS || (*kinds & 1u << kind) == 0) {
            continue;
        }
        file = open_file (&events[i], tid, counters->n > 0 ? counters->files[0] : -1);
        if (file >= 0) {
            counters->kinds[counters->n] = (guint8) kind;
            counters->files[counters->n++] = file;
        } else if (errno == ESRCH) { /* the thread has ended */
            engine_thread_counters_close (counters);
            return;
        } else {
            *kinds = errno == EMFILE || errno == ENFILE || errno == ENOMEM
                         ? 0
                         : *kinds & ~(1u << kind);
        }
    }
}

/* In the time that it was counted, so much; in all of the time, as much more. */
static guint64
scale (guint64 value, guint64 wanted_ns, guint64 counted_ns)
{
    return counted_ns < wanted_ns
               ? (guint64) ((double) value * (double) wanted_ns / (double) counted_ns + 0.5)
               : value;
}

JobCounts
engine_thread_counters_take (EngineThreadCounters *counters)
{
    JobCounts counts = { { 0 } };
    Group now;
    gssize size = (gssize) (3 + counters->n) * (gssize) sizeof (guint64);

    if (counters->n == 0 || read (counters->files[0], &now, sizeof now) != size
        || now.n != counters->n || now.counted_ns <= counters->counted_ns) {
        return counts;
    }
    for (guint i = 0; i < counters->n; i++) {
        counts.values[counters->kinds[i]]
            = scale (now.values[i] - MIN (counters->values[i], now.values[i]),
                     now.wanted_ns - counters->wanted_ns,
                     now.counted_ns - counters->counted_ns);
    }
    counters->wanted_ns = now.wanted_ns;
    counters->counted_ns = now.counted_ns;
    memcpy (counters->values, now.values, counters->n * sizeof *now.values);
    return counts;
}

void
engine_thread_counters_close (EngineThreadCounters *counters)
{
    while (counters->n > 0) { /* the first one last, as it holds the others together */
        close (counters->files[--counters->n]);
    }
}
