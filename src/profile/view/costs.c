/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times are added by context and rank; ranks keep only the contexts that they were in. */
#include "profile/costs.h"
#include "profile/private.h"

void
profile_costs_free (ProfileCosts *costs)
{
    if (costs == NULL) {
        return;
    }
    g_free (costs->self);
    g_free (costs->classes);
    g_free (costs->calls);
    g_free (costs->counts);
    g_array_unref (costs->ranks);
    g_array_unref (costs->costs);
    g_free (costs->functions);
    g_free (costs->examples);
    g_free (costs->is_outermost);
    g_free (costs->is_hidden);
    g_free (costs);
}

/* ---- samples ---- */

static void
walk_thread (const ProfileRank *rank, const ProfileThread *thread, guint position,
             ProfilePieceFunc func, gpointer user)
{
    for (guint i = 0; i < thread->samples->len; i++) {
        const ProfileSample *sample = &g_array_index (thread->samples, ProfileSample, i);
        gint64 end_us = sample->time_us + rank->process.offset_us;
        ProfilePiece piece = { position, g_array_index (rank->merged, guint32, sample->context),
                               sample->class, end_us - (gint64) sample->weight_us, end_us };

        if (thread->number == 1 || !sample->is_blocked) {
            func (&piece, user);
        }
    }
}

void
profile_costs_walk (const ProfileModel *model, ProfilePieceFunc func, gpointer user)
{
    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (model->ranks, i);

        for (guint j = 0; j < rank->threads->len; j++) {
            walk_thread (rank, g_ptr_array_index (rank->threads, j), i, func, user);
        }
    }
}

/* ---- functions of contexts ---- */

/* The context counts for its caller: it is a library's, and the program's own code has called that. */
static gboolean
hide_context (ProfileCosts *costs, guint32 number, const JobContext *context, guint8 *is_owned)
{
    gboolean is_own = (context->flags & JOB_FRAME_LIBRARY) == 0
                      || (context->flags & JOB_FRAME_PROGRAM) != 0;

    is_owned[number] = is_own || is_owned[context->parent];
    costs->is_hidden[number] = !is_own && is_owned[context->parent];
    return costs->is_hidden[number];
}

static void
number_functions (ProfileCosts *costs)
{
    g_autofree guint8 *is_owned = g_new0 (guint8, (gsize) costs->n_contexts + 1);
    const JobContextTree *tree = costs->model->tree;
    g_autoptr (GHashTable) known = g_hash_table_new (profile_hash_function,
                                                     profile_equal_functions);
    g_autoptr (GArray) examples = g_array_new (FALSE, TRUE, sizeof (guint32));

    g_array_set_size (examples, 1);
    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        const JobContext *context = job_context_tree_get (tree, number);
        guint32 function = GPOINTER_TO_UINT (g_hash_table_lookup (known, &context->location));
        guint32 at = context->parent;

        if (costs->is_hidden != NULL && hide_context (costs, number, context, is_owned)) {
            costs->functions[number] = costs->functions[context->parent];
            continue;
        }
        if (function == 0) {
            function = examples->len;
            g_hash_table_insert (known, (gpointer) &context->location,
                                 GUINT_TO_POINTER (function));
            g_array_append_val (examples, number);
        }
        costs->functions[number] = function;
        while (at != 0 && costs->functions[at] != function) {
            at = job_context_tree_get (tree, at)->parent;
        }
        costs->is_outermost[number] = at == 0;
    }
    costs->n_functions = examples->len - 1;
    costs->examples = (guint32 *) (void *) g_array_free (g_steal_pointer (&examples), FALSE);
}

/* ---- sums ---- */

typedef struct {
    ProfileCosts *costs;
    guint position;
    double *seconds; /* of the rank that is being added, of each context */
    GArray *touched; /* of guint32: contexts that have some */
} Sum;

static void
finish_rank (Sum *sum)
{
    ProfileCostRank *rank = &g_array_index (sum->costs->ranks, ProfileCostRank, sum->position);

    rank->first = sum->costs->costs->len;
    for (guint i = 0; i < sum->touched->len; i++) {
        guint32 context = g_array_index (sum->touched, guint32, i);
        ProfileCost cost = { context, sum->seconds[context] };

        g_array_append_val (sum->costs->costs, cost);
        sum->costs->self[context] += cost.seconds;
        sum->costs->total += cost.seconds;
        sum->seconds[context] = 0;
    }
    g_array_set_size (sum->touched, 0);
    rank->end = sum->costs->costs->len;
}

static void
note_time (const ProfilePiece *piece, gpointer user)
{
    Sum *sum = user;

    sum->costs->begin_us = MIN (sum->costs->begin_us, piece->begin_us);
    sum->costs->end_us = MAX (sum->costs->end_us, piece->end_us);
}

/* Of the rank that is being added. */
static void
add_seconds (Sum *sum, guint32 context, guint class, double seconds)
{
    if (sum->seconds[context] <= 0 && seconds > 0) {
        g_array_append_val (sum->touched, context);
    }
    sum->seconds[context] += seconds;
    sum->costs->classes[(gsize) context * JOB_N_CLASSES + class] += seconds;
}

static void
add_piece (const ProfilePiece *piece, gpointer user)
{
    add_seconds (user, piece->context, piece->class,
                 (double) (piece->end_us - piece->begin_us) / G_USEC_PER_SEC);
    note_time (piece, user);
}

/* A group of ranks, which has no samples. */
static void
add_group (Sum *sum, const ProfileRank *rank)
{
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));

    job_costs_read (rank->costs, rank->group, row);
    for (guint i = 0; i < row->len; i++) {
        const JobCost *cost = &g_array_index (row, JobCost, i);

        add_seconds (sum, g_array_index (rank->merged, guint32, cost->context), cost->class,
                     (double) cost->ms * rank->n_members / 1000);
    }
}

/* A rank whose calls were recorded: its samples are a picture of them. */
static void
add_counted (Sum *sum, const ProfileRank *rank)
{
    for (guint32 number = 0; number < rank->calls->len; number++) {
        add_seconds (sum, g_array_index (rank->merged, guint32, number),
                     g_array_index (rank->kinds, guint8, number),
                     g_array_index (rank->self, double, number) / G_USEC_PER_SEC);
    }
}

static void
add_rank (Sum *sum, const ProfileRank *rank)
{
    if (rank->costs != NULL) {
        add_group (sum, rank);
        return;
    }
    if (rank->calls != NULL) {
        add_counted (sum, rank);
    }
    for (guint i = 0; i < rank->threads->len; i++) {
        walk_thread (rank, g_ptr_array_index (rank->threads, i), sum->position,
                     rank->calls != NULL ? note_time : add_piece, sum);
    }
}

static void
add_ranks (ProfileCosts *costs)
{
    for (guint i = 0; i < costs->model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (costs->model->ranks, i);
        ProfileCostRank entry
            = { i, rank->rank, rank->process.parent != 0, MAX (rank->n_members, 1), 0, 0 };

        g_array_append_val (costs->ranks, entry);
    }
}

static ProfileCosts *
make_costs (const ProfileModel *model, gboolean is_own)
{
    ProfileCosts *costs = g_new0 (ProfileCosts, 1);
    gsize n = (gsize) job_context_tree_get_count (model->tree) + 1;
    g_autofree double *seconds = g_new0 (double, n);
    g_autoptr (GArray) touched = g_array_new (FALSE, FALSE, sizeof (guint32));
    Sum sum = { costs, 0, seconds, touched };

    costs->model = model;
    costs->n_contexts = (guint32) n - 1;
    costs->self = g_new0 (double, n);
    costs->classes = g_new0 (double, n *JOB_N_CLASSES);
    costs->calls = g_new0 (guint64, n);
    costs->counted = profile_counts_get_known (model);
    costs->counts = costs->counted != 0 ? g_new0 (JobCounts, n) : NULL;
    costs->functions = g_new0 (guint32, n);
    costs->is_outermost = g_new0 (guint8, n);
    costs->is_hidden = is_own ? g_new0 (guint8, n) : NULL;
    costs->ranks = g_array_new (FALSE, FALSE, sizeof (ProfileCostRank));
    costs->costs = g_array_new (FALSE, FALSE, sizeof (ProfileCost));
    costs->begin_us = G_MAXINT64;
    costs->end_us = G_MININT64;
    number_functions (costs);
    add_ranks (costs);
    for (; sum.position < costs->ranks->len; sum.position++) {
        add_rank (&sum, g_ptr_array_index (model->ranks, sum.position));
        profile_model_add_calls (model, sum.position, costs->calls);
        if (costs->counts != NULL) {
            profile_counts_add (model, sum.position, costs->counts);
        }
        finish_rank (&sum);
    }
    if (costs->begin_us > costs->end_us) {
        costs->begin_us = costs->end_us = 0;
    }
    return costs;
}

ProfileCosts *
profile_costs_new (const ProfileModel *model)
{
    return make_costs (model, FALSE);
}

ProfileCosts *
profile_costs_new_own (const ProfileModel *model)
{
    return make_costs (model, TRUE);
}

/* Inner contexts have higher numbers. */
static void
add_to_callers (const ProfileCosts *costs, double *inclusive)
{
    for (guint32 number = costs->n_contexts; number > 0; number--) {
        inclusive[job_context_tree_get (costs->model->tree, number)->parent]
            += inclusive[number];
    }
}

void
profile_costs_fill_inclusive (const ProfileCosts *costs, double *inclusive)
{
    for (guint32 number = 0; number <= costs->n_contexts; number++) {
        inclusive[number] = costs->self[number];
    }
    add_to_callers (costs, inclusive);
}

void
profile_costs_fill_rank (const ProfileCosts *costs, guint position, double *inclusive)
{
    const ProfileCostRank *rank = &g_array_index (costs->ranks, ProfileCostRank, position);

    for (guint32 number = 0; number <= costs->n_contexts; number++) {
        inclusive[number] = 0;
    }
    for (guint i = rank->first; i < rank->end; i++) {
        const ProfileCost *cost = &g_array_index (costs->costs, ProfileCost, i);

        inclusive[cost->context] = cost->seconds;
    }
    add_to_callers (costs, inclusive);
}
