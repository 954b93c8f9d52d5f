/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a hung tracer detach its tracees. The kernel knows them even if the tracer's tables are
 * broken. */
#pragma once
#include "base/trap-table.h"
#include <sys/types.h>

/* The list after the table in the guard's mapping of BASE_TRAP_TABLE_SIZE + BASE_RESCUE_SIZE
 * bytes. */
BaseRescueList *launch_rescue_get_list (BaseTrapTable *traps);
/* Writes all threads that the daemon traces into the list, and signals its tracing thread.
 * traps NULL: no table, does nothing. */
void launch_rescue_begin (BaseTrapTable *traps, pid_t daemon);
