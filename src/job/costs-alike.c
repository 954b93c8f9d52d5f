/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that do the same have costs that differ by chance: they are sampled. */
#include "job/costs-private.h"
#include "base/array.h"
#include <math.h>
#include <string.h>

/* Standard deviations that chance does not reach, of a million ranks with a thousand times each. */
#define SIGMAS 6.0
#define MOST_MS 4e9

/* Ranks that have been found alike. */
typedef struct {
    JobRankSet *ranks;
    double n;
    double *sums; /* ms of all of them; by key */
} Crowd;

typedef struct {
    guint n_keys;
    const guint32 *contexts; /* of each key */
    const guint32 *classes;
    double period_ms;
    GPtrArray *crowds; /* of Crowd */
} Crowds;

BASE_FREE (free_crowd, Crowd, crowd, job_rank_set_free (crowd->ranks); g_free (crowd->sums))

/* How far two times are from each other: the square, in variances of what n ranks and m ranks have counted. */
static double
get_distance (const Crowds *crowds, double ms, double n, double mean, double m)
{
    double both = (ms * n + mean * m) / (n + m);
    double variance = (both + crowds->period_ms) * crowds->period_ms * (1 / n + 1 / m);

    return (ms - mean) * (ms - mean) / variance;
}

/* Is the sum of n squares what chance gives? It is chi-squared with n degrees of freedom, whose long tail the cube
 * root makes that of a normal distribution (Wilson and Hilferty, 1931). */
static gboolean
is_chance (double sum, double n)
{
    double variance = 2 / (9 * MAX (n, 1));
    double most = 1 - variance + SIGMAS * sqrt (variance);

    return sum <= n * most * most * most;
}

/* Their sum; more than `most`: it does not matter how much. is_alike: neither one nor all are too far. */
static double
compare (const Crowds *crowds, const double *row, double n, const Crowd *crowd, double most,
         gboolean *is_alike)
{
    double sum = 0, n_times = 0;

    *is_alike = TRUE;
    for (guint key = 0; key < crowds->n_keys; key++) {
        double distance;

        if (row[key] == 0 && crowd->sums[key] == 0) {
            continue;
        }
        distance = get_distance (crowds, row[key], n, crowd->sums[key] / crowd->n, crowd->n);
        *is_alike = *is_alike && distance <= SIGMAS * SIGMAS;
        sum += distance;
        n_times++;
        if (!*is_alike && sum > most) {
            break;
        }
    }
    *is_alike = *is_alike && is_chance (sum, n_times);
    return sum;
}

static void
join (Crowd *crowd, const JobRankSet *ranks, const double *row, double n, guint n_keys)
{
    job_rank_set_merge (crowd->ranks, ranks);
    crowd->n += n;
    for (guint key = 0; key < n_keys; key++) {
        crowd->sums[key] += row[key] * n;
    }
}

/* The first that it is alike; else a new one, or the nearest. */
static void
place (Crowds *crowds, const JobRankSet *ranks, const double *row, guint max_groups)
{
    double n = job_rank_set_get_count (ranks);
    double least = crowds->crowds->len < max_groups ? 0 : G_MAXDOUBLE;
    Crowd *nearest = NULL, *crowd;

    for (guint i = 0; i < crowds->crowds->len; i++) {
        gboolean is_alike;
        double distance;

        crowd = g_ptr_array_index (crowds->crowds, i);
        distance = compare (crowds, row, n, crowd, least, &is_alike);
        if (is_alike) {
            join (crowd, ranks, row, n, crowds->n_keys);
            return;
        }
        if (distance < least) {
            least = distance;
            nearest = crowd;
        }
    }
    if (nearest == NULL) {
        nearest = g_new0 (Crowd, 1);
        nearest->ranks = job_rank_set_new ();
        nearest->sums = g_new0 (double, MAX (crowds->n_keys, 1));
        g_ptr_array_add (crowds->crowds, nearest);
    }
    join (nearest, ranks, row, n, crowds->n_keys);
}

/* One group for each crowd. */
static void
put_back (JobCosts *costs, const Crowds *crowds)
{
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));

    job_costs_clear_groups (costs);
    BASE_EACH (crowds->crowds, const Crowd, crowd) {
        g_array_set_size (row, 0);
        for (guint key = 0; key < crowds->n_keys; key++) {
            JobCost cost = { crowds->contexts[key], crowds->classes[key],
                             (guint32) (MIN (crowd->sums[key] / crowd->n, MOST_MS) + 0.5) };

            if (cost.ms > 0) {
                g_array_append_val (row, cost);
            }
        }
        job_costs_add (costs, crowd->ranks, row);
    }
}

/* The number of each context and class that any rank has been in, plus 1. */
static guint32 *
number_keys (const JobCosts *costs, GArray *contexts, GArray *classes)
{
    gsize n = ((gsize) job_context_tree_get_count (costs->tree) + 1) * JOB_N_CLASSES;
    guint32 *keys = g_new0 (guint32, n);
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));

    for (guint i = 0; i < costs->groups->len; i++) {
        job_costs_read (costs, i, row);
        BASE_EACH_ROW (row, const JobCost, cost) {
            guint32 *key = &keys[(gsize) cost->context * JOB_N_CLASSES + cost->class];

            if (*key == 0) {
                g_array_append_val (contexts, cost->context);
                g_array_append_val (classes, cost->class);
                *key = contexts->len;
            }
        }
    }
    return keys;
}

void
job_costs_join_alike (JobCosts *costs, guint32 period_ms, guint max_groups)
{
    g_autoptr (GArray) contexts = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autoptr (GArray) classes = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    g_autofree guint32 *keys = number_keys (costs, contexts, classes);
    g_autofree double *dense = g_new (double, contexts->len + 1);
    Crowds crowds = { .n_keys = contexts->len, .period_ms = MAX (period_ms, 1) };

    crowds.contexts = (const guint32 *) (const void *) contexts->data;
    crowds.classes = (const guint32 *) (const void *) classes->data;
    crowds.crowds = g_ptr_array_new_with_free_func (free_crowd);
    job_costs_sort (costs);
    for (guint i = 0; i < costs->groups->len; i++) {
        memset (dense, 0, crowds.n_keys * sizeof *dense);
        job_costs_read (costs, i, row);
        BASE_EACH_ROW (row, const JobCost, cost) {
            dense[keys[(gsize) cost->context * JOB_N_CLASSES + cost->class] - 1] = cost->ms;
        }
        place (&crowds, job_costs_get_ranks (costs, i), dense, MAX (max_groups, 1));
    }
    put_back (costs, &crowds);
    g_ptr_array_unref (crowds.crowds);
}
