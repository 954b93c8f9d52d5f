/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process has used, from /proc: it is not stopped for that. */
#include "engine/queue/queue.h"
#include "engine/sampling/host-private.h"
#include "engine/sampling/private.h"
#include "engine/sampling/state-private.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* FALSE: there is none, or it may not be read. */
static gboolean
read_file (const EngineProcess *process, EngineSamplingFile file, char *text, gsize size)
{
    static const char *const names[ENGINE_SAMPLING_N_FILES] = { "statm", "stat", "io" };

    return engine_task_file_read (process, 0, names[file], &process->sampling->files[file],
                                  text, size)
           > 0;
}

static guint64
find_number (const char *text, const char *name)
{
    const char *at = strstr (text, name);

    return at != NULL ? g_ascii_strtoull (at + strlen (name), NULL, 10) : JOB_METRIC_UNKNOWN;
}

/* proc(5): utime and stime are fields 14 and 15, num_threads is 20. */
static void
read_stat (const char *text, JobMetrics *metrics)
{
    const char *end = strrchr (text, ')');
    unsigned long long user, system;
    long threads;

    if (end != NULL
        && sscanf (end + 1,
                   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %ld",
                   &user, &system, &threads)
               == 3) {
        metrics->values[JOB_METRIC_CPU] = (user + system) * G_USEC_PER_SEC
                                          / (guint64) sysconf (_SC_CLK_TCK);
        metrics->values[JOB_METRIC_THREADS] = (guint64) threads;
    }
}

/* Of all threads, to the nanosecond; proc(5) has it in ticks. */
static void
read_clock (const EngineProcess *process, JobMetrics *metrics)
{
    struct timespec used;
    clockid_t clock;

    if (clock_getcpuclockid (process->pid, &clock) == 0 && clock_gettime (clock, &used) == 0) {
        metrics->values[JOB_METRIC_CPU] = (guint64) used.tv_sec * G_USEC_PER_SEC
                                          + (guint64) used.tv_nsec / 1000;
    }
}

/* Where there is a recorder of MPI calls that knows. */
static void
read_traffic (EngineProcess *process, JobMetrics *metrics)
{
    struct pddt_queue_traffic traffic;

    if (engine_queue_read_traffic (process, &traffic)) {
        metrics->values[JOB_METRIC_MPI_SENDS] = traffic.n_sent;
        metrics->values[JOB_METRIC_MPI_SENT] = traffic.bytes_sent;
        metrics->values[JOB_METRIC_MPI_RECEIVES] = traffic.n_received;
        metrics->values[JOB_METRIC_MPI_COLLECTIVES] = traffic.n_collectives;
        metrics->values[JOB_METRIC_MPI_COLLECTED] = traffic.bytes_collectives;
        metrics->values[JOB_METRIC_MPI_MOVES] = traffic.n_moves;
        metrics->values[JOB_METRIC_MPI_MOVED] = traffic.bytes_moved;
    }
}

/* FALSE: the thread has ended, or it may not be read. */
static gboolean
read_switches (const EngineProcess *process, pid_t tid, EngineSamplingSwitches *switches)
{
    char text[4096];

    if (engine_task_file_read (process, tid, "status", NULL, text, sizeof text) <= 0) {
        return FALSE;
    }
    switches->n_waits = find_number (text, "\nvoluntary_ctxt_switches:\t");
    switches->n_losses = find_number (text, "\nnonvoluntary_ctxt_switches:\t");
    switches->is_known = switches->n_waits != JOB_METRIC_UNKNOWN
                         && switches->n_losses != JOB_METRIC_UNKNOWN;
    return switches->is_known;
}

/* Who has not run since has none more. */
static void
ask_switches (const EngineProcess *process, pid_t tid, SampledThread *known)
{
    EngineSamplingSwitches *switches = &known->switches;

    if ((!switches->is_known || !known->queued.is_known
         || switches->n_turns != known->queued.n_turns)
        && read_switches (process, tid, switches)) {
        switches->n_turns = known->queued.n_turns;
    }
}

void
engine_sampling_note_switches (EngineThread *thread)
{
    EngineSampling *sampling = thread->process->sampling;
    SampledThread *known = g_hash_table_lookup (sampling->threads,
                                                GINT_TO_POINTER (thread->tid));
    EngineSamplingSwitches switches = { .is_known = FALSE };

    if (!(engine_sampling_get_wanted (thread->process->engine)
          & (1u << JOB_METRIC_WAITS | 1u << JOB_METRIC_LOSSES))
        || !read_switches (thread->process, thread->tid, &switches)) {
        return;
    }
    if (known != NULL) {
        switches.n_turns = known->queued.n_turns;
        known->switches = switches;
    } else {
        engine_sampling_add_switches (&sampling->ended, &switches);
    }
}

void
engine_sampling_add_switches (EngineSamplingSwitches *sum, const EngineSamplingSwitches *more)
{
    sum->n_waits += more->is_known ? more->n_waits : 0;
    sum->n_losses += more->is_known ? more->n_losses : 0;
    sum->is_known |= more->is_known;
}

/* Of its threads, and of those that have ended. */
static void
sum_switches (EngineProcess *process, JobMetrics *metrics)
{
    EngineSamplingSwitches sum = process->sampling->ended;
    gpointer key, value;

    BASE_WALK (process->sampling->threads, &key, &value) {
        ask_switches (process, GPOINTER_TO_INT (key), value);
        engine_sampling_add_switches (&sum, &((const SampledThread *) value)->switches);
    }
    if (sum.is_known) {
        metrics->values[JOB_METRIC_WAITS] = sum.n_waits;
        metrics->values[JOB_METRIC_LOSSES] = sum.n_losses;
    }
}

static gboolean
is_wanted (guint32 wanted, JobMetric a, JobMetric b)
{
    return (wanted & (1u << a | 1u << b)) != 0;
}

static void
read_metrics (EngineProcess *process, guint32 wanted, JobMetrics *metrics)
{
    char text[4096];
    unsigned long long pages;

    if (is_wanted (wanted, JOB_METRIC_RSS, JOB_METRIC_RSS)
        && read_file (process, ENGINE_SAMPLING_STATM, text, sizeof text)
        && sscanf (text, "%*u %llu", &pages) == 1) {
        metrics->values[JOB_METRIC_RSS] = pages * (guint64) sysconf (_SC_PAGESIZE);
    }
    if (is_wanted (wanted, JOB_METRIC_CPU, JOB_METRIC_THREADS)
        && read_file (process, ENGINE_SAMPLING_STAT, text, sizeof text)) {
        read_stat (text, metrics);
        read_clock (process, metrics);
    }
    if (is_wanted (wanted, JOB_METRIC_READ, JOB_METRIC_WRITTEN)
        && read_file (process, ENGINE_SAMPLING_IO, text, sizeof text)) {
        metrics->values[JOB_METRIC_READ] = find_number (text, "\nread_bytes: ");
        metrics->values[JOB_METRIC_WRITTEN] = find_number (text, "\nwrite_bytes: ");
    }
    if (is_wanted (wanted, JOB_METRIC_WAITS, JOB_METRIC_LOSSES)) {
        sum_switches (process, metrics);
    }
    read_traffic (process, metrics);
}

guint32
engine_sampling_get_wanted (const Engine *engine)
{
    return engine->measured_metrics != 0 ? engine->measured_metrics : JOB_METRIC_ALL;
}

void
engine_sampling_add_metrics (EngineProcess *process, gint64 now, guint64 queued_us,
                             const EngineSamplingCounters *counters, GArray *to)
{
    EngineSamplingHost *host = process->engine->sampling_host;
    guint32 wanted = engine_sampling_get_wanted (process->engine);
    JobMetrics metrics;

    job_metrics_init (&metrics, now);
    read_metrics (process, wanted, &metrics);
    metrics.values[JOB_METRIC_QUEUED] = queued_us;
    if (counters != NULL) {
        engine_sampling_counters_read (counters, &metrics);
    }
    if (engine_sampling_host_is_led_by (host, process)) {
        engine_sampling_host_read (host, &metrics);
    }
    for (guint i = 0; i < JOB_N_METRICS; i++) {
        metrics.values[i] = wanted & 1u << i ? metrics.values[i] : JOB_METRIC_UNKNOWN;
    }
    g_array_append_val (to, metrics);
}

/* ---- waiting for a processor ---- */

/* How often the thread has left a processor: that is told without statistics of the scheduler, too. */
static void
read_turns (const EngineProcess *process, pid_t tid, char *text, gsize size)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/task/%d/status", (int) process->pid,
                                             (int) tid);
    g_autofree char *status = NULL;
    const char *found = g_file_get_contents (path, &status, NULL, NULL)
                            ? strstr (status, "\nvoluntary_ctxt_switches:")
                            : NULL;

    g_strlcpy (text, found != NULL ? found : "", size);
}

/* proc(5): time on a processor, time of waiting for one, both in ns, and the number of turns. */
void
engine_sampling_read_schedule (const EngineProcess *process, pid_t tid, EngineTaskFile *file,
                               char *text, gsize size)
{
    if (engine_task_file_read (process, tid, "schedstat", file, text, size) <= 0) {
        read_turns (process, tid, text, size);
    }
}

gboolean
engine_sampling_queued_note (EngineSamplingQueued *queued, const char *schedule)
{
    unsigned long long ran_ns, now_ns, n_turns;

    if (sscanf (schedule, "%llu %llu %llu", &ran_ns, &now_ns, &n_turns) != 3) {
        return FALSE;
    }
    queued->ran_ns = ran_ns;
    queued->n_turns = n_turns;
    queued->first_ns = queued->is_known ? queued->first_ns : now_ns;
    queued->now_ns = MAX (now_ns, queued->first_ns);
    queued->is_known = TRUE;
    return TRUE;
}

guint64
engine_sampling_queued_get_ns (const EngineSamplingQueued *queued)
{
    return queued->now_ns - queued->first_ns;
}

guint64
engine_sampling_sum_queued_us (const EngineSampling *sampling)
{
    guint64 sum_ns = sampling->queued_ns;
    gpointer value;

    BASE_WALK (sampling->threads, NULL, &value) {
        sum_ns += engine_sampling_queued_get_ns (&((const SampledThread *) value)->queued);
    }
    return sampling->knows_queued ? sum_ns / 1000 : JOB_METRIC_UNKNOWN;
}
