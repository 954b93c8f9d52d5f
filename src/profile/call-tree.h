/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs as trees of functions: top-down, each function inside its callers, and bottom-up, the callers of
 * one function. The lines of a function are one node, and so is a function with its direct calls of
 * itself. */
#pragma once
#include "profile/costs.h"

typedef struct {
    guint32 function; /* of ProfileCosts; 0: the root, and stacks that could not be read */
    guint32 parent;   /* its index; the root has 0 */
    guint32 end;      /* one past the last node inside it: those inside it follow it at once */
    guint32 depth;    /* the root has 0 */
    guint32 context;  /* the one of its contexts with the most time; 0: the root */
    gboolean is_recursive;
    double begin; /* where it begins when nodes lie beside each other in their parent, in s */
    double total, self;
    double classes[JOB_N_CLASSES]; /* of total */
} ProfileCall;

typedef struct {
    GArray *
        calls; /* of ProfileCall: the root, then each with those inside it, the most expensive first */
    guint32 *by_context; /* index of each context's node; NULL: bottom-up */
    guint32 n_contexts;
    guint32 depth; /* of the deepest one */
} ProfileCallTree;

ProfileCallTree *profile_call_tree_new (const ProfileCosts *costs);
/* The function is the root; inside a node are its callers. Times are the function's inclusive ones, by
 * the way in which it was called; where it has called itself, the outermost call counts. self: where
 * nobody has called the node. Without classes. */
ProfileCallTree *profile_call_tree_new_bottom_up (const ProfileCosts *costs, guint32 function);
void profile_call_tree_free (ProfileCallTree *tree); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfileCallTree, profile_call_tree_free)
const ProfileCall *profile_call_tree_get (const ProfileCallTree *tree, guint32 index);
/* The node of a context; 0, the root: there is none. Not for bottom-up trees. */
guint32 profile_call_tree_find (const ProfileCallTree *tree, guint32 context);
/* seconds has an element for each rank of costs: its time in the node, inclusive. */
void profile_call_tree_fill_ranks (const ProfileCallTree *tree, const ProfileCosts *costs,
                                   guint32 index, double *seconds);

/* A function that calls another one or is called by it. */
typedef struct {
    guint32 function;
    guint32 context; /* the most expensive one */
    double seconds;  /* in such calls, inclusive; a call inside another equal one counts once */
    guint64 n_calls; /* that were recorded, all of them */
} ProfileEdge;

/* GArray of ProfileEdge, the most expensive first; calls of itself are left out. */
GArray *profile_call_tree_dup_callers (const ProfileCosts *costs, guint32 function);
GArray *profile_call_tree_dup_callees (const ProfileCosts *costs, guint32 function);
