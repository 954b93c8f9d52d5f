/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calling-context tree: each frame that has been seen inside another one is in it once, whatever
 * has been seen there since. It only grows, so the number of a context never changes. */
#pragma once
#include "job/frame.h"

typedef struct _JobContextTree JobContextTree;

/* A frame inside another: a function, and the line that it was at. */
typedef struct {
    guint32 parent; /* number of the context outside it; 0: none */
    guint32 flags;  /* JobFrameFlags */
    JobLocation
        location; /* its texts are the tree's; each occurs once, so that equal ones are the
                             same pointer */
} JobContext;

JobContextTree *job_context_tree_new (void);
void job_context_tree_free (JobContextTree *tree); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (JobContextTree, job_context_tree_free)
/* The number of such a frame inside parent (0: the outermost), from 1 on; adds it when it is new.
 * parent must be in the tree. */
guint32 job_context_tree_add (JobContextTree *tree, guint32 parent, const JobLocation *location,
                              guint32 flags);
guint32 job_context_tree_get_count (const JobContextTree *tree); /* numbers are 1 to this */
/* Borrowed until the next add. */
const JobContext *job_context_tree_get (const JobContextTree *tree, guint32 number);
