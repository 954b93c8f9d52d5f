/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks are added one after the other, so that the memory grows with functions and bars alone. */
#include "profile/function-table.h"
#include <math.h>
#include "profile/private.h"

/* Groups of equal ranks count as that many ranks, and share a bar. */
/* A function while the ranks are added. */
typedef struct {
    double squares; /* of differences from the mean until now (Welford 1962) */
    double best_self, best_total;
} Spread;

static void
clear_row (gpointer data)
{
    g_free (((ProfileFunctionRow *) data)->bars);
}

BASE_FREE_PUBLIC (profile_function_table_free, ProfileFunctionTable, table,
                  g_array_unref (table->rows))

/* What all ranks have spent, and the most expensive line. */
static void
add_all (const ProfileCosts *costs, ProfileFunctionRow *rows, Spread *spreads)
{
    g_autofree double *inclusive = g_new0 (double, (gsize) costs->n_contexts + 1);

    profile_costs_fill_inclusive (costs, inclusive);
    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        ProfileFunctionRow *row = &rows[costs->functions[number]];
        Spread *spread = &spreads[costs->functions[number]];
        double self = costs->self[number], total = inclusive[number];

        row->self += self;
        row->total += costs->is_outermost[number] ? total : 0;
        if (costs->counts != NULL) {
            job_counts_add (&row->counts, &costs->counts[number]);
        }
        if (costs->is_hidden != NULL && costs->is_hidden[number]) {
            continue; /* it has another name */
        }
        if (row->context == 0 || self > spread->best_self
            || (spread->best_self <= 0 && total > spread->best_total)) {
            spread->best_self = self;
            spread->best_total = total;
            row->context = number;
        }
    }
}

static void
add_calls (const ProfileCosts *costs, ProfileFunctionRow *rows)
{
    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        if (costs->is_hidden == NULL || !costs->is_hidden[number]) {
            rows[costs->functions[number]].n_calls += costs->calls[number];
        }
    }
}

/* The rank's time of each function. */
static void
fill_times (const ProfileCosts *costs, guint position, gboolean by_total, double *inclusive,
            double *times)
{
    const ProfileCostRank *rank = &g_array_index (costs->ranks, ProfileCostRank, position);

    for (guint32 function = 0; function <= costs->n_functions; function++) {
        times[function] = 0;
    }
    if (!by_total) {
        for (guint i = rank->first; i < rank->end; i++) {
            const ProfileCost *cost = &g_array_index (costs->costs, ProfileCost, i);

            times[costs->functions[cost->context]] += cost->seconds;
        }
        return;
    }
    profile_costs_fill_rank (costs, position, inclusive);
    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        if (costs->is_outermost[number]) {
            times[costs->functions[number]] += inclusive[number];
        }
    }
}

static void
add_time (ProfileFunctionRow *row, Spread *spread, guint n_before, guint n_members, guint bar,
          double time)
{
    double difference = time - row->mean;

    row->min = n_before == 0 ? time : MIN (row->min, time);
    row->max = MAX (row->max, time);
    row->mean += difference * n_members / (n_before + n_members);
    spread->squares += difference * (time - row->mean) * n_members;
    row->bars[bar] = MAX (row->bars[bar], (float) time);
}

static void
add_ranks (const ProfileCosts *costs, gboolean by_total, ProfileFunctionTable *table,
           ProfileFunctionRow *rows, Spread *spreads)
{
    g_autofree double *inclusive = g_new0 (double, (gsize) costs->n_contexts + 1);
    g_autofree double *times = g_new0 (double, (gsize) costs->n_functions + 1);
    guint n = 0, group = 0;

    for (guint i = 0; i < costs->ranks->len; i++) {
        const ProfileCostRank *rank = &g_array_index (costs->ranks, ProfileCostRank, i);

        if (rank->is_child) {
            continue;
        }
        fill_times (costs, i, by_total, inclusive, times);
        for (guint32 function = 1; function <= costs->n_functions; function++) {
            if (rows[function].bars != NULL) {
                add_time (&rows[function], &spreads[function], n, rank->n_members,
                          (guint) ((guint64) group * table->n_bars / table->n_groups),
                          times[function] / rank->n_members);
            }
        }
        n += rank->n_members;
        group++;
    }
}

BASE_ORDER (compare_rows, ProfileFunctionRow, BASE_BY_DOWN (self) ?: BASE_BY_DOWN (total))

ProfileFunctionTable *
profile_function_table_new (const ProfileCosts *costs, gboolean by_total)
{
    ProfileFunctionTable *table = g_new0 (ProfileFunctionTable, 1);
    gsize n = (gsize) costs->n_functions + 1;
    g_autofree ProfileFunctionRow *rows = g_new0 (ProfileFunctionRow, n);
    g_autofree Spread *spreads = g_new0 (Spread, n);

    for (guint i = 0; i < costs->ranks->len; i++) {
        const ProfileCostRank *rank = &g_array_index (costs->ranks, ProfileCostRank, i);

        table->n_ranks += rank->is_child ? 0 : rank->n_members;
        table->n_groups += !rank->is_child;
    }
    table->n_bars = MIN (table->n_groups, PROFILE_MAX_BARS);
    table->has_calls = profile_model_has_calls (costs->model);
    table->rows = g_array_new (FALSE, FALSE, sizeof (ProfileFunctionRow));
    g_array_set_clear_func (table->rows, clear_row);
    add_all (costs, rows, spreads);
    add_calls (costs, rows);
    for (guint32 function = 1; function < n; function++) {
        rows[function].bars = rows[function].total > 0 ? g_new0 (float, table->n_bars + 1)
                                                       : NULL;
    }
    add_ranks (costs, by_total, table, rows, spreads);
    for (guint32 function = 1; function < n; function++) {
        ProfileFunctionRow *row = &rows[function];

        if (row->bars != NULL) {
            row->function = function;
            row->location = job_context_tree_get (costs->model->tree, row->context)->location;
            row->deviation = table->n_ranks > 0
                                 ? sqrt (MAX (spreads[function].squares, 0) / table->n_ranks)
                                 : 0;
            row->imbalance = row->mean > 0 ? row->max / row->mean - 1 : 0;
            table->most = MAX (table->most, row->max);
            g_array_append_val (table->rows, *row);
        }
    }
    g_array_sort (table->rows, compare_rows);
    return table;
}
