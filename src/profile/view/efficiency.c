/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/view/efficiency.h"
#include "profile/costs.h"
#include "profile/losses.h"
#include "profile/private.h"
#include "profile/summary.h"
#include <string.h>

#define NEAR 0.25 /* of the way from the least to the mean */

gboolean
profile_efficiency_is_useful (guint class)
{
    return class == JOB_CLASS_NATIVE || class == JOB_CLASS_PYTHON || class == JOB_CLASS_IO
           || class == JOB_CLASS_NETWORK || class == JOB_CLASS_ACCELERATOR;
}

/* In Fortran's spellings, too, and those of the profiling interface. */
static gboolean
is_init (const char *function)
{
    const char *name = function != NULL && g_ascii_tolower (*function) == 'p' ? function + 1
                                                                              : function;
    gsize length = strlen ("MPI_Init");

    return name != NULL && g_ascii_strncasecmp (name, "MPI_Init", length) == 0
           && (name[length] == '\0' || name[length] == '_');
}

guint8 *
profile_efficiency_find_inits (const JobContextTree *tree)
{
    guint32 count = job_context_tree_get_count (tree);
    guint8 *is_in_init = g_new0 (guint8, (gsize) count + 1);

    for (guint32 number = 1; number <= count; number++) {
        const JobContext *context = job_context_tree_get (tree, number);

        is_in_init[number] = is_in_init[context->parent]
                             || is_init (context->location.function);
    }
    return is_in_init;
}

typedef struct {
    double useful_s, mpi_s, messages_s;
} Times;

/* Of the rank's first thread. */
static Times
add_thread (const ProfileModel *model, guint index, const guint8 *is_in_init)
{
    const ProfileRank *rank = g_ptr_array_index (model->ranks, index);
    Times times = { 0 };

    for (guint i = 0; i < profile_samples_get_n_threads (model, index); i++) {
        guint32 number;
        const GArray *samples = profile_samples_get (model, index, i, &number);

        for (guint j = 0; number == 1 && j < samples->len; j++) {
            const ProfileSample *sample = &g_array_index (samples, ProfileSample, j);
            double seconds = (double) sample->weight_us / G_USEC_PER_SEC;

            times.useful_s += profile_efficiency_is_useful (sample->class) ? seconds : 0;
            if (sample->class == JOB_CLASS_MPI) {
                times.mpi_s += seconds;
                times.messages_s
                    += is_in_init[g_array_index (rank->merged, guint32, sample->context)]
                           ? 0
                           : seconds;
            }
        }
    }
    return times;
}

gboolean
profile_efficiency_find (const ProfileModel *model, ProfileEfficiency *ret)
{
    g_autofree guint8 *is_in_init = profile_efficiency_find_inits (model->tree);

    *ret = (ProfileEfficiency){ 0 };
    if (profile_losses_lack_mpi (model)) {
        return FALSE;
    }
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        Times times;

        if (profile_model_get_n_members (model, i) > 1) {
            return FALSE;
        }
        if (profile_model_is_child (model, i)) {
            continue;
        }
        times = add_thread (model, i, is_in_init);
        if (ret->n_ranks == 0 || times.messages_s < ret->least_messages_s) {
            ret->least_messages_s = times.messages_s;
            ret->least = i;
        }
        ret->least_mpi_s = ret->n_ranks == 0 ? times.mpi_s
                                             : MIN (ret->least_mpi_s, times.mpi_s);
        ret->n_ranks++;
        ret->useful_s += times.useful_s;
        ret->mpi_s += times.mpi_s;
        ret->messages_s += times.messages_s;
        ret->most_s = MAX (ret->most_s, times.useful_s);
        ret->runtime_s = MAX (ret->runtime_s, profile_model_get_duration (model, i));
    }
    ret->useful_s /= MAX (ret->n_ranks, 1);
    ret->waiting_s = ret->messages_s - ret->n_ranks * ret->least_messages_s;
    return ret->n_ranks > 1 && ret->most_s > 0 && ret->runtime_s > 0;
}

JobRankSet *
profile_efficiency_dup_least (const ProfileModel *model, const ProfileEfficiency *all)
{
    g_autofree guint8 *is_in_init = profile_efficiency_find_inits (model->tree);
    JobRankSet *ranks = job_rank_set_new ();
    double most = all->least_messages_s + NEAR * all->waiting_s / MAX (all->n_ranks, 1);

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        if (!profile_model_is_child (model, i)
            && add_thread (model, i, is_in_init).messages_s <= most) {
            job_rank_set_add (ranks, profile_model_get_rank (model, i));
        }
    }
    return ranks;
}

/* ---- places ---- */

char *
profile_efficiency_format_place (const ProfileModel *model, const JobLocation *place)
{
    g_autofree char *name = profile_dup_name (place), *file = NULL;

    if (place->file == NULL || place->line == 0) {
        return g_steal_pointer (&name);
    }
    file = profile_dup_short_file (model, place->file);
    return g_strdup_printf ("%s at %s:%u", name, file, place->line);
}

/* The place with the most of the seconds. What was at no line of the program's own counts for the function that it was in: so
 * much in one that the largest part is said to be at no line that has less. */
static const JobLocation *
find_largest (const ProfileModel *model, const double *seconds, double *ret_seconds)
{
    const JobContextTree *tree = profile_model_get_contexts (model);
    guint32 count = job_context_tree_get_count (tree);
    g_autoptr (GHashTable) sums
        = g_hash_table_new_full ((GHashFunc) (gpointer) job_location_hash,
                                 (GEqualFunc) (gpointer) job_location_equal, NULL, g_free);
    const JobLocation *best = NULL;

    *ret_seconds = 0;
    for (guint32 number = 1; number <= count; number++) {
        guint32 place_at = seconds[number] > 0 ? profile_find_place (tree, number) : 0;
        const JobLocation *place
            = &job_context_tree_get (tree, place_at != 0 ? place_at : number)->location;
        double *sum;

        if (seconds[number] <= 0) {
            continue;
        }
        sum = g_hash_table_lookup (sums, place);
        if (sum == NULL) {
            sum = g_new0 (double, 1);
            g_hash_table_insert (sums, (gpointer) place, sum);
        }
        *sum += seconds[number];
        if (*sum > *ret_seconds) {
            *ret_seconds = *sum;
            best = place;
        }
    }
    return best;
}

char *
profile_efficiency_find_most (const ProfileModel *model, const double *seconds,
                              double *ret_seconds)
{
    const JobLocation *best = find_largest (model, seconds, ret_seconds);

    return best != NULL && !profile_is_gap (best)
               ? profile_efficiency_format_place (model, best)
               : NULL;
}

char *
profile_efficiency_find_place (const ProfileModel *model, JobClass class, double *ret_seconds)
{
    g_autoptr (ProfileCosts) costs = profile_costs_new (model);
    g_autofree double *seconds = g_new0 (double, (gsize) costs->n_contexts + 1);
    const JobLocation *best;

    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        seconds[number] = costs->classes[(gsize) number * JOB_N_CLASSES + class];
    }
    best = find_largest (model, seconds, ret_seconds);
    return best != NULL && !profile_is_gap (best)
               ? profile_efficiency_format_place (model, best)
               : NULL;
}

typedef struct {
    const ProfileModel *model;
    const JobRankSet *ranks;
    double *seconds; /* of each context */
} Work;

static void
add_piece (const ProfilePiece *piece, gpointer user)
{
    Work *work = user;

    if (profile_efficiency_is_useful (piece->class)
        && !profile_model_is_child (work->model, piece->position)
        && job_rank_set_contains (work->ranks,
                                  profile_model_get_rank (work->model, piece->position))) {
        work->seconds[piece->context] += (double) (piece->end_us - piece->begin_us)
                                         / G_USEC_PER_SEC;
    }
}

char *
profile_efficiency_find_work (const ProfileModel *model, const JobRankSet *ranks)
{
    guint32 count = job_context_tree_get_count (model->tree);
    g_autofree double *seconds = g_new0 (double, (gsize) count + 1);
    Work work = { model, ranks, seconds };
    double most;

    profile_costs_walk (model, add_piece, &work);
    return profile_efficiency_find_most (model, seconds, &most);
}
