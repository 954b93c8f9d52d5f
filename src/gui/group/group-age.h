/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The moments of what a group view shows: stacks of ranks that ran are of one of their own. */
#pragma once
#include "job/stack-tree.h"

typedef enum {
    GUI_GROUP_SAMPLED_NONE,
    GUI_GROUP_SAMPLED_SOME,
    GUI_GROUP_SAMPLED_ALL
} GuiGroupSampled;
/* How many of the tree's stacks are of the ranks that were sampled while they ran. */
GuiGroupSampled gui_group_age_classify (const JobStackTree *tree, const JobRankSet *sampled);
/* "sampled 3 s ago · values as of 9 s ago". values_us: 0: there are none; silent_us: since when a host has been
 * silent; 0: none is. Caller owns. */
char *gui_group_age_format (gint64 shown_us, gint64 values_us, gint64 silent_us,
                            GuiGroupSampled sampled);
/* The rank's innermost frame in the user's own code. Caller owns; NULL: there is none. */
JobLocation *gui_group_age_dup_own_place (const JobStackNode *node, guint32 rank);
/* "viewing rank 3 · work at a.c:5", and when that was where it has gone on since; place, age: NULL unknown. Caller
 * owns. */
char *gui_group_age_format_place (guint32 rank, const char *place, gboolean is_old,
                                  const char *age);
