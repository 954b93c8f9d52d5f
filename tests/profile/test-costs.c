/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the views of a profile show, computed by hand: parts, trees of calls, functions over the
 * ranks, callers, lines with their times. */
#include "profile/model/endings.h"
#include "profile/call-tree.h"
#include "profile/file-lines.h"
#include "profile/function-table.h"
#include "profile/slice.h"
#include <math.h>

/* Two ranks of one program. In s of each class and rank:
 *   main:3 solve:10 kernel:20                 native  rank 0: 1  rank 1: 3
 *   main:3 solve:11 kernel:21                 native  rank 0: 1
 *   main:3 solve:10 kernel:20 solve:10        Python  rank 0: 2
 *   main:4 MPI_Recv (a library's)             MPI     rank 0: 4  rank 1: 5
 *   main:5 fact:30 fact:30 fact:31            native  rank 0: 2  */
enum {
    MAIN3 = 1,
    SOLVE10,
    KERNEL20,
    SOLVE11,
    KERNEL21,
    INNER,
    MAIN4,
    RECV,
    MAIN5,
    FACT1,
    FACT2,
    FACT3,
    N_CONTEXTS
};

static guint32
add (JobContextTree *tree, guint32 parent, const char *function, const char *file, guint32 line,
     guint32 flags)
{
    JobLocation location = { .function = (char *) function,
                             .file = (char *) file,
                             .line = line,
                             .language = JOB_LANGUAGE_C };

    return job_context_tree_add (tree, parent, &location, flags);
}

static void
fill (JobContextTree *tree)
{
    g_assert_cmpuint (add (tree, 0, "main", "/src/a.c", 3, 0), ==, MAIN3);
    g_assert_cmpuint (add (tree, MAIN3, "solve", "/src/a.c", 10, 0), ==, SOLVE10);
    g_assert_cmpuint (add (tree, SOLVE10, "kernel", "/src/b.c", 20, 0), ==, KERNEL20);
    g_assert_cmpuint (add (tree, MAIN3, "solve", "/src/a.c", 11, 0), ==, SOLVE11);
    g_assert_cmpuint (add (tree, SOLVE11, "kernel", "/src/b.c", 21, 0), ==, KERNEL21);
    g_assert_cmpuint (add (tree, KERNEL20, "solve", "/src/a.c", 10, 0), ==, INNER);
    g_assert_cmpuint (add (tree, 0, "main", "/src/a.c", 4, 0), ==, MAIN4);
    g_assert_cmpuint (add (tree, MAIN4, "MPI_Recv", NULL, 0, JOB_FRAME_LIBRARY), ==, RECV);
    g_assert_cmpuint (add (tree, 0, "main", "/src/a.c", 5, 0), ==, MAIN5);
    g_assert_cmpuint (add (tree, MAIN5, "fact", "/src/a.c", 30, 0), ==, FACT1);
    g_assert_cmpuint (add (tree, FACT1, "fact", "/src/a.c", 30, 0), ==, FACT2);
    g_assert_cmpuint (add (tree, FACT2, "fact", "/src/a.c", 31, 0), ==, FACT3);
}

static void
spend (GArray *samples, guint32 context, JobClass class, guint seconds)
{
    gint64 now_us = samples->len > 0
                        ? g_array_index (samples, JobSample, samples->len - 1).time_us
                        : 1000000;
    JobSample sample = { .time_us = now_us + seconds * G_USEC_PER_SEC,
                         .weight_us = seconds * G_USEC_PER_SEC,
                         .context = context,
                         .thread = 1,
                         .class = (guint8) class };

    g_array_append_val (samples, sample);
}

/* 100 cycles a second; two instructions for each in KERNEL20, one for two elsewhere; as many page faults as the number of
 * the context; no cache was looked at. */
enum {
    COUNTED = 1u << JOB_COUNT_CYCLES | 1u << JOB_COUNT_INSTRUCTIONS | 1u << JOB_COUNT_FAULTS
};

static GArray *
count (const GArray *samples)
{
    GArray *counts = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));

    for (guint i = 0; i < samples->len; i++) {
        const JobSample *sample = &g_array_index (samples, JobSample, i);
        guint64 cycles = sample->weight_us / 10000;
        JobContextCounts each = { sample->context, { { 0 } } };

        each.counts.values[JOB_COUNT_CYCLES] = cycles;
        each.counts.values[JOB_COUNT_INSTRUCTIONS] = sample->context == KERNEL20 ? 2 * cycles
                                                                                 : cycles / 2;
        each.counts.values[JOB_COUNT_FAULTS] = sample->context;
        g_array_append_val (counts, each);
    }
    return counts;
}

static void
give (ProfileModel *model, guint32 rank, GArray *samples)
{
    JobContextTree *tree = job_context_tree_new ();
    g_autoptr (GArray) counts = count (samples);
    const JobSampleExtras extras = { NULL, counts, COUNTED };
    g_autoptr (GBytes) batch = NULL;
    g_autoptr (GError) error = NULL;

    fill (tree);
    batch = job_sample_batch_encode_all (tree, 1, samples, 0, &extras);
    g_assert_true (profile_model_add (model, rank, batch, &error));
    g_assert_no_error (error);
    job_context_tree_free (tree);
}

/* Rank 1's host is 100 s ahead. */
static ProfileModel *
make_model (void)
{
    ProfileModel *model = profile_model_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    ProfileProcess process = { .offset_us = 0 };

    spend (samples, KERNEL20, JOB_CLASS_NATIVE, 1);
    spend (samples, KERNEL21, JOB_CLASS_NATIVE, 1);
    spend (samples, INNER, JOB_CLASS_PYTHON, 2);
    spend (samples, RECV, JOB_CLASS_MPI, 4);
    spend (samples, FACT3, JOB_CLASS_NATIVE, 2);
    give (model, 0, samples);
    g_array_set_size (samples, 0);
    spend (samples, KERNEL20, JOB_CLASS_NATIVE, 3);
    spend (samples, RECV, JOB_CLASS_MPI, 5);
    for (guint i = 0; i < samples->len; i++) {
        g_array_index (samples, JobSample, i).time_us += 100 * G_USEC_PER_SEC;
    }
    give (model, 1, samples);
    process.offset_us = -100 * G_USEC_PER_SEC;
    profile_model_set_process (model, 1, &process);
    return model;
}

static void
assert_near (double value, double wanted)
{
    if (fabs (value - wanted) > 1e-5) {
        g_error ("%.9f instead of %.9f", value, wanted);
    }
}

static const char *
get_name (const ProfileCosts *costs, guint32 function)
{
    return job_context_tree_get (profile_model_get_contexts (costs->model),
                                 costs->examples[function])
        ->location.function;
}

static guint32
find_function (const ProfileCosts *costs, const char *name)
{
    for (guint32 function = 1; function <= costs->n_functions; function++) {
        if (g_str_equal (get_name (costs, function), name)) {
            return function;
        }
    }
    g_assert_not_reached ();
}

static void
test_costs (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    g_autoptr (JobRankSet) second = job_rank_set_new_range (1, 2);
    ProfileSlice early = { 0.5, 2.5, NULL, PROFILE_ALL_CLASSES };
    ProfileSlice other = { 0, G_MAXDOUBLE, second, JOB_CLASS_MPI };
    g_autoptr (ProfileModel) early_model = profile_model_new_slice (model, &early);
    g_autoptr (ProfileModel) other_model = profile_model_new_slice (model, &other);
    g_autoptr (ProfileCosts) all = profile_costs_new (model);
    g_autoptr (ProfileCosts) some = profile_costs_new (early_model);
    g_autoptr (ProfileCosts) mpi = profile_costs_new (other_model);
    double inclusive[N_CONTEXTS];

    assert_near (all->total, 18);
    g_assert_cmpint (all->begin_us, ==, 1000000);
    g_assert_cmpint (all->end_us, ==, 11000000);
    g_assert_cmpuint (all->n_functions, ==, 5);
    assert_near (all->self[KERNEL20], 4);
    profile_costs_fill_inclusive (all, inclusive);
    assert_near (inclusive[0], 18);
    assert_near (inclusive[MAIN3], 7);
    assert_near (inclusive[SOLVE10], 6);
    profile_costs_fill_rank (all, 1, inclusive);
    assert_near (inclusive[0], 8);
    assert_near (inclusive[SOLVE10], 3);
    g_assert_true (all->is_outermost[SOLVE10]);
    g_assert_false (all->is_outermost[INNER]);

    /* 0.5 to 2.5 s: of rank 0 half of KERNEL20, all of KERNEL21 and 0.5 of INNER */
    assert_near (some->self[KERNEL20], 0.5 + 2);
    assert_near (some->self[KERNEL21], 1);
    assert_near (some->self[INNER], 0.5);
    assert_near (some->total, 4);
    g_assert_cmpint (some->begin_us, ==, 1500000);
    g_assert_cmpint (some->end_us, ==, 3500000);

    g_assert_cmpuint (mpi->ranks->len, ==, 1);
    g_assert_cmpuint (g_array_index (mpi->ranks, ProfileCostRank, 0).rank, ==, 1);
    assert_near (mpi->total, 5);
    assert_near (mpi->self[RECV], 5);
    assert_near (mpi->classes[RECV * JOB_N_CLASSES + JOB_CLASS_MPI], 5);
}

static const ProfileCall *
assert_call (const ProfileCallTree *tree, const ProfileCosts *costs, guint32 index,
             const char *name, double total, double self, guint32 parent)
{
    const ProfileCall *call = profile_call_tree_get (tree, index);

    g_assert_cmpstr (get_name (costs, call->function), ==, name);
    assert_near (call->total, total);
    assert_near (call->self, self);
    g_assert_cmpuint (call->parent, ==, parent);
    return call;
}

/* Of the program's own code alone: what MPI spent is main's, and nothing is lost. */
static void
test_own (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    g_autoptr (ProfileCosts) costs = profile_costs_new_own (model);
    g_autoptr (ProfileCallTree) tree = profile_call_tree_new (costs);
    g_autoptr (ProfileFunctionTable) table = profile_function_table_new (costs, FALSE);
    double self = 0;
    const ProfileCall *call;

    g_assert_cmpuint (costs->n_functions, ==, 4);
    g_assert_cmpuint (tree->calls->len, ==, 6);
    call = assert_call (tree, costs, 1, "main", 18, 9, 0);
    g_assert_false (call->is_recursive);
    g_assert_cmpuint (call->context, ==, MAIN4);
    assert_near (call->classes[JOB_CLASS_MPI], 9);
    g_assert_cmpuint (profile_call_tree_find (tree, RECV), ==, 1);
    assert_call (tree, costs, 2, "solve", 7, 0, 1);
    g_assert_cmpuint (table->rows->len, ==, 4);
    for (guint i = 0; i < table->rows->len; i++) {
        const ProfileFunctionRow *row = &g_array_index (table->rows, ProfileFunctionRow, i);

        self += row->self;
        g_assert_cmpuint (row->context, !=, RECV);
    }
    assert_near (self, 18);
}

static void
test_call_tree (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (ProfileCallTree) tree = profile_call_tree_new (costs);
    const ProfileCall *call;
    double ranks[2];

    g_assert_cmpuint (tree->calls->len, ==, 7);
    g_assert_cmpuint (tree->depth, ==, 4);
    assert_near (profile_call_tree_get (tree, 0)->total, 18);
    g_assert_cmpuint (profile_call_tree_get (tree, 0)->end, ==, 7);
    call = assert_call (tree, costs, 1, "main", 18, 0, 0);
    g_assert_cmpuint (call->context, ==, MAIN4); /* 9 of 18 */
    assert_near (call->classes[JOB_CLASS_MPI], 9);
    assert_near (call->classes[JOB_CLASS_PYTHON], 2);
    assert_call (tree, costs, 2, "MPI_Recv", 9, 9, 1);
    call = assert_call (tree, costs, 3, "solve", 7, 0, 1);
    assert_near (call->begin, 9);
    g_assert_cmpuint (call->end, ==, 6);
    g_assert_false (call->is_recursive);
    assert_call (tree, costs, 4, "kernel", 7, 5, 3);
    assert_call (tree, costs, 5, "solve", 2, 2, 4);
    call = assert_call (tree, costs, 6, "fact", 2, 2, 1);
    g_assert_true (call->is_recursive);
    assert_near (call->begin, 16);
    g_assert_cmpuint (call->context, ==, FACT1); /* inclusive times are equal: the outermost */
    g_assert_cmpuint (profile_call_tree_find (tree, INNER), ==, 5);
    g_assert_cmpuint (profile_call_tree_find (tree, FACT3), ==, 6);
    profile_call_tree_fill_ranks (tree, costs, 4, ranks);
    assert_near (ranks[0], 4);
    assert_near (ranks[1], 3);
}

static void
test_bottom_up (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (ProfileCallTree) kernel
        = profile_call_tree_new_bottom_up (costs, find_function (costs, "kernel"));
    g_autoptr (ProfileCallTree) solve
        = profile_call_tree_new_bottom_up (costs, find_function (costs, "solve"));
    g_autoptr (ProfileCallTree) fact
        = profile_call_tree_new_bottom_up (costs, find_function (costs, "fact"));

    g_assert_cmpuint (kernel->calls->len, ==, 3);
    assert_call (kernel, costs, 0, "kernel", 7, 0, 0);
    assert_call (kernel, costs, 1, "solve", 7, 0, 0);
    assert_call (kernel, costs, 2, "main", 7, 7, 1);
    g_assert_cmpuint (profile_call_tree_get (kernel, 1)->context, ==, SOLVE10);
    g_assert_cmpuint (solve->calls->len, ==, 2); /* the inner one is inside the outer one */
    assert_call (solve, costs, 0, "solve", 7, 0, 0);
    assert_call (solve, costs, 1, "main", 7, 7, 0);
    g_assert_cmpuint (fact->calls->len, ==, 2);
    assert_call (fact, costs, 0, "fact", 2, 0, 0);
    assert_call (fact, costs, 1, "main", 2, 2, 0);
}

static void
assert_edge (const GArray *edges, const ProfileCosts *costs, guint index, const char *name,
             double seconds)
{
    g_assert_cmpuint (index, <, edges->len);
    g_assert_cmpstr (get_name (costs, g_array_index (edges, ProfileEdge, index).function), ==,
                     name);
    assert_near (g_array_index (edges, ProfileEdge, index).seconds, seconds);
}

static void
test_edges (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (GArray) callers = profile_call_tree_dup_callers (costs,
                                                                find_function (costs, "solve"));
    g_autoptr (GArray) callees = profile_call_tree_dup_callees (costs,
                                                                find_function (costs, "main"));
    g_autoptr (GArray) own = profile_call_tree_dup_callers (costs,
                                                            find_function (costs, "fact"));

    g_assert_cmpuint (callers->len, ==, 2);
    assert_edge (callers, costs, 0, "main", 7);
    assert_edge (callers, costs, 1, "kernel", 2);
    g_assert_cmpuint (callees->len, ==, 3);
    assert_edge (callees, costs, 0, "MPI_Recv", 9);
    assert_edge (callees, costs, 1, "solve", 7);
    assert_edge (callees, costs, 2, "fact", 2);
    g_assert_cmpuint (own->len, ==, 1); /* not fact itself */
    assert_edge (own, costs, 0, "main", 2);
}

/* solve calls kernel, which calls solve, which calls kernel: that edge's time counts once. */
static void
test_repeated_edge (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample)), edges = NULL;
    g_autoptr (ProfileCosts) costs = NULL;
    g_autoptr (GBytes) batch = NULL;
    JobContextTree *tree = job_context_tree_new ();
    guint32 at = 0;

    for (guint i = 0; i < 3; i++) {
        at = add (tree, at, "solve", "/src/a.c", 1, 0);
        at = add (tree, at, "kernel", "/src/a.c", 2, 0);
    }
    spend (samples, at, JOB_CLASS_NATIVE, 5);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    costs = profile_costs_new (model);
    edges = profile_call_tree_dup_callees (costs, find_function (costs, "solve"));
    g_assert_cmpuint (edges->len, ==, 1);
    assert_edge (edges, costs, 0, "kernel", 5);
    job_context_tree_free (tree);
}

static const ProfileFunctionRow *
find_row (const ProfileFunctionTable *table, const char *name)
{
    for (guint i = 0; i < table->rows->len; i++) {
        const ProfileFunctionRow *row = &g_array_index (table->rows, ProfileFunctionRow, i);

        if (g_str_equal (row->location.function, name)) {
            return row;
        }
    }
    g_assert_not_reached ();
}

static void
test_functions (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (ProfileFunctionTable) own = profile_function_table_new (costs, FALSE);
    g_autoptr (ProfileFunctionTable) all = profile_function_table_new (costs, TRUE);
    const ProfileFunctionRow *row = &g_array_index (own->rows, ProfileFunctionRow, 0);

    g_assert_cmpuint (own->rows->len, ==, 5);
    g_assert_cmpuint (own->n_bars, ==, 2);
    g_assert_cmpstr (row->location.function, ==, "MPI_Recv");
    assert_near (row->self, 9);
    assert_near (row->min, 4);
    assert_near (row->mean, 4.5);
    assert_near (row->max, 5);
    assert_near (row->deviation, 0.5);
    assert_near (row->imbalance, 5 / 4.5 - 1);
    assert_near (row->bars[0], 4);
    assert_near (row->bars[1], 5);
    assert_near (own->most, 5);
    row = find_row (own, "fact"); /* rank 1 has none: that counts */
    assert_near (row->total, 2);
    assert_near (row->min, 0);
    assert_near (row->mean, 1);
    assert_near (row->deviation, 1);
    assert_near (row->imbalance, 1);
    g_assert_cmpuint (row->location.line, ==, 31);
    row = find_row (all, "solve"); /* the inner one is inside the outer one */
    assert_near (row->total, 7);
    assert_near (row->self, 2);
    assert_near (row->min, 3);
    assert_near (row->max, 4);
    row = find_row (all, "main");
    assert_near (row->total, 18);
    assert_near (row->imbalance, 10.0 / 9 - 1);
}

/* A child that a rank has forked has time, but is not compared. */
static void
test_child (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    ProfileProcess process = { .parent = 1 };
    g_autoptr (ProfileCosts) costs = NULL;
    g_autoptr (ProfileFunctionTable) table = NULL;

    profile_model_set_process (model, 1, &process);
    costs = profile_costs_new (model);
    table = profile_function_table_new (costs, FALSE);
    g_assert_cmpuint (table->n_ranks, ==, 1);
    assert_near (find_row (table, "MPI_Recv")->self, 9);
    assert_near (find_row (table, "MPI_Recv")->max, 4);
    assert_near (find_row (table, "MPI_Recv")->deviation, 0);
}

/* 1,000 ranks share bars, and one that is slow is still seen. */
static void
test_many_ranks (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (ProfileCosts) costs = NULL;
    g_autoptr (ProfileFunctionTable) table = NULL;
    const ProfileFunctionRow *row;
    double most = 0;

    for (guint32 rank = 0; rank < 1000; rank++) {
        g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));

        spend (samples, KERNEL20, JOB_CLASS_NATIVE, rank == 700 ? 9 : 1);
        give (model, rank, samples);
    }
    costs = profile_costs_new (model);
    table = profile_function_table_new (costs, FALSE);
    row = find_row (table, "kernel");
    g_assert_cmpuint (table->n_bars, ==, PROFILE_MAX_BARS);
    for (guint i = 0; i < table->n_bars; i++) {
        most = MAX (most, row->bars[i]);
        g_assert_cmpfloat (row->bars[i], >=, 1);
    }
    assert_near (most, 9);
    assert_near (row->mean, 1.008);
    assert_near (row->deviation, sqrt (999 * 0.008 * 0.008 / 1000 + 7.992 * 7.992 / 1000));
}

static void
test_files (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (GArray) files = profile_file_lines_dup_files (costs);
    const ProfileFile *first = &g_array_index (files, ProfileFile, 0), *second = first + 1;

    g_assert_cmpuint (files->len, ==, 2);
    g_assert_cmpstr (first->file, ==, "/src/a.c");
    assert_near (first->self,
                 13); /* MPI_Recv's 9, which main has called, INNER's 2, fact's 2 */
    assert_near (first->total, 18);
    g_assert_cmpuint (first->context, ==, MAIN4);
    assert_near (second->self, 5);
    assert_near (second->total, 7);
}

/* What a library waits in, with nobody of the program around it, is behind the program's own file. */
static void
test_foreign_files (void)
{
    const JobLocation own
        = { .function = (char *) "work", .file = (char *) "/src/a.c", .line = 3 },
        other
        = { .function = (char *) "nanosleep", .file = (char *) "time/nanosleep.c", .line = 48 };
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample)), files = NULL;
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GBytes) batch = NULL;
    g_autoptr (ProfileCosts) costs = NULL;

    spend (samples, job_context_tree_add (tree, 0, &own, 0), JOB_CLASS_NATIVE, 1);
    spend (samples, job_context_tree_add (tree, 0, &other, JOB_FRAME_LIBRARY), JOB_CLASS_WAIT,
           5);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 0, batch, NULL));
    costs = profile_costs_new (model);
    files = profile_file_lines_dup_files (costs);
    g_assert_cmpuint (files->len, ==, 2);
    g_assert_cmpstr (g_array_index (files, ProfileFile, 0).file, ==, "/src/a.c");
    assert_near (g_array_index (files, ProfileFile, 1).self, 5);
}

static void
test_lines (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (ProfileFileLines) lines = profile_file_lines_new (costs, "/src/a.c", 0, 10);
    g_autoptr (ProfileFileLines) dear = profile_file_lines_new (costs, "/src/a.c", 0.3, 10);
    g_autoptr (ProfileFileLines) none = profile_file_lines_new (costs, "/src/c.c", 0, 10);
    const ProfileFileLine *line = profile_file_lines_find (lines, 4);
    float *bins = line->bins;

    g_assert_cmpuint (lines->lines->len, ==, 7); /* 3, 4, 5, 10, 11, 30, 31 */
    assert_near (line->total, 9);
    assert_near (line->self, 9);
    assert_near (line->classes[JOB_CLASS_MPI], 9);
    g_assert_cmpuint (line->context, ==, MAIN4);
    /* rank 0 is in MPI from 4 to 8 s after the begin, rank 1 from 3 to 8 */
    for (guint i = 0; i < 10; i++) {
        assert_near (bins[i * JOB_N_CLASSES + JOB_CLASS_MPI], i < 3    ? 0
                                                              : i == 3 ? 1
                                                              : i < 8  ? 2
                                                                       : 0);
    }
    assert_near (lines->most_bin, 2);
    line = profile_file_lines_find (lines, 10);
    assert_near (line->total,
                 6); /* KERNEL20's 4 and INNER's 2: it is there twice, counts once */
    assert_near (line->self, 2);
    line = profile_file_lines_find (lines, 3);
    assert_near (line->total, 7);
    assert_near (line->self, 0);
    assert_near (lines->most, 9);
    g_assert_null (profile_file_lines_find (lines, 6));
    g_assert_cmpuint (dear->lines->len, ==, 3); /* 5.4 s: 3, 4 and 10 */
    g_assert_nonnull (profile_file_lines_find (dear, 10));
    g_assert_null (profile_file_lines_find (dear, 5));
    g_assert_cmpuint (none->lines->len, ==, 0);
}

static void
expect_figure (ProfileFigure figure, const JobCounts *counts, double wanted)
{
    double value;

    g_assert_true (profile_figure_find (figure, COUNTED, counts, &value));
    assert_near (value, wanted);
}

/* Of functions, lines and ranks; what nobody has counted is not known. */
static void
test_counts (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    g_autoptr (JobRankSet) second = job_rank_set_new_range (1, 2);
    ProfileSlice other = { 0, G_MAXDOUBLE, second, PROFILE_ALL_CLASSES };
    g_autoptr (ProfileModel) other_model = profile_model_new_slice (model, &other);
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (ProfileCosts) other_costs = profile_costs_new (other_model);
    g_autoptr (ProfileFunctionTable) table = profile_function_table_new (costs, FALSE);
    g_autoptr (ProfileFileLines) lines = profile_file_lines_new (costs, "/src/b.c", 0, 0);
    const JobCounts *counts = &find_row (table, "kernel")->counts;
    const ProfileFileLine *line = profile_file_lines_find (lines, 20);
    double value;

    g_assert_cmpuint (costs->counted, ==, COUNTED);
    expect_figure (PROFILE_FIGURE_IPC, counts, 850 / 500.0); /* of KERNEL20 and KERNEL21 */
    expect_figure (PROFILE_FIGURE_FAULTS, counts, 2 * KERNEL20 + KERNEL21);
    g_assert_false (profile_figure_find (PROFILE_FIGURE_MISSES, COUNTED, counts, &value));
    g_assert_false (profile_figure_find (PROFILE_FIGURE_MEMORY, COUNTED, counts, &value));
    expect_figure (PROFILE_FIGURE_IPC, &line->own_counts, 2);
    expect_figure (PROFILE_FIGURE_IPC, &line->counts, 900 / 600.0); /* with INNER */
    g_assert_cmpuint (other_costs->counts[KERNEL20].values[JOB_COUNT_CYCLES], ==, 300);
    g_assert_cmpuint (other_costs->counts[INNER].values[JOB_COUNT_CYCLES], ==, 0);
    g_assert_false (profile_figure_find (PROFILE_FIGURE_IPC, COUNTED,
                                         &other_costs->counts[INNER], &value));
}

/* Of a part of the time, of one class, and where one of the ranks does not say it. */
static void
test_uncounted (void)
{
    g_autoptr (ProfileModel) model = make_model ();
    ProfileSlice early = { 0, 2, NULL, PROFILE_ALL_CLASSES };
    ProfileSlice native = { 0, G_MAXDOUBLE, NULL, JOB_CLASS_NATIVE };
    g_autoptr (ProfileModel) early_model = profile_model_new_slice (model, &early);
    g_autoptr (ProfileModel) native_model = profile_model_new_slice (model, &native);
    g_autoptr (ProfileCosts) costs = profile_costs_new (early_model);
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (JobContextCounts));
    JobSampleExtras extras = { NULL, none, 1u << JOB_COUNT_FAULTS };
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    g_autoptr (GBytes) less = NULL, batch = NULL;

    g_assert_null (costs->counts);
    g_assert_cmpuint (profile_counts_get_known (early_model), ==, 0);
    g_assert_cmpuint (profile_counts_get_known (native_model), ==, 0);
    fill (tree);
    less = job_sample_batch_encode_all (tree, N_CONTEXTS, samples, 0, &extras);
    g_assert_true (profile_model_add (model, 1, less, NULL)); /* there are no more files */
    g_assert_cmpuint (profile_counts_get_known (model), ==, 1u << JOB_COUNT_FAULTS);
    spend (samples, RECV, JOB_CLASS_MPI, 1);
    batch = job_sample_batch_encode (tree, 1, samples, 0);
    g_assert_true (profile_model_add (model, 2, batch, NULL));
    g_assert_cmpuint (profile_counts_get_known (model), ==, 0);
}

/* What the ranks have counted in all, with what came before their first sample. */
static void
test_missing_counts (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GArray) metrics = g_array_new (FALSE, FALSE, sizeof (JobMetrics));
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample)), counts = NULL;
    g_autoptr (JobContextTree) tree = job_context_tree_new ();
    JobMetrics used;

    fill (tree);
    spend (samples, KERNEL20, JOB_CLASS_NATIVE, 3);
    counts = count (samples);
    job_metrics_init (&used, 4000000);
    used.values[JOB_METRIC_INSTRUCTIONS] = 800;
    g_array_append_val (metrics, used);
    for (guint32 rank = 0; rank < 2; rank++) {
        const JobSampleExtras extras = { metrics, counts, COUNTED };
        g_autoptr (GBytes) batch = job_sample_batch_encode_all (tree, 1, samples, 0, &extras);
        double share;

        g_assert_true (profile_model_add (model, rank, batch, NULL));
        g_assert_true (profile_counts_find_missing (model, JOB_COUNT_INSTRUCTIONS, &share));
        assert_near (share, 0.25);
        g_assert_false (profile_counts_find_missing (model, JOB_COUNT_CYCLES, &share));
        g_assert_false (profile_counts_find_missing (model, JOB_COUNT_STALLS, &share));
    }
}

/* Nothing was sampled. */
static void
test_empty (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (ProfileCallTree) tree = profile_call_tree_new (costs);
    g_autoptr (ProfileFunctionTable) table = profile_function_table_new (costs, TRUE);
    g_autoptr (GArray) files = profile_file_lines_dup_files (costs);
    g_autoptr (ProfileFileLines) lines = profile_file_lines_new (costs, "a.c", 0, 8);

    assert_near (costs->total, 0);
    g_assert_cmpuint (tree->calls->len, ==, 1);
    g_assert_cmpuint (table->rows->len, ==, 0);
    g_assert_cmpuint (files->len, ==, 0);
    g_assert_cmpuint (lines->lines->len, ==, 0);
}

/* Four kinds of endings are named, those of few ranks first; that there are more is seen. */
static void
test_endings (void)
{
    static const char *const endings[] = { "SIGSEGV", "1", "SIGKILL", "3", "SIGABRT" };
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autofree char *none = profile_format_endings (model, BASE_TEXT_ENGLISH);
    g_autofree char *four = NULL, *five = NULL;

    g_assert_null (none);
    for (guint i = 0; i < G_N_ELEMENTS (endings); i++) {
        const ProfileProcess process = { .ending = g_intern_string (endings[i]) };

        if (i == 4) {
            four = profile_format_endings (model, BASE_TEXT_ENGLISH);
        }
        profile_model_set_process (model, i, &process);
    }
    five = profile_format_endings (model, BASE_TEXT_ENGLISH);
    g_assert_cmpstr (
        four, ==,
        "Not all ranks ended well: rank 1 ended with status 1; rank 3 ended with status 3; "
        "rank 2 was killed by SIGKILL; rank 0 was killed by SIGSEGV");
    g_assert_true (g_str_has_suffix (five, "; …"));
}

/* Two contexts with 1.4 periods each are three samples, as they are where an archive has made one of them. */
static void
test_count (void)
{
    g_autoptr (ProfileModel) model = profile_model_new ();
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (JobSample));
    const ProfileInfo info = { .rate = 100 };

    spend (samples, KERNEL20, JOB_CLASS_NATIVE, 1);
    spend (samples, KERNEL21, JOB_CLASS_NATIVE, 1);
    for (guint i = 0; i < samples->len; i++) {
        g_array_index (samples, JobSample, i).weight_us = 14000;
    }
    profile_model_set_info (model, &info);
    give (model, 0, samples);
    g_assert_cmpuint (profile_model_get_n_samples (model), ==, 3);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/profile/costs/sums", test_costs);
    g_test_add_func ("/profile/costs/call-tree", test_call_tree);
    g_test_add_func ("/profile/costs/bottom-up", test_bottom_up);
    g_test_add_func ("/profile/costs/edges", test_edges);
    g_test_add_func ("/profile/costs/repeated-edge", test_repeated_edge);
    g_test_add_func ("/profile/costs/own", test_own);
    g_test_add_func ("/profile/costs/functions", test_functions);
    g_test_add_func ("/profile/costs/child", test_child);
    g_test_add_func ("/profile/costs/many-ranks", test_many_ranks);
    g_test_add_func ("/profile/costs/files", test_files);
    g_test_add_func ("/profile/costs/foreign-files", test_foreign_files);
    g_test_add_func ("/profile/costs/lines", test_lines);
    g_test_add_func ("/profile/costs/counts", test_counts);
    g_test_add_func ("/profile/costs/uncounted", test_uncounted);
    g_test_add_func ("/profile/costs/missing-counts", test_missing_counts);
    g_test_add_func ("/profile/costs/empty", test_empty);
    g_test_add_func ("/profile/costs/endings", test_endings);
    g_test_add_func ("/profile/costs/count", test_count);
    return g_test_run ();
}
