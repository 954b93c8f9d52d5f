/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes folders of sessions that were killed with all their processes or whose host crashed.
 * A lock that the kernel releases with its last holder protects folders in use; only unlocked
 * folders of this user and host are touched. */
#pragma once
#include <glib.h>

/* Locks the folder for the life of the process and of children that inherit the descriptor; -1
 * with errno. */
int launch_stale_hold (const char *folder);
/* TRUE also for a folder without a lock file: it is being created, or not pddt's. */
gboolean launch_stale_is_held (const char *folder);
/* Removes a folder with its files, the lock file last and only if nothing else is left: if that is cut short, whoever
 * comes next can go on. then: the last one before it; NULL. */
void launch_stale_remove (const char *folder, const char *then);
/* Removes the unlocked folders beside `folder` whose names begin with prefix. */
void launch_stale_clean (const char *folder, const char *prefix,
                         void (*remove) (const char *folder));
