/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which content a file has, without reading it: where it lies, its size and its times. Nobody but root can
 * set the time of the last change (ctime), so that a file that was written since is another one. */
#pragma once
#include <glib.h>

/* Text without spaces; "-" when nothing is there or it cannot be looked at. Caller owns. */
char *symbol_identity_read (const char *path);
char *symbol_identity_read_fd (int fd);
