/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/view/lone-work.h"
#include "profile/private.h"
#include "profile/view/efficiency.h"

/* Ranks that take turns faster than they are sampled look, by chance, like some that wait for each other for several samples.
 * Of ranks that are in MPI for half of the time by chance, 1 % of it is left by this many. */
#define LEAST_SAMPLES 6
#define USUAL_US 10000 /* that a sample stands for, where there are none that ran */
#define MAX_EDGES 4000000u

typedef enum { NEITHER, WORKS, IS_IN_MPI } State;

/* A state begins or ends. */
typedef struct {
    gint64 time_us;
    guint32 index;
    gint8 work, long_work, long_mpi; /* +1 or -1 */
} Edge;

/* One rank alone worked, and so many were in MPI. */
typedef struct {
    gint64 begin_us, end_us;
    guint n_waiting;
} Stretch;

typedef struct {
    const ProfileModel *model;
    guint8 *is_in_init;
    GArray *edges;
    GPtrArray *alone; /* of GArray of Stretch, by index */
} Sweep;

/* Those of the rank's first thread; NULL: none. */
static const GArray *
find_samples (const ProfileModel *model, guint index)
{
    for (guint i = 0; i < profile_samples_get_n_threads (model, index); i++) {
        guint32 number;
        const GArray *samples = profile_samples_get (model, index, i, &number);

        if (number == 1) {
            return samples;
        }
    }
    return NULL;
}

static State
find_state (const Sweep *sweep, const ProfileRank *rank, const ProfileSample *sample)
{
    if (profile_efficiency_is_useful (sample->class)) {
        return WORKS;
    }
    return sample->class == JOB_CLASS_MPI
                   && !sweep->is_in_init[g_array_index (rank->merged, guint32, sample->context)]
               ? IS_IN_MPI
               : NEITHER;
}

/* What a sample of a thread that ran stands for, on the average. */
static double
find_grain_us (const GArray *samples)
{
    double sum_us = 0;
    guint n = 0;

    for (guint i = 0; i < samples->len; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);

        if (!sample->is_blocked) {
            sum_us += sample->weight_us;
            n++;
        }
    }
    return n > 0 ? sum_us / n : USUAL_US;
}

static void
add_edges (Sweep *sweep, guint index, State state, gint64 begin_us, gint64 end_us,
           gboolean is_long)
{
    Edge edge = { begin_us, index, state == WORKS, state == WORKS && is_long,
                  state == IS_IN_MPI && is_long };

    if (edge.work != 0 || edge.long_mpi != 0) {
        g_array_append_val (sweep->edges, edge);
        edge = (Edge){ end_us, index, (gint8) -edge.work, (gint8) -edge.long_work,
                       (gint8) -edge.long_mpi };
        g_array_append_val (sweep->edges, edge);
    }
}

static void
add_rank (Sweep *sweep, guint index)
{
    const ProfileRank *rank = g_ptr_array_index (sweep->model->ranks, index);
    const GArray *samples = find_samples (sweep->model, index);
    double least_us = samples != NULL ? LEAST_SAMPLES * find_grain_us (samples) : 0;
    gint64 begin_us = 0, end_us = 0;
    State state = NEITHER;

    for (guint i = 0; samples != NULL && i < samples->len; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);
        State its = find_state (sweep, rank, sample);
        gint64 from_us = sample->time_us - (gint64) sample->weight_us + rank->process.offset_us;

        if (its != state || from_us > end_us + 1) {
            add_edges (sweep, index, state, begin_us, end_us,
                       (double) (end_us - begin_us) >= least_us);
            begin_us = MAX (from_us, end_us);
            state = its;
        }
        end_us = MAX (end_us, sample->time_us + rank->process.offset_us);
    }
    add_edges (sweep, index, state, begin_us, end_us, (double) (end_us - begin_us) >= least_us);
}

BASE_ORDER (compare_edges, Edge, BASE_BY (time_us))

static void
find_alone (Sweep *sweep)
{
    gint64 n_work = 0, n_long = 0, n_waiting = 0, sum_of_indexes = 0;

    g_array_sort (sweep->edges, compare_edges);
    for (guint i = 0; i + 1 < sweep->edges->len; i++) {
        const Edge *edge = &g_array_index (sweep->edges, Edge, i);
        Stretch stretch = { edge->time_us, edge[1].time_us, 0 };

        n_work += edge->work;
        n_long += edge->long_work;
        n_waiting += edge->long_mpi;
        sum_of_indexes += edge->work * (gint64) edge->index;
        if (n_work == 1 && n_long == 1 && n_waiting > 0 && stretch.end_us > stretch.begin_us) {
            stretch.n_waiting = (guint) n_waiting;
            g_array_append_val ((GArray *) g_ptr_array_index (sweep->alone,
                                                              (guint) sum_of_indexes),
                                stretch);
        }
    }
}

/* What the rank did meanwhile: seconds of each context in the model's tree. */
static double
fill_seconds (const Sweep *sweep, guint index, double *seconds)
{
    const ProfileRank *rank = g_ptr_array_index (sweep->model->ranks, index);
    const GArray *stretches = g_ptr_array_index (sweep->alone, index);
    const GArray *samples = find_samples (sweep->model, index);
    double sum = 0;
    guint first = 0;

    for (guint i = 0; samples != NULL && i < samples->len; i++) {
        const ProfileSample *sample = &g_array_index (samples, ProfileSample, i);
        gint64 end_us = sample->time_us + rank->process.offset_us;
        gint64 begin_us = end_us - (gint64) sample->weight_us;

        for (guint j = first; j < stretches->len; j++) {
            const Stretch *stretch = &g_array_index (stretches, Stretch, j);
            gint64 both_us = MIN (end_us, stretch->end_us) - MAX (begin_us, stretch->begin_us);

            if (stretch->begin_us >= end_us) {
                break;
            }
            first = stretch->end_us <= begin_us ? j + 1 : first;
            if (both_us > 0) {
                double spent = (double) both_us * stretch->n_waiting / G_USEC_PER_SEC;

                seconds[g_array_index (rank->merged, guint32, sample->context)] += spent;
                sum += spent;
            }
        }
    }
    return sum;
}

BASE_ORDER (compare_work, ProfileLoneWork, BASE_BY_DOWN (seconds))

static void
clear_work (gpointer data)
{
    g_free (((ProfileLoneWork *) data)->place);
}

static GArray *
list_work (const Sweep *sweep)
{
    guint32 count = job_context_tree_get_count (sweep->model->tree);
    GArray *list = g_array_new (FALSE, FALSE, sizeof (ProfileLoneWork));

    g_array_set_clear_func (list, clear_work);
    for (guint i = 0; i < sweep->alone->len; i++) {
        if (((const GArray *) g_ptr_array_index (sweep->alone, i))->len > 0) {
            g_autofree double *seconds = g_new0 (double, (gsize) count + 1);
            ProfileLoneWork work = { .rank = profile_model_get_rank (sweep->model, i),
                                     .seconds = fill_seconds (sweep, i, seconds) };
            double most;

            work.place = profile_efficiency_find_most (sweep->model, seconds, &most);
            g_array_append_val (list, work);
        }
    }
    g_array_sort (list, compare_work);
    return list;
}

GArray *
profile_lone_work_new (const ProfileModel *model)
{
    g_autofree guint8 *is_in_init = profile_efficiency_find_inits (model->tree);
    g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
    g_autoptr (GPtrArray) alone
        = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
    Sweep sweep = { model, is_in_init, edges, alone };

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        g_ptr_array_add (alone, g_array_new (FALSE, FALSE, sizeof (Stretch)));
        if (!model->is_traced && !profile_model_is_child (model, i) && edges->len < MAX_EDGES) {
            add_rank (&sweep, i);
        }
    }
    if (edges->len < MAX_EDGES) { /* else nobody waits for an answer */
        find_alone (&sweep);
    }
    return list_work (&sweep);
}
