/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of processes to attach to, shared by the files that find them. */
#pragma once
#include "launch/launch.h"
#include <sys/types.h>

GPtrArray *launch_targets_new (void);
void launch_targets_add (GPtrArray *targets, gint32 pid, guint32 rank);
/* "PID:RANK:SIZE,…", perhaps "". Parsing adds to targets and stops at the end of the line;
 * FALSE: malformed. */
char *launch_targets_format_list (GPtrArray *targets);
gboolean launch_targets_parse_list (GPtrArray *targets, const char *text);
/* Shares the targets. */
LaunchRemote *launch_remote_copy (const LaunchRemote *remote);
void launch_remote_free (LaunchRemote *remote);
/* Marks the list of targets that another host's shim has handed over. */
#define LAUNCH_ATTACHED_MARK "pddt-attached:"
/* Sets all sizes to the highest rank plus one. */
void launch_targets_set_size (GPtrArray *targets);
/* Sorts by rank. Of two processes with the same rank, keeps the older one. */
void launch_targets_drop_doubles (GPtrArray *targets);
/* Neither absent nor a zombie. */
gboolean launch_target_is_living (pid_t pid);
/* Reads the launcher's variables in the process's environment. */
gboolean launch_target_find_rank (pid_t pid, guint32 *ret_rank);
/* The launcher's MPIR process table (MPIR_proctable of the MPIR process acquisition interface):
 * fills targets with the ranks of this host and others ("host" to GPtrArray of
 * LaunchTarget) with the rest. FALSE: it has no readable table; error says why. */
gboolean launch_proctable_read (pid_t launcher, GPtrArray *targets, GHashTable *others,
                                GError **error);
/* The text that a pointer variable of the launcher points to, such as srun's "totalview_jobid";
 * NULL. */
char *launch_proctable_dup_text (pid_t launcher, const char *name);
