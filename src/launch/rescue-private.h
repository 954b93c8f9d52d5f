/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a guard makes a tracer that hangs let its tracees go: whom it traces stands in the kernel, wherever the
 * tracer's own tables are broken. */
#pragma once
#include "launch/traps.h"
#include <sys/types.h>

/* What stands behind the table in the guard's mapping of LAUNCH_TRAPS_SIZE + LAUNCH_RESCUE_SIZE bytes. */
LaunchRescue *launch_rescue_get_list (LaunchTraps *traps);
/* Writes all threads that the daemon traces into the list, and signals its tracing thread. traps NULL: there
 * is no table, and nothing is done. */
void launch_rescue_begin (LaunchTraps *traps, pid_t daemon);
