/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open MPI's daemon on a host sleeps during its delayed abort and ignores its launcher and
 * SIGTERM, even when all its processes have ended. These functions make sure that none is left
 * behind. */
#pragma once
#include <glib.h>

/* The daemons noted in the host directory, separated by spaces; NULL none. Caller owns. */
char *launch_sleepers_read (const char *host_directory);
/* Waits until they have ended. Kills those that still sleep some time after the end of the
 * session (is_over, or its directory is gone). */
void launch_sleepers_end (const char *sleepers, const char *session_directory,
                          gboolean is_over);
