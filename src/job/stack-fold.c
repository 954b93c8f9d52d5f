/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds repetitions along a stack's frames, each period by comparing every frame with the one that is a
 * period further in. */
#include "job/stack-fold.h"
#include "job/stack-tree-private.h"

#define MAX_PERIOD 8u
#define MIN_HIDDEN 10u /* fewer are shown */

/* The frame further in where all the node's ranks go on alike; NULL. */
static const JobStackNode *
find_next (const JobStackNode *node)
{
    const JobStackNode *next = node->children->len == 1 ? g_ptr_array_index (node->children, 0)
                                                        : NULL;

    return next != NULL && job_rank_set_equal (next->ranks, node->ranks) ? next : NULL;
}

static gboolean
repeats (const JobStackNode *node, const JobStackNode *other)
{
    return job_stack_node_compare_names (node, other) == 0 && node->arguments == NULL
           && node->locals == NULL && other->arguments == NULL && other->locals == NULL;
}

static const JobStackNode *
find_inner (const JobStackNode *node, guint count)
{
    while (node != NULL && count-- > 0) {
        node = find_next (node);
    }
    return node;
}

/* How many frames from the node on belong to its repetition with that period. */
static guint
count_frames (const JobStackNode *node, guint period)
{
    const JobStackNode *inner = find_inner (node, period);
    guint count = 0;

    while (inner != NULL && repeats (node, inner)) {
        node = find_next (node);
        inner = find_next (inner);
        count++;
    }
    return count > 0 ? count + period : 0;
}

gboolean
job_stack_fold_find (const JobStackNode *node, JobStackFold *ret_fold)
{
    for (guint period = 1; period <= MAX_PERIOD; period++) {
        guint n_times = count_frames (node, period) / period;

        if (n_times > 2 && (n_times - 2) * period >= MIN_HIDDEN) {
            ret_fold->period = period;
            ret_fold->n_hidden = (n_times - 2) * period;
            return TRUE;
        }
    }
    return FALSE;
}

const JobStackNode *
job_stack_fold_skip (const JobStackNode *node, guint count)
{
    node = find_inner (node, count);
    g_assert (node != NULL);
    return node;
}
