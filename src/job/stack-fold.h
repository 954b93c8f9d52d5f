/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folds recursion in a displayed stack: of repeating frames, of one function or of several in
 * turn, it shows the first and the last repetition and counts those between. The tree itself
 * and its JSON stay complete. */
#pragma once
#include "job/stack-tree.h"

typedef struct {
    guint period;   /* frames of one repetition */
    guint n_hidden; /* frames between the first repetition and the last; a multiple of period */
} JobStackFold;

/* Whether a repetition worth folding begins at the node: all its frames have the node's ranks,
 * and none shows arguments or variables. FALSE leaves *ret_fold unchanged. */
gboolean job_stack_fold_find (const JobStackNode *node, JobStackFold *ret_fold);
/* The node that is `count` frames further in: the one that follows the fold's hidden ones is at
 * period + n_hidden. There must be as many. */
const JobStackNode *job_stack_fold_skip (const JobStackNode *node, guint count);
