/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/sampling/sums-private.h"
#include "engine/inspect/inspect.h"
#include "engine/sampling/state-private.h"
#include "job/costs.h"

#define MAX_GROUPS 16u /* of ranks of one host that do not do the same */

/* One request on this host. */
typedef struct {
    guint64 request;
    guint32 period_ms;
    guint n_open; /* processes that are still sampled */
    JobCosts *costs;
    JobRankSet *slots; /* of the others */
} Sums;

struct _EngineSamplingOwn {
    Sums *sums;
    GArray *spent_us; /* of guint64, by context and class */
    guint64 n_samples;
    gint64 first_us, last_us;
};

BASE_FREE (free_sums, Sums, sums, job_costs_free (sums->costs); job_rank_set_free (sums->slots))

static Sums *
find_sums (Engine *engine, guint64 request, guint32 period_ms)
{
    Sums *sums;

    if (engine->sampling_sums == NULL) {
        engine->sampling_sums = g_ptr_array_new_with_free_func (free_sums);
    }
    for (guint i = 0; i < engine->sampling_sums->len; i++) {
        sums = g_ptr_array_index (engine->sampling_sums, i);
        if (sums->request == request) {
            return sums;
        }
    }
    sums = g_new0 (Sums, 1);
    sums->request = request;
    sums->period_ms = period_ms;
    sums->costs = job_costs_new ();
    sums->slots = job_rank_set_new ();
    g_ptr_array_add (engine->sampling_sums, sums);
    return sums;
}

EngineSamplingOwn *
engine_sampling_sums_begin (Engine *engine, guint64 request, guint32 period_ms)
{
    EngineSamplingOwn *own = g_new0 (EngineSamplingOwn, 1);

    own->sums = find_sums (engine, request, period_ms);
    own->sums->n_open++;
    own->spent_us = g_array_new (FALSE, TRUE, sizeof (guint64));
    return own;
}

void
engine_sampling_sums_add (EngineSamplingOwn *own, const JobSample *sample)
{
    guint key = sample->context * JOB_N_CLASSES + sample->class;
    gint64 begin_us = sample->time_us - (gint64) sample->weight_us;

    if (sample->thread != 1 && sample->is_blocked) {
        return;
    }
    if (own->spent_us->len <= key) {
        g_array_set_size (own->spent_us, key + 1);
    }
    g_array_index (own->spent_us, guint64, key) += sample->weight_us;
    own->first_us = own->n_samples == 0 ? begin_us : MIN (own->first_us, begin_us);
    own->last_us = MAX (own->last_us, sample->time_us);
    own->n_samples++;
}

/* The numbers of the process's contexts among those of the host. */
static guint32 *
add_contexts (JobContextTree *to, const JobContextTree *tree)
{
    guint32 count = job_context_tree_get_count (tree);
    guint32 *numbers = g_new0 (guint32, (gsize) count + 1);

    for (guint32 number = 1; number <= count; number++) {
        const JobContext *context = job_context_tree_get (tree, number);

        numbers[number] = job_context_tree_add (to, numbers[context->parent],
                                                &context->location, context->flags);
    }
    return numbers;
}

static void
add_counts (JobCosts *costs, const JobRankSet *slot, const guint32 *numbers,
            EngineSampling *sampling)
{
    guint32 counted = 0;
    g_autoptr (GArray) contexts = engine_sampling_take_counts (sampling, &counted);

    for (guint i = 0; contexts != NULL && i < contexts->len; i++) {
        JobContextCounts *each = &g_array_index (contexts, JobContextCounts, i);

        each->context = numbers[each->context];
    }
    if (contexts != NULL) {
        job_costs_add_counts (costs, job_rank_set_get_count (slot), counted, contexts);
    }
}

static void
add_own (const JobRankSet *slot, EngineSampling *sampling)
{
    const EngineSamplingOwn *own = sampling->own;
    JobCosts *costs = own->sums->costs;
    g_autofree guint32 *numbers = add_contexts (job_costs_get_tree (costs), sampling->tree);
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));

    for (guint key = 0; key < own->spent_us->len; key++) {
        guint64 ms = (g_array_index (own->spent_us, guint64, key) + 500) / 1000;
        JobCost cost = { numbers[key / JOB_N_CLASSES], key % JOB_N_CLASSES,
                         (guint32) MIN (ms, G_MAXUINT32) };

        if (ms > 0) {
            g_array_append_val (row, cost);
        }
    }
    job_costs_add (costs, slot, row);
    add_counts (costs, slot, numbers, sampling);
    job_costs_note (costs, own->n_samples, sampling->n_dropped,
                    (guint64) (own->last_us - own->first_us) / 1000);
}

static void
tell (Engine *engine, Sums *sums)
{
    JobEvent *event = job_event_new (JOB_EVENT_COSTS, sums->request, sums->slots);

    job_costs_join_alike (sums->costs, sums->period_ms, MAX_GROUPS);
    event->final = TRUE;
    event->costs = g_steal_pointer (&sums->costs);
    g_ptr_array_remove (engine->sampling_sums, sums);
    engine_emit (engine, event);
}

void
engine_sampling_sums_end (EngineProcess *process)
{
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);
    EngineSamplingOwn *own;
    Sums *sums;

    add_own (slot, process->sampling);
    own = g_steal_pointer (&process->sampling->own);
    sums = own->sums;
    job_rank_set_merge (sums->slots, slot);
    g_array_unref (own->spent_us);
    g_free (own);
    if (--sums->n_open == 0) {
        tell (process->engine, sums);
    }
}

void
engine_sampling_sums_clear (Engine *engine)
{
    g_clear_pointer (&engine->sampling_sums, g_ptr_array_unref);
}
