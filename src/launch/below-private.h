/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job whose launcher has no table: the launcher's own daemons, and the ranks below each. */
#pragma once
#include <glib.h>
#include <sys/types.h>

/* pid itself when it is a launcher or starts none, else the one that it has started, as a script does.
 * INVALID: there are several. */
gboolean launch_below_find_launcher (pid_t pid, pid_t *ret_launcher, GError **error);
/* Adds the processes below `ancestor` that carry a rank's number, whose parent does not carry the same:
 * a rank's own children inherit it. None below those of `without` (set of pids; NULL). */
void launch_below_find (pid_t ancestor, GHashTable *without, GPtrArray *targets);
/* The children by which a launcher reaches other hosts go to `agents` (set of pids); remotes (of
 * LaunchRemote) gets each host once, with the words that the job's daemon has there. A host whose name
 * cannot be told is left out. */
void launch_below_find_agents (pid_t launcher, GHashTable *agents, GPtrArray *remotes);
/* On such a host: the ranks below the user's own daemons with these words ("NAME=VALUE"), perhaps none.
 * FALSE: no such words. */
gboolean launch_below_find_ranks (const char *words, GPtrArray *targets);
/* The hosts of Open MPI 4's orte_node_regex, its launcher's first: "a,node[2:8-10,12]@0(3)". NULL when it
 * is not understood. */
char **launch_below_parse_hosts (const char *text);
