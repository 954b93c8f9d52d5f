/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of processes to attach to, between the files that find them. */
#pragma once
#include "launch/launch.h"
#include <sys/types.h>

GPtrArray *launch_targets_new (void);
void launch_targets_add (GPtrArray *targets, gint32 pid, guint32 rank);
/* "PID:RANK:SIZE,…", perhaps "". Parsing adds; FALSE: what stands up to the line's end is none. */
char *launch_targets_format_list (GPtrArray *targets);
gboolean launch_targets_parse_list (GPtrArray *targets, const char *text);
/* Shares the targets. */
LaunchRemote *launch_remote_copy (const LaunchRemote *remote);
void launch_remote_free (LaunchRemote *remote);
/* Before the list of those that another host's shim has handed over. */
#define LAUNCH_ATTACHED_MARK "pddt-attached:"
/* One above the highest rank, to all. */
void launch_targets_set_size (GPtrArray *targets);
/* By rank. Of two processes of one number the elder one stays. */
void launch_targets_drop_doubles (GPtrArray *targets);
/* Neither absent nor a zombie. */
gboolean launch_target_is_living (pid_t pid);
/* By the variables of a launcher in the process's environment. */
gboolean launch_target_find_rank (pid_t pid, guint32 *ret_rank);
/* The launcher's MPIR process table (MPIR_proctable of the MPIR process acquisition interface):
 * fills targets with the ranks of this host and others ("host" to GPtrArray of
 * LaunchTarget) with the rest. FALSE: it has none that can be read, for the reason given. */
gboolean launch_proctable_read (pid_t launcher, GPtrArray *targets, GHashTable *others,
                                GError **error);
/* A text that a variable of the launcher points to, as srun's "totalview_jobid"; NULL. */
char *launch_proctable_dup_text (pid_t launcher, const char *name);
