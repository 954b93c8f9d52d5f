/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names inside the host directory, and its lock, which protects starting and removing the
 * host's daemon. */
#pragma once
#include <glib.h>

#define LAUNCH_SOCKET_NAME "socket"
#define LAUNCH_LOCK_NAME "lock"

/* The path of the session's directory on this host, whether it exists or not. NULL: invalid
 * session id. */
char *launch_host_directory_dup_path (const char *session_id);
/* Waits for the lock; the descriptor holds it until it is closed. -1 with DENIED, or with GONE
 * when the directory was removed meanwhile (open it again). */
int launch_host_directory_lock (const char *host_directory, GError **error);
/* Removes the directory with all that pddt keeps in it; the caller holds its lock. */
void launch_host_directory_remove_locked (const char *host_directory);
/* Removes this user's directories of other sessions on this host whose daemons were killed with their
 * guards. */
void launch_host_directory_clean (const char *host_directory);
