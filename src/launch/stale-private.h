/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders of sessions that were killed with all their parts, or whose host crashed: the next one removes
 * them. A folder is held by a lock that the kernel gives up when its last holder has ended, however that
 * was; only what is this user's, of this host, and held by nobody is touched. */
#pragma once
#include <glib.h>

/* Holds the folder for the life of the process, and of children that inherit the descriptor; -1 with errno
 * when it cannot be held. */
int launch_stale_hold (const char *folder);
/* A folder without the lock's file is one that is being made, or none of ours: held. */
gboolean launch_stale_is_held (const char *folder);
/* Removes those folders beside `folder` whose names begin so and that nobody holds. */
void launch_stale_clean (const char *folder, const char *prefix, void (*remove) (const char *folder));
