/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampling tells the truth about programs that spend known shares of their time, and changes
 * nothing in them. */
#include "engine/control/control.h"
#include "engine/sampling/snapshot-private.h"
#include "engine/sampling/thread-counters-private.h"
#include "machine/registers.h"
#include "job/costs.h"
#include "job/sample.h"
#include "rig.h"
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE 200u

/* What was told of a rank. */
typedef struct {
    JobContextTree *tree;
    GArray *samples;
    guint64 n_dropped;
    gboolean is_over;
} Told;

static Rig rig;
static guint32 slot;
static pid_t pid;

static void
open_rank (const char *what)
{
    g_autofree char *path = rig_dup_inferior ("inferior-burn");
    char *argv[] = { path, (char *) what, NULL };

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, &pid);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
}

static guint64
profile (guint rate, guint64 duration_ms)
{
    JobRequest *request = job_request_new (JOB_VERB_PROFILE, NULL);

    request->number = rate;
    request->ms = duration_ms;
    return rig_send (&rig, slot, request);
}

static Told
told_new (void)
{
    Told told = { job_context_tree_new (), g_array_new (FALSE, FALSE, sizeof (JobSample)), 0,
                  FALSE };

    return told;
}

static void
told_clear (Told *told)
{
    job_context_tree_free (told->tree);
    g_array_unref (told->samples);
}

static void
take (Told *told, const JobEvent *event)
{
    g_autoptr (GError) error = NULL;

    job_sample_batch_decode (event->bytes, told->tree, told->samples, &told->n_dropped, &error);
    g_assert_no_error (error);
    told->is_over = event->final;
}

static Told
wait_for_samples (void)
{
    Told told = told_new ();

    while (!told.is_over) {
        take (&told, rig_wait (&rig, slot, JOB_EVENT_SAMPLES));
    }
    return told;
}

static Told
run_for (guint rate, guint64 duration_ms)
{
    profile (rate, duration_ms);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    return wait_for_samples ();
}

static gboolean
is_inside (const Told *told, guint32 context, const char *function)
{
    for (; context != 0; context = job_context_tree_get (told->tree, context)->parent) {
        const char *name = job_context_tree_get (told->tree, context)->location.function;

        if (g_strcmp0 (name, function) == 0) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Of the rank's first thread; function NULL: any, class JOB_N_CLASSES: any. */
static double
get_share (const Told *told, const char *function, JobClass class)
{
    double all = 0, inside = 0;

    for (guint i = 0; i < told->samples->len; i++) {
        const JobSample *sample = &g_array_index (told->samples, JobSample, i);

        if (sample->thread != 1 || sample->class == JOB_CLASS_UNSAMPLED) {
            continue;
        }
        all += sample->weight_us;
        if ((class == JOB_N_CLASSES || sample->class == class)
            && (function == NULL || is_inside (told, sample->context, function))) {
            inside += sample->weight_us;
        }
    }
    g_assert_cmpfloat (all, >, 0);
    return inside / all;
}

/* Samples of equal weight that would tell as much. */
static double
count_effective (const Told *told)
{
    double sum = 0, squares = 0;

    for (guint i = 0; i < told->samples->len; i++) {
        const JobSample *sample = &g_array_index (told->samples, JobSample, i);
        double weight = sample->class != JOB_CLASS_UNSAMPLED ? sample->weight_us : 0;

        sum += weight;
        squares += weight * weight;
    }
    return sum * sum / squares;
}

static double
read_number (const char *name)
{
    return rig_ask_number (&rig, slot, JOB_VERB_PRINT, name);
}

/* Within four standard deviations of what that many samples can tell of what the stopped program has
 * counted itself. */
static void
expect_share (const Told *told, const char *function, JobClass class, guint first, guint n)
{
    double all = 0, wanted = 0, share = get_share (told, function, class), sigma;

    for (guint i = 0; i < 6; i++) {
        g_autofree char *name = g_strdup_printf ("spent[%u]", i);
        double seconds = read_number (name);

        all += seconds;
        wanted += i >= first && i < first + n ? seconds : 0;
    }
    wanted /= all;
    sigma = sqrt (wanted * (1 - wanted) / count_effective (told));
    g_test_message ("%s %s: %.1f %%, wanted %.1f ± %.1f", function != NULL ? function : "",
                    class < JOB_N_CLASSES ? job_class_get_name (class) : "", 100 * share,
                    100 * wanted, 400 * sigma);
    g_assert_cmpfloat (fabs (share - wanted), <, 4 * sigma + 0.015);
}

static void
pause_rank (void)
{
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    rig_wait_stop (&rig, slot);
}

/* Most of the time that the stopped program has counted was sampled: the machine has not stood still. */
static gboolean
is_undisturbed (const Told *told)
{
    double counted = 0, sampled = 0;

    for (guint i = 0; i < 6; i++) {
        g_autofree char *name = g_strdup_printf ("spent[%u]", i);

        counted += read_number (name);
    }
    for (guint i = 0; i < told->samples->len; i++) {
        const JobSample *sample = &g_array_index (told->samples, JobSample, i);

        if (sample->thread == 1 && sample->class != JOB_CLASS_UNSAMPLED) {
            sampled += sample->weight_us / 1e6;
        }
    }
    return sampled > 0.7 * counted;
}

/* What was sampled of the program in 3 s, and the program stopped; again where the machine has stood still. */
static Told
measure (const char *what)
{
    for (guint i = 0;; i++) {
        Told told;

        open_rank (what);
        told = run_for (RATE, 3000);
        pause_rank ();
        if (i == 5 || is_undisturbed (&told)) {
            return told;
        }
        g_test_message ("the machine has stood still: once more");
        told_clear (&told);
        rig_close (&rig);
    }
}

static void
test_shares (void)
{
    Told told = measure ("shares");

    g_assert_cmpuint (told.samples->len, >, 50); /* 300 on a machine without other work */
    expect_share (&told, "forty", JOB_CLASS_NATIVE, 0, 1);
    expect_share (&told, "twenty_five", JOB_CLASS_NATIVE, 1, 1);
    expect_share (&told, "fifteen", JOB_CLASS_NATIVE, 2, 1);
    expect_share (&told, "ten", JOB_CLASS_NATIVE, 3, 1);
    expect_share (&told, "five", JOB_CLASS_NATIVE, 4, 1);
    expect_share (&told, "main", JOB_N_CLASSES, 0, 6);
    told_clear (&told);
    rig_close (&rig);
}

/* From before the first sample of the rank's first thread to the last one; counted: what all of them
 * stand for. */
static gint64
count_time (const Told *told, gint64 *counted)
{
    gint64 begin = 0, end = 0, sum = 0;

    for (guint i = 0; i < told->samples->len; i++) {
        const JobSample *sample = &g_array_index (told->samples, JobSample, i);

        if (sample->thread == 1) {
            g_assert_cmpint (sample->time_us, >, end);
            begin = end == 0 ? sample->time_us - (gint64) sample->weight_us : begin;
            end = sample->time_us;
            sum += sample->weight_us;
        }
    }
    if (counted != NULL) {
        *counted = sum;
    }
    return end - begin;
}

/* The samples stand for the time that has passed, all of it and once. */
static void
test_time (void)
{
    Told told = measure ("shares");
    gint64 counted;

    g_assert_cmpint (count_time (&told, &counted), >, 1500000);
    g_assert_cmpint (counted, ==, count_time (&told, NULL));
    told_clear (&told);
    rig_close (&rig);
}

static void
test_classes (void)
{
    Told told = measure ("classes");

    expect_share (&told, NULL, JOB_CLASS_NATIVE, 0, 1);
    expect_share (&told, NULL, JOB_CLASS_LOCK, 2, 1);
    expect_share (&told, NULL, JOB_CLASS_NETWORK, 3, 1);
    expect_share (&told, "main", JOB_N_CLASSES, 0, 6);
    told_clear (&told);
    g_test_message ("%d of %d waits interrupted", (int) read_number ("interrupted"),
                    (int) read_number ("waits"));
    g_assert_cmpfloat (read_number ("interrupted"), ==, 0);
    rig_close (&rig);
}

/* A thread was asked to stop just as it began to wait: its call would end with EINTR. In each of so many calls, which
 * begin again with all of their time limit, and so end only if they are not stopped once more. */
static void
expect_undone (const char *what, guint n_calls)
{
    gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC, undone = -1;
    g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
    EngineSystemCall call;
    EngineThread *thread;

    open_rank (what);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    thread = engine_process_get_main (engine_find_process (rig.engine, slot));
    while (g_hash_table_size (seen) < n_calls && g_get_monotonic_time () < end) {
        if ((engine_system_call_read (thread->process, thread->tid, &call)
             && call.number == undone)
            || !engine_thread_pause (thread, G_USEC_PER_SEC)) {
            continue;
        }
        undone = -1;
        g_assert_true (engine_thread_load_registers (thread));
        if (machine_registers_is_interrupted (&thread->registers)) {
            undone = (gint64) machine_registers_get_system_call (&thread->registers);
            g_hash_table_add (seen, GSIZE_TO_POINTER ((gsize) undone));
            engine_thread_undo_interruption (thread);
            g_assert_false (machine_registers_is_interrupted (&thread->registers));
        }
        g_assert_true (engine_thread_resume (thread));
    }
    g_assert_cmpuint (g_hash_table_size (seen), ==, n_calls);
    pause_rank ();
    g_assert_cmpfloat (read_number ("interrupted"), ==, 0);
    rig_close (&rig);
}

static void
test_interrupted (void)
{
    expect_undone ("epoll", 1);
    expect_undone ("ended", 6);
}

/* A thread that waits is not stopped, and the call of one that has just begun to wait begins again. */
static void
test_epoll (void)
{
    Told told;

    open_rank ("epoll");
    told = run_for (RATE, 2000);
    told_clear (&told);
    pause_rank ();
    g_test_message ("%d of %d waits interrupted", (int) read_number ("interrupted"),
                    (int) read_number ("waits"));
    g_assert_cmpfloat (read_number ("interrupted"), ==, 0);
    rig_close (&rig);
}

static void
test_crowd (void)
{
    g_autoptr (GHashTable) threads = g_hash_table_new (NULL, NULL);
    gint64 before = 0;
    Told told;

    open_rank ("crowd");
    /* on a busy machine not all of them have had a processor after 3 s */
    for (guint round = 0; round < 10 && g_hash_table_size (threads) < 12; round++) {
        gint64 all_us = 0, other_us = 0; /* of the first thread; without computing */

        if (round > 0) {
            pause_rank ();
        }
        told = run_for (50, 3000);
        for (guint i = 0; i < told.samples->len; i++) {
            const JobSample *sample = &g_array_index (told.samples, JobSample, i);

            g_hash_table_add (threads, GUINT_TO_POINTER (sample->thread));
            g_assert_cmpint (sample->time_us, >=, before);
            before = sample->time_us;
            if (sample->thread == 1 && sample->class != JOB_CLASS_UNSAMPLED) {
                all_us += sample->weight_us;
                other_us += sample->class != JOB_CLASS_NATIVE ? sample->weight_us : 0;
            }
        }
        /* Its first sample may be of the call that makes a thread. */
        g_assert_cmpint (other_us, <=, all_us / 10 + G_USEC_PER_SEC / 50);
        told_clear (&told);
    }
    g_assert_cmpuint (g_hash_table_size (threads), ==, 12);
    rig_close (&rig);
}

/* For how long the rank has waited for a processor, in s. */
static double
read_queued (void)
{
    g_autofree char *path = g_strdup_printf ("/proc/%d/schedstat", (int) pid);
    g_autofree char *text = NULL;
    guint64 ran_ns, queued_ns;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    g_assert_cmpint (sscanf (text, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, &ran_ns,
                             &queued_ns),
                     ==, 2);
    return (double) queued_ns / 1e9;
}

/* 3 s, in one of which nobody pumps. ret_queued: in s, meanwhile. */
static Told
fall_behind (double *ret_queued)
{
    gint64 until_us, first_us;

    open_rank ("shares");
    profile (100, 3000);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    for (first_us = g_get_monotonic_time (); g_get_monotonic_time () < first_us + 500000;) {
        rig_pump (&rig, 1);
    }
    *ret_queued = read_queued ();
    for (until_us = g_get_monotonic_time () + 1000000; g_get_monotonic_time () < until_us;) {
        g_usleep (1000);
    }
    *ret_queued = read_queued () - *ret_queued;
    return wait_for_samples ();
}

/* A daemon that falls behind by a second says how many samples it has not taken, and nobody has that time. */
static void
test_late (void)
{
    double counted = 0, lost = 0, queued;
    gint64 begin_us = g_get_monotonic_time ();
    Told told = fall_behind (&queued);

    for (guint i = 0; i < 5 && g_get_monotonic_time () > begin_us + 5 * G_USEC_PER_SEC; i++) {
        told_clear (&told);
        rig_close (&rig);
        begin_us = g_get_monotonic_time (); /* the machine has stood still: once more */
        told = fall_behind (&queued);
    }
    g_assert_cmpuint (told.n_dropped, >=, 90);
    for (guint i = 0; i < told.samples->len; i++) {
        const JobSample *sample = &g_array_index (told.samples, JobSample, i);

        counted += sample->thread == 1 ? sample->weight_us / 1e6 : 0;
        lost += sample->class == JOB_CLASS_UNSAMPLED ? sample->weight_us / 1e6 : 0;
        g_assert_true (is_inside (&told, sample->context, "(not sampled)")
                       == (sample->class == JOB_CLASS_UNSAMPLED));
    }
    g_test_message ("%u samples for %.2f s, %.2f s of them nobody's, %u missed",
                    told.samples->len, counted, lost, (guint) told.n_dropped);
    if (queued < 0.3) { /* a rank that has no processor either does nothing meanwhile */
        g_assert_cmpfloat (lost, >, 0.6);
    }
    g_assert_cmpfloat (fabs (counted - 3), <, 0.6);
    told_clear (&told);
    rig_close (&rig);
}

/* What was sampled comes before the news that the rank has ended. */
static void
test_end (void)
{
    Told told;

    open_rank ("brief");
    told = run_for (RATE, 60000);
    g_assert_cmpuint (told.samples->len, >, 0);
    for (guint i = 0; i < rig.seen; i++) {
        const JobEvent *event = g_ptr_array_index (rig.events, i);

        g_assert_false (event->kind == JOB_EVENT_STATE && event->state == JOB_STATE_EXITED);
    }
    rig_expect (&rig, slot, JOB_STATE_EXITED, NULL, 0);
    told_clear (&told);
    rig_close (&rig);
}

/* Of the rank's first thread, which is one of many that want a processor. */
static gboolean
has_sample_since (const Told *told, gint64 time_us)
{
    for (guint i = told->samples->len; i > 0; i--) {
        const JobSample *sample = &g_array_index (told->samples, JobSample, i - 1);

        if (sample->thread == 1 && sample->time_us > time_us) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Time for which the rank stands belongs to nobody. */
static void
test_pause (void)
{
    Told told;
    gint64 counted, begin;

    open_rank ("crowd");
    profile (RATE, 600000); /* a busy machine may take its time for the pause */
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_wait (&rig, slot, JOB_EVENT_SAMPLES);
    pause_rank ();
    begin = g_get_monotonic_time ();
    while (g_get_monotonic_time () < begin + 600000) { /* nothing may happen for so long */
        rig_pump (&rig, 50);
    }
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    told = told_new ();
    for (guint i = 0; i < rig.seen; i++) {
        const JobEvent *event = g_ptr_array_index (rig.events, i);

        if (event->kind == JOB_EVENT_SAMPLES) {
            take (&told, event);
        }
    }
    while (!has_sample_since (&told, begin + 600000)) {
        take (&told, rig_wait (&rig, slot, JOB_EVENT_SAMPLES));
    }
    profile (0, 0);
    while (!told.is_over) {
        take (&told, rig_wait (&rig, slot, JOB_EVENT_SAMPLES));
    }
    g_assert_cmpint (count_time (&told, &counted) - counted, >, 450000);
    told_clear (&told);
    rig_close (&rig);
}

/* A breakpoint that all threads meet all the time, and whose condition is false: samples and stops share the time. */
static void
test_breakpoint (void)
{
    Told told;

    open_rank ("crowd");
    rig_break (&rig, slot, 1, "five", "turns < 0");
    told = run_for (1000, 2000);
    g_test_message ("%u samples, %u dropped", told.samples->len, (guint) told.n_dropped);
    g_assert_cmpuint (told.samples->len, >, 12); /* threads */
    rig_do (&rig, slot, JOB_VERB_PAUSE);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, NULL, 0);
    g_assert_cmpfloat (read_number ("turns"), >, 0);
    told_clear (&told);
    rig_close (&rig);
}

static void
test_cancel (void)
{
    JobRequest *request = job_request_new (JOB_VERB_CANCEL, NULL);
    Told told;

    open_rank ("shares");
    request->every = profile (RATE, 600000);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    told = told_new ();
    take (&told, rig_wait (&rig, slot, JOB_EVENT_SAMPLES));
    rig_send (&rig, slot, request);
    while (!told.is_over) {
        take (&told, rig_wait (&rig, slot, JOB_EVENT_SAMPLES));
    }
    g_assert_null (engine_find_process (rig.engine, slot)->sampling);
    told_clear (&told);
    rig_close (&rig);
}

static guint
count_between (const Told *told, gint64 begin_us, gint64 end_us)
{
    guint n = 0;

    for (guint i = 0; i < told->samples->len; i++) {
        const JobSample *sample = &g_array_index (told->samples, JobSample, i);

        n += sample->thread == 1 && sample->time_us > begin_us && sample->time_us <= end_us;
    }
    return n;
}

/* A long measurement takes its samples more rarely, and they count for the time between. */
static void
test_slower (void)
{
    JobRequest *request = job_request_new (JOB_VERB_PROFILE, NULL);
    gint64 begin, middle, counted, passed;
    guint n_before, n_after;
    Told told = told_new ();

    open_rank ("shares");
    profile (RATE, 600000);
    begin = g_get_monotonic_time ();
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    while (!has_sample_since (&told, begin + 1000000)) {
        take (&told, rig_wait (&rig, slot, JOB_EVENT_SAMPLES));
    }
    request->flags = JOB_REQUEST_SLOWER;
    request->number = 10;
    rig_send (&rig, slot, request);
    middle = g_get_monotonic_time ();
    while (!has_sample_since (&told, middle + 1000000)) {
        take (&told, rig_wait (&rig, slot, JOB_EVENT_SAMPLES));
    }
    profile (0, 0);
    while (!told.is_over) {
        take (&told, rig_wait (&rig, slot, JOB_EVENT_SAMPLES));
    }
    n_before = count_between (&told, begin, begin + 1000000);
    n_after = count_between (&told, middle, middle + 1000000);
    g_test_message ("%u samples in a second, then %u", n_before, n_after);
    g_assert_cmpuint (n_after, <=, RATE / 10 * 2); /* a busy machine has fewer before, too */
    passed = count_time (&told, &counted);
    g_assert_cmpint (passed, ==, counted);
    told_clear (&told);
    rig_close (&rig);
}

/* Two at once would tell of each other. */
static void
test_twice (void)
{
    Told told;

    open_rank ("shares");
    profile (RATE, 1000);
    profile (RATE, 1000);
    g_assert_nonnull (strstr (rig_wait (&rig, slot, JOB_EVENT_FAILURE)->text,
                              "is being profiled"));
    told = wait_for_samples ();
    g_assert_cmpuint (told.samples->len, ==, 0); /* it has not run */
    told_clear (&told);
    rig_close (&rig);
}

/* The time of both ranks in a function's contexts, of which *ret_ms is the whole. */
static double
sum_costs (const JobCosts *costs, const char *function, double *ret_ms)
{
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    Told told = { job_costs_get_tree (costs), NULL, 0, FALSE };
    double inside = 0;

    *ret_ms = 0;
    for (guint i = 0; i < job_costs_get_n_groups (costs); i++) {
        double n = job_rank_set_get_count (job_costs_get_ranks (costs, i));

        job_costs_read (costs, i, row);
        for (guint j = 0; j < row->len; j++) {
            const JobCost *cost = &g_array_index (row, JobCost, j);

            *ret_ms += n * cost->ms;
            inside += is_inside (&told, cost->context, function) ? n * cost->ms : 0;
        }
    }
    return inside;
}

static guint
count_events (JobEventKind kind)
{
    guint n = 0;

    for (guint i = 0; i < rig.events->len; i++) {
        n += ((const JobEvent *) g_ptr_array_index (rig.events, i))->kind == kind;
    }
    return n;
}

/* Does the kernel let anybody? */
static guint32
find_faults (void)
{
    const EngineSamplingEvent event = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS,
                                        JOB_METRIC_FAULTS, FALSE };
    EngineThreadCounters counters = { 0 };
    guint32 kinds = 1u << JOB_COUNT_FAULTS;

    engine_thread_counters_open (&counters, 0, &event, 1, &kinds);
    engine_thread_counters_close (&counters);
    return kinds;
}

/* Two ranks that do the same, of which only the sums are wanted: one answer for both, and nothing before. */
static void
test_summed (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-burn");
    char *argv[] = { path, (char *) "shares", NULL };
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_PROFILE, NULL);
    const JobEvent *event;
    g_autoptr (JobRequest) end = NULL;
    double all, main_ms, unsampled_ms, most_ms;
    gint64 begin_us;
    guint32 other;

    open_rank ("shares");
    other = rig_start (&rig, argv, NULL);
    rig_expect (&rig, other, JOB_STATE_STOPPED, "main", 0);
    request->id = ++rig.last_request;
    request->flags = JOB_REQUEST_SUMMED;
    request->number = RATE;
    job_rank_set_add (request->ranks, slot);
    job_rank_set_add (request->ranks, other);
    engine_handle (rig.engine, request);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    rig_do (&rig, other, JOB_VERB_CONTINUE);
    begin_us = g_get_monotonic_time ();
    for (gint64 pumped_us = 0;
         pumped_us < 3 * G_USEC_PER_SEC;) { /* however long it stands still */
        gint64 before_us = g_get_monotonic_time ();

        rig_pump (&rig, 100);
        pumped_us += MIN (g_get_monotonic_time () - before_us, 200000);
    }
    end = job_request_new (JOB_VERB_PROFILE, request->ranks);
    end->id = ++rig.last_request;
    engine_handle (rig.engine, end);
    event = rig_wait (&rig, other, JOB_EVENT_COSTS);
    most_ms = 2 * (double) (g_get_monotonic_time () - begin_us) / 1000 + 200;
    g_assert_true (event->final);
    g_assert_cmpuint (event->request, ==, request->id);
    g_assert_true (job_rank_set_equal (event->ranks, request->ranks));
    main_ms = sum_costs (event->costs, "main", &all);
    unsampled_ms = sum_costs (event->costs, "(not sampled)", &all); /* on a busy machine */
    g_test_message ("%.0f of %.0f ms in main, %" G_GUINT64_FORMAT " samples, %u groups",
                    main_ms, all, job_costs_get_n_samples (event->costs),
                    job_costs_get_n_groups (event->costs));
    g_assert_cmpfloat (all, <, most_ms);
    g_assert_cmpfloat (all, >, 100); /* a busy machine lets them begin late */
    g_assert_cmpfloat (main_ms, >, 0.9 * (all - unsampled_ms));
    g_assert_cmpuint (job_costs_get_n_samples (event->costs), >=, 2);
    g_assert_cmpfloat ((double) job_costs_get_span_ms (event->costs), <=, most_ms / 2);
    g_assert_cmpuint (job_costs_get_n_groups (event->costs), <=, 2);
    g_assert_cmpuint (count_events (JOB_EVENT_SAMPLES), ==, 0);
    g_assert_cmpuint (job_costs_get_counted (event->costs) & 1u << JOB_COUNT_FAULTS, ==,
                      find_faults ());
    rig_close (&rig);
}

/* A program that executes another one again and again: what was captured of the one before never reads the next one's
 * memory, and it is sampled to its end. */
static void
test_again (void)
{
    g_autofree char *path = rig_dup_inferior ("inferior-burn");
    char *argv[] = { path, (char *) "again", (char *) "30", NULL };
    g_autofree EngineSamplingSnapshot *snapshot = g_new (EngineSamplingSnapshot, 1);
    EngineProcess *process;
    const JobEvent *event;
    guint64 code, word;
    Told told;

    rig_open (&rig, "main");
    slot = rig_start (&rig, argv, NULL);
    rig_expect (&rig, slot, JOB_STATE_STOPPED, "main", 0);
    process = engine_find_process (rig.engine, slot);
    engine_sampling_snapshot_fill (snapshot, process,
                                   &engine_process_get_stopped (process)->registers);
    code = machine_registers_get_pc (&engine_process_get_stopped (process)->registers);
    g_assert_true (base_memory_read_u64 (&snapshot->reader, code, &word, NULL));
    profile (1000, 0);
    rig_do (&rig, slot, JOB_VERB_CONTINUE);
    event = rig_wait_stop (&rig, slot);
    g_assert_cmpint (event->state, ==, JOB_STATE_FAILED);
    g_assert_cmpint (event->number, ==, 7); /* its own status */
    g_assert_false (base_memory_read_u64 (&snapshot->reader, code, &word, NULL));
    rig.seen = 0;
    told = wait_for_samples ();
    g_assert_cmpfloat (get_share (&told, "burn_again", JOB_N_CLASSES), >, 0);
    engine_sampling_snapshot_clear (snapshot);
    told_clear (&told);
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/shares", test_shares);
    g_test_add_func ("/time", test_time);
    g_test_add_func ("/classes", test_classes);
    g_test_add_func ("/interrupted", test_interrupted);
    g_test_add_func ("/epoll", test_epoll);
    g_test_add_func ("/crowd", test_crowd);
    g_test_add_func ("/late", test_late);
    g_test_add_func ("/end", test_end);
    g_test_add_func ("/pause", test_pause);
    g_test_add_func ("/breakpoint", test_breakpoint);
    g_test_add_func ("/cancel", test_cancel);
    g_test_add_func ("/slower", test_slower);
    g_test_add_func ("/twice", test_twice);
    g_test_add_func ("/summed", test_summed);
    g_test_add_func ("/again", test_again);
    return g_test_run ();
}
