/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged stacks of many ranks. Everything walks with an explicit list: a stack may be
 * deeper than the C stack allows. The bytes are in stack-tree-wire.c. */
#include "job/stack-tree.h"
#include "job/stack-tree-private.h"
#include "base/array.h"

/* Corresponding nodes of two trees. */
typedef struct {
    JobStackNode *ours;
    const JobStackNode *theirs;
} NodePair;

JobStackNode *
job_stack_node_new (void)
{
    JobStackNode *node = g_new0 (JobStackNode, 1);

    node->ranks = job_rank_set_new ();
    node->children = g_ptr_array_new ();
    return node;
}

/* With all below it. */
static void
free_node (JobStackNode *node)
{
    g_autoptr (GPtrArray) todo = g_ptr_array_new ();

    if (node != NULL) {
        g_ptr_array_add (todo, node);
    }
    while (todo->len > 0) {
        JobStackNode *next = g_ptr_array_steal_index_fast (todo, todo->len - 1);

        for (guint i = 0; i < next->children->len; i++) {
            g_ptr_array_add (todo, g_ptr_array_index (next->children, i));
        }
        job_location_clear (&next->location);
        g_free (next->arguments);
        g_free (next->locals);
        job_rank_set_free (next->ranks);
        g_ptr_array_unref (next->children);
        g_free (next);
    }
}

JobStackTree *
job_stack_tree_new (void)
{
    JobStackTree *tree = g_new (JobStackTree, 1);

    tree->root = job_stack_node_new ();
    return tree;
}

BASE_FREE_PUBLIC (job_stack_tree_free, JobStackTree, tree, free_node (tree->root))

static int
compare_numbers (guint64 a, guint64 b)
{
    return a < b ? -1 : a > b;
}

/* NULL comes last: some text is better than none. */
static int
compare_text (const char *a, const char *b)
{
    if (a == NULL || b == NULL) {
        return (a == NULL) - (b == NULL);
    }
    return g_strcmp0 (a, b);
}

int
job_stack_node_compare_names (const JobStackNode *a, const JobStackNode *b)
{
    int order = compare_text (a->location.function, b->location.function);

    order = order != 0 ? order : compare_text (a->location.file, b->location.file);
    order = order != 0 ? order : compare_numbers (a->location.line, b->location.line);
    order = order != 0 ? order : compare_numbers (a->location.language, b->location.language);
    order = order != 0 ? order : compare_numbers (a->flags, b->flags);
    if (order == 0 && a->location.line == 0) {
        order = compare_text (a->location.module, b->location.module);
        order = order != 0 ? order : compare_numbers (a->location.offset, b->location.offset);
    }
    return order;
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
    const JobStackNode *left = *(JobStackNode *const *) a;
    const JobStackNode *right = *(JobStackNode *const *) b;
    int order = compare_numbers (job_rank_set_get_lowest (left->ranks),
                                 job_rank_set_get_lowest (right->ranks));

    return order != 0 ? order : job_stack_node_compare_names (left, right);
}

void
job_stack_node_sort (JobStackNode *node)
{
    if (node->children->len > 1) {
        g_ptr_array_sort (node->children, compare_nodes);
    }
}

static JobStackNode *
find_child (const JobStackNode *parent, const JobStackNode *like)
{
    return BASE_FIND (parent->children, JobStackNode, child,
                      job_stack_node_compare_names (child, like) == 0);
}

/* TRUE to take the fields in which equal nodes may differ from the other node: those of the
 * lowest rank and, for threads of one rank, the smallest, so that the order of merging does not
 * matter. */
static gboolean
is_better (const JobStackNode *theirs, const JobStackNode *ours)
{
    int order = compare_numbers (job_rank_set_get_lowest (theirs->ranks),
                                 job_rank_set_get_lowest (ours->ranks));

    order = order != 0 ? order : compare_text (theirs->location.module, ours->location.module);
    order = order != 0 ? order
                       : compare_numbers (theirs->location.offset, ours->location.offset);
    return order < 0;
}

static void
replace_text (char **text, const char *with)
{
    char *copy = g_strdup (with);

    g_free (*text);
    *text = copy;
}

/* The length of the first "name=value" of a list, up to a comma that no bracket or quote holds. */
static gsize
measure_argument (const char *text)
{
    char quote = '\0';
    int depth = 0;

    for (gsize i = 0; text[i] != '\0'; i++) {
        char c = text[i];

        if (c == '\\' && quote != '\0' && text[i + 1] != '\0') {
            i++;
        } else if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (strchr ("([{", c) != NULL) {
            depth++;
        } else if (strchr (")]}", c) != NULL && depth-- == 0) {
            return i;
        } else if (c == ',' && depth == 0) {
            return i;
        }
    }
    return strlen (text);
}

/* "(n=3, name=…)": keeps equal values and marks those that differ. The result does not depend on the order of merging. */
static char *
merge_arguments (const char *ours, const char *theirs)
{
    GString *text = g_string_new ("(");

    for (ours++, theirs++; *ours != '\0' && *ours != ')';) {
        gsize size = measure_argument (ours), other = measure_argument (theirs);
        gsize name = MIN (strcspn (ours, "=") + 1, size);

        if (other < name || strncmp (ours, theirs, name) != 0) {
            break;
        }
        if (size == other && strncmp (ours, theirs, size) == 0) {
            g_string_append_len (text, ours, (gssize) size);
        } else {
            g_string_append_len (text, ours, (gssize) name);
            g_string_append (text, "…");
        }
        ours += size + (ours[size] == ',' ? 2 : 0);
        theirs += other + (theirs[other] == ',' ? 2 : 0);
        g_string_append (text, *ours != ')' && *ours != '\0' ? ", " : ")");
    }
    if (*ours != ')' || *theirs != ')') { /* other names: nothing is common */
        g_string_assign (text, "(…)");
    }
    return g_string_free (text, FALSE);
}

char *
job_stack_take_variable (const char **text)
{
    const char *from = *text;
    gsize size;

    from += *from == '(' || *from == ' ' ? 1 : 0;
    size = measure_argument (from);
    if (size == 0) {
        return NULL;
    }
    *text = from + size + (from[size] == ',' ? 1 : 0);
    return g_strndup (from, size);
}

/* NULL contributes nothing. */
static void
absorb_texts (char **ours, const char *theirs)
{
    char *merged;

    if (theirs == NULL || (*ours != NULL && strcmp (*ours, theirs) == 0)) {
        return;
    }
    merged = *ours != NULL ? merge_arguments (*ours, theirs) : g_strdup (theirs);
    g_free (*ours);
    *ours = merged;
}

static void
absorb_node (JobStackNode *ours, const JobStackNode *theirs)
{
    absorb_texts (&ours->arguments, theirs->arguments);
    absorb_texts (&ours->locals, theirs->locals);
    if (is_better (theirs, ours)) {
        replace_text (&ours->location.module, theirs->location.module);
        ours->location.offset = theirs->location.offset;
    }
    job_rank_set_merge (ours->ranks, theirs->ranks);
}

static JobStackNode *
ensure_child (JobStackNode *parent, const JobStackNode *like)
{
    JobStackNode *child = find_child (parent, like);
    JobLocation *location;

    if (child == NULL) {
        child = job_stack_node_new ();
        location = job_location_dup (&like->location);
        child->location = *location;
        g_free (location);
        child->flags = like->flags;
        g_ptr_array_add (parent->children, child);
    }
    return child;
}

void
job_stack_tree_add (JobStackTree *tree, GPtrArray *frames, const JobRankSet *ranks)
{
    JobStackNode *node = tree->root;

    job_rank_set_merge (node->ranks, ranks);
    for (guint i = frames->len; i > 0; i--) {
        const JobFrame *frame = g_ptr_array_index (frames, i - 1);
        /* A view of the frame as a node: it owns nothing. */
        JobStackNode view = { .location = frame->location,
                              .flags = frame->flags,
                              .arguments = frame->arguments,
                              .locals = frame->locals,
                              .ranks = (JobRankSet *) ranks };
        JobStackNode *child = ensure_child (node, &view);

        absorb_node (child, &view);
        job_stack_node_sort (node);
        node = child;
    }
}

void
job_stack_tree_merge (JobStackTree *tree, const JobStackTree *other)
{
    g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (NodePair));
    NodePair pair = { tree->root, other->root };

    absorb_node (pair.ours, pair.theirs);
    g_array_append_val (todo, pair);
    while (todo->len > 0) {
        pair = g_array_index (todo, NodePair, todo->len - 1);
        g_array_set_size (todo, todo->len - 1);
        for (guint i = 0; i < pair.theirs->children->len; i++) {
            const JobStackNode *theirs = g_ptr_array_index (pair.theirs->children, i);
            NodePair next = { ensure_child (pair.ours, theirs), theirs };

            absorb_node (next.ours, theirs);
            g_array_append_val (todo, next);
        }
        job_stack_node_sort (pair.ours);
    }
}

JobStackTree *
job_stack_tree_dup (const JobStackTree *tree)
{
    JobStackTree *copy;

    if (tree == NULL) {
        return NULL;
    }
    copy = job_stack_tree_new ();
    job_stack_tree_merge (copy, tree);
    return copy;
}

static gboolean
is_same_node (const JobStackNode *a, const JobStackNode *b)
{
    return job_stack_node_compare_names (a, b) == 0
           && g_strcmp0 (a->arguments, b->arguments) == 0
           && g_strcmp0 (a->locals, b->locals) == 0 && job_rank_set_equal (a->ranks, b->ranks)
           && a->children->len == b->children->len;
}

gboolean
job_stack_tree_equal (const JobStackTree *a, const JobStackTree *b)
{
    g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (NodePair));
    NodePair pair = { a->root, b->root };

    g_array_append_val (todo, pair);
    while (todo->len > 0) {
        pair = g_array_index (todo, NodePair, todo->len - 1);
        g_array_set_size (todo, todo->len - 1);
        if (!is_same_node (pair.ours, pair.theirs)) {
            return FALSE;
        }
        for (guint i = 0; i < pair.ours->children->len; i++) {
            BASE_APPEND (todo, NodePair, g_ptr_array_index (pair.ours->children, i),
                         g_ptr_array_index (pair.theirs->children, i));
        }
    }
    return TRUE;
}
