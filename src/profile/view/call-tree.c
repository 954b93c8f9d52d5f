/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes are collected in the order of contexts and laid out in preorder when all costs are known. */
#include "profile/call-tree.h"
#include <string.h>
#include "profile/private.h"

/* A node before its place is known. */
typedef struct {
    ProfileCall call;
    guint32 first, next; /* children; 0: none */
    double best;         /* inclusive time of call.context */
} Draft;

typedef struct {
    GArray *drafts;
    GHashTable *known; /* guint64 of parent and function to draft */
} Drafts;

static void
init_drafts (Drafts *drafts, guint32 function)
{
    Draft root = { .call = { .function = function } };

    drafts->drafts = g_array_new (FALSE, TRUE, sizeof (Draft));
    drafts->known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    g_array_append_val (drafts->drafts, root);
}

static void
clear_drafts (Drafts *drafts)
{
    g_array_unref (drafts->drafts);
    g_hash_table_unref (drafts->known);
}

static Draft *
get_draft (const Drafts *drafts, guint32 index)
{
    return &g_array_index (drafts->drafts, Draft, index);
}

/* As profile_tree_new has it: the call that goes the same way around again. 0: none. */
static guint32
find_turn (const Drafts *drafts, guint32 parent, guint32 function)
{
    guint32 path[2 * PROFILE_MAX_TURN - 1], functions[2 * PROFILE_MAX_TURN - 1];
    guint n_path = 0;

    for (guint32 at = parent; at != 0 && n_path < G_N_ELEMENTS (path);
         at = get_draft (drafts, at)->call.parent) {
        path[n_path] = at;
        functions[n_path++] = get_draft (drafts, at)->call.function;
    }
    for (guint n = 1; 2 * n - 1 <= n_path; n++) {
        if (functions[n - 1] == function
            && memcmp (functions, functions + n, (n - 1) * sizeof *functions) == 0) {
            return path[n - 1];
        }
    }
    return 0;
}

/* Recursion stays in the node. */
static guint32
find_child (Drafts *drafts, guint32 parent, guint32 function)
{
    guint64 key = (guint64) parent << 32 | function;
    guint32 index = GPOINTER_TO_UINT (g_hash_table_lookup (drafts->known, &key));
    guint32 turn = index == 0 ? find_turn (drafts, parent, function) : 0;
    Draft draft = { .call = { .function = function, .parent = parent } };

    if (turn != 0) {
        get_draft (drafts, turn)->call.is_recursive = TRUE;
        return turn;
    }
    if (index == 0) {
        index = drafts->drafts->len;
        draft.next = get_draft (drafts, parent)->first;
        draft.call.depth = get_draft (drafts, parent)->call.depth + 1;
        get_draft (drafts, parent)->first = index;
        g_array_append_val (drafts->drafts, draft);
        g_hash_table_insert (drafts->known, g_memdup2 (&key, sizeof key),
                             GUINT_TO_POINTER (index));
    }
    return index;
}

static gint
compare_drafts (gconstpointer a, gconstpointer b, gpointer user)
{
    const Draft *left = get_draft (user, *(const guint32 *) a);
    const Draft *right = get_draft (user, *(const guint32 *) b);

    if (left->call.total != right->call.total) {
        return left->call.total < right->call.total ? 1 : -1;
    }
    return (left->call.function > right->call.function)
           - (left->call.function < right->call.function);
}

/* Parents come before their children, so that one pass backwards adds all up. */
static void
add_up (Drafts *drafts)
{
    for (guint32 i = drafts->drafts->len - 1; i > 0; i--) {
        ProfileCall *call = &get_draft (drafts, i)->call;
        ProfileCall *parent = &get_draft (drafts, call->parent)->call;

        parent->total += call->total;
        for (guint class = 0; class < JOB_N_CLASSES; class ++) {
            parent->classes[class] += call->classes[class];
        }
    }
}

/* Each with time, with those inside it after it. Without recursion: stacks may be deep. */
static void
lay_out (Drafts *drafts, ProfileCallTree *tree, guint32 *places)
{
    g_autoptr (GArray) waiting = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autoptr (GArray) children = g_array_new (FALSE, FALSE, sizeof (guint32));
    g_autofree double *next = g_new0 (double, drafts->drafts->len); /* of a node's next child */
    guint32 root = 0;

    g_array_append_val (waiting, root);
    while (waiting->len > 0) {
        guint32 index = g_array_index (waiting, guint32, waiting->len - 1);
        ProfileCall *call = &get_draft (drafts, index)->call;

        g_array_set_size (waiting, waiting->len - 1);
        if (index != 0) {
            call->begin = next[call->parent];
            next[call->parent] += call->total;
        }
        next[index] = call->begin;
        places[index] = tree->calls->len;
        tree->depth = MAX (tree->depth, call->depth);
        g_array_append_val (tree->calls, *call);
        g_array_set_size (children, 0);
        for (guint32 child = get_draft (drafts, index)->first; child != 0;
             child = get_draft (drafts, child)->next) {
            if (get_draft (drafts, child)->call.total > 0) {
                g_array_append_val (children, child);
            }
        }
        g_array_sort_with_data (children, compare_drafts, drafts);
        for (guint i = children->len; i > 0; i--) {
            g_array_append_val (waiting, g_array_index (children, guint32, i - 1));
        }
    }
}

/* Numbers of parents, and the ends, which are those of the last child. */
static void
link_up (ProfileCallTree *tree, const guint32 *places)
{
    for (guint32 i = tree->calls->len; i > 0; i--) {
        ProfileCall *call = &g_array_index (tree->calls, ProfileCall, i - 1);
        ProfileCall *parent;

        call->end = MAX (call->end, i);
        call->parent = places[call->parent];
        parent = &g_array_index (tree->calls, ProfileCall, call->parent);
        parent->end = MAX (parent->end, call->end);
    }
}

static ProfileCallTree *
finish (Drafts *drafts, guint32 *places)
{
    ProfileCallTree *tree = g_new0 (ProfileCallTree, 1);

    add_up (drafts);
    tree->calls = g_array_new (FALSE, FALSE, sizeof (ProfileCall));
    lay_out (drafts, tree, places);
    link_up (tree, places);
    return tree;
}

static void
add_context (const ProfileCosts *costs, Draft *draft, guint32 number)
{
    draft->call.self += costs->self[number];
    draft->call.total += costs->self[number];
    for (guint class = 0; class < JOB_N_CLASSES; class ++) {
        draft->call.classes[class] += costs->classes[(gsize) number * JOB_N_CLASSES + class];
    }
}

static gboolean
is_hidden (const ProfileCosts *costs, guint32 context)
{
    return costs->is_hidden != NULL && costs->is_hidden[context];
}

ProfileCallTree *
profile_call_tree_new (const ProfileCosts *costs)
{
    gsize n = (gsize) costs->n_contexts + 1;
    g_autofree double *inclusive = g_new0 (double, n);
    g_autofree guint32 *places = NULL;
    guint32 *nodes = g_new0 (guint32, n);
    ProfileCallTree *tree;
    Drafts drafts;

    init_drafts (&drafts, 0);
    profile_costs_fill_inclusive (costs, inclusive);
    add_context (costs, get_draft (&drafts, 0), 0);
    for (guint32 number = 1; number < n; number++) {
        const JobContext *context = job_context_tree_get (costs->model->tree, number);
        Draft *draft;

        nodes[number] = is_hidden (costs, number) ? nodes[context->parent]
                                                  : find_child (&drafts, nodes[context->parent],
                                                                costs->functions[number]);
        draft = get_draft (&drafts, nodes[number]);
        add_context (costs, draft, number);
        if (is_hidden (costs, number)) {
            continue;
        }
        if (draft->call.context == 0 || inclusive[number] > draft->best) {
            draft->best = inclusive[number];
            draft->call.context = number;
        }
    }
    places = g_new0 (guint32, drafts.drafts->len);
    tree = finish (&drafts, places);
    for (guint32 number = 1; number < n; number++) {
        nodes[number] = places[nodes[number]];
    }
    tree->by_context = nodes;
    tree->n_contexts = costs->n_contexts;
    clear_drafts (&drafts);
    return tree;
}

ProfileCallTree *
profile_call_tree_new_bottom_up (const ProfileCosts *costs, guint32 function)
{
    g_autofree double *inclusive = g_new0 (double, (gsize) costs->n_contexts + 1);
    g_autofree guint32 *places = NULL;
    ProfileCallTree *tree;
    Drafts drafts;

    init_drafts (&drafts, function);
    profile_costs_fill_inclusive (costs, inclusive);
    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        guint32 node = 0;
        Draft *draft;

        if (costs->functions[number] != function || !costs->is_outermost[number]
            || inclusive[number] <= 0) {
            continue;
        }
        for (guint32 at = number; at != 0;
             at = job_context_tree_get (costs->model->tree, at)->parent) {
            if (is_hidden (costs, at)) {
                continue;
            }
            node = at == number ? 0 : find_child (&drafts, node, costs->functions[at]);
            draft = get_draft (&drafts, node);
            if (draft->call.context == 0 || inclusive[number] > draft->best) {
                draft->best = inclusive[number];
                draft->call.context = at;
            }
        }
        draft = get_draft (&drafts, node);
        draft->call.self += inclusive[number];
        draft->call.total += inclusive[number];
    }
    places = g_new0 (guint32, drafts.drafts->len);
    tree = finish (&drafts, places);
    clear_drafts (&drafts);
    return tree;
}

BASE_FREE_PUBLIC (profile_call_tree_free, ProfileCallTree, tree, g_array_unref (tree->calls);
                  g_free (tree->by_context))

const ProfileCall *
profile_call_tree_get (const ProfileCallTree *tree, guint32 index)
{
    return &g_array_index (tree->calls, ProfileCall, index);
}

guint32
profile_call_tree_find (const ProfileCallTree *tree, guint32 context)
{
    return context <= tree->n_contexts ? tree->by_context[context] : 0;
}

void
profile_call_tree_fill_ranks (const ProfileCallTree *tree, const ProfileCosts *costs,
                              guint32 index, double *seconds)
{
    guint32 end = profile_call_tree_get (tree, index)->end;

    for (guint i = 0; i < costs->ranks->len; i++) {
        const ProfileCostRank *rank = &g_array_index (costs->ranks, ProfileCostRank, i);

        seconds[i] = 0;
        for (guint j = rank->first; j < rank->end; j++) {
            const ProfileCost *cost = &g_array_index (costs->costs, ProfileCost, j);
            guint32 node = tree->by_context[cost->context];

            seconds[i] += node >= index && node < end ? cost->seconds : 0;
        }
    }
}

/* ---- who calls whom ---- */

static guint32
get_caller (const ProfileCosts *costs, guint32 number)
{
    return job_context_tree_get (costs->model->tree, number)->parent;
}

/* Whether outside the context its function is called by the same one. */
static gboolean
is_repeated (const ProfileCosts *costs, guint32 number)
{
    guint32 caller = get_caller (costs, number);

    for (guint32 at = caller; !costs->is_outermost[number] && at != 0;
         at = get_caller (costs, at)) {
        if (costs->functions[at] == costs->functions[number]
            && costs->functions[get_caller (costs, at)] == costs->functions[caller]) {
            return TRUE;
        }
    }
    return FALSE;
}

BASE_ORDER (compare_edges, ProfileEdge, BASE_BY_DOWN (seconds))

static GArray *
list_edges (const ProfileCosts *costs, guint32 function, gboolean is_callers)
{
    GArray *edges = g_array_new (FALSE, TRUE, sizeof (ProfileEdge));
    g_autofree double *inclusive = g_new0 (double, (gsize) costs->n_contexts + 1);
    g_autofree guint32 *found = g_new0 (guint32, (gsize) costs->n_functions + 1);
    g_autofree double *best = g_new0 (double, (gsize) costs->n_functions + 1);

    profile_costs_fill_inclusive (costs, inclusive);
    for (guint32 number = 1; number <= costs->n_contexts; number++) {
        guint32 caller = get_caller (costs, number);
        guint32 inner = costs->functions[number], outer = costs->functions[caller];
        guint32 other = is_callers ? outer : inner;
        ProfileEdge *edge;

        if ((is_callers ? inner : outer) != function || other == function || other == 0
            || (inclusive[number] <= 0 && costs->calls[number] == 0)) {
            continue;
        }
        if (found[other] == 0) {
            g_array_set_size (edges, edges->len + 1);
            found[other] = edges->len;
        }
        edge = &g_array_index (edges, ProfileEdge, found[other] - 1);
        edge->function = other;
        edge->n_calls += costs->calls[number];
        if (is_repeated (costs, number)) {
            continue;
        }
        edge->seconds += inclusive[number];
        if (inclusive[number] > best[other] || edge->context == 0) {
            best[other] = inclusive[number];
            edge->context = is_callers ? caller : number;
        }
    }
    g_array_sort (edges, compare_edges);
    return edges;
}

GArray *
profile_call_tree_dup_callers (const ProfileCosts *costs, guint32 function)
{
    return list_edges (costs, function, TRUE);
}

GArray *
profile_call_tree_dup_callees (const ProfileCosts *costs, guint32 function)
{
    return list_edges (costs, function, FALSE);
}
