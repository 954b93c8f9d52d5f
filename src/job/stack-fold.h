/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recursion in a stack as users see it: of frames that repeat themselves, one function's or several
 * functions' in turn, the first and the last repetition are shown and those between are counted. The tree
 * itself, and what is made of it as JSON, stays whole. */
#pragma once
#include "job/stack-tree.h"

typedef struct {
    guint period;    /* frames of one repetition */
    guint n_hidden;  /* frames between the first repetition and the last; a multiple of period */
} JobStackFold;

/* Is the node the first of a repetition that is worth folding? All its frames have the node's ranks, and
 * none has arguments or variables that are shown with it. FALSE leaves *ret_fold as it is. */
gboolean job_stack_fold_find (const JobStackNode *node, JobStackFold *ret_fold);
/* The node that is `count` frames further in: the one that follows the fold's hidden ones is at
 * period + n_hidden. There must be as many. */
const JobStackNode *job_stack_fold_skip (const JobStackNode *node, guint count);
