/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's contexts as a tree of functions: the lines of a function that were seen inside the
 * same callers are one node, and so is a function with its calls of itself, also by way of others. */
#include "profile/private.h"

/* One line of a node, while it is made. */
typedef struct {
    ProfileNode *node; /* NULL: the root */
    double total;      /* µs of all ranks, inclusive */
} Line;

BASE_FREE_PUBLIC (profile_tree_free, ProfileNode, root, g_ptr_array_unref (root->children);
                  g_free (root->ranks))

static ProfileNode *
new_node (guint n_ranks)
{
    ProfileNode *node = g_new0 (ProfileNode, 1);

    node->ranks = g_new0 (double, MAX (n_ranks, 1));
    node->children = g_ptr_array_new_with_free_func ((GDestroyNotify) profile_tree_free);
    return node;
}

/* Texts are those of one tree, where equal ones are the same. */
static gboolean
is_same_function (const ProfileNode *node, const JobContext *context)
{
    const JobLocation *location = &context->location;

    return node->location.function == location->function
           && node->location.file == location->file && node->location.module == location->module
           && node->location.language == location->language
           && (node->flags & ~JOB_FRAME_TWINS) == (context->flags & ~JOB_FRAME_TWINS)
           && (location->function != NULL || node->location.offset == location->offset);
}

static gboolean
is_same_node (const ProfileNode *node, const ProfileNode *other)
{
    JobContext context = { .flags = other->flags, .location = other->location };

    return is_same_function (node, &context);
}

/* The node on the way to parent where the call is again: the last n functions with it are the n before. NULL: none. Places
 * without function and module are not known, and may be of different functions. */
static ProfileNode *
find_turn (ProfileNode *parent, const JobContext *context)
{
    ProfileNode *path[2 * PROFILE_MAX_TURN - 1];
    gboolean is_known = context->location.function != NULL || context->location.module != NULL;
    guint n_path = 0;

    for (ProfileNode *at = parent; at->parent != NULL && n_path < G_N_ELEMENTS (path);
         at = at->parent) {
        path[n_path++] = at;
    }
    for (guint n = 1; 2 * n - 1 <= n_path && is_known; n++) {
        gboolean is_turn = is_same_function (path[n - 1], context);

        for (guint i = 0; is_turn && i + 1 < n; i++) {
            is_turn = is_same_node (path[i], path[i + n]);
        }
        if (is_turn) {
            return path[n - 1];
        }
    }
    return NULL;
}

/* A new one goes to nodes. */
static ProfileNode *
find_child (ProfileNode *parent, const JobContext *context, guint n_ranks, GPtrArray *nodes)
{
    ProfileNode *node = find_turn (parent, context);

    if (node != NULL) {
        node->is_recursive = TRUE;
        return node;
    }
    for (guint i = 0; i < parent->children->len; i++) {
        node = g_ptr_array_index (parent->children, i);
        if (is_same_function (node, context)) {
            return node;
        }
    }
    node = new_node (n_ranks);
    node->location = context->location;
    node->flags = context->flags;
    node->parent = parent;
    g_ptr_array_add (parent->children, node);
    g_ptr_array_add (nodes, node);
    return node;
}

BASE_ORDER_POINTERS (compare_nodes, ProfileNode, BASE_BY_DOWN (total))

/* What every context of a rank has cost by itself belongs to its function, and to all outside it. */
static void
add_rank (const ProfileModel *model, guint index, Line *lines, double *costs)
{
    const ProfileSums sums = profile_model_get_sums (model,
                                                     g_ptr_array_index (model->ranks, index));
    guint32 count = job_context_tree_get_count (model->tree);

    for (guint32 number = 0; number <= count; number++) {
        costs[number] = 0;
    }
    for (guint32 number = 0; number < sums.self->len; number++) {
        costs[g_array_index (sums.merged, guint32, number)]
            += g_array_index (sums.self, double, number) / G_USEC_PER_SEC;
    }
    for (guint32 number = 0; number <= count; number++) {
        lines[number].node->self += costs[number];
        lines[number].node->ranks[index] += costs[number];
    }
    for (guint32 number = count; number > 0; number--) { /* inner ones come later */
        costs[job_context_tree_get (model->tree, number)->parent] += costs[number];
        lines[number].total += costs[number];
    }
}

/* What a node has cost itself belongs to all outside it, too; inner ones come later. */
static void
add_up (const GPtrArray *nodes, guint n_ranks)
{
    for (guint i = nodes->len; i > 0; i--) {
        ProfileNode *node = g_ptr_array_index (nodes, i - 1);

        node->total += node->self;
        if (node->parent != NULL) {
            node->parent->total += node->total;
            for (guint rank = 0; rank < n_ranks; rank++) {
                node->parent->ranks[rank] += node->ranks[rank];
            }
        }
    }
}

ProfileNode *
profile_tree_new (const ProfileModel *model)
{
    guint32 count = job_context_tree_get_count (model->tree);
    g_autofree Line *lines = g_new0 (Line, (gsize) count + 1);
    g_autofree double *costs = g_new0 (double, (gsize) count + 1);
    g_autofree double *largest = g_new0 (double, (gsize) count + 1);
    g_autoptr (GHashTable) best = g_hash_table_new (NULL, NULL);
    g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

    lines[0].node = new_node (model->ranks->len);
    g_ptr_array_add (nodes, lines[0].node);
    for (guint32 number = 1; number <= count; number++) {
        const JobContext *context = job_context_tree_get (model->tree, number);

        lines[number].node = find_child (lines[context->parent].node, context,
                                         model->ranks->len, nodes);
    }
    for (guint i = 0; i < model->ranks->len; i++) {
        add_rank (model, i, lines, costs);
    }
    add_up (nodes, model->ranks->len);
    for (guint32 number = 1; number <= count; number++) {
        const JobContext *context = job_context_tree_get (model->tree, number);
        double *known = g_hash_table_lookup (best, lines[number].node);

        if (known == NULL) {
            g_hash_table_insert (best, lines[number].node, &largest[number]);
            known = &largest[number];
        }
        if (lines[number].total > *known) {
            *known = lines[number].total;
            lines[number].node->location.line = context->location.line;
        }
    }
    for (guint32 number = 0; number <= count; number++) {
        g_ptr_array_sort (lines[number].node->children, compare_nodes);
    }
    return lines[0].node;
}
