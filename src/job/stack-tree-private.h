/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of stack-tree share. */
#pragma once
#include "job/stack-tree.h"

JobStackNode *job_stack_node_new (void); /* no rank, no child */
void job_stack_node_free (JobStackNode *node); /* with all below it */
void job_stack_node_sort (JobStackNode *node); /* its children */
