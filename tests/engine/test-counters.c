/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of a process, by events that each kernel has; and which ones a processor is asked for. */
#include "../support/folder.h"
#include "engine/sampling/thread-counters-private.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 2000u

static const EngineSamplingEvent faults = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
                                            JOB_METRIC_CYCLES, TRUE };
static const EngineSamplingEvent none = { PERF_TYPE_MAX + 1000, 1, JOB_METRIC_STALLS, FALSE };
/* No clock: Linux 6.18 leaves one that is not the first of its group at 0. */
static const EngineSamplingEvent minor_faults
    = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, JOB_METRIC_INSTRUCTIONS, FALSE };

/* As many page faults as it has pages. */
static void *
touch (void *n_pages)
{
    gsize size = GPOINTER_TO_SIZE (n_pages) * (gsize) sysconf (_SC_PAGESIZE);
    volatile char *pages = mmap (NULL, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED) {
        _exit (1);
    }
    (void) madvise ((void *) pages, size, MADV_NOHUGEPAGE);
    for (gsize at = 0; at < size; at += (gsize) sysconf (_SC_PAGESIZE)) {
        pages[at] = 1;
    }
    munmap ((void *) pages, size);
    return NULL;
}

/* A thread that ends, and a child process, which does not count. */
static void
work (int begin, int done, int end)
{
    pthread_t thread;
    pid_t child;
    char byte;

    if (read (begin, &byte, 1) != 1
        || pthread_create (&thread, NULL, touch, GSIZE_TO_POINTER (PAGES)) != 0) {
        _exit (1);
    }
    pthread_join (thread, NULL);
    child = fork ();
    if (child == 0) {
        touch (GSIZE_TO_POINTER (10 * PAGES));
        _exit (0);
    }
    waitpid (child, NULL, 0);
    if (write (done, "d", 1) != 1) {
        _exit (1);
    }
    (void) !read (end, &byte, 1);
    _exit (0);
}

typedef struct {
    pid_t pid;
    int begin, done, end;
} Worker;

static Worker
start_worker (void)
{
    int begin[2], done[2], end[2];
    Worker worker;

    g_assert_true (pipe (begin) == 0 && pipe (done) == 0 && pipe (end) == 0);
    worker = (Worker){ fork (), begin[1], done[0], end[1] };
    if (worker.pid == 0) {
        work (begin[0], done[1], end[0]);
    }
    close (begin[0]);
    close (done[1]);
    close (end[0]);
    return worker;
}

static void
let_work (const Worker *worker)
{
    char byte;

    g_assert_cmpint (write (worker->begin, "b", 1), ==, 1);
    g_assert_cmpint (read (worker->done, &byte, 1), ==, 1);
}

static void
end_worker (const Worker *worker)
{
    g_assert_cmpint (write (worker->end, "e", 1), ==, 1);
    g_assert_cmpint (waitpid (worker->pid, NULL, 0), ==, worker->pid);
    close (worker->begin);
    close (worker->done);
    close (worker->end);
}

static EngineSamplingCounters *
count (const EngineSamplingEvent *events, guint n, pid_t pid)
{
    g_autoptr (GArray) tids = g_array_new (FALSE, FALSE, sizeof (pid_t));

    g_array_append_val (tids, pid);
    return engine_sampling_counters_new (events, n, tids);
}

static JobMetrics
read_counters (const EngineSamplingCounters *counters)
{
    JobMetrics metrics;

    job_metrics_init (&metrics, 1);
    engine_sampling_counters_read (counters, &metrics);
    return metrics;
}

static gboolean
can_count (void)
{
    EngineSamplingCounters *counters = count (&faults, 1, getpid ());
    JobMetrics metrics = read_counters (counters);

    engine_sampling_counters_free (counters);
    if (metrics.values[JOB_METRIC_NO_COUNTERS] != 0) {
        g_test_skip (g_strerror ((int) metrics.values[JOB_METRIC_NO_COUNTERS]));
        return FALSE;
    }
    return TRUE;
}

/* What threads have done that have come and gone since, and nothing of child processes; an event that there is not is
 * not known, and takes the others nothing. */
static void
test_threads (void)
{
    const EngineSamplingEvent events[] = { faults, none, minor_faults };
    EngineSamplingCounters *counters;
    JobMetrics before, after;
    Worker worker;

    if (!can_count ()) {
        return;
    }
    worker = start_worker ();
    counters = count (events, G_N_ELEMENTS (events), worker.pid);
    before = read_counters (counters);
    let_work (&worker);
    after = read_counters (counters);
    g_assert_cmpuint (before.values[JOB_METRIC_NO_COUNTERS], ==, 0);
    g_assert_cmpuint (after.values[JOB_METRIC_CYCLES], >=,
                      before.values[JOB_METRIC_CYCLES] + PAGES);
    g_assert_cmpuint (after.values[JOB_METRIC_CYCLES], <,
                      before.values[JOB_METRIC_CYCLES] + 5 * PAGES);
    g_assert_cmpuint (after.values[JOB_METRIC_STALLS], ==, JOB_METRIC_UNKNOWN);
    g_assert_cmpuint (after.values[JOB_METRIC_INSTRUCTIONS], >=,
                      before.values[JOB_METRIC_INSTRUCTIONS] + PAGES);
    end_worker (&worker);
    after = read_counters (counters); /* it is known when it has ended, too */
    g_assert_cmpuint (after.values[JOB_METRIC_CYCLES], >=, PAGES);
    engine_sampling_counters_free (counters);
}

/* A processor that counts nothing, or a kernel that does not let it: no number, and why. */
static void
test_refused (void)
{
    const EngineSamplingEvent events[] = {
        { PERF_TYPE_MAX + 1000, 1, JOB_METRIC_CYCLES, TRUE },
        { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, JOB_METRIC_INSTRUCTIONS, FALSE },
        { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, JOB_METRIC_FAULTS, TRUE },
    };
    EngineSamplingCounters *counters = count (events, 2, getpid ());
    JobMetrics metrics = read_counters (counters);

    g_assert_cmpuint (metrics.values[JOB_METRIC_NO_COUNTERS], !=, 0);
    g_assert_cmpuint (metrics.values[JOB_METRIC_NO_COUNTERS], <, 4096);
    g_assert_cmpuint (job_metrics_get_known (&metrics), ==, 1u << JOB_METRIC_NO_COUNTERS);
    engine_sampling_counters_free (counters);
    if (can_count ()) { /* what the kernel counts itself is known all the same */
        counters = count (events, 3, getpid ());
        metrics = read_counters (counters);
        g_assert_cmpuint (metrics.values[JOB_METRIC_NO_COUNTERS], !=, 0);
        g_assert_cmpuint (job_metrics_get_known (&metrics), ==,
                          1u << JOB_METRIC_NO_COUNTERS | 1u << JOB_METRIC_FAULTS);
        engine_sampling_counters_free (counters);
    }
    counters = count (events, 0, getpid ()); /* none are wanted */
    metrics = read_counters (counters);
    g_assert_cmpuint (job_metrics_get_known (&metrics), ==, 0);
    engine_sampling_counters_free (counters);
}

/* ---- of single threads ---- */

static const EngineSamplingEvent thread_events[] = {
    { PERF_TYPE_MAX + 1000, 1, JOB_METRIC_STALLS, TRUE },
    { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, JOB_METRIC_FAULTS, FALSE },
    { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, JOB_METRIC_INSTRUCTIONS, FALSE },
    { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, JOB_METRIC_CPU,
      FALSE }, /* is none of places */
};

static guint
count_files (void)
{
    g_autoptr (GDir) names = g_dir_open ("/proc/self/fd", 0, NULL);
    guint n = 0;

    while (g_dir_read_name (names) != NULL) {
        n++;
    }
    return n;
}

static guint32
open_thread (EngineThreadCounters *counters, pid_t tid)
{
    guint32 kinds = engine_thread_counters_find_kinds (thread_events,
                                                       G_N_ELEMENTS (thread_events));

    g_assert_cmpuint (kinds, ==,
                      1u << JOB_COUNT_STALLS | 1u << JOB_COUNT_FAULTS
                          | 1u << JOB_COUNT_INSTRUCTIONS);
    engine_thread_counters_open (counters, tid, thread_events, G_N_ELEMENTS (thread_events),
                                 &kinds);
    return kinds;
}

/* What it has done since the last time, and nothing of threads that it makes; what there is not takes the others nothing. */
static void
test_thread (void)
{
    EngineThreadCounters counters = { 0 };
    guint n_before = count_files ();
    pthread_t other;
    JobCounts counts;

    if (!can_count ()) {
        return;
    }
    g_assert_cmpuint (open_thread (&counters, 0), ==,
                      1u << JOB_COUNT_FAULTS | 1u << JOB_COUNT_INSTRUCTIONS);
    touch (GSIZE_TO_POINTER (PAGES));
    counts = engine_thread_counters_take (&counters);
    g_assert_cmpuint (counts.values[JOB_COUNT_FAULTS], >=, PAGES);
    g_assert_cmpuint (counts.values[JOB_COUNT_FAULTS], <, 2 * PAGES);
    g_assert_cmpuint (counts.values[JOB_COUNT_INSTRUCTIONS], >=, PAGES);
    g_assert_cmpuint (counts.values[JOB_COUNT_STALLS], ==, 0);
    g_assert_cmpint (pthread_create (&other, NULL, touch, GSIZE_TO_POINTER (PAGES)), ==, 0);
    pthread_join (other, NULL);
    counts = engine_thread_counters_take (&counters);
    g_assert_cmpuint (counts.values[JOB_COUNT_FAULTS], <, PAGES / 2);
    engine_thread_counters_close (&counters);
    counts = engine_thread_counters_take (&counters);
    g_assert_cmpuint (counts.values[JOB_COUNT_INSTRUCTIONS], ==, 0);
    g_assert_cmpuint (count_files (), ==, n_before);
}

/* A thread that has ended takes the others nothing; where files are few, nothing is counted at all. */
static void
test_few_files (void)
{
    EngineThreadCounters counters = { 0 };
    guint n_before = count_files ();
    struct rlimit limit, less;

    if (!can_count ()) {
        return;
    }
    g_assert_cmpuint (open_thread (&counters, G_MAXINT), ==,
                      1u << JOB_COUNT_FAULTS | 1u << JOB_COUNT_INSTRUCTIONS
                          | 1u << JOB_COUNT_STALLS);
    g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &limit), ==, 0);
    less = limit;
    less.rlim_cur = n_before; /* more than half of them are there already */
    g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &less), ==, 0);
    g_assert_cmpuint (open_thread (&counters, 0), ==, 0);
    g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &limit), ==, 0);
    engine_thread_counters_close (&counters);
    g_assert_cmpuint (count_files (), ==, n_before);
}

/* ---- which ones ---- */

static guint
list (const char *cpuinfo, guint32 wanted, EngineSamplingEvent *events)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-counters-XXXXXX", NULL);
    g_autofree char *path = g_build_filename (folder, "cpuinfo", NULL);
    guint n;

    g_assert_true (cpuinfo == NULL || g_file_set_contents (path, cpuinfo, -1, NULL));
    n = engine_sampling_list_events (path, wanted, events);
    folder_remove (folder);
    return n;
}

static void
test_list (void)
{
    EngineSamplingEvent events[ENGINE_SAMPLING_MAX_EVENTS];

    g_assert_cmpuint (list (NULL, JOB_METRIC_ALL, events), ==, 5);
    g_assert_true (events[0].is_first && events[0].metric == JOB_METRIC_CYCLES);
    g_assert_cmpuint (list ("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\n"
                            "model\t\t: 17\nmodel name\t: AMD EPYC 9354\n",
                            JOB_METRIC_ALL, events),
                      ==, 7);
    g_assert_cmpuint (events[4].config, ==, 0x408);
    g_assert_cmpuint (events[5].config, ==, 0x3808);
    g_assert_cmpuint (list ("vendor_id : GenuineIntel\ncpu family : 6\nmodel name : Xeon\n"
                            "model : 85\n",
                            JOB_METRIC_ALL, events),
                      ==, 8);
    g_assert_cmpuint (events[2].config, ==, 0x140014a3);
    g_assert_cmpuint (events[5].config, ==, 0x3c7);
    g_assert_cmpuint (events[6].config, ==, 0xfcc7);
    g_assert_cmpuint (list ("vendor_id : GenuineIntel\ncpu family : 6\nmodel : 9999\n",
                            JOB_METRIC_ALL, events),
                      ==, 5);
    g_assert_cmpuint (list ("vendor_id : GenuineIntel\ncpu family : x\nmodel : 85\n",
                            JOB_METRIC_ALL, events),
                      ==, 5);
    g_assert_cmpuint (list (NULL, 1u << JOB_METRIC_RSS, events), ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/threads", test_threads);
    g_test_add_func ("/refused", test_refused);
    g_test_add_func ("/thread", test_thread);
    g_test_add_func ("/few-files", test_few_files);
    g_test_add_func ("/list", test_list);
    return g_test_run ();
}
