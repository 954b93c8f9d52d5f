/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that a program's debug information, a session file or another user names: they may be pipes, devices,
 * what the kernel makes up in /proc, or larger than all memory. */
#pragma once
#include <glib.h>

/* The whole text of a regular file on a disk, with a NUL behind it; *ret_size (may be NULL) without it. Never
 * waits for somebody to write, and takes no memory for what is no such file or longer than limit bytes.
 * NULL with NOT_FOUND, DENIED, UNSUPPORTED (not a regular file) or INVALID (too large); the message names the
 * path: "cannot read PATH: REASON". */
char *base_file_read (const char *path, gsize limit, gsize *ret_size, GError **error);
