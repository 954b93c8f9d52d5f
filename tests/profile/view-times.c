/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view-times PDDT-ARCHIVE ARCHIVE: what the views show of an archive, in s. A row for each rank (not for child processes) and
 * class: rank, class, its time in Ranks, the sum of Activity over time, and its time in the slice of all the
 * time; and a row for each rank with the class "all": its own time of all functions, the total of its calls, and its
 * longest life; and one with "start": the function "(program start)". */
#include "profile/archive.h"
#include "profile/slice.h"
#include <stdio.h>

enum { N_BINS = 100 };

/* As Activity adds it up for one rank. */
static double
sum_bins (const ProfileModel *model, guint index, JobClass class)
{
    float bins[N_BINS * JOB_N_CLASSES] = { 0 };
    double sum = 0;

    profile_model_add_bins (model, index, PROFILE_COUNTED_THREADS, 0,
                            profile_model_get_end (model), N_BINS, bins);
    for (guint i = 0; i < N_BINS; i++) {
        sum += (double) bins[i * JOB_N_CLASSES + class];
    }
    return sum;
}

/* name: NULL: of all of them. */
static double
sum_functions (const ProfileModel *model, guint index, const char *name)
{
    g_autoptr (GPtrArray) functions = profile_functions_new (model);
    double sum = 0;

    for (guint i = 0; i < functions->len; i++) {
        const ProfileFunction *function = g_ptr_array_index (functions, i);

        if (name == NULL || g_strcmp0 (function->location.function, name) == 0) {
            sum += function->ranks[index];
        }
    }
    return sum;
}

int
main (int argc, char **argv)
{
    const ProfileSlice whole = { 0, G_MAXDOUBLE, NULL, PROFILE_ALL_CLASSES };
    g_autoptr (GError) error = NULL;
    g_autoptr (ProfileModel) model = NULL, slice = NULL;
    g_autoptr (ProfileNode) root = NULL;

    g_assert_cmpint (argc, ==, 3);
    model = profile_archive_read (argv[1], argv[2], &error);
    if (model == NULL) {
        fprintf (stderr, "%s\n", error->message);
        return 1;
    }
    slice = profile_model_new_slice (model, &whole);
    root = profile_tree_new (model);
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        guint32 rank = profile_model_get_rank (model, i);

        if (profile_model_is_child (model, i)) {
            continue;
        }
        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            if (profile_model_get_class (model, i, class) > 0) {
                printf ("%u\t%s\t%.6f\t%.6f\t%.6f\n", rank, job_class_get_name (class),
                        profile_model_get_class (model, i, class), sum_bins (model, i, class),
                        profile_model_get_class (slice, i, class));
            }
        }
        printf ("%u\tall\t%.6f\t%.6f\t%.6f\n", rank, sum_functions (model, i, NULL),
                root->ranks[i], profile_model_get_duration (model, i));
        printf ("%u\tstart\t%.6f\n", rank, sum_functions (model, i, "(program start)"));
    }
    return 0;
}
