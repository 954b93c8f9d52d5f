/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes GLib's log messages to a file, for programs without a terminal. */
#pragma once
#include <glib.h>

/* Sends g_message/g_warning/… of this process to `path` (appended, 0600), each line with time,
 * program and pid; g_debug too when PDDT_DEBUG is set. NULL: stderr, warnings only. */
void base_log_init (const char *program, const char *path);
