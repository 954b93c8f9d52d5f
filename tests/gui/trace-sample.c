/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace-sample.h"
#include "profile/messages.h"
#include "profile/waits.h"

guint32
trace_sample_add_context (const char *file, JobContextTree *tree, guint32 parent,
                          const char *function, guint32 line)
{
    JobLocation location = { .function = (char *) function,
                             .file = (char *) file,
                             .line = line,
                             .language = JOB_LANGUAGE_C };

    return job_context_tree_add (tree, parent, &location, 0);
}

gint64
trace_sample_get_work_us (guint rank)
{
    return 20000 + 15000 * (gint64) rank;
}

void
trace_sample_add (GArray *samples, gint64 *time_us, gint64 end_us, guint32 context,
                  JobClass class)
{
    JobSample one = { end_us, (guint32) (end_us - *time_us), context, 1, class, FALSE };

    g_array_append_val (samples, one);
    *time_us = end_us;
}

static void
add_rank (ProfileModel *model, const char *file, guint rank)
{
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    guint32 outer = trace_sample_add_context (file, tree, 0, "main", 3);
    guint32 work = trace_sample_add_context (file, tree, outer, "work", 10);
    guint32 send = trace_sample_add_context (file, tree, outer, "MPI_Send", 0);
    guint32 barrier = trace_sample_add_context (file, tree, outer, "MPI_Barrier", 0);
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) counts = g_array_new (FALSE, TRUE, sizeof (ProfileCount));
    const ProfileCount known[]
        = { { 0 },
            { 1, 0, JOB_CLASS_NATIVE },
            { TRACE_SAMPLE_STEPS,
              TRACE_SAMPLE_STEPS * 1e-6 * (double) trace_sample_get_work_us (rank),
              JOB_CLASS_NATIVE },
            { TRACE_SAMPLE_STEPS, TRACE_SAMPLE_STEPS * 0.005, JOB_CLASS_MPI },
            { TRACE_SAMPLE_STEPS,
              TRACE_SAMPLE_STEPS * (0.095 - 1e-6 * (double) trace_sample_get_work_us (rank)),
              JOB_CLASS_MPI } };
    g_autoptr (GBytes) batch = NULL;
    gint64 time_us = TRACE_SAMPLE_BEGIN_US;

    for (guint step = 0; step < TRACE_SAMPLE_STEPS; step++) {
        gint64 begin_us = TRACE_SAMPLE_BEGIN_US + (gint64) step * TRACE_SAMPLE_STEP_US;

        trace_sample_add (samples, &time_us, begin_us + trace_sample_get_work_us (rank), work,
                          JOB_CLASS_NATIVE);
        trace_sample_add (samples, &time_us, time_us + 5000, send, JOB_CLASS_MPI);
        trace_sample_add (samples, &time_us, begin_us + TRACE_SAMPLE_STEP_US, barrier,
                          JOB_CLASS_MPI);
    }
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, rank, batch, NULL));
    g_array_append_vals (counts, known, G_N_ELEMENTS (known));
    profile_model_set_counts (model, rank, 0, counts);
}

static void
add_step (ProfileModel *model, guint step)
{
    gint64 begin_us = TRACE_SAMPLE_BEGIN_US + (gint64) step * TRACE_SAMPLE_STEP_US;
    g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (ProfileMember));

    for (guint i = 0; i < TRACE_SAMPLE_RANKS; i++) {
        guint rank = TRACE_SAMPLE_RANKS - 1 - i; /* in any order */
        ProfileMember member = { rank, begin_us + trace_sample_get_work_us (rank) + 5000,
                                 begin_us + TRACE_SAMPLE_STEP_US };

        g_array_append_val (members, member);
        if (rank + 1 < TRACE_SAMPLE_RANKS) {
            ProfileMessage message = { rank,
                                       rank + 1,
                                       7,
                                       1000 * (rank + 1),
                                       begin_us + trace_sample_get_work_us (rank),
                                       begin_us + trace_sample_get_work_us (rank + 1) + 5000 };

            profile_model_add_message (model, &message);
        }
    }
    profile_model_add_collective (model, "MPI_Barrier", members);
}

ProfileModel *
trace_sample_new (const char *file)
{
    ProfileModel *model = profile_model_new ();
    const ProfileInfo info = { .command = (char *) "mpirun -np 4 ./app" };

    for (guint rank = 0; rank < TRACE_SAMPLE_RANKS; rank++) {
        ProfileWait wait
            = { .kind = PROFILE_WAIT_BARRIER,
                .rank = rank,
                .cause = TRACE_SAMPLE_RANKS - 1,
                .call = (char *) "MPI_Barrier",
                .place = (char *) "main at sample.c:3",
                .cause_place = (char *) "work at sample.c:10",
                .n = TRACE_SAMPLE_STEPS,
                .seconds = TRACE_SAMPLE_STEPS * 0.015 * (TRACE_SAMPLE_RANKS - 1 - rank),
                .file = (char *) file,
                .line = 3,
                .cause_file = (char *) file,
                .cause_line = 10,
                .begin_us = TRACE_SAMPLE_BEGIN_US + trace_sample_get_work_us (rank) + 5000,
                .end_us = TRACE_SAMPLE_BEGIN_US
                          + trace_sample_get_work_us (TRACE_SAMPLE_RANKS - 1) + 5000 };
        ProfileTraffic traffic = { rank, rank + 1, TRACE_SAMPLE_STEPS,
                                   TRACE_SAMPLE_STEPS * 1000 * (rank + 1) };

        add_rank (model, file, rank);
        if (rank + 1 < TRACE_SAMPLE_RANKS) {
            profile_model_add_wait (model, &wait);
            profile_model_add_traffic (model, &traffic);
        }
    }
    for (guint step = 0; step < TRACE_SAMPLE_STEPS; step++) {
        add_step (model, step);
    }
    profile_model_set_info (model, &info);
    return model;
}
