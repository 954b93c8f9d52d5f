/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Identifies a file's content without reading it, by device, inode, size and times. Only root
 * can set the ctime, so a file written since has another identity. */
#pragma once
#include <glib.h>

/* Text without spaces; "-" when the file does not exist or cannot be accessed. Caller owns. */
char *symbol_identity_read (const char *path);
char *symbol_identity_read_fd (int fd);
