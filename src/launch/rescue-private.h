/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a guard makes a tracer that hangs let its tracees go: whom it traces stands in the kernel, wherever the
 * tracer's own tables are broken. */
#pragma once
#include "base/trap-table.h"
#include <sys/types.h>

/* What stands behind the table in the guard's mapping of BASE_TRAP_TABLE_SIZE + BASE_RESCUE_SIZE bytes. */
BaseRescueList *launch_rescue_get_list (BaseTrapTable *traps);
/* Writes all threads that the daemon traces into the list, and signals its tracing thread. traps NULL: there
 * is no table, and nothing is done. */
void launch_rescue_begin (BaseTrapTable *traps, pid_t daemon);
