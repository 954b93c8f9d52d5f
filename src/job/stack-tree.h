/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks of many ranks as one prefix tree, outermost frame first. A node is equal by function,
 * file, line, language and flags (without lines: module and offset). Ranks are sets; COUNT is
 * ranks even when several threads of a rank pass a node. */
#pragma once
#include "job/frame.h"
#include "job/rank-set.h"

typedef struct _JobStackNode JobStackNode;
struct _JobStackNode {
    JobLocation location;
    guint32 flags;
    char *arguments; /* "(n=3, p=…)", "…" where the ranks differ; NULL */
    char *locals;    /* the same of the other variables */
    JobRankSet *ranks;
    GPtrArray *children; /* of JobStackNode, ordered by lowest rank, then by name */
};

typedef struct {
    JobStackNode *root; /* has no location; ranks = all ranks of the tree */
} JobStackTree;

JobStackTree *job_stack_tree_new (void);
/* The next "name=value" of arguments or locals, starting after the opening bracket; advances
 * *text. NULL at the end. Caller owns. */
char *job_stack_take_variable (const char **text);
void job_stack_tree_free (JobStackTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobStackTree, job_stack_tree_free)
/* frames: JobFrame*, innermost first (as where numbers them); ranks: who has this stack. */
void job_stack_tree_add (JobStackTree *tree, GPtrArray *frames, const JobRankSet *ranks);
/* tree := tree ∪ other. Associative and commutative. */
void job_stack_tree_merge (JobStackTree *tree, const JobStackTree *other);
JobStackTree *job_stack_tree_dup (const JobStackTree *tree);
gboolean job_stack_tree_equal (const JobStackTree *a, const JobStackTree *b);
/* Columns: string table, parent indexes, … ; a floating variant. */
GVariant *job_stack_tree_encode (const JobStackTree *tree);
/* Ranks must be < limit. NULL with CORRUPT. Depth is bounded by 500,000. */
JobStackTree *job_stack_tree_decode (GVariant *variant, guint32 limit, GError **error);
