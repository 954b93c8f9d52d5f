/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a profile, and what is drawn over time. */
#include "profile/slice.h"
#include "profile/balance.h"
#include "profile/moment.h"
#include <math.h>

#define NEAR(a, b) g_assert_cmpfloat (fabs ((a) - (b)), <, 1e-5)

static guint32
add_context (JobContextTree *tree, guint32 parent, const char *function, guint32 line)
{
    JobLocation location = { .function = (char *) function,
                             .file = (char *) "/src/app.c",
                             .line = line,
                             .language = JOB_LANGUAGE_C };

    return job_context_tree_add (tree, parent, &location, 0);
}

static void
set_offset (ProfileModel *model, guint32 rank, gint64 offset_us, guint32 parent)
{
    ProfileProcess process = { .parent = parent, .offset_us = offset_us };

    profile_model_set_process (model, rank, &process);
}

/* Each rank from 1,000 s of its own clock on: `work` for 1 s, then MPI_Recv for 1 s, ten samples each; a second
 * thread runs for the first half second, then waits. Rank 1 has a clock that is 5 s ahead, and begins 0.5 s
 * later. Its memory is 100 × (rank + 1), and it uses the whole of a processor. */
static ProfileModel *
make_model (guint n_ranks)
{
    ProfileModel *model = profile_model_new ();

    for (guint rank = 0; rank < n_ranks; rank++) {
        g_autoptr (JobContextTree) tree = job_context_tree_new ();
        guint32 outer = add_context (tree, 0, "main", 3);
        guint32 inner[2] = { add_context (tree, outer, "work", 10),
                             add_context (tree, outer, "MPI_Recv", 20) };
        g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
        g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
        g_autoptr (GBytes) batch = NULL;
        gint64 begin_us = 1000 * G_USEC_PER_SEC + (rank == 1 ? 5500000 : 0);

        for (guint i = 0; i < 20; i++) {
            gint64 time_us = begin_us + (i + 1) * 100000;
            JobSample one = {
                time_us, 100000, inner[i / 10], 1, i < 10 ? JOB_CLASS_NATIVE : JOB_CLASS_MPI,
                FALSE
            };
            JobSample two = {
                time_us, 100000, inner[0], 2, i < 5 ? JOB_CLASS_PYTHON : JOB_CLASS_LOCK, i >= 5
            };
            JobMetrics used = { .time_us = time_us };

            for (guint m = 0; m < JOB_N_METRICS; m++) {
                used.values[m] = JOB_METRIC_UNKNOWN;
            }
            used.values[JOB_METRIC_RSS] = 100 * (rank + 1);
            used.values[JOB_METRIC_CPU] = 7 + 100000 * i;
            g_array_append_val (samples, one);
            g_array_append_val (samples, two);
            g_array_append_val (metrics, used);
        }
        batch = job_sample_batch_encode_all (tree, 1, samples, 0,
                                             &(JobSampleExtras){ .metrics = metrics });
        g_assert_true (profile_model_add (model, rank, batch, NULL));
        set_offset (model, rank, rank == 1 ? -5000000 : 0, 0);
    }
    return model;
}

static void
test_times (void)
{
    g_autoptr (ProfileModel) model = make_model (2), none = profile_model_new ();
    guint index;

    NEAR (profile_model_get_end (model), 2.5);
    NEAR (profile_model_get_end (none), 0);
    NEAR (profile_model_get_seconds (model, 1, 1005500000), 0.5);
    g_assert_true (profile_model_find_index (model, 1, &index));
    g_assert_cmpuint (index, ==, 1);
    g_assert_false (profile_model_find_index (model, 2, &index));
}

static void
test_slice (void)
{
    g_autoptr (ProfileModel) model = make_model (3);
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (1, 3);
    ProfileSlice all = { 0, G_MAXDOUBLE, NULL, PROFILE_ALL_CLASSES };
    ProfileSlice some = { 0.25, 1.25, ranks, PROFILE_ALL_CLASSES };
    ProfileSlice mpi = { 0.25, 1.25, NULL, JOB_CLASS_MPI };
    g_autoptr (ProfileModel) whole = profile_model_new_slice (model, &all);
    g_autoptr (ProfileModel) part = profile_model_new_slice (model, &some);
    g_autoptr (ProfileModel) only = profile_model_new_slice (model, &mpi);
    g_autoptr (ProfileNode) tree = profile_tree_new (part);
    g_autoptr (GPtrArray) functions = profile_functions_new (only);

    for (guint i = 0; i < 3; i++) {
        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            NEAR (profile_model_get_class (whole, i, class),
                  profile_model_get_class (model, i, class));
        }
        NEAR (profile_model_get_idle (whole, i), 1.5);
        NEAR (profile_model_get_others (whole, i), 0.5);
    }
    g_assert_cmpuint (profile_model_get_n_samples (whole), ==,
                      profile_model_get_n_samples (model));
    g_assert_cmpuint (profile_model_get_n_ranks (part), ==, 2);
    g_assert_cmpuint (profile_model_get_rank (part, 0), ==, 1);
    /* Rank 1 begins at 0.5 s; samples across the ends count in part. */
    NEAR (profile_model_get_class (part, 0, JOB_CLASS_NATIVE), 0.75);
    NEAR (profile_model_get_class (part, 0, JOB_CLASS_MPI), 0);
    NEAR (profile_model_get_class (part, 1, JOB_CLASS_NATIVE), 0.75);
    NEAR (profile_model_get_class (part, 1, JOB_CLASS_PYTHON), 0.25);
    NEAR (profile_model_get_class (part, 1, JOB_CLASS_MPI), 0.25);
    g_assert_cmpuint (profile_samples_get_metrics (part, 1)->len, ==, 10);
    NEAR (tree->total, 0.75 + 0.5 + 0.75 + 0.25 + 0.25);
    /* The contexts are the whole's. */
    g_assert_true (profile_model_get_contexts (part) == profile_model_get_contexts (model));
    NEAR (((ProfileFunction *) functions->pdata[0])->self, 0.5);
    g_assert_cmpstr (((ProfileFunction *) functions->pdata[0])->location.function, ==,
                     "MPI_Recv");
}

static void
test_bins (void)
{
    g_autoptr (ProfileModel) model = make_model (2);
    float bins[5 * JOB_N_CLASSES] = { 0 };
    guint thread;

    /* Bins of 0.5 s, of which rank 1 misses the first. */
    profile_model_add_bins (model, 1, PROFILE_COUNTED_THREADS, 0, 2.5, 5, bins);
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        NEAR (bins[class], 0);
    }
    NEAR (bins[1 * JOB_N_CLASSES + JOB_CLASS_NATIVE], 0.5);
    NEAR (bins[1 * JOB_N_CLASSES + JOB_CLASS_PYTHON], 0.5);
    NEAR (bins[2 * JOB_N_CLASSES + JOB_CLASS_NATIVE], 0.5);
    NEAR (bins[2 * JOB_N_CLASSES + JOB_CLASS_LOCK], 0);
    NEAR (bins[4 * JOB_N_CLASSES + JOB_CLASS_MPI], 0.5);
    g_assert_true (profile_model_find_first_thread (model, 1, &thread));
    /* A thread by itself shows its waiting; bins narrower than samples get their part of them. */
    for (guint i = 0; i < G_N_ELEMENTS (bins); i++) {
        bins[i] = 0;
    }
    profile_model_add_bins (model, 0, 1 - thread, 1.01, 1.06, 5, bins);
    for (guint bin = 0; bin < 5; bin++) {
        NEAR (bins[bin * JOB_N_CLASSES + JOB_CLASS_LOCK], 0.01);
    }
    profile_model_add_bins (model, 0, thread, 2, 2, 5, bins); /* no time at all */
    profile_model_add_bins (model, 0, thread, 7, 9, 5, bins); /* after the end */
    NEAR (bins[JOB_CLASS_MPI], 0);
}

static void
test_activity (void)
{
    g_autoptr (ProfileModel) model = make_model (2);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (1, 2);
    float shares[5 * JOB_N_CLASSES];

    profile_model_get_activity (model, NULL, 0, 2.5, 5, shares);
    NEAR (shares[JOB_CLASS_NATIVE], 0.25); /* rank 0 does two things, rank 1 is not there */
    NEAR (shares[JOB_CLASS_PYTHON], 0.25);
    NEAR (shares[2 * JOB_N_CLASSES + JOB_CLASS_NATIVE], 0.5);
    NEAR (shares[2 * JOB_N_CLASSES + JOB_CLASS_MPI], 0.5);
    NEAR (shares[4 * JOB_N_CLASSES + JOB_CLASS_MPI], 0.5); /* rank 0 is over */
    profile_model_get_activity (model, one, 0, 2.5, 5, shares);
    NEAR (shares[4 * JOB_N_CLASSES + JOB_CLASS_MPI], 1);
    set_offset (model, 1, -5000000, 1); /* a child is not compared with ranks */
    profile_model_get_activity (model, NULL, 0, 2.5, 5, shares);
    NEAR (shares[JOB_CLASS_NATIVE], 0.5);
}

static void
test_bands (void)
{
    g_autoptr (ProfileModel) model = make_model (2);
    ProfileBand bands[5];

    profile_model_get_bands (model, NULL, JOB_METRIC_RSS, 0, 2.5, 5, bands);
    g_assert_cmpuint (bands[0].n_ranks, ==, 1);
    NEAR (bands[0].least, 100);
    g_assert_cmpuint (bands[1].n_ranks, ==, 2);
    NEAR (bands[1].least, 100);
    NEAR (bands[1].mean, 150);
    NEAR (bands[1].most, 200);
    NEAR (bands[4].least, 200);
    profile_model_get_bands (model, NULL, JOB_METRIC_CPU, 0, 2.5, 5, bands);
    NEAR (bands[2].mean, 1e6); /* µs a second: one processor */
    profile_model_get_bands (model, NULL, JOB_METRIC_READ, 0, 2.5, 5, bands);
    g_assert_cmpuint (bands[2].n_ranks, ==, 0);
}

static void
test_sample (void)
{
    g_autoptr (ProfileModel) model = make_model (2);
    const JobContextTree *contexts = profile_model_get_contexts (model);
    ProfileSample sample;
    guint32 merged;
    guint thread;

    g_assert_true (profile_model_find_first_thread (model, 1, &thread));
    g_assert_true (profile_model_find_sample (model, 1, thread, 1.75, &sample));
    merged = profile_model_get_merged (model, 1, sample.context);
    g_assert_cmpstr (job_context_tree_get (contexts, merged)->location.function, ==,
                     "MPI_Recv");
    g_assert_true (profile_model_find_sample (model, 1, thread, 0.51, &sample));
    g_assert_cmpint (sample.class, ==, JOB_CLASS_NATIVE);
    g_assert_false (profile_model_find_sample (model, 1, thread, 0.49, &sample));
    g_assert_false (profile_model_find_sample (model, 1, thread, 2.51, &sample));
    g_assert_false (profile_model_find_sample (model, 1, 7, 1, &sample));
}

/* At 1.2 s rank 0 is in MPI_Recv while rank 1 works. */
static void
test_moment (void)
{
    g_autoptr (ProfileModel) model = make_model (2);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (1, 2);
    g_autoptr (GPtrArray) all = profile_moment_new (model, NULL, 1.2, G_MAXUINT, 0);
    g_autoptr (GPtrArray) some = profile_moment_new (model, one, 1.2, G_MAXUINT, 0);
    g_autoptr (GPtrArray) none = profile_moment_new (model, NULL, 9, G_MAXUINT, 0);
    g_autoptr (GPtrArray) other = NULL;
    static const struct {
        const char *function;
        guint depth;
        const char *ranks;
    } wanted[] = { { "main", 0, "0-1" }, { "work", 1, "1" }, { "MPI_Recv", 1, "0" } };
    guint thread;

    g_assert_cmpuint (all->len, ==, 3);
    for (guint i = 0; i < 3; i++) {
        const ProfileMomentFrame *frame = all->pdata[i];
        g_autofree char *ranks = job_rank_set_format (frame->ranks);

        g_assert_cmpstr (job_context_tree_get (profile_model_get_contexts (model),
                                               frame->context)
                             ->location.function,
                         ==, wanted[i].function);
        g_assert_cmpuint (frame->depth, ==, wanted[i].depth);
        g_assert_cmpstr (ranks, ==, wanted[i].ranks);
    }
    g_assert_cmpuint (some->len, ==, 2);
    g_assert_cmpuint (none->len, ==, 0);
    /* Another thread of one rank. */
    g_assert_true (profile_model_find_first_thread (model, 0, &thread));
    other = profile_moment_new (model, NULL, 1.2, 0, 1 - thread);
    g_assert_cmpuint (other->len, ==, 2);
}

static void
test_balance (void)
{
    g_autoptr (ProfileModel) model = make_model (3), none = profile_model_new ();
    g_autoptr (JobRankSet) last = job_rank_set_new_range (2, 3);
    ProfileSlice late = { 1.0, 2.0, NULL, PROFILE_ALL_CLASSES };
    g_autoptr (ProfileModel) part = profile_model_new_slice (model, &late);
    g_autoptr (ProfileBalance) even = profile_balance_new (model);
    g_autoptr (ProfileBalance) uneven = profile_balance_new (part);
    g_autoptr (ProfileBalance) nothing = profile_balance_new (none);

    NEAR (even->mean_s, 1.5);
    NEAR (even->imbalance, 0);
    g_assert_true (job_rank_set_is_empty (even->idle));
    /* From 1 s on only rank 1 still works. */
    g_assert_cmpuint (uneven->busiest, ==, 1);
    g_assert_cmpuint (uneven->laziest, ==, 0);
    NEAR (uneven->most_s, 0.5);
    NEAR (uneven->least_s, 0);
    NEAR (uneven->imbalance, 2);
    g_assert_cmpuint (job_rank_set_get_count (uneven->idle), ==, 2);
    g_assert_true (job_rank_set_is_subset (last, uneven->idle));
    g_assert_cmpuint (nothing->n_ranks, ==, 0);
    NEAR (nothing->imbalance, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/slice/times", test_times);
    g_test_add_func ("/slice/model", test_slice);
    g_test_add_func ("/slice/bins", test_bins);
    g_test_add_func ("/slice/activity", test_activity);
    g_test_add_func ("/slice/bands", test_bands);
    g_test_add_func ("/slice/sample", test_sample);
    g_test_add_func ("/slice/moment", test_moment);
    g_test_add_func ("/slice/balance", test_balance);
    return g_test_run ();
}
