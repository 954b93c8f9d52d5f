/* SPDX-License-Identifier: GPL-3.0-or-later */
/* However long a run is: its samples stay few, and their time is all of it. */
#include "profile/report.h"
#include "profile/spool.h"
#include "profile/summary.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define BATCH 5000u

typedef struct {
    JobContextTree *tree;
    guint32 n_told;
    gint64 now_us;
} Source;

static guint32
add (Source *source, guint32 parent, const char *function, guint32 line)
{
    JobLocation location = { .function = (char *) function,
                             .file = (char *) "/src/app.c",
                             .line = line,
                             .language = JOB_LANGUAGE_C };

    return job_context_tree_add (source->tree, parent, &location, 0);
}

/* One batch of n samples in turn in the contexts, every 10 ms. */
static GBytes *
make_batch (Source *source, const guint32 *contexts, guint n_contexts, guint n)
{
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    GBytes *batch;

    for (guint i = 0; i < n; i++) {
        guint which = i % n_contexts;
        JobSample sample = { .time_us = source->now_us += 10000,
                             .weight_us = 10000,
                             .context = contexts[which],
                             .thread = 1,
                             .class = which == 0 ? JOB_CLASS_NATIVE : JOB_CLASS_MPI };

        g_array_append_val (samples, sample);
    }
    batch = job_sample_batch_encode (source->tree, source->n_told + 1, samples, 0);
    source->n_told = job_context_tree_get_count (source->tree);
    return batch;
}

static double
sum_samples (const ProfileModel *model, guint index)
{
    double sum = 0;

    for (guint i = 0; i < profile_samples_get_n_threads (model, index); i++) {
        guint32 number;
        const GArray *samples = profile_samples_get (model, index, i, &number);
        gint64 before_us = 0;

        for (guint j = 0; j < samples->len; j++) {
            const ProfileSample *sample = &g_array_index (samples, ProfileSample, j);

            g_assert_cmpint (sample->time_us, >=, before_us);
            before_us = sample->time_us;
            sum += sample->weight_us;
        }
    }
    return sum / G_USEC_PER_SEC;
}

/* Of 100,000 samples, at most 10,000 stay. */
static void
test_long (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    Source source = { job_context_tree_new (), 0, 1000000 };
    guint32 contexts[3], number;
    double classes = 0;

    contexts[0] = add (&source, add (&source, 0, "main", 3), "work", 10);
    contexts[1] = add (&source, 1, "MPI_Recv", 20);
    contexts[2] = add (&source, 1, "MPI_Recv", 21);
    for (guint i = 0; i < 20; i++) {
        g_autoptr (GBytes) batch = make_batch (&source, contexts, 3, BATCH);

        g_assert_true (profile_model_add (model, 5, batch, NULL));
        g_assert_cmpuint (profile_samples_get (model, 0, 0, &number)->len, <=,
                          PROFILE_MAX_SAMPLES);
    }
    g_assert_cmpuint (profile_model_get_n_samples (model), ==, 100000);
    g_assert_cmpuint (profile_samples_get (model, 0, 0, &number)->len, >,
                      PROFILE_MAX_SAMPLES / 4);
    g_assert_cmpuint (profile_model_get_n_halvings (model, 0), >=, 3);
    g_assert_cmpfloat (fabs (sum_samples (model, 0) - 1000), <, 1e-6);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        classes += profile_model_get_class (model, 0, class);
    }
    g_assert_cmpfloat (fabs (classes - 1000), <, 1e-6);
    g_assert_cmpfloat (fabs (profile_model_get_class (model, 0, JOB_CLASS_MPI) - 667), <, 40);
    job_context_tree_free (source.tree);
}

/* Of a long run the first minute has as many as the last, and a counter's ends and the most of what goes up and down stay,
 * wherever that was. */
static void
test_metrics (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    Source source = { job_context_tree_new (), 0, 0 };
    const gint64 week = 6048000, peak = 1234567; /* tenths of a second */
    const JobMetrics *kept;
    guint n, n_parts[4] = { 0 };

    for (gint64 at = 0; at < week;) {
        g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
        g_autoptr (GBytes) batch = NULL;

        for (guint j = 0; j < 63000 && at < week; j++, at++) {
            JobMetrics each;

            job_metrics_init (&each, 100000 * (at + 1));
            each.values[JOB_METRIC_CPU] = 1000 + (guint64) at;
            each.values[JOB_METRIC_RSS] = at == peak ? 5000 : 4000 + (guint64) at % 7;
            g_array_append_val (metrics, each);
        }
        batch = job_sample_batch_encode_all (source.tree, 1, samples, 0,
                                             &(JobSampleExtras){ .metrics = metrics });
        g_assert_true (profile_model_add (model, 0, batch, NULL));
    }
    kept = (const JobMetrics *) (const void *) profile_samples_get_metrics (model, 0)->data;
    n = profile_samples_get_metrics (model, 0)->len;
    g_assert_cmpuint (n, <=, PROFILE_MAX_METRICS);
    for (guint i = 0; i < n; i++) {
        n_parts[(kept[i].time_us - 1) * 4 / (week * 100000)]++;
    }
    for (guint i = 0; i < 4; i++) {
        g_assert_cmpuint (n_parts[i], >, PROFILE_MAX_METRICS / 16);
    }
    g_assert_cmpuint (kept[0].values[JOB_METRIC_CPU], ==, 1000);
    g_assert_cmpuint (kept[n - 1].values[JOB_METRIC_CPU], ==, 1000 + (guint64) week - 1);
    g_assert_cmpuint (profile_samples_find_most (model, 0, JOB_METRIC_CPU), ==,
                      1000 + (guint64) week - 1);
    g_assert_cmpuint (profile_samples_find_most (model, 0, JOB_METRIC_RSS), ==, 5000);
    g_assert_cmpuint (profile_samples_find_most (model, 0, JOB_METRIC_ENERGY), ==,
                      JOB_METRIC_UNKNOWN);
    job_context_tree_free (source.tree);
}

/* ran and queued: µs of each of two ranks in the end. Caller owns. */
static char *
tell_crowding (guint64 ran, guint64 queued)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    Source source = { job_context_tree_new (), 0, 0 };
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));

    for (guint32 rank = 0; rank < 2; rank++) {
        g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
        g_autoptr (GBytes) batch = NULL;

        for (guint i = 0; i < 3; i++) {
            JobMetrics each;

            job_metrics_init (&each, 1000 + i);
            each.values[JOB_METRIC_CPU] = 5000000 + ran * i / 2; /* it ran before */
            each.values[JOB_METRIC_QUEUED] = queued == JOB_METRIC_UNKNOWN ? queued
                                                                          : queued * i / 2;
            g_array_append_val (metrics, each);
        }
        batch = job_sample_batch_encode_all (source.tree, 1, samples, 0,
                                             &(JobSampleExtras){ .metrics = metrics });
        g_assert_true (profile_model_add (model, rank, batch, NULL));
    }
    job_context_tree_free (source.tree);
    return profile_format_crowding (model);
}

static void
test_crowding (void)
{
    g_autofree char *crowded = tell_crowding (3000000, 1000000);
    g_autofree char *nearly = tell_crowding (3000000, 200000);
    g_autofree char *brief = tell_crowding (10000, 10000);
    g_autofree char *unknown = tell_crowding (3000000, JOB_METRIC_UNKNOWN);

    g_assert_cmpstr (
        crowded, ==,
        "Warning: the CPUs were oversubscribed. Ranks waited for a CPU 25 % of the time they could run, so "
        "times above are too long");
    g_assert_null (nearly);
    g_assert_null (brief);
    g_assert_null (unknown);
}

/* What two ranks' processors have counted in a second, and their host with two of them. */
static ProfilePage *
make_counted (guint64 error, guint64 misses)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    Source source = { job_context_tree_new (), 0, 0 };
    const ProfileReportFacts facts = { NULL, NULL, 100 };

    for (guint32 rank = 0; rank < 2; rank++) {
        g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
        g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
        g_autoptr (GBytes) batch = NULL;

        for (guint i = 0; i < 3; i++) {
            JobMetrics each;

            job_metrics_init (&each, 1000 + i * 500000);
            each.values[JOB_METRIC_NO_COUNTERS] = error;
            if (error == 0) {
                each.values[JOB_METRIC_CYCLES] = 7 + i * G_GUINT64_CONSTANT (1000000000);
                each.values[JOB_METRIC_INSTRUCTIONS]
                    = 7 + i * G_GUINT64_CONSTANT (500000000) * (rank == 0 ? 4 : 1);
                each.values[JOB_METRIC_STALLS] = rank == 0 ? i * G_GUINT64_CONSTANT (250000000)
                                                           : JOB_METRIC_UNKNOWN;
                each.values[JOB_METRIC_CACHE_MISSES] = misses != JOB_METRIC_UNKNOWN ? i * misses
                                                                                    : misses;
                each.values[JOB_METRIC_SCALARS] = each.values[JOB_METRIC_VECTORS] = 0;
            }
            if (rank == 0 && i != 1) {
                each.values[JOB_METRIC_NODE_BUSY] = 5000000 + i * 250000;
                each.values[JOB_METRIC_NODE_CORES] = 2;
            }
            g_array_append_val (metrics, each);
        }
        batch = job_sample_batch_encode_all (source.tree, 1, samples, 0,
                                             &(JobSampleExtras){ .metrics = metrics });
        g_assert_true (profile_model_add (model, rank, batch, NULL));
    }
    job_context_tree_free (source.tree);
    return profile_report_new (model, &facts, BASE_TEXT_ENGLISH);
}

static void
expect_line (const char *text, const char *wanted)
{
    g_autoptr (GRegex) regex = g_regex_new (wanted, G_REGEX_MULTILINE, 0, NULL);

    if (!g_regex_match (regex, text, 0, NULL)) {
        g_error ("no %s in %s", wanted, text);
    }
}

/* Quotients of all ranks and of those at both ends; what is not known of every rank, or was never counted, is not there. */
static void
test_processors (void)
{
    g_autoptr (ProfilePage) counted = make_counted (0, 2500000);
    g_autofree char *text = profile_page_format_text (counted);
    g_autoptr (ProfilePage) without = make_counted (0, JOB_METRIC_UNKNOWN);
    g_autofree char *fewer = profile_page_format_text (without);
    static const struct {
        int error;
        const char *words;
    } reasons[] = { { ENOENT, "virtual machine" },        { EACCES, "perf_event_paranoid" },
                    { EINVAL, "older than 5.13" },        { EMFILE, "ulimit -n" },
                    { ENOSYS, "has no perf_event_open" }, { EBUSY, "refused to count" } };

    expect_line (text, "^Instructions per cycle +1.25 +0.50 +1 +2.00 +0$");
    expect_line (text, "^Cache misses per 1000 instructions +2.00 +1.25 +0 +5.00 +1$");
    expect_line (text, "^Processors of the largest host: 2$");
    expect_line (text, "^Used by all programs there: 25.0 %$");
    g_assert_null (strstr (text, "waited for memory"));
    g_assert_null (strstr (text, "Vector instructions"));
    expect_line (fewer, "^Instructions per cycle +1.25 ");
    g_assert_null (strstr (fewer, "Cache misses per 1000"));
    for (guint i = 0; i < G_N_ELEMENTS (reasons); i++) {
        g_autoptr (ProfilePage) page = make_counted ((guint64) reasons[i].error, 0);
        g_autofree char *refused = profile_page_format_text (page);

        g_assert_nonnull (strstr (refused, reasons[i].words));
        g_assert_null (strstr (refused, "Instructions per cycle"));
    }
}

/* A thread that waits in one place is one sample a second. */
static void
test_wait (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;
    Source source = { job_context_tree_new (), 0, 0 };
    guint32 context = add (&source, 0, "main", 3), number;

    for (guint i = 1; i <= 500; i++) {
        JobSample sample = { 10000 * i, 10000, context, 1, JOB_CLASS_WAIT, TRUE };

        g_array_append_val (samples, sample);
    }
    batch = job_sample_batch_encode (source.tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    g_assert_cmpuint (profile_samples_get (model, 0, 0, &number)->len, ==, 5);
    g_assert_cmpfloat (fabs (sum_samples (model, 0) - 5), <, 1e-6);
    g_assert_cmpfloat (fabs (profile_model_get_class (model, 0, JOB_CLASS_WAIT) - 5), <, 1e-6);
    job_context_tree_free (source.tree);
}

static void
assert_same (const ProfileModel *a, const ProfileModel *b)
{
    g_assert_cmpuint (profile_model_get_n_ranks (a), ==, profile_model_get_n_ranks (b));
    for (guint i = 0; i < profile_model_get_n_ranks (a); i++) {
        g_assert_cmpuint (profile_model_get_rank (a, i), ==, profile_model_get_rank (b, i));
        g_assert_cmpstr (profile_model_get_process (a, i)->host, ==,
                         profile_model_get_process (b, i)->host);
        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            g_assert_cmpfloat (fabs (profile_model_get_class (a, i, class)
                                     - profile_model_get_class (b, i, class)),
                               <, 1e-6);
        }
    }
}

static char *
fill_spool (const char *folder, ProfileModel *model, gboolean rewrite)
{
    g_autoptr (ProfileSpool) spool = profile_spool_create (folder, NULL);
    const ProfileInfo info
        = { .command = (char *) "'mpirun' 'app'", .begin_us = 7, .rate = 100 };

    g_assert_nonnull (spool);
    profile_spool_put_info (spool, &info);
    profile_model_set_info (model, &info);
    for (guint rank = 0; rank < 3; rank++) {
        const ProfileProcess process = { .pid = 100, .host = (char *) "node1" };
        Source source = { job_context_tree_new (), 0, 1000000 };
        guint32 contexts[2] = { add (&source, 0, "main", 3), add (&source, 1, "work", rank) };

        profile_spool_put_process (spool, rank, &process);
        profile_model_set_process (model, rank, &process);
        for (guint i = 0; i < 4; i++) {
            g_autoptr (GBytes) batch = make_batch (&source, contexts, 2, BATCH);

            profile_spool_put_batch (spool, rank, batch);
            g_assert_true (profile_model_add (model, rank, batch, NULL));
        }
        job_context_tree_free (source.tree);
    }
    g_assert_true (!rewrite || profile_spool_rewrite (spool, model));
    g_assert_true (profile_spool_flush (spool));
    return g_build_filename (folder, PROFILE_SPOOL_NAME, NULL);
}

static void
remove_folder (const char *folder, const char *path)
{
    g_unlink (path);
    g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_spool (gconstpointer rewrite)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-spool-XXXXXX", NULL);
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (ProfileModel) again = NULL;
    g_autofree char *path = fill_spool (folder, model, rewrite != NULL);
    g_autoptr (GError) error = NULL;

    again = profile_spool_load (path, &error);
    g_assert_no_error (error);
    assert_same (model, again);
    g_assert_cmpstr (profile_model_get_info (again)->command, ==, "'mpirun' 'app'");
    remove_folder (folder, path);
}

/* A file that was cut anywhere has what came before. */
static void
test_cut (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-spool-XXXXXX", NULL), *path = NULL,
                    *whole = NULL;
    g_autoptr (ProfileModel) model = profile_model_new ();
    double before = 0;
    gsize size;

    path = fill_spool (folder, model, FALSE);
    g_assert_true (g_file_get_contents (path, &whole, &size, NULL));
    for (gsize cut = 20; cut < size; cut += size / 37) {
        g_autoptr (ProfileModel) part = NULL;
        double sum = 0;

        g_assert_true (g_file_set_contents (path, whole, (gssize) cut, NULL));
        part = profile_spool_load (path, NULL);
        g_assert_nonnull (part);
        for (guint i = 0; i < profile_model_get_n_ranks (part); i++) {
            sum += profile_model_get_class (part, i, JOB_CLASS_NATIVE);
        }
        g_assert_cmpfloat (sum, >=, before);
        before = sum;
    }
    g_assert_cmpfloat (before, >, 0);
    remove_folder (folder, path);
}

/* Whatever its bytes are. */
static void
test_changed (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-spool-XXXXXX", NULL), *path = NULL,
                    *whole = NULL;
    g_autoptr (ProfileModel) model = profile_model_new ();
    gsize size;

    path = fill_spool (folder, model, FALSE);
    g_assert_true (g_file_get_contents (path, &whole, &size, NULL));
    for (guint i = 0; i < 300; i++) {
        g_autofree char *copy = g_memdup2 (whole, size);
        g_autoptr (ProfileModel) part = NULL;
        g_autoptr (ProfileNode) root = NULL;

        for (guint j = 0; j < 4; j++) {
            /* most of it is samples: as often in what comes before */
            gsize most = j % 2 == 0 ? size : MIN (size, 400);

            copy[g_test_rand_int_range (13, (gint32) most)] = (char) g_test_rand_int ();
        }
        g_assert_true (g_file_set_contents (path, copy, (gssize) size, NULL));
        part = profile_spool_load (path, NULL);
        g_assert_nonnull (part);
        root = profile_tree_new (part);
        g_assert_cmpfloat (root->total, >=, 0);
    }
    remove_folder (folder, path);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/long", test_long);
    g_test_add_func ("/metrics", test_metrics);
    g_test_add_func ("/processors", test_processors);
    g_test_add_func ("/crowding", test_crowding);
    g_test_add_func ("/wait", test_wait);
    g_test_add_data_func ("/spool/appended", NULL, test_spool);
    g_test_add_data_func ("/spool/rewritten", "anew", test_spool);
    g_test_add_func ("/spool/cut", test_cut);
    g_test_add_func ("/spool/changed", test_changed);
    return g_test_run ();
}
