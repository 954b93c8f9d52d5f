/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a launcher's line may bring ranks to other hosts, and how the key travels to them. */
#pragma once
#include "launch/launch.h"

#define LAUNCH_KEY_VARIABLE "PDDT_KEY"
/* Open MPI 4's list of variables to pass on. */
#define LAUNCH_KEY_LIST "OMPI_MCA_mca_base_env_list"

/* Puts the variable into the launcher's environment and makes the launcher pass it on. */
void launch_line_carry_word (LaunchLine *line, const char *word);

/* TRUE when one of the names (without dashes, each between spaces) is among the launcher's own
 * options. */
gboolean launch_hosts_has_option (const LaunchLine *line, const char *names);

/* FALSE only if nothing refers to other hosts: no option, no host file, no allocation of a
 * resource manager. find is g_getenv, or a test's. */
gboolean launch_hosts_may_leave (const LaunchLine *line,
                                 const char *(*find) (const char *name));
