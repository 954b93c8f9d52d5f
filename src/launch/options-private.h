/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the launchers' options, for finding the programs on their command lines. */
#pragma once
#include "launch/launch.h"

/* The word by which users mark a program: "mpirun --new-option x %pddt% ./ring". */
#define LAUNCH_MARK "%pddt%"

/* Arguments of an option (spelled without dashes), -1 when the launcher has no such option. */
int launch_options_find (LaunchKind kind, const char *name, const char *first_argument);

/* Indexes (guint) of the programs in argv, one for each part of an MPMD line. INVALID: an option
 * that the table does not have, in a message with both readings and the mark; no program at all. */
GArray *launch_options_find_programs (LaunchKind kind, const char *const *argv, GError **error);
