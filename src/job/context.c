/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/context.h"
#include "base/array.h"

struct _JobContextTree {
    GArray *contexts;    /* of JobContext; number 1 is the first */
    GHashTable *entries; /* set of Entry */
    GStringChunk *texts;
};

typedef struct {
    JobContext context;
    guint32 number;
} Entry;

static guint
hash_entry (gconstpointer key)
{
    const JobContext *context = &((const Entry *) key)->context;
    const JobLocation *location = &context->location;
    guint hash = context->parent * 31 + context->flags;

    hash = hash * 31 + g_direct_hash (location->function);
    hash = hash * 31 + g_direct_hash (location->file);
    hash = hash * 31 + location->line;
    return hash * 31 + (location->line == 0 ? (guint) location->offset : 0);
}

static gboolean
equal_entries (gconstpointer a, gconstpointer b)
{
    const JobContext *left = &((const Entry *) a)->context;
    const JobContext *right = &((const Entry *) b)->context;

    return left->parent == right->parent && left->flags == right->flags
           && left->location.function == right->location.function
           && left->location.file == right->location.file
           && left->location.line == right->location.line
           && left->location.module == right->location.module
           && left->location.offset == right->location.offset
           && left->location.language == right->location.language;
}

JobContextTree *
job_context_tree_new (void)
{
    JobContextTree *tree = g_new0 (JobContextTree, 1);

    tree->contexts = g_array_new (FALSE, FALSE, sizeof (JobContext));
    tree->entries = g_hash_table_new_full (hash_entry, equal_entries, g_free, NULL);
    tree->texts = g_string_chunk_new (4096);
    return tree;
}

BASE_FREE_PUBLIC (job_context_tree_free, JobContextTree, tree, g_array_unref (tree->contexts);
                  g_hash_table_unref (tree->entries); g_string_chunk_free (tree->texts))

static char *
intern (JobContextTree *tree, const char *text)
{
    return text != NULL ? g_string_chunk_insert_const (tree->texts, text) : NULL;
}

guint32
job_context_tree_add (JobContextTree *tree, guint32 parent, const JobLocation *location,
                      guint32 flags)
{
    Entry entry = { { parent, flags, *location }, 0 };
    const Entry *known;

    g_return_val_if_fail (parent <= tree->contexts->len, 0);
    entry.context.location.function = intern (tree, location->function);
    entry.context.location.file = intern (tree, location->file);
    entry.context.location.module = intern (tree, location->module);
    known = g_hash_table_lookup (tree->entries, &entry);
    if (known != NULL) {
        return known->number;
    }
    g_array_append_val (tree->contexts, entry.context);
    entry.number = tree->contexts->len;
    g_hash_table_add (tree->entries, g_memdup2 (&entry, sizeof entry));
    return entry.number;
}

guint32
job_context_tree_get_count (const JobContextTree *tree)
{
    return tree->contexts->len;
}

const JobContext *
job_context_tree_get (const JobContextTree *tree, guint32 number)
{
    g_return_val_if_fail (number > 0 && number <= tree->contexts->len, NULL);
    return &g_array_index (tree->contexts, JobContext, number - 1);
}
