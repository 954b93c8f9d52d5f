/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals of a process that waits for children and for its own end, as a descriptor. */
#pragma once
#include <signal.h>

/* Blocks SIGCHLD, SIGTERM, SIGINT and SIGHUP and gives a non-blocking signalfd of them, closed on
 * exec; -1 with errno. The mask before goes into ret_old unless NULL, for a child's sake. */
int base_signals_open (sigset_t *ret_old);
