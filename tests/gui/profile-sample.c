/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/messages.h"
#include "profile/waits.h"
#include "profile-sample.h"
#include <string.h>

typedef struct {
    JobContextTree *tree;
    char *python, *kernel; /* files */
    char *python_text, *kernel_text;
    guint32 import, spin, compute, sum, write, zeros;
    GArray *more; /* of guint32 */
    guint32 seed;
} Sample;

/* The first line that contains the text. */
static guint32
find_line (const char *text, const char *wanted)
{
    const char *found = strstr (text, wanted);
    guint32 line = 1;

    g_assert_nonnull (found);
    for (const char *at = text; at < found; at++) {
        line += *at == '\n';
    }
    return line;
}

static guint32
add (Sample *sample, guint32 parent, const char *function, const char *file, guint32 line,
     const char *module)
{
    JobLocation location = { .function = (char *) function,
                             .file = (char *) file,
                             .line = line,
                             .module = (char *) module,
                             .language = file != NULL && g_str_has_suffix (file, ".py")
                                             ? JOB_LANGUAGE_PYTHON
                                             : JOB_LANGUAGE_C };

    return job_context_tree_add (sample->tree, parent, &location,
                                 module != NULL ? JOB_FRAME_LIBRARY : 0);
}

static guint32
add_python (Sample *sample, guint32 parent, const char *function, const char *text)
{
    return add (sample, parent, function, sample->python, find_line (sample->python_text, text),
                NULL);
}

static guint32
get_random (Sample *sample)
{
    sample->seed = sample->seed * 1664525 + 1013904223; /* Numerical Recipes */
    return sample->seed >> 8;
}

static void
fill (Sample *sample, guint n_more)
{
    guint32 module, main, step, at;

    module = add_python (sample, 0, "<module>", "sys.exit(main())");
    main = add_python (sample, module, "main", "= time_step(");
    step = add_python (sample, main, "time_step", "    exchange(comm, now, cells)");
    at = add_python (sample, step, "exchange", "comm.Sendrecv(now[1:2]");
    at = add (sample, at, "MPI_Sendrecv", NULL, 0, "libmpi.so.40");
    sample->spin = add (sample, at, "opal_progress", NULL, 0, "libopen-pal.so.40");
    at = add_python (sample, main, "time_step", "kernel.heat_step(following");
    sample->compute = add (sample, at, "heat_step", sample->kernel,
                           find_line (sample->kernel_text, "double change"), NULL);
    at = add_python (sample, module, "main", "before = comm.allreduce");
    sample->sum = add (sample, at, "MPI_Allreduce", NULL, 0, "libmpi.so.40");
    at = add_python (sample, 0, "<module>", "import numpy as np");
    at = add (sample, at, "_find_and_load", "<frozen importlib._bootstrap>", 1027, "python");
    at = add (sample, at, "_load_unlocked", "<frozen importlib._bootstrap>", 688, "python");
    sample->import = add (sample, at, "openat", NULL, 0, "libc.so.6");
    sample->zeros = add_python (sample, module, "main", "now = np.zeros");
    sample->write = add (sample, module, "write", NULL, 0, "libc.so.6");
    at = step;
    for (guint i = 0; i < n_more; i++) {
        g_autofree char *name = g_strdup_printf ("library_%u", get_random (sample) % 400);
        g_autofree char *file = g_strdup_printf ("/usr/src/lib/part%u.c", i % 20);

        at = i % 30 == 0 || get_random (sample) % 4 == 0
                 ? sample->more->len > 0 && i % 30 != 0
                       ? g_array_index (sample->more, guint32,
                                        get_random (sample) % sample->more->len)
                       : step
                 : at;
        at = add (sample, at, name, file, 1 + get_random (sample) % 300, "liblarge.so");
        g_array_append_val (sample->more, at);
    }
}

/* What the rank does at that time, 0 to 1. */
static guint32
choose (Sample *sample, double time, double slowness, JobClass *ret_class)
{
    guint32 dice = get_random (sample) % 1000;

    if (time < 0.12) {
        *ret_class = dice < 600 ? JOB_CLASS_IO : JOB_CLASS_PYTHON;
        return sample->import;
    }
    if (time > 0.95) {
        *ret_class = dice < 800 ? JOB_CLASS_MPI : JOB_CLASS_IO;
        return dice < 800 ? sample->sum : sample->write;
    }
    if (sample->more->len > 0 && dice % 4 == 0) {
        *ret_class = JOB_CLASS_NATIVE;
        return g_array_index (sample->more, guint32, get_random (sample) % sample->more->len);
    }
    if (dice < 20) {
        *ret_class = JOB_CLASS_PYTHON;
        return sample->zeros;
    }
    *ret_class = dice < 250 + 600 * slowness ? JOB_CLASS_NATIVE : JOB_CLASS_MPI;
    return *ret_class == JOB_CLASS_NATIVE ? sample->compute : sample->spin;
}

static void
add_rank (Sample *sample, ProfileModel *model, guint32 rank, guint n_ranks, guint n_samples)
{
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;
    ProfileProcess process = { .host = (char *) (rank % 2 == 0 ? "node1" : "node2") };

    for (guint i = 0; i < n_samples; i++) {
        JobClass class;
        guint32 context = choose (sample, (double) i / n_samples, (double) rank / n_ranks,
                                  &class);
        JobSample one = { .time_us = 1000000 + (i + 1) * 10000,
                          .weight_us = 10000,
                          .context = context,
                          .thread = 1,
                          .class = (guint8) class };

        g_array_append_val (samples, one);
    }
    batch = job_sample_batch_encode (sample->tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, rank, batch, NULL));
    profile_model_set_process (model, rank, &process);
}

ProfileModel *
profile_sample_new (guint n_ranks, guint n_samples, guint n_more, const char *folder)
{
    ProfileModel *model = profile_model_new ();
    Sample sample = { .tree = job_context_tree_new (), .seed = 42 };

    sample.python = g_build_filename (folder, "heat.py", NULL);
    sample.kernel = g_build_filename (folder, "heat_kernel.c", NULL);
    g_assert_true (g_file_get_contents (sample.python, &sample.python_text, NULL, NULL));
    g_assert_true (g_file_get_contents (sample.kernel, &sample.kernel_text, NULL, NULL));
    sample.more = g_array_new (FALSE, FALSE, sizeof (guint32));
    fill (&sample, n_more);
    for (guint32 rank = 0; rank < n_ranks; rank++) {
        add_rank (&sample, model, rank, n_ranks, n_samples);
    }
    job_context_tree_free (sample.tree);
    g_array_unref (sample.more);
    g_free (sample.python);
    g_free (sample.kernel);
    g_free (sample.python_text);
    g_free (sample.kernel_text);
    return model;
}

void
profile_sample_add_messages (ProfileModel *model, guint n_ranks, const char *folder)
{
    g_autofree char *file = g_build_filename (folder, "heat.py", NULL);
    g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (ProfileMember));
    double end_s = profile_model_get_end (model);
    gint64 step_us = (gint64) (end_s / 20 * G_USEC_PER_SEC), begin_us = 0;

    while (profile_messages_get_seconds (model, begin_us) < 0) {
        begin_us += 1000;
    }
    for (gint64 at_us = begin_us; at_us < begin_us + 19 * step_us; at_us += step_us) {
        g_array_set_size (members, 0);
        for (guint rank = 0; rank < n_ranks; rank++) {
            ProfileMessage message
                = { rank, (rank + 1) % n_ranks,         1,
                    800,  at_us + rank * step_us / 100, at_us + step_us / 2 };
            ProfileMember member = { rank, at_us + step_us / 2 + rank * step_us / 100,
                                     at_us + step_us * 9 / 10 };

            profile_model_add_message (model, &message);
            g_array_append_val (members, member);
        }
        profile_model_add_collective (model, "MPI_Barrier", members);
    }
    static const char *const calls[PROFILE_N_WAITS] = {
        [PROFILE_WAIT_LATE_SENDER] = "MPI_Sendrecv", [PROFILE_WAIT_LATE_RECEIVER] = "MPI_Ssend",
        [PROFILE_WAIT_BARRIER] = "MPI_Barrier",      [PROFILE_WAIT_ALL] = "MPI_Allreduce",
        [PROFILE_WAIT_LATE_ROOT] = "MPI_Bcast",      [PROFILE_WAIT_EARLY_ROOT] = "MPI_Reduce",
        [PROFILE_WAIT_EARLY_SCAN] = "MPI_Scan",      [PROFILE_WAIT_WRONG_ORDER] = "MPI_Recv",
        [PROFILE_WAIT_CREATE] = "MPI_Win_create",    [PROFILE_WAIT_FREE] = "MPI_Win_free",
        [PROFILE_WAIT_FENCE] = "MPI_Win_fence",      [PROFILE_WAIT_LATE_POST] = "MPI_Win_start",
        [PROFILE_WAIT_EARLY_WAIT] = "MPI_Win_wait",  [PROFILE_WAIT_LOCK] = "MPI_Win_lock",
    };

    for (guint rank = 0; rank < n_ranks; rank++) {
        ProfileTraffic traffic = { rank, (rank + 1) % n_ranks, 19, 19 * 800 };
        ProfileWait wait = { .kind = rank % PROFILE_N_WAITS,
                             .rank = rank,
                             .cause = (rank + 1) % n_ranks,
                             .call = (char *) calls[rank % PROFILE_N_WAITS],
                             .place = (char *) "exchange at heat.py:43",
                             .cause_place = (char *) "heat_step at heat.py:48",
                             .n = 19,
                             .seconds = 0.3,
                             .file = file,
                             .line = 43,
                             .cause_file = file,
                             .cause_line = 48,
                             .begin_us = begin_us,
                             .end_us = begin_us + step_us };

        profile_model_add_traffic (model, &traffic);
        profile_model_add_wait (model, &wait);
    }
}
