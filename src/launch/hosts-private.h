/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a launcher's line may bring ranks to other hosts, and how the key travels to them. */
#pragma once
#include "launch/launch.h"

#define LAUNCH_KEY_VARIABLE "PDDT_KEY"
/* Open MPI 4's list of variables that it hands on. */
#define LAUNCH_KEY_LIST "OMPI_MCA_mca_base_env_list"

/* Puts the variable into the launcher's environment, and lets the launcher hand it on. */
void launch_line_carry_word (LaunchLine *line, const char *word);

/* One of the names (spelled without dashes, a space on both sides of each) stands as an option
 * among the launcher's own words. */
gboolean launch_hosts_has_option (const LaunchLine *line, const char *names);

/* FALSE only where nothing names another host: no option, no file of hosts, no allocation of a
 * resource manager. find is g_getenv, or a test's. */
gboolean launch_hosts_may_leave (const LaunchLine *line, const char *(*find) (const char *name));
