/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-kept PDDT-ARCHIVE: what a spool says and what the archive that is made of it says are the same, sample by sample and
 * metric by metric, though the archive says most things once; and how large it is. */
#include "profile/archive.h"
#include "profile/counts.h"
#include "profile/run.h"
#include "profile/spool.h"
#include "../support/folder.h"
#include <glib/gstdio.h>
#include <string.h>

#define RANKS 3u

static const char *program;

static JobLocation
make_location (GRand *rand)
{
    static const char *const names[] = { "main", "solve", "libm.so.6+0x100", "fold", NULL };
    static const char *const modules[] = { "libm.so.6", "libm.so.6", "app", NULL };
    static const char *const files[] = { "/home/me/app.c", "/home/me/a.py", NULL };
    JobLocation location = { .function = (char *) names[g_rand_int_range (rand, 0, 5)],
                             .module = (char *) modules[g_rand_int_range (rand, 0, 4)] };

    location.file = location.function != NULL ? (char *) files[g_rand_int_range (rand, 0, 3)]
                                              : NULL;
    location.line = location.file != NULL ? (guint) g_rand_int_range (rand, 1, 5) : 0;
    location.offset = location.module == NULL || location.line != 0
                          ? 0
                          : (guint64) g_rand_int_range (rand, 1, 4) * 16;
    if (location.function == NULL && location.module == NULL) {
        location.module = (char *) "app";
        location.offset = 32;
    }
    location.language = location.file == NULL                     ? JOB_LANGUAGE_UNKNOWN
                        : g_str_has_suffix (location.file, ".py") ? JOB_LANGUAGE_PYTHON
                                                                  : JOB_LANGUAGE_C;
    return location;
}

static void
add_contexts (GRand *rand, JobContextTree *tree)
{
    static const guint32 flags[] = { 0, JOB_FRAME_INLINED, JOB_FRAME_LIBRARY,
                                     JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER,
                                     JOB_FRAME_PROGRAM };

    for (guint i = 0; i < 200; i++) {
        guint32 count = job_context_tree_get_count (tree);
        JobLocation location = make_location (rand);

        job_context_tree_add (tree, (guint32) g_rand_int_range (rand, 0, (gint32) count + 1),
                              &location, flags[g_rand_int_range (rand, 0, 5)]);
    }
}

/* Some hardly change, some begin to be known, and some are known now and then. */
static JobMetrics
make_metrics (GRand *rand, const JobMetrics *before, gint64 time_us, gboolean is_plain)
{
    JobMetrics now = *before;

    now.time_us = time_us;
    now.values[JOB_METRIC_CPU] += (guint64) g_rand_int_range (rand, 9, 11) * 10000;
    now.values[JOB_METRIC_QUEUED] += (guint64) g_rand_int_range (rand, 0, 1000);
    now.values[JOB_METRIC_LOSSES] += (guint64) g_rand_int_range (rand, 0, 3);
    now.values[JOB_METRIC_NODE_USED] += (guint64) g_rand_int_range (rand, 0, 2) << 20;
    if (g_rand_int_range (rand, 0, 4) == 0) {
        now.values[JOB_METRIC_RSS] = (guint64) g_rand_int_range (rand, 1, 100) << 12;
    }
    if (is_plain) {
        return now;
    }
    if (g_rand_int_range (rand, 0, 300) == 0) {
        now.values[JOB_METRIC_MPI_SENDS] = 7;
    }
    now.values[JOB_METRIC_NODE_BUSY] = g_rand_int_range (rand, 0, 10) == 0 ? (guint64) time_us
                                                                           : JOB_METRIC_UNKNOWN;
    for (guint i = JOB_METRIC_CYCLES; i <= JOB_METRIC_VECTORS; i++) {
        now.values[i] = g_rand_int_range (rand, 0, 2) == 0 ? (guint64) time_us * i
                                                           : now.values[i];
    }
    return now;
}

/* Also where there is no sample, or more than once. */
static GArray *
make_counts (GRand *rand, guint32 n_contexts)
{
    GArray *counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));

    for (guint i = 0; i < 60; i++) {
        JobContextCounts each = { (guint32) g_rand_int_range (rand, 0, (gint32) n_contexts + 1),
                                  { { 0 } } };

        for (guint j = 0; j < JOB_N_COUNTS; j++) {
            each.counts.values[j] = (guint64) g_rand_int (rand)
                                    << g_rand_int_range (rand, 0, 31);
        }
        g_array_append_val (counts, each);
    }
    return counts;
}

static void
put_rank (GRand *rand, ProfileSpool *spool, guint32 rank, guint n_samples, gboolean is_plain)
{
    const ProfileProcess process = { .pid = 100 + (gint32) rank, .host = (char *) "node" };
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    g_autoptr (GArray) counts = NULL;
    g_autoptr (GBytes) batch = NULL;
    gint64 now_us = 5000000000;
    JobMetrics last;

    profile_spool_put_process (spool, rank, &process);
    add_contexts (rand, tree);
    counts = is_plain ? NULL : make_counts (rand, job_context_tree_get_count (tree));
    job_metrics_init (&last, now_us);
    last.values[JOB_METRIC_CPU] = 20000;
    last.values[JOB_METRIC_QUEUED] = last.values[JOB_METRIC_LOSSES] = 0;
    last.values[JOB_METRIC_READ] = last.values[JOB_METRIC_WRITTEN] = 4096;
    last.values[JOB_METRIC_THREADS] = 1;
    last.values[JOB_METRIC_RSS] = 5 << 20;
    last.values[JOB_METRIC_NODE_USED] = G_GUINT64_CONSTANT (5) << 30;
    for (guint i = 0; i < n_samples; i++) {
        JobSample sample = { .thread = 1,
                             .weight_us = (guint32) g_rand_int_range (rand, 9000, 11000) };

        now_us += sample.weight_us
                  + (!is_plain && g_rand_int_range (rand, 0, 50) == 0 ? 5000 : 0);
        sample.time_us = now_us;
        sample.context = (guint32) g_rand_int_range (rand, is_plain ? 1 : 0,
                                                     is_plain ? 20 : 150);
        sample.class = (guint8) (is_plain ? 0
                                          : g_rand_int_range (rand, 0, JOB_CLASS_UNSAMPLED));
        sample.is_blocked = !is_plain && g_rand_int_range (rand, 0, 2) == 0;
        g_array_append_val (samples, sample);
        if (i % 10 == 0) {
            last = make_metrics (rand, &last, now_us - 3, is_plain);
            g_array_append_val (metrics, last);
        }
    }
    batch = job_sample_batch_encode_all (tree, 1, samples, 0,
                                         &(JobSampleExtras){ metrics, counts,
                                                             rank == 1 ? 0x13 : 0x1b });
    profile_spool_put_batch (spool, rank, batch);
}

static char *
make_spool (guint32 seed, guint n_ranks, guint n_samples, gboolean is_plain)
{
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    char *folder = g_dir_make_tmp ("pddt-kept-XXXXXX", NULL);
    ProfileSpool *spool = profile_spool_create (folder, NULL);
    const ProfileInfo info = { .command = (char *) "app", .rate = 100 };

    g_assert_nonnull (spool);
    profile_spool_put_info (spool, &info);
    for (guint32 rank = 0; rank < n_ranks; rank++) {
        put_rank (rand, spool, rank, n_samples, is_plain);
    }
    profile_spool_free (spool);
    return folder;
}

/* The stack, as far as it is shown: the offset of code that has a line is not. */
static void
print_stack (const ProfileModel *model, guint32 number, GString *text)
{
    while (number != 0) {
        const JobContext *context = job_context_tree_get (profile_model_get_contexts (model),
                                                          number);
        const JobLocation *at = &context->location;

        g_string_append_printf (text, "%s|%s|%u|%s|%" G_GINT64_MODIFIER "x|%x|%d;",
                                at->function != NULL ? at->function : "-",
                                at->file != NULL ? at->file : "-", at->line,
                                at->module != NULL ? at->module : "-",
                                at->line == 0 ? at->offset : 0, context->flags,
                                (int) at->language);
        number = context->parent;
    }
}

static gint
compare_lines (gconstpointer a, gconstpointer b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
print_rank (const ProfileModel *model, guint index, GString *text)
{
    const GArray *metrics = profile_samples_get_metrics (model, index);
    guint32 thread;
    const GArray *samples = profile_samples_get (model, index, 0, &thread);

    for (guint i = 0; i < samples->len; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);

        g_string_append_printf (text, "\n%u %u %" G_GINT64_FORMAT " %u %u %u ",
                                profile_model_get_rank (model, index), thread, sample->time_us,
                                sample->weight_us, sample->class, sample->is_blocked);
        print_stack (model, profile_model_get_merged (model, index, sample->context), text);
    }
    for (guint i = 0; i < metrics->len; i++) {
        const JobMetrics *each = &g_array_index (metrics, JobMetrics, i);

        g_string_append_printf (text, "\n%" G_GINT64_FORMAT, each->time_us);
        for (guint j = 0; j < JOB_N_METRICS; j++) {
            g_string_append_printf (text, " %" G_GINT64_MODIFIER "x", each->values[j]);
        }
    }
}

/* By place, as numbers of contexts may be others. */
static void
print_counts (const ProfileModel *model, guint index, GString *text)
{
    guint32 n = job_context_tree_get_count (profile_model_get_contexts (model));
    g_autofree JobCounts *counts = g_new0 (JobCounts, (gsize) n + 1);
    g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

    profile_counts_add (model, index, counts);
    for (guint32 i = 0; i <= n; i++) {
        const guint64 *values = counts[i].values;
        GString *line = g_string_new (NULL);

        g_string_append_printf (line, "\ncounted %x", profile_counts_get_known (model));
        for (guint j = 0; j < JOB_N_COUNTS; j++) {
            g_string_append_printf (line, " %" G_GUINT64_FORMAT, values[j]);
        }
        g_string_append_c (line, ' ');
        print_stack (model, i, line);
        if (values[0] != 0 || values[1] != 0 || values[3] != 0 || values[4] != 0) {
            g_ptr_array_add (lines, g_string_free (line, FALSE));
        } else {
            g_string_free (line, TRUE);
        }
    }
    g_ptr_array_sort (lines, compare_lines);
    g_assert_cmpuint (lines->len, >, 20);
    for (guint i = 0; i < lines->len; i++) {
        g_string_append (text, g_ptr_array_index (lines, i));
    }
}

/* Caller owns. */
static char *
print_model (const char *folder)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (ProfileModel) model = profile_archive_read (program, folder, &error);
    GString *text = g_string_new (NULL);

    g_assert_no_error (error);
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        print_rank (model, i, text);
        print_counts (model, i, text);
    }
    return g_string_free (text, FALSE);
}

static void
make_archive (const char *folder)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *problem = NULL;

    profile_archive_write (program, folder, &problem, &error);
    g_assert_no_error (error);
    g_assert_null (problem);
}

static void
compare_texts (const char *before, const char *after)
{
    g_auto (GStrv) left = g_strsplit (before, "\n", -1), right = g_strsplit (after, "\n", -1);

    for (guint i = 0; left[i] != NULL || right[i] != NULL; i++) {
        g_assert_cmpstr (left[i], ==, right[i]);
    }
}

static void
test_equal (void)
{
    for (guint32 seed = 1; seed <= 20; seed++) {
        g_autofree char *folder = make_spool (seed, RANKS, 500, FALSE);
        g_autofree char *before = print_model (folder), *after = NULL;

        make_archive (folder);
        after = print_model (folder);
        g_test_message ("seed %u", seed);
        compare_texts (before, after);
        folder_remove (folder);
    }
}

static guint64
measure (const char *folder)
{
    g_autoptr (GDir) names = g_dir_open (folder, 0, NULL);
    guint64 size = 0;
    const char *name;

    while ((name = g_dir_read_name (names)) != NULL) {
        g_autofree char *path = g_build_filename (folder, name, NULL);
        GStatBuf status;

        g_assert_cmpint (g_stat (path, &status), ==, 0);
        size += S_ISDIR (status.st_mode) ? measure (path) : (guint64) status.st_size;
    }
    return size;
}

/* Ten minutes of a program: its archive has all samples or, where there are more than 10,000, each for several. */
static void
test_size (void)
{
    g_autofree char *folder = make_spool (7, 1, 60000, TRUE);
    g_autoptr (ProfileModel) model = NULL;
    guint32 thread;
    guint n;

    make_archive (folder);
    model = profile_archive_read (program, folder, NULL);
    n = profile_samples_get (model, 0, 0, &thread)->len;
    g_assert_cmpuint (n, >, PROFILE_MAX_SAMPLES / 3);
    g_test_message ("%.1f bytes a sample, %u samples", (double) measure (folder) / n, n);
    g_assert_cmpuint (measure (folder), <, 20 * (guint64) n);
    folder_remove (folder);
}

/* A run that is under way keeps its spool, also where somebody wants its archive too early. */
static void
test_under_way (void)
{
    g_autofree char *folder = g_dir_make_tmp ("pddt-kept-XXXXXX", NULL);
    g_autofree char *problem = NULL, *late = NULL;
    g_autofree char *path = g_build_filename (folder, PROFILE_SPOOL_NAME, NULL);
    g_autoptr (GRand) rand = g_rand_new_with_seed (1);
    g_autoptr (GError) error = NULL;
    ProfileSpool *spool = profile_spool_create (folder, NULL);
    const ProfileInfo info = { .command = (char *) "app", .rate = 100 };

    g_assert_nonnull (spool);
    profile_spool_put_info (spool, &info);
    put_rank (rand, spool, 0, 100, TRUE);
    g_assert_true (profile_spool_flush (spool));
    g_assert_false (profile_archive_write (program, folder, &problem, &error));
    g_assert_nonnull (strstr (error->message, "is still under way"));
    g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
    g_clear_error (&error);
    profile_spool_unlock (spool);
    g_assert_true (profile_archive_write (program, folder, &late, &error));
    g_assert_no_error (error);
    profile_spool_free (spool);
    folder_remove (folder);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    program = argv[1];
    g_test_add_func ("/kept/equal", test_equal);
    g_test_add_func ("/kept/size", test_size);
    g_test_add_func ("/kept/under-way", test_under_way);
    return g_test_run ();
}
