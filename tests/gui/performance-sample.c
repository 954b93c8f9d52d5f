/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "performance-sample.h"
#include "job/sample.h"

guint32
performance_sample_add_context (const char *file, JobContextTree *tree, guint32 parent,
                                const char *function, guint32 line)
{
    JobLocation location = { .function = (char *) function,
                             .file = (char *) file,
                             .line = line,
                             .language = JOB_LANGUAGE_C };

    return job_context_tree_add (tree, parent, &location, 0);
}

ProfileModel *
performance_sample_new (const char *file, guint n_ranks, guint n_idle)
{
    ProfileModel *model = profile_model_new ();

    for (guint rank = 0; rank < n_ranks; rank++) {
        g_autoptr (JobContextTree) tree = job_context_tree_new ();
        guint32 outer = performance_sample_add_context (file, tree, 0, "main", 3);
        guint32 inner[2] = { performance_sample_add_context (file, tree, outer, "work", 10),
                             performance_sample_add_context (file, tree, outer, "MPI_Recv",
                                                             20) };
        g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
        g_autoptr (GBytes) batch = NULL;

        for (guint i = 0; i < 400; i++) {
            gboolean works = rank >= n_idle && i < 200;
            JobSample one = { 1000000 + 10000 * (i + 1),
                              10000,
                              inner[works ? 0 : 1],
                              1,
                              works ? JOB_CLASS_NATIVE : JOB_CLASS_MPI,
                              FALSE };
            JobSample two = one;

            g_array_append_val (samples, one);
            two.thread = 2;
            two.class = JOB_CLASS_LOCK;
            two.is_blocked = TRUE;
            if (rank < 3) {
                g_array_append_val (samples, two);
            }
        }
        batch = job_sample_batch_encode (tree, 1, samples, 0);
        g_assert_true (profile_model_add (model, rank, batch, NULL));
    }
    return model;
}
