/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the ranks of launchers without a process table: below the launcher and below its
 * daemons. */
#pragma once
#include <glib.h>
#include <sys/types.h>

/* pid itself if it is a launcher or has started none, else the one that it started, like a
 * script. INVALID: there are several. */
gboolean launch_below_find_launcher (pid_t pid, pid_t *ret_launcher, GError **error);
/* Adds the processes below `ancestor` with a rank number in their environment that their parent
 * does not have (a rank's own children inherit it). Skips those below `without` (set of pids;
 * NULL). */
void launch_below_find (pid_t ancestor, GHashTable *without, GPtrArray *targets);
/* Adds the launcher's children that reach other hosts to `agents` (set of pids), and each host
 * to remotes (of LaunchRemote) once, with the words that identify the job's daemon there.
 * Leaves out hosts whose names it cannot find. */
void launch_below_find_agents (pid_t launcher, GHashTable *agents, GPtrArray *remotes);
/* On such a host: finds the ranks below the user's daemons with these words ("NAME=VALUE"),
 * perhaps none. FALSE: malformed words. */
gboolean launch_below_find_ranks (const char *words, GPtrArray *targets);
/* Parses the hosts of Open MPI 4's orte_node_regex, the launcher's first:
 * "a,node[2:8-10,12]@0(3)". NULL: malformed. */
char **launch_below_parse_hosts (const char *text);
