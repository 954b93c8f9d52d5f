/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each line of the user's once in each function that has it, as macros and templates do: what was spent at it
 * itself, and in what it has called that is none of the user's. */
#include "profile/private.h"

static guint
hash_line (gconstpointer key)
{
    const JobLocation *location = key;

    return (g_direct_hash (location->file) * 31 + profile_hash_function (location)) * 31
           + location->line;
}

/* Texts are those of one tree, where equal ones are the same. */
static gboolean
equal_lines (gconstpointer a, gconstpointer b)
{
    const JobLocation *left = a, *right = b;

    return left->line == right->line && profile_equal_functions (left, right);
}

BASE_FREE (free_line, ProfileLine, line, g_free (line->ranks))

BASE_ORDER_POINTERS (compare_lines, ProfileLine, BASE_BY_DOWN (self))

guint32
profile_find_line (const JobContextTree *tree, guint32 number)
{
    if (profile_is_gap (&job_context_tree_get (tree, number)->location)) {
        return 0;
    }
    for (; number != 0; number = job_context_tree_get (tree, number)->parent) {
        const JobContext *context = job_context_tree_get (tree, number);

        if (context->location.line > 0 && context->location.file != NULL
            && (context->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER)) == 0) {
            return number;
        }
    }
    return 0;
}

guint32
profile_find_place (const JobContextTree *tree, guint32 number)
{
    guint32 line = profile_find_line (tree, number);

    if (line != 0 || profile_is_gap (&job_context_tree_get (tree, number)->location)) {
        return line;
    }
    for (guint32 at = number; at != 0; at = job_context_tree_get (tree, at)->parent) {
        if ((job_context_tree_get (tree, at)->flags & JOB_FRAME_PROGRAM) != 0) {
            return at;
        }
    }
    return number;
}

static ProfileLine *
find_line (GHashTable *known, GPtrArray *lines, const JobContext *context, guint n_ranks)
{
    ProfileLine *line = g_hash_table_lookup (known, &context->location);

    if (line == NULL) {
        line = g_new0 (ProfileLine, 1);
        line->location = context->location;
        line->ranks = g_new0 (double, MAX (n_ranks, 1));
        g_hash_table_insert (known, &line->location, line);
        g_ptr_array_add (lines, line);
    }
    return line;
}

GPtrArray *
profile_lines_new (const ProfileModel *model, gboolean only_computing)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func (free_line);
    g_autoptr (GHashTable) known = g_hash_table_new (hash_line, equal_lines);
    guint32 count = job_context_tree_get_count (model->tree);
    g_autofree ProfileLine **by_number = g_new0 (ProfileLine *, (gsize) count + 1);

    for (guint32 number = 1; number <= count; number++) {
        guint32 own = profile_find_place (model->tree, number);

        by_number[number] = own != 0 ? find_line (known, lines,
                                                  job_context_tree_get (model->tree, own),
                                                  model->ranks->len)
                                     : NULL;
    }
    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (model->ranks, i);
        const ProfileSums sums = profile_model_get_sums (model, rank);
        const GArray *costs = only_computing ? sums.computing : sums.self;

        for (guint32 number = 1; number < costs->len; number++) {
            ProfileLine *line = by_number[g_array_index (sums.merged, guint32, number)];
            double cost = g_array_index (costs, double, number) / G_USEC_PER_SEC;

            if (line != NULL) {
                line->self += cost;
                line->ranks[i] += cost;
            }
        }
    }
    g_ptr_array_sort (lines, compare_lines);
    return lines;
}
