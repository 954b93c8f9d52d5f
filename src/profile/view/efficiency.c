/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/view/efficiency.h"
#include "profile/costs.h"
#include "profile/private.h"
#include "profile/summary.h"

static gboolean
is_useful (guint class)
{
    return class == JOB_CLASS_NATIVE || class == JOB_CLASS_PYTHON || class == JOB_CLASS_IO
           || class == JOB_CLASS_NETWORK || class == JOB_CLASS_ACCELERATOR;
}

/* Of the rank's first thread, in s. */
static void
add_thread (const ProfileModel *model, guint index, double *useful_s, double *mpi_s)
{
    for (guint i = 0; i < profile_samples_get_n_threads (model, index); i++) {
        guint32 number;
        const GArray *samples = profile_samples_get (model, index, i, &number);

        for (guint j = 0; number == 1 && j < samples->len; j++) {
            const ProfileSample *sample = &g_array_index (samples, ProfileSample, j);
            double seconds = (double) sample->weight_us / G_USEC_PER_SEC;

            *useful_s += is_useful (sample->class) ? seconds : 0;
            *mpi_s += sample->class == JOB_CLASS_MPI ? seconds : 0;
        }
    }
}

gboolean
profile_efficiency_find (const ProfileModel *model, ProfileEfficiency *ret)
{
    *ret = (ProfileEfficiency){ 0 };
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        double useful = 0, mpi = 0;

        if (profile_model_get_n_members (model, i) > 1) {
            return FALSE;
        }
        if (profile_model_is_child (model, i)) {
            continue;
        }
        add_thread (model, i, &useful, &mpi);
        if (ret->n_ranks == 0 || mpi < ret->least_mpi_s) {
            ret->least_mpi_s = mpi;
            ret->least = i;
        }
        ret->n_ranks++;
        ret->useful_s += useful;
        ret->mpi_s += mpi;
        ret->most_s = MAX (ret->most_s, useful);
        ret->runtime_s = MAX (ret->runtime_s, profile_model_get_duration (model, i));
    }
    ret->useful_s /= MAX (ret->n_ranks, 1);
    ret->waiting_s = ret->mpi_s - ret->n_ranks * ret->least_mpi_s;
    return ret->n_ranks > 1 && ret->most_s > 0 && ret->runtime_s > 0;
}

static char *
format_place (const ProfileModel *model, const JobLocation *place)
{
    g_autofree char *file = profile_dup_short_file (model, place->file);

    return g_strdup_printf ("%s at %s:%u", place->function != NULL ? place->function : "??",
                            file, place->line);
}

/* The innermost frame that is the program's own; 0: none. */
static guint32
find_own (const JobContextTree *tree, guint32 number)
{
    while (number != 0) {
        const JobContext *context = job_context_tree_get (tree, number);

        if (context->location.file != NULL && context->location.line > 0
            && (context->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER)) == 0) {
            return number;
        }
        number = context->parent;
    }
    return 0;
}

char *
profile_efficiency_find_place (const ProfileModel *model, JobClass class, double *ret_seconds)
{
    const JobContextTree *tree = profile_model_get_contexts (model);
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autoptr (GHashTable) sums
        = g_hash_table_new_full ((GHashFunc) (gpointer) job_location_hash,
                                 (GEqualFunc) (gpointer) job_location_equal, NULL, g_free);
    const JobLocation *best = NULL;

    *ret_seconds = 0;
    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        double seconds = costs->classes[(gsize) number * JOB_N_CLASSES + class];
        guint32 own = seconds > 0 ? find_own (tree, number) : 0;
        const JobLocation *place;
        double *sum;

        if (own == 0) {
            continue;
        }
        place = &job_context_tree_get (tree, own)->location;
        sum = g_hash_table_lookup (sums, place);
        if (sum == NULL) {
            sum = g_new0 (double, 1);
            g_hash_table_insert (sums, (gpointer) place, sum);
        }
        *sum += seconds;
        if (*sum > *ret_seconds) {
            *ret_seconds = *sum;
            best = place;
        }
    }
    return best != NULL ? format_place (model, best) : NULL;
}

char *
profile_efficiency_find_work (const ProfileModel *model, guint index)
{
    g_autoptr (GPtrArray) lines = profile_lines_new (model, TRUE);
    const ProfileLine *best = NULL;

    for (guint i = 0; i < lines->len; i++) {
        const ProfileLine *line = g_ptr_array_index (lines, i);

        if (line->ranks[index] > (best != NULL ? best->ranks[index] : 0)) {
            best = line;
        }
    }
    return best != NULL ? format_place (model, &best->location) : NULL;
}
