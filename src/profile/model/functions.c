/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each function once, whoever has called it. */
#include "profile/counts.h"
#include "profile/private.h"

/* One function while the list is made. */
typedef struct {
    ProfileFunction *function;
    guint32 seen; /* the context for whose stack it was counted last */
    double best;  /* own time of the line that it has so far */
} Entry;

guint
profile_hash_function (gconstpointer key)
{
    const JobLocation *location = key;

    return g_direct_hash (location->function) * 31 + g_direct_hash (location->file)
           + (location->function == NULL ? (guint) location->offset : 0);
}

gboolean
profile_equal_functions (gconstpointer a, gconstpointer b)
{
    const JobLocation *left = a, *right = b;

    return left->function == right->function && left->file == right->file
           && left->module == right->module && left->language == right->language
           && (left->function != NULL || left->offset == right->offset);
}

char *
profile_dup_name (const JobLocation *location)
{
    return location->function != NULL ? g_strdup (location->function)
           : location->module != NULL ? g_strdup_printf ("%s+0x%" G_GINT64_MODIFIER "x",
                                                         location->module, location->offset)
                                      : g_strdup ("??");
}

gboolean
profile_is_gap (const JobLocation *location)
{
    return location->file == NULL && location->module == NULL
           && (g_strcmp0 (location->function, "(not sampled)") == 0
               || g_strcmp0 (location->function, "(not recorded)") == 0);
}

BASE_FREE (free_function, ProfileFunction, function, g_free (function->ranks))

BASE_ORDER_POINTERS (compare_functions, ProfileFunction, BASE_BY_DOWN (self))

static Entry *
find_entry (GHashTable *entries, GPtrArray *functions, const JobContext *context, guint n_ranks)
{
    Entry *entry = g_hash_table_lookup (entries, &context->location);

    if (entry == NULL) {
        entry = g_new0 (Entry, 1);
        entry->function = g_new0 (ProfileFunction, 1);
        entry->function->location = context->location;
        entry->function->flags = context->flags;
        entry->function->ranks = g_new0 (double, MAX (n_ranks, 1));
        g_hash_table_insert (entries, &entry->function->location, entry);
        g_ptr_array_add (functions, entry->function);
    }
    return entry;
}

GPtrArray *
profile_functions_new (const ProfileModel *model)
{
    GPtrArray *functions = g_ptr_array_new_with_free_func (free_function);
    g_autoptr (GHashTable) entries
        = g_hash_table_new_full (profile_hash_function, profile_equal_functions, NULL, g_free);
    guint32 count = job_context_tree_get_count (model->tree);
    g_autofree Entry **by_number = g_new0 (Entry *, (gsize) count + 1);
    g_autofree double *costs = g_new0 (double, (gsize) count + 1);
    g_autofree JobCounts *counts = g_new0 (JobCounts, (gsize) count + 1);

    for (guint32 number = 1; number <= count; number++) {
        by_number[number] = find_entry (entries, functions,
                                        job_context_tree_get (model->tree, number),
                                        model->ranks->len);
    }
    for (guint i = 0; i < model->ranks->len; i++) {
        const ProfileRank *rank = g_ptr_array_index (model->ranks, i);

        const ProfileSums sums = profile_model_get_sums (model, rank);

        profile_counts_add (model, i, counts);
        for (guint32 number = 1; number < sums.self->len; number++) {
            guint32 merged = g_array_index (sums.merged, guint32, number);
            double cost = g_array_index (sums.self, double, number) / G_USEC_PER_SEC;

            costs[merged] += cost;
            by_number[merged]->function->ranks[i] += cost;
        }
    }
    for (guint32 number = 1; number <= count; number++) {
        const JobContext *context = job_context_tree_get (model->tree, number);
        Entry *own = by_number[number];

        own->function->self += costs[number];
        job_counts_add (&own->function->counts, &counts[number]);
        if (costs[number] > own->best) {
            own->best = costs[number];
            own->function->location.line = context->location.line;
        }
        for (guint32 at = number; at != 0 && costs[number] > 0;
             at = job_context_tree_get (model->tree, at)->parent) {
            if (by_number[at]->seen != number) { /* a recursion counts once */
                by_number[at]->seen = number;
                by_number[at]->function->total += costs[number];
            }
        }
    }
    g_ptr_array_sort (functions, compare_functions);
    return functions;
}
