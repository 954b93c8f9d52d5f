/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stacks of a profile as functions: contexts that differ only in lines are one. */
#include "profile/export/private.h"
#include "base/array.h"

static guint32
find_stack (GArray *stacks, GHashTable *numbers, guint32 parent, guint32 function)
{
    guint64 key = (guint64) parent << 32 | function;
    gpointer known = g_hash_table_lookup (numbers, &key);
    ProfileExportStack stack = { parent, function,
                                 g_array_index (stacks, ProfileExportStack, parent).depth + 1 };

    if (known != NULL) {
        return GPOINTER_TO_UINT (known);
    }
    g_hash_table_insert (numbers, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (stacks->len));
    g_array_append_val (stacks, stack);
    return stacks->len - 1;
}

static void
find_order (ProfileExportStacks *stacks)
{
    guint32 n = stacks->stacks->len, at = 0, done = 0;
    g_autofree guint32 *inside = g_new0 (guint32, n); /* the first one */
    g_autofree guint32 *beside = g_new0 (guint32, n); /* the next one */

    stacks->order = g_new0 (guint32, n);
    for (guint32 number = n - 1; number > 0; number--) {
        guint32 parent = profile_export_stacks_get (stacks, number)->parent;

        beside[number] = inside[parent];
        inside[parent] = number;
    }
    while (done + 1 < n) {
        guint32 next = inside[at];

        while (next == 0) {
            next = beside[at];
            at = profile_export_stacks_get (stacks, at)->parent;
        }
        stacks->order[done++] = at = next;
    }
}

ProfileExportStacks *
profile_export_stacks_new (const ProfileExportTable *table)
{
    ProfileExportStacks *stacks = g_new0 (ProfileExportStacks, 1);
    g_autoptr (GHashTable) numbers = g_hash_table_new_full (profile_export_hash_pair,
                                                            g_int64_equal, g_free, NULL);
    ProfileExportStack none = { 0 };

    stacks->stacks = g_array_new (FALSE, FALSE, sizeof (ProfileExportStack));
    stacks->stack_of = g_new0 (guint32, table->n_contexts);
    g_array_append_val (stacks->stacks, none);
    for (guint32 number = 1; number < table->n_contexts; number++) {
        guint32 parent = job_context_tree_get (table->contexts, number)->parent;

        stacks->stack_of[number] = find_stack (stacks->stacks, numbers,
                                               stacks->stack_of[parent],
                                               table->function_of[number]);
    }
    find_order (stacks);
    return stacks;
}

BASE_FREE_PUBLIC (profile_export_stacks_free, ProfileExportStacks, stacks,
                  g_array_unref (stacks->stacks);
                  g_free (stacks->stack_of); g_free (stacks->order))

const ProfileExportStack *
profile_export_stacks_get (const ProfileExportStacks *stacks, guint32 number)
{
    return &g_array_index (stacks->stacks, ProfileExportStack, number);
}
