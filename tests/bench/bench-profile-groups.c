/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model alone, at a size that no machine has: ranks × contexts as sums. First all ranks differ in all
 * contexts, which is the worst there can be; then there are 64 kinds of ranks. Prints; asserts nothing.
 *
 * bench-profile-groups [RANKS [CONTEXTS]] */
#include "profile/model.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define N_KINDS 64u

static double
get_cpu_s (void)
{
    struct rusage usage;

    getrusage (RUSAGE_SELF, &usage);
    return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
           + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double
get_most_gb (void)
{
    struct rusage usage;

    getrusage (RUSAGE_SELF, &usage);
    return (double) usage.ru_maxrss / 1e6;
}

static double
get_now_gb (void)
{
    g_autofree char *text = NULL;
    unsigned long pages = 0;

    if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)) {
        sscanf (text, "%*u %lu", &pages);
    }
    return (double) pages * 4096 / 1e9;
}

static void
add_contexts (JobContextTree *tree, guint32 n_contexts)
{
    for (guint32 i = 1; i <= n_contexts; i++) {
        g_autofree char *name = g_strdup_printf ("function%u", i % 211);
        const JobLocation place = { .function = name,
                                    .file = (char *) "/src/solver.c",
                                    .line = i,
                                    .language = JOB_LANGUAGE_C };

        job_context_tree_add (tree, i / 3, &place, 0);
    }
}

/* A minute at 100 Hz: 60 ms in each of a thousand contexts on the average. */
static void
fill_row (GArray *row, guint32 n_contexts, guint64 seed)
{
    guint64 random = seed * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + 1;

    g_array_set_size (row, n_contexts);
    for (guint32 i = 0; i < n_contexts; i++) {
        random = random * G_GUINT64_CONSTANT (6364136223846793005) + 1442695040888963407;
        g_array_index (row, JobCost, i) = (JobCost){ i + 1, i % 5 == 0 ? JOB_CLASS_MPI : 0,
                                                     1 + (guint32) (random >> 40) % 120 };
    }
}

static ProfileModel *
make_model (guint32 n_ranks, guint32 n_contexts, guint32 n_kinds)
{
    JobCosts *costs = job_costs_new ();
    ProfileModel *model = profile_model_new ();
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));

    add_contexts (job_costs_get_tree (costs), n_contexts);
    for (guint32 kind = 0; kind < n_kinds;
         kind++) { /* ranks of a kind are not beside each other */
        g_autoptr (JobRankSet) ranks = job_rank_set_new ();

        for (guint32 rank = kind; rank < n_ranks; rank += n_kinds) {
            job_rank_set_add (ranks, rank);
        }
        fill_row (row, n_contexts, kind + 1);
        job_costs_add (costs, ranks, row);
    }
    job_costs_note (costs, (guint64) n_ranks * 6000, 0, 60000);
    profile_model_add_costs (model, costs);
    return model;
}

/* What every list and tree begins with: each group's time in each context. */
static double
sum_all (const ProfileModel *model)
{
    gsize n = (gsize) job_context_tree_get_count (profile_model_get_contexts (model)) + 1;
    g_autofree double *seconds = g_new0 (double, n);
    g_autofree guint64 *samples = g_new0 (guint64, n);
    double sum = 0;

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        profile_model_add_self (model, i, seconds, samples);
    }
    for (gsize i = 0; i < n; i++) {
        sum += seconds[i];
    }
    return sum;
}

int
main (int argc, char **argv)
{
    guint32 n_ranks = argc > 1 ? (guint32) strtoul (argv[1], NULL, 10) : 1000000;
    guint32 n_contexts = argc > 2 ? (guint32) strtoul (argv[2], NULL, 10) : 1000;
    double begin = get_cpu_s ();
    ProfileModel *model = make_model (n_ranks, n_contexts, MIN (N_KINDS, n_ranks));
    double made = get_cpu_s (), listed, summed;
    ProfileNode *tree = profile_tree_new (model);
    GPtrArray *functions = profile_functions_new (model);

    listed = get_cpu_s ();
    printf (
        "profile of %u ranks x %u contexts, %u kinds of ranks: made in %.2f s, tree and functions in "
        "%.3f s (processor time), %.3f GB at most\n",
        n_ranks, n_contexts, profile_model_get_n_ranks (model), made - begin, listed - made,
        get_most_gb ());
    fflush (stdout);
    profile_tree_free (tree);
    g_ptr_array_unref (functions);
    profile_model_free (model);
    begin = get_cpu_s ();
    model = make_model (n_ranks, n_contexts, n_ranks);
    made = get_cpu_s ();
    printf (
        "profile of %u ranks x %u contexts, all different: made in %.1f s (processor time), %.2f GB",
        n_ranks, n_contexts, made - begin, get_now_gb ());
    fflush (stdout);
    sum_all (model);
    summed = get_cpu_s ();
    printf (", every rank's times read in %.1f s, %.2f GB at most\n", summed - made,
            get_most_gb ());
    profile_model_free (model);
    return 0;
}
