/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open MPI's daemon on a host sleeps through its own delayed abort, deaf to its launcher and to polite
 * signals, also when all that it would end has ended. Such a one is not left behind. */
#pragma once
#include <glib.h>

/* The noted ones of the host directory, with spaces between; NULL none. Caller owns. */
char *launch_sleepers_read (const char *host_directory);
/* Waits until they have ended. Those that still sleep a while after the session is over are killed; it is
 * over when is_over, or when its directory is gone. */
void launch_sleepers_end (const char *sleepers, const char *session_directory, gboolean is_over);
