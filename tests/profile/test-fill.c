/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where samples stand below the calls of a trace: never in a function whose call is not under way then. */
#include "profile/otf2/fill.h"

enum { STEP_US = 10000, MS = 1000000 };

static guint32
add (JobContextTree *tree, guint32 parent, const char *function, const char *file,
     JobLanguage language)
{
    JobLocation location = {
        .function = (char *) function, .file = (char *) file, .line = 3, .language = language
    };

    return job_context_tree_add (tree, parent, &location, 0);
}

static guint32
add_python (JobContextTree *tree, guint32 parent, const char *function)
{
    return add (tree, parent, function, "/src/app.py", JOB_LANGUAGE_PYTHON);
}

/* One sample of 10 ms in each of the contexts, in turn. */
static ProfileModel *
make_model (const JobContextTree *tree, const guint32 *contexts, guint n)
{
    ProfileModel *model = profile_model_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GBytes) batch = NULL;

    for (guint i = 0; i < n; i++) {
        JobSample sample
            = { (i + 1) * STEP_US, STEP_US, contexts[i], 1, JOB_CLASS_NATIVE, FALSE };

        g_array_append_val (samples, sample);
    }
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    return model;
}

/* What the sample with that number says of the call; NULL: nothing. */
static const char *
fill (ProfileOtf2FillThread *thread, const JobContextTree *calls, guint number, guint32 call)
{
    ProfileOtf2FillPiece piece;

    profile_otf2_fill_enter (thread);
    piece = profile_otf2_fill_next (thread, (guint64) number * 10 * MS,
                                    (guint64) (number + 1) * 10 * MS, call, JOB_CLASS_PYTHON);
    return piece.context != call
               ? job_context_tree_get (calls, piece.context)->location.function
               : NULL;
}

static void
test_python (void)
{
    g_autoptr (JobContextTree) seen = job_context_tree_new (), calls = job_context_tree_new ();
    guint32 step = add_python (seen, 0, "step"),
            sample = add_python (seen, step, "Grid.sample");
    guint32 kernel = add (seen, sample, "kernel", "/src/kernel.c", JOB_LANGUAGE_C);
    guint32 hidden = add_python (seen, step, "hidden");
    const guint32 contexts[] = { kernel, kernel, kernel, kernel, hidden, kernel, kernel };
    g_autoptr (ProfileModel) model = make_model (seen, contexts, G_N_ELEMENTS (contexts));
    ProfileOtf2Fill *all = profile_otf2_fill_new (model);
    ProfileOtf2FillThread *thread;
    guint32 own = add_python (calls, 0, "step"), inner = add_python (calls, own, "sample");
    guint32 other = add_python (calls, own, "other");
    guint32 region = add_python (calls, inner, "assemble");
    guint32 built_in = add (calls, inner, "<built-in method sum>", NULL, JOB_LANGUAGE_PYTHON);
    guint32 off = add (calls, own, "(not recorded)", NULL, JOB_LANGUAGE_UNKNOWN);

    profile_otf2_fill_add_recorded (all, "step", "/src/app.py");
    profile_otf2_fill_add_recorded (all, "sample", "app.py");
    profile_otf2_fill_add_recorded (all, "other", "/src/app.py");
    thread = profile_otf2_fill_begin (all, 0, 1, 0, calls);
    g_assert_nonnull (thread);
    g_assert_cmpstr (fill (thread, calls, 0, inner), ==, "kernel");
    /* Its call had ended, and another one begun. */
    g_assert_cmpstr (fill (thread, calls, 1, other), ==, NULL);
    g_assert_cmpstr (fill (thread, calls, 2, own), ==, NULL);
    g_assert_cmpstr (fill (thread, calls, 3, region), ==, "kernel");
    /* A filter has left it out. */
    g_assert_cmpstr (fill (thread, calls, 4, own), ==, "hidden");
    g_assert_cmpstr (fill (thread, calls, 5, built_in), ==, "kernel");
    g_assert_cmpstr (fill (thread, calls, 6, off), ==, "kernel");
    profile_otf2_fill_end (thread);
    profile_otf2_fill_free (all);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/profile/fill/python", test_python);
    return g_test_run ();
}
