/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model adds up: what each rank has spent where, lines of a function together. */
#include "../support/folder.h"
#include "profile/model.h"
#include "base/error.h"
#include "profile/export.h"
#include <math.h>
#include <string.h>

typedef struct {
    JobContextTree *tree;
    GArray *samples;
    guint32 n_told;
    gint64 now_us;
} Source;

static Source
source_new (void)
{
    Source source = { job_context_tree_new (), g_array_new (FALSE, FALSE, sizeof (JobSample)),
                      0, 1000000 };

    return source;
}

static void
source_clear (Source *source)
{
    job_context_tree_free (source->tree);
    g_array_unref (source->samples);
}

static guint32
add (Source *source, guint32 parent, const char *function, guint32 line)
{
    JobLocation location = { .function = (char *) function,
                             .file = (char *) "app.c",
                             .line = line,
                             .language = JOB_LANGUAGE_C };

    return job_context_tree_add (source->tree, parent, &location, 0);
}

static void
spend (Source *source, guint32 context, guint thread, gboolean is_blocked, guint32 ms)
{
    JobSample sample = { .weight_us = ms * 1000,
                         .context = context,
                         .thread = thread,
                         .class = is_blocked ? JOB_CLASS_WAIT : JOB_CLASS_NATIVE,
                         .is_blocked = is_blocked };

    source->now_us += ms * 1000;
    sample.time_us = source->now_us;
    g_array_append_val (source->samples, sample);
}

static void
give (Source *source, ProfileModel *model, guint32 rank)
{
    g_autoptr (GBytes) batch = job_sample_batch_encode (source->tree, source->n_told + 1,
                                                        source->samples, 3);
    g_autoptr (GError) error = NULL;

    g_assert_true (profile_model_add (model, rank, batch, &error));
    g_assert_no_error (error);
    source->n_told = job_context_tree_get_count (source->tree);
    g_array_set_size (source->samples, 0);
}

static const ProfileNode *
get_child (const ProfileNode *node, guint index, const char *function)
{
    const ProfileNode *child;

    g_assert_cmpuint (index, <, node->children->len);
    child = g_ptr_array_index (node->children, index);
    g_assert_cmpstr (child->location.function, ==, function);
    return child;
}

static void
assert_near (double value, double wanted)
{
    g_assert_cmpfloat (fabs (value - wanted), <, 1e-6);
}

static void
test_sums (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (ProfileNode) root = NULL;
    Source first = source_new (), second = source_new ();
    guint32 at_3 = add (&first, 0, "main", 3), at_4 = add (&first, 0, "main", 4);
    guint32 work = add (&first, at_3, "work", 10), again = add (&first, at_4, "work", 11);
    guint32 other;
    const ProfileNode *node;

    spend (&first, work, 1, FALSE, 100);
    spend (&first, again, 1, FALSE, 300);
    spend (&first, at_4, 1, TRUE, 50);
    spend (&first, work, 2, TRUE, 5000); /* another thread, which waits */
    spend (&first, work, 3, FALSE, 20);  /* one that runs */
    give (&first, model, 7);
    spend (&first, add (&first, again, "deep", 20), 1, FALSE, 30); /* a second batch */
    give (&first, model, 7);
    other = add (&second, add (&second, 0, "main", 4), "idle", 1); /* with other numbers */
    spend (&second, other, 1, TRUE, 500);
    give (&second, model, 2);

    g_assert_cmpuint (profile_model_get_n_ranks (model), ==, 2);
    g_assert_cmpuint (profile_model_get_rank (model, 0), ==, 2);
    g_assert_cmpuint (profile_model_get_rank (model, 1), ==, 7);
    g_assert_cmpuint (profile_model_get_n_samples (model), ==, 6);
    g_assert_cmpuint (profile_model_get_n_dropped (model), ==, 6);
    assert_near (profile_model_get_class (model, 1, JOB_CLASS_NATIVE), 0.45);
    assert_near (profile_model_get_class (model, 1, JOB_CLASS_WAIT), 0.05);
    assert_near (profile_model_get_idle (model, 1), 5);
    assert_near (profile_model_get_duration (model, 1), 5.5);

    root = profile_tree_new (model);
    assert_near (root->total, 1.0);
    node = get_child (root, 0, "main");
    g_assert_cmpuint (root->children->len, ==, 1);
    assert_near (node->total, 1.0);
    assert_near (node->self, 0.05);
    assert_near (node->ranks[0], 0.5);
    assert_near (node->ranks[1], 0.5);
    g_assert_cmpuint (node->location.line, ==, 4);
    assert_near (get_child (node, 0, "idle")->total, 0.5);
    node = get_child (node, 1, "work");
    assert_near (node->total, 0.45);
    assert_near (node->self, 0.42);
    assert_near (node->ranks[0], 0);
    g_assert_cmpuint (node->location.line, ==, 11);
    assert_near (get_child (node, 0, "deep")->ranks[1], 0.03);
    source_clear (&first);
    source_clear (&second);
}

/* A wait that is sampled ninety times and one that is kept as a single sample are as long. */
static void
test_periods (void)
{
    guint64 found[2];

    for (guint is_archive = 0; is_archive < 2; is_archive++) {
        g_autoptr (ProfileModel) model = profile_model_new ();
        Source source = source_new ();
        guint32 wait = add (&source, 0, "wait", 1), work = add (&source, 0, "work", 2);
        ProfileInfo info = { .rate = 100 };
        double seconds[3] = { 0 };
        guint64 samples[3] = { 0 };

        profile_model_set_info (model, &info);
        for (guint i = 0; i < (is_archive ? 1 : 90); i++) {
            spend (&source, wait, 1, TRUE, is_archive ? 900 : 10);
        }
        for (guint i = 0; i < 10; i++) {
            spend (&source, work, 1, FALSE, 10);
        }
        give (&source, model, 0);
        profile_model_add_self (model, 0, seconds, samples);
        g_assert_cmpuint (samples[wait], ==, 90);
        g_assert_cmpuint (samples[work], ==, 10);
        found[is_archive] = profile_model_get_n_samples (model);
        source_clear (&source);
    }
    g_assert_cmpuint (found[0], ==, 100);
    g_assert_cmpuint (found[1], ==, 100);
}

static void
test_recursion (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (ProfileNode) root = NULL;
    g_autoptr (GPtrArray) functions = NULL;
    Source source = source_new ();
    guint32 main = add (&source, 0, "main", 3), deep = main;
    const ProfileFunction *function;
    const ProfileNode *node;

    for (guint i = 0; i < 5; i++) {
        deep = add (&source, deep, "fib", 7);
        spend (&source, deep, 1, FALSE, 100);
    }
    spend (&source, add (&source, deep, "leaf", 9), 1, FALSE, 200);
    spend (&source, add (&source, main, "leaf", 8), 1, FALSE, 400);
    give (&source, model, 0);
    root = profile_tree_new (model);
    node = get_child (root, 0, "main");
    assert_near (node->total, 1.1);
    g_assert_false (node->is_recursive);
    node = get_child (node, 0, "fib");
    assert_near (node->total, 0.7);
    assert_near (node->self, 0.5);
    assert_near (node->ranks[0], 0.7);
    g_assert_true (node->is_recursive);
    g_assert_cmpuint (node->children->len, ==, 1);
    assert_near (get_child (node, 0, "leaf")->total, 0.2);

    functions = profile_functions_new (model);
    g_assert_cmpuint (functions->len, ==, 3);
    function = g_ptr_array_index (functions, 0);
    g_assert_cmpstr (function->location.function, ==, "leaf");
    assert_near (function->self, 0.6);
    assert_near (function->total, 0.6);
    assert_near (function->ranks[0], 0.6);
    g_assert_cmpuint (function->location.line, ==, 8);
    function = g_ptr_array_index (functions, 1);
    g_assert_cmpstr (function->location.function, ==, "fib");
    assert_near (function->self, 0.5);
    assert_near (function->total, 0.7);
    function = g_ptr_array_index (functions, 2);
    assert_near (function->self, 0);
    assert_near (function->total, 1.1);
    source_clear (&source);
}

/* A function without a name is known by where it begins, and calls itself as one with a name; what has not even a module
 * may be any. */
static void
test_nameless (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (ProfileNode) root = NULL;
    Source source = source_new ();
    JobLocation evaluate = { .module = (char *) "dash", .offset = 0x6110 }, unknown = { 0 };
    guint32 deep = add (&source, 0, "main", 3);
    const ProfileNode *node;

    for (guint i = 0; i < 4; i++) {
        deep = job_context_tree_add (source.tree, deep, &evaluate, 0);
        spend (&source, deep, 1, FALSE, 100);
    }
    for (guint i = 0; i < 2; i++) {
        deep = job_context_tree_add (source.tree, deep, &unknown, 0);
        spend (&source, deep, 1, FALSE, 100);
    }
    give (&source, model, 0);
    root = profile_tree_new (model);
    node = g_ptr_array_index (get_child (root, 0, "main")->children, 0);
    g_assert_cmpuint (node->location.offset, ==, 0x6110);
    g_assert_true (node->is_recursive);
    assert_near (node->self, 0.4);
    assert_near (node->total, 0.6);
    g_assert_cmpuint (node->children->len, ==, 1);
    node = g_ptr_array_index (node->children, 0);
    g_assert_false (node->is_recursive);
    g_assert_cmpuint (node->children->len, ==, 1);
    source_clear (&source);
}

/* even calls odd, which calls even, and so on: after one turn all of it is in the first two. */
static void
test_turns (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (ProfileNode) root = NULL;
    Source source = source_new ();
    guint32 deep = add (&source, 0, "main", 3);
    const ProfileNode *node;

    for (guint i = 0; i < 1000; i++) {
        deep = add (&source, deep, i % 2 == 0 ? "even" : "odd", 7);
        spend (&source, deep, 1, FALSE, 1);
    }
    spend (&source, add (&source, deep, "leaf", 9), 1, FALSE, 200);
    give (&source, model, 0);
    root = profile_tree_new (model);
    node = get_child (root, 0, "main");
    assert_near (node->total, 1.2);
    node = get_child (node, 0, "even");
    assert_near (node->total, 1.2);
    assert_near (node->ranks[0], 1.2);
    node = get_child (node, 0, "odd");
    assert_near (node->self, 0.5);
    g_assert_true (node->is_recursive);
    g_assert_cmpuint (node->children->len, ==, 2);
    assert_near (get_child (node, 0, "even")->total, 0.499);
    g_assert_cmpuint (get_child (node, 0, "even")->children->len, ==, 0);
    assert_near (get_child (node, 1, "leaf")->total, 0.2);
    source_clear (&source);
}

/* What cannot be read leaves out the rank from there on, and nothing else. */
static void
test_broken (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GBytes) bad = g_bytes_new_static ("\1\377\377", 3);
    g_autoptr (GError) error = NULL;
    Source source = source_new ();

    spend (&source, add (&source, 0, "main", 3), 1, FALSE, 100);
    give (&source, model, 0);
    g_assert_false (profile_model_add (model, 0, bad, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
    g_clear_error (&error);
    g_assert_false (profile_model_add (model, 0, bad, &error));
    g_assert_error (error, BASE_ERROR, BASE_ERROR_CORRUPT);
    assert_near (profile_model_get_class (model, 0, JOB_CLASS_NATIVE), 0.1);
    source_clear (&source);
}

/* A relative path is tidied; an absolute one may lead through links. */
static void
test_paths (void)
{
    static const char *const paths[][2] = { { "./csu/../csu/libc-start.c", "csu/libc-start.c" },
                                            { "../sysdeps/x86_64/../generic/memcpy.c",
                                              "../sysdeps/generic/memcpy.c" },
                                            { "./a.c", "a.c" },
                                            { "src/a.c", "src/a.c" },
                                            { "/build/../src/a.c", "/build/../src/a.c" } };
    g_autoptr (ProfileModel) model = profile_model_new ();
    Source source = source_new ();

    for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
        const JobLocation location
            = { .function = (char *) "f", .file = (char *) paths[i][0], .line = 3 };

        spend (&source, job_context_tree_add (source.tree, 0, &location, 0), 1, FALSE, 10);
    }
    give (&source, model, 0);
    for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
        g_assert_cmpstr (job_context_tree_get (profile_model_get_contexts (model), i + 1)
                             ->location.file,
                         ==, paths[i][1]);
    }
    source_clear (&source);
}

/* Files of a child process, whose number is no rank's, say whose they are. */
static void
test_child_files (void)
{
    const ProfileProcess process = { .parent = 1, .pid = 4711 };
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp ("pddt-test-XXXXXX", NULL);
    g_autofree char *child = g_build_filename (folder, "cpu_1-pid4711.prof", NULL),
                    *rank = g_build_filename (folder, "cpu_0.prof", NULL),
                    *tau = g_build_filename (folder, "profile.1.0.0", NULL), *text = NULL;
    Source source = source_new ();

    spend (&source, add (&source, 0, "main", 3), 1, FALSE, 10);
    give (&source, model, 0);
    source_clear (&source);
    source = source_new ();
    spend (&source, add (&source, 0, "main", 3), 1, FALSE, 10);
    give (&source, model, 1);
    source_clear (&source);
    profile_model_set_process (model, 1, &process);
    g_assert_true (profile_export (model, "pstats", folder, &error));
    g_assert_no_error (error);
    g_assert_true (g_file_test (child, G_FILE_TEST_IS_REGULAR));
    g_assert_true (g_file_test (rank, G_FILE_TEST_IS_REGULAR));
    g_assert_true (profile_export (model, "tau", folder, &error));
    g_assert_true (g_file_get_contents (tau, &text, NULL, NULL));
    g_assert_nonnull (strstr (text, "<value>process 4711 (child of rank 0)</value>"));
    folder_remove (folder);
}

static void
test_empty (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (ProfileNode) root = profile_tree_new (model);

    g_assert_cmpuint (profile_model_get_n_samples (model), ==, 0);
    g_assert_cmpuint (root->children->len, ==, 0);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/sums", test_sums);
    g_test_add_func ("/periods", test_periods);
    g_test_add_func ("/recursion", test_recursion);
    g_test_add_func ("/nameless", test_nameless);
    g_test_add_func ("/turns", test_turns);
    g_test_add_func ("/broken", test_broken);
    g_test_add_func ("/paths", test_paths);
    g_test_add_func ("/child-files", test_child_files);
    g_test_add_func ("/empty", test_empty);
    return g_test_run ();
}
