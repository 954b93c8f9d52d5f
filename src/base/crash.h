/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a program of ours crashed, for its log. */
#pragma once
#include <glib.h>

/* From now on a fatal signal of this process (SEGV, BUS, ILL, FPE, ABRT, TRAP) writes a back trace to the log, and then ends it
 * as before. The calling thread has a stack of its own for that, so that a stack that is full is told, too. */
void base_crash_install (void);
