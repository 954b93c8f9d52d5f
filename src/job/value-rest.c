/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a host hands on of values that differ in too many ways: their ranks, how many they are at least, and of numbers
 * all that a summary says. */
#include "job/value-private.h"
#include "base/array.h"

JobValueRest *
job_value_rest_new (void)
{
    JobValueRest *rest = g_new0 (JobValueRest, 1);

    rest->ranks = job_rank_set_new ();
    rest->is_numeric = rest->is_integer = TRUE;
    job_value_numbers_init (&rest->numbers);
    return rest;
}

BASE_FREE_PUBLIC (job_value_rest_free, JobValueRest, rest, job_rank_set_free (rest->ranks);
                  job_value_numbers_clear (&rest->numbers))

JobValueRest *
job_value_rest_dup (const JobValueRest *rest)
{
    JobValueRest *copy = NULL;

    if (rest != NULL) {
        copy = job_value_rest_new ();
        job_value_rest_merge (copy, rest);
    }
    return copy;
}

void
job_value_rest_merge (JobValueRest *rest, const JobValueRest *other)
{
    job_rank_set_merge (rest->ranks, other->ranks);
    rest->n_values = MAX (rest->n_values, other->n_values);
    rest->is_numeric = rest->is_numeric && other->is_numeric;
    rest->is_integer = rest->is_integer && other->is_integer;
    if (rest->is_numeric) {
        job_value_numbers_merge (&rest->numbers, &other->numbers);
    }
}

static void
fold (JobValueRest *rest, const JobValueGroup *group)
{
    job_rank_set_merge (rest->ranks, group->ranks);
    rest->is_numeric = rest->is_numeric && group->value->is_number && !group->value->is_problem;
    rest->is_integer = rest->is_integer && job_value_is_whole (group->value);
    if (rest->is_numeric) {
        job_value_numbers_add (&rest->numbers, group->value->number, group->ranks);
    }
}

void
job_value_row_cut (JobValueRow *row, guint most, guint kept)
{
    g_autoptr (GHashTable) stays = NULL;
    g_autoptr (GPtrArray) chosen = NULL;
    guint n_folded = 0;
    guint n_rest;
    guint32 n_ranks;

    if (row->groups->len <= most) {
        return;
    }
    chosen = job_value_row_choose (row, kept, &n_rest, &n_ranks);
    stays = g_hash_table_new (NULL, NULL);
    for (guint i = 0; i < chosen->len; i++) {
        g_hash_table_add (stays, g_ptr_array_index (chosen, i));
    }
    row->rest = row->rest != NULL ? row->rest : job_value_rest_new ();
    for (guint i = 0; i < row->groups->len; i++) {
        if (!g_hash_table_contains (stays, g_ptr_array_index (row->groups, i))) {
            fold (row->rest, g_ptr_array_index (row->groups, i));
            n_folded++;
        }
    }
    /* What was folded here differs, but not from what was folded elsewhere. */
    row->rest->n_values = MAX (row->rest->n_values, n_folded);
    for (guint i = 0, n = 0; i < chosen->len + n_folded; i++) {
        gpointer group = row->groups->pdata[i];

        if (g_hash_table_contains (stays, group)) {
            row->groups->pdata[i] = row->groups->pdata[n];
            row->groups->pdata[n++] = group;
        }
    }
    g_ptr_array_set_size (row->groups, (int) chosen->len);
}

gboolean
job_value_rest_is_within (const JobValueRest *rest, const JobRankSet *allowed)
{
    return job_rank_set_is_subset (rest->ranks, allowed)
           && job_rank_set_is_subset (rest->numbers.nan_ranks, allowed)
           && job_rank_set_is_subset (rest->numbers.inf_ranks, allowed)
           && (rest->numbers.n_finite == 0
               || (job_rank_set_contains (allowed, rest->numbers.min_rank)
                   && job_rank_set_contains (allowed, rest->numbers.max_rank)));
}

void
job_value_rest_map (JobValueRest *rest,
                    JobRankSet *(*map) (const JobRankSet *ranks, gpointer user), gpointer user)
{
    JobRankSet **const sets[] = { &rest->ranks, &rest->numbers.nan_ranks,
                                  &rest->numbers.inf_ranks };
    guint32 *const ranks[] = { &rest->numbers.min_rank, &rest->numbers.max_rank };

    for (guint i = 0; i < G_N_ELEMENTS (sets); i++) {
        JobRankSet *mapped = map (*sets[i], user);

        job_rank_set_free (*sets[i]);
        *sets[i] = mapped;
    }
    for (guint i = 0; i < G_N_ELEMENTS (ranks) && rest->numbers.n_finite > 0; i++) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (*ranks[i], *ranks[i] + 1);
        g_autoptr (JobRankSet) mapped = map (one, user);

        *ranks[i] = job_rank_set_get_lowest (mapped);
    }
}

char *
job_value_rest_format (guint32 n_values, const JobRankSet *ranks, const char *what)
{
    return g_strdup_printf (
        "at least %u different %s in %u further ranks (a summary: ask fewer "
        "ranks to see each)",
        n_values, what, job_rank_set_get_count (ranks));
}
