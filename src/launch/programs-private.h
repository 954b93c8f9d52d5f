/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that name a job's programs: Open MPI's --app, Hydra's -configfile, Slurm's --multi-prog. */
#pragma once
#include "launch/launch.h"

/* The index in argv of such a file's path, alone or after "="; 0: none. */
guint launch_programs_find_file (LaunchKind kind, char **argv);
/* Replaces the file in argv by a copy in the session's directory with the shim before each program
 * (shim_words of char*; NULL: none) and pddt's own words replaced. Relative programs stay as they are.
 * NOT_FOUND, INVALID (a line's options are unknown), DENIED. */
gboolean launch_programs_rewrite (LaunchKind kind, char **argv, guint index,
                                  const LaunchSession *session, GPtrArray *shim_words,
                                  gboolean *ret_has_runner, GError **error);
