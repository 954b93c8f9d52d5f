/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GLib's log of a program without a terminal, written to a file. */
#pragma once
#include <glib.h>

/* Sends g_message/g_warning/… of this process to `path` (appended, 0600), each line with time,
 * program and pid; g_debug too when PDDT_DEBUG is set. NULL: stderr, warnings only. */
void base_log_init (const char *program, const char *path);
