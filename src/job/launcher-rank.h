/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the rank that a launcher assigned from a process's environment. */
#pragma once
#include <glib.h>

/* block: NUL-terminated "NAME=value", one after the other, as in /proc/PID/environ. FALSE when no
 * launcher has set a rank (or not one below 2^24). */
gboolean job_launcher_rank_find (const char *block, gsize size, guint32 *ret_rank);
