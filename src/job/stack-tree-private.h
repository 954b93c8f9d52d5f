/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of stack-tree share. */
#pragma once
#include "job/stack-tree.h"

JobStackNode *job_stack_node_new (void);       /* no rank, no child */
void job_stack_node_sort (JobStackNode *node); /* its children */
/* Zero: equal by function, file, line, language and flags; without lines by module and offset. */
int job_stack_node_compare_names (const JobStackNode *a, const JobStackNode *b);
