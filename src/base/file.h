/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading files that debug information, a session file or another user names: they may be
 * pipes, devices, files of /proc, or larger than memory. */
#pragma once
#include "base/place.h"
#include <glib.h>
#include <sys/stat.h>

/* The whole text of a regular file on a disk, NUL-terminated; *ret_size (may be NULL) excludes
 * the NUL. Never blocks, and allocates nothing for other kinds of files or for those longer
 * than limit bytes. NULL with NOT_FOUND, DENIED, UNSUPPORTED (not a regular file) or INVALID
 * (too large); the message names the path: "cannot read PATH: REASON". */
char *base_file_read (const char *path, gsize limit, gsize *ret_size, GError **error);
/* The same of a file in a folder that another user may have a hand in, which is no link. NULL: there is none. Caller owns. */
char *base_file_read_place (const BasePlace *place, gsize limit);
/* What the kernel says of a process in /proc/PID/NAME, NUL-terminated; *ret_size (may be NULL) excludes the NUL. NULL: it
 * is gone, or says nothing to this user. Quicker than g_file_get_contents, as each rank is asked for several. */
char *base_file_read_process (int pid, const char *name, gsize *ret_size);
/* stat(2) of a file that each rank of a host maps, asked for once for all of them: as it was in the last
 * BASE_FILE_LATELY_US; *ret_us: when (g_get_monotonic_time). FALSE: there is none. */
#define BASE_FILE_LATELY_US 5000
gboolean base_file_stat_lately (const char *path, struct stat *ret_status, gint64 *ret_us);
