/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/sample.h"
#include "base/error.h"
#include <string.h>

static guint32
add (JobContextTree *tree, guint32 parent, const char *function, guint32 line)
{
    JobLocation location = { .function = (char *) function,
                             .file = (char *) "/src/app.py",
                             .line = line,
                             .language = JOB_LANGUAGE_PYTHON };

    return job_context_tree_add (tree, parent, &location, 0);
}

static void
add_sample (GArray *samples, gint64 time_us, guint32 context)
{
    JobSample sample = { .time_us = time_us,
                         .weight_us = 10000,
                         .context = context,
                         .thread = 1,
                         .class = JOB_CLASS_PYTHON,
                         .is_blocked = context % 2,
                         .is_spread = context % 3 == 0 };

    g_array_append_val (samples, sample);
}

static void
test_tree (void)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    guint32 outer = add (tree, 0, "main", 3);
    guint32 inner = add (tree, outer, "work", 7);
    char name[] = "work";

    g_assert_cmpuint (outer, ==, 1);
    g_assert_cmpuint (inner, ==, 2);
    g_assert_cmpuint (add (tree, outer, name, 7), ==, inner);
    g_assert_cmpuint (add (tree, outer, "work", 8), ==, 3); /* another line */
    g_assert_cmpuint (add (tree, 0, "work", 7), ==, 4);     /* another caller */
    memset (name, 'x', strlen (name));
    g_assert_cmpstr (job_context_tree_get (tree, inner)->location.function, ==, "work");
    g_assert_cmpuint (job_context_tree_get_count (tree), ==, 4);
}

static void
assert_equal (const JobContextTree *a, const JobContextTree *b)
{
    g_assert_cmpuint (job_context_tree_get_count (a), ==, job_context_tree_get_count (b));
    for (guint32 i = 1; i <= job_context_tree_get_count (a); i++) {
        const JobContext *left = job_context_tree_get (a, i);
        const JobContext *right = job_context_tree_get (b, i);

        g_assert_cmpuint (left->parent, ==, right->parent);
        g_assert_true (job_location_equal (&left->location, &right->location));
    }
}

static void
assert_same (const JobSample *a, const JobSample *b)
{
    g_assert_cmpint (a->time_us, ==, b->time_us);
    g_assert_cmpuint (a->weight_us, ==, b->weight_us);
    g_assert_cmpuint (a->context, ==, b->context);
    g_assert_cmpuint (a->thread, ==, b->thread);
    g_assert_cmpuint (a->class, ==, b->class);
    g_assert_cmpint (a->is_blocked, ==, b->is_blocked);
    g_assert_cmpint (a->is_spread, ==, b->is_spread);
}

/* Each batch brings what is new since the one before. */
static void
test_batches (void)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (JobContextTree) copy = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) read = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GError) error = NULL;
    guint64 n_dropped = 0;
    guint32 n_told = 0, context = 0;

    for (guint round = 0; round < 20; round++) {
        g_autoptr (GBytes) batch = NULL;

        g_array_set_size (samples, 0);
        for (guint i = 0; i < 10; i++) {
            context = add (tree, context % 7, i % 2 == 0 ? "even" : "odd", round * 10 + i);
            add_sample (samples, 1000000 + round * 100 + i, context);
        }
        batch = job_sample_batch_encode (tree, n_told + 1, samples, round);
        n_told = job_context_tree_get_count (tree);
        g_assert_true (job_sample_batch_decode (batch, copy, read, &n_dropped, &error));
        g_assert_no_error (error);
        assert_equal (tree, copy);
        g_assert_cmpuint (n_dropped, ==, round);
        g_assert_cmpuint (read->len, ==, (round + 1) * 10);
        for (guint i = 0; i < samples->len; i++) {
            assert_same (&g_array_index (read, JobSample, round * 10 + i),
                         &g_array_index (samples, JobSample, i));
        }
    }
    g_assert_cmpuint (g_bytes_get_size (job_sample_batch_encode (tree, n_told + 1, samples, 0))
                          / 10,
                      <, 20); /* bytes for each sample */
}

static void
test_metrics (void)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    g_autoptr (GArray) read = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    g_autoptr (GBytes) batch = NULL;
    g_autoptr (GError) error = NULL;
    JobSampleExtras extras = { read, counts, 0 };
    guint64 n_dropped = 0;
    gboolean has_counts;

    for (guint i = 0; i < 50; i++) {
        JobMetrics each = { .time_us = 1000000 + 100000 * i };

        for (guint j = 0; j < JOB_N_METRICS; j++) {
            each.values[j] = i % 7 == j ? JOB_METRIC_UNKNOWN
                                        : (guint64) (i * i) << 4 * (j % 13);
        }
        g_array_append_val (metrics, each);
    }
    batch = job_sample_batch_encode_all (tree, 1, samples, 0,
                                         &(JobSampleExtras){ .metrics = metrics });
    g_assert_true (job_sample_batch_decode_all (batch, tree, samples, &n_dropped, &extras,
                                                &has_counts, &error));
    g_assert_no_error (error);
    g_assert_false (has_counts);
    g_assert_cmpmem (read->data, read->len * sizeof (JobMetrics), metrics->data,
                     metrics->len * sizeof (JobMetrics));
}

/* What a newer pddt has measured too is left out, and what an older one has not is not known. */
static void
test_other_metrics (void)
{
    g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    g_autoptr (GByteArray) block = g_byte_array_new ();
    BaseCursor cursor;

    for (guint n = 2; n < JOB_N_METRICS + 4; n += JOB_N_METRICS) {
        g_byte_array_set_size (block, 0);
        base_bytes_put_uleb (block, 3);
        base_bytes_put_uleb (block, n);
        for (guint i = 0; i < 3; i++) {
            base_bytes_put_uleb (block, 100);
            for (guint j = 0; j < n; j++) {
                base_bytes_put_uleb (block, 2 * (j + 1));
            }
        }
        cursor = (BaseCursor) BASE_CURSOR_INIT (block->data, block->len);
        g_array_set_size (metrics, 0);
        g_assert_true (job_metrics_read (&cursor, 3, metrics));
        g_assert_cmpuint (base_cursor_get_left (&cursor), ==, 0);
        g_assert_cmpuint (metrics->len, ==, 3);
        g_assert_cmpuint (g_array_index (metrics, JobMetrics, 2).values[1], ==, 6);
        g_assert_cmpuint (job_metrics_get_known (&g_array_index (metrics, JobMetrics, 2)), ==,
                          n == 2 ? 3 : JOB_METRIC_ALL);
        cursor = (BaseCursor) BASE_CURSOR_INIT (block->data, block->len);
        g_assert_false (job_metrics_read (&cursor, 2, metrics)); /* more than there may be */
    }
}

static gboolean
decode_counts (GBytes *batch, JobContextTree *tree, JobSampleExtras *extras,
               gboolean *ret_has_counts)
{
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GError) error = NULL;
    guint64 n_dropped;
    gboolean is_read = job_sample_batch_decode_all (batch, tree, samples, &n_dropped, extras,
                                                    ret_has_counts, &error);

    g_assert_true (is_read || g_error_matches (error, BASE_ERROR, BASE_ERROR_CORRUPT));
    return is_read;
}

/* With metrics in front of them and without; what is not counted is 0; each damage is an error or other numbers. */
static void
test_counts (void)
{
    const guint32 counted = 1u << JOB_COUNT_INSTRUCTIONS | 1u << JOB_COUNT_FAULTS;
    const JobLocation place = { .function = (char *) "f" };
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));

    for (guint with_metrics = 0; with_metrics < 2; with_metrics++) {
        g_autoptr (JobContextTree) tree = job_context_tree_new ();
        g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
        g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
        g_autoptr (GArray) read_metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
        g_autoptr (GArray) read = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
        const JobSampleExtras extras = { metrics, counts, counted };
        JobSampleExtras found = { read_metrics, read, 0 };
        JobContextCounts each = { 0, { { 7, 1, 2, 3, 4 } } };
        JobMetrics used = { .time_us = 5 };
        g_autoptr (GBytes) batch = NULL;
        gboolean has_counts;

        job_context_tree_add (tree, 0, &place, 0);
        g_array_append_val (counts, each);
        each = (JobContextCounts){ 1, { { 0, G_MAXUINT64, 0, 0, 1 } } };
        g_array_append_val (counts, each);
        if (with_metrics) {
            g_array_append_val (metrics, used);
        }
        batch = job_sample_batch_encode_all (tree, 2, samples, 0, &extras);
        g_assert_true (decode_counts (batch, tree, &found, &has_counts));
        g_assert_true (has_counts);
        g_assert_cmpuint (found.counted, ==, counted);
        g_assert_cmpuint (read_metrics->len, ==, with_metrics);
        g_assert_cmpuint (read->len, ==, 2);
        each = g_array_index (read, JobContextCounts, 0);
        g_assert_cmpuint (each.context, ==, 0);
        g_assert_cmpuint (each.counts.values[JOB_COUNT_CYCLES], ==, 0);
        g_assert_cmpuint (each.counts.values[JOB_COUNT_INSTRUCTIONS], ==, 1);
        g_assert_cmpuint (each.counts.values[JOB_COUNT_FAULTS], ==, 4);
        each = g_array_index (read, JobContextCounts, 1);
        g_assert_cmpuint (each.counts.values[JOB_COUNT_INSTRUCTIONS], ==, G_MAXUINT64);
        for (gsize cut = g_bytes_get_size (batch) - 1; cut > 0; cut--) {
            g_autoptr (GBytes) part = g_bytes_new_from_bytes (batch, 0, cut);

            g_assert_true (!decode_counts (part, tree, &found, &has_counts) || !has_counts);
        }
    }
}

/* Kinds of a newer pddt are left out; places that are not there, and sets of kinds that are not there, are errors. */
static void
test_other_counts (void)
{
    static const guint64 newer[] = { 7, 1u << 6 | 1, 1, 2, 30, 31 }, far[] = { 5, 1, 1, 4, 9 },
                         wrong[] = { 5, 1u << 5, 0 }, many[] = { 5, 1, 3, 1, 1, 1, 1, 1, 1 };
    const struct {
        const guint64 *numbers;
        guint n;
        gboolean is_good;
    } cases[]
        = { { newer, 6, TRUE }, { far, 5, FALSE }, { wrong, 3, FALSE }, { many, 9, FALSE } };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        g_autoptr (GByteArray) block = g_byte_array_new ();
        g_autoptr (GArray) read = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
        BaseCursor cursor;
        guint32 counted;

        for (guint j = 0; j < cases[i].n; j++) {
            base_bytes_put_uleb (block, cases[i].numbers[j]);
        }
        cursor = (BaseCursor) BASE_CURSOR_INIT (block->data, block->len);
        g_assert_true (job_counts_read (&cursor, 2, 3, &counted, read) == cases[i].is_good);
        if (cases[i].is_good) {
            g_assert_cmpuint (counted, ==, 1u << JOB_COUNT_CYCLES);
            g_assert_cmpuint (read->len, ==, 1);
            g_assert_cmpuint (g_array_index (read, JobContextCounts, 0).counts.values[0], ==,
                              30);
            g_assert_cmpuint (base_cursor_get_left (&cursor), ==, 0);
        }
    }
}

static void
test_count_sums (void)
{
    JobCounts sum = { { G_MAXUINT64 - 1, 10, 0, 0, 0 } }, rest;
    const JobCounts more = { { 5, 3, 0, 0, 1 } };

    job_counts_add (&sum, &more);
    g_assert_cmpuint (sum.values[0], ==, G_MAXUINT64);
    g_assert_cmpuint (sum.values[1], ==, 13);
    sum.values[0] = 100;
    rest = job_counts_split (&sum, 0.25);
    g_assert_cmpuint (sum.values[0], ==, 25);
    g_assert_cmpuint (rest.values[0], ==, 75);
    g_assert_cmpuint (sum.values[1] + rest.values[1], ==, 13);
}

static void
test_metric_lists (void)
{
    static const char *const wrong[] = { "", "rss,", "memory", "rss;cpu", "GPU" };
    guint32 set = 0, always = 0;

    for (guint i = JOB_METRIC_MPI_SENDS; i <= JOB_METRIC_MPI_COLLECTED; i++) {
        always |= 1u << i;
    }
    always |= 1u << JOB_METRIC_MPI_MOVES | 1u << JOB_METRIC_MPI_MOVED;
    g_assert_true (job_metric_parse_list ("io, rss", &set, NULL));
    g_assert_cmpuint (set, ==,
                      always | 1u << JOB_METRIC_RSS | 1u << JOB_METRIC_READ
                          | 1u << JOB_METRIC_WRITTEN);
    g_assert_true (job_metric_parse_list (
        "rss,cpu,io,switches,threads,node,energy,gpu,counters", &set, NULL));
    g_assert_cmpuint (set, ==, JOB_METRIC_ALL);
    for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
        g_autoptr (GError) error = NULL;

        g_assert_false (job_metric_parse_list (wrong[i], &set, &error));
        g_assert_nonnull (strstr (error->message, "rss, cpu, io, switches, threads, node, "
                                                  "energy, gpu"));
    }
}

/* One batch lost, or damaged anywhere: refused, or read as something that is whole. */
static void
test_damage (void)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    const JobSampleExtras extras = { NULL, counts, 0x13 };
    g_autoptr (GBytes) batch = NULL;
    const guint8 *data;
    gsize size;

    for (guint i = 0; i < 50; i++) {
        JobContextCounts each = { i / 2, { { 1000 * i, i, 0, 0, 9 } } };

        add_sample (samples, i, add (tree, i / 2, "function", i));
        g_array_append_val (counts, each);
    }
    batch = job_sample_batch_encode_all (tree, 1, samples, 0, &extras);
    data = g_bytes_get_data (batch, &size);
    for (guint round = 0; round < 20000; round++) {
        g_autoptr (JobContextTree) copy = job_context_tree_new ();
        g_autoptr (GArray) read = g_array_new (FALSE, FALSE, sizeof (JobSample));
        g_autofree guint8 *bad = g_memdup2 (data, size);
        gsize length = round % 4 == 0 ? (gsize) g_test_rand_int_range (0, (gint32) size) : size;
        g_autoptr (GBytes) damaged = NULL;
        g_autoptr (GError) error = NULL;
        guint64 n_dropped;

        for (guint i = 0; i < 1 + round % 3; i++) {
            bad[g_test_rand_int_range (0, (gint32) size)]
                = (guint8) g_test_rand_int_range (0, 256);
        }
        damaged = g_bytes_new (bad, length);
        if (!job_sample_batch_decode (damaged, copy, read, &n_dropped, &error)) {
            g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
            continue;
        }
        for (guint i = 0; i < read->len; i++) {
            const JobSample *sample = &g_array_index (read, JobSample, i);

            g_assert_cmpuint (sample->context, <=, job_context_tree_get_count (copy));
            g_assert_cmpuint (sample->class, <, JOB_N_CLASSES);
            g_assert_cmpuint (sample->thread, >, 0);
        }
    }
}

static void
test_gap (void)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (JobContextTree) copy = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) second = NULL;
    g_autoptr (GError) error = NULL;
    guint64 n_dropped;

    add (tree, add (tree, 0, "main", 1), "work", 2);
    second = job_sample_batch_encode (tree, 2, samples, 0);
    g_assert_false (job_sample_batch_decode (second, copy, samples, &n_dropped, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
}

/* The kernel's ids of threads come with counts and without them, and need nobody who wants them; cut anywhere, or with ids
 * that cannot be, they are an error. */
static void
test_threads (void)
{
    static const JobSampleThread told[] = { { 1, 4711 }, { 2, G_MAXINT32 } }, none = { 0, 1 },
                                 wrong = { 1, -1 };

    for (guint with_counts = 0; with_counts < 2; with_counts++) {
        g_autoptr (JobContextTree) tree = job_context_tree_new ();
        g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
        g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
        g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
        g_autoptr (GArray) threads = g_array_new (FALSE, FALSE, sizeof (JobSampleThread));
        g_autoptr (GArray) read = g_array_new (FALSE, FALSE, sizeof (JobSampleThread));
        const JobSampleExtras extras = { NULL, with_counts ? counts : NULL, 1, threads };
        JobSampleExtras found = { metrics, counts, 0, read }, unwanted = { metrics, counts, 0 };
        g_autoptr (GBytes) batch = NULL;
        gboolean has_counts;

        g_array_append_vals (threads, told, G_N_ELEMENTS (told));
        batch = job_sample_batch_encode_all (tree, 1, samples, 0, &extras);
        g_assert_true (decode_counts (batch, tree, &found, &has_counts));
        g_assert_cmpuint (has_counts, ==, with_counts);
        g_assert_cmpmem (read->data, read->len * sizeof *told, told, sizeof told);
        g_assert_true (decode_counts (batch, tree, &unwanted, &has_counts));
        for (gsize cut = 1; cut < 11; cut++) { /* inside of what it says of threads */
            g_autoptr (GBytes) part = g_bytes_new_from_bytes (batch, 0,
                                                              g_bytes_get_size (batch) - cut);

            g_array_set_size (read, 0);
            g_assert_true (!decode_counts (part, tree, &found, &has_counts) || read->len == 0);
        }
        for (guint i = 0; i < 2; i++) {
            g_autoptr (GBytes) bad = NULL;

            g_array_append_vals (threads, i == 0 ? &none : &wrong, 1);
            bad = job_sample_batch_encode_all (tree, 1, samples, 0, &extras);
            g_assert_false (decode_counts (bad, tree, &found, &has_counts));
            g_array_set_size (threads, G_N_ELEMENTS (told));
        }
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/tree", test_tree);
    g_test_add_func ("/batches", test_batches);
    g_test_add_func ("/metrics", test_metrics);
    g_test_add_func ("/other-metrics", test_other_metrics);
    g_test_add_func ("/counts", test_counts);
    g_test_add_func ("/other-counts", test_other_counts);
    g_test_add_func ("/count-sums", test_count_sums);
    g_test_add_func ("/metric-lists", test_metric_lists);
    g_test_add_func ("/threads", test_threads);
    g_test_add_func ("/damage", test_damage);
    g_test_add_func ("/gap", test_gap);
    return g_test_run ();
}
