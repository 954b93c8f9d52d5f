/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SIGCHLD and the termination signals as a descriptor, for the guards. */
#pragma once
#include <signal.h>

/* Blocks SIGCHLD, SIGTERM, SIGINT and SIGHUP and gives a non-blocking signalfd of them, closed on
 * exec; -1 with errno. *ret_old (may be NULL) gets the previous mask, which children must
 * restore. */
int base_signals_open (sigset_t *ret_old);
