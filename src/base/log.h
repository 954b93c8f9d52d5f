/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes GLib's log messages to a file, for programs without a terminal; and sentences for those with one. */
#pragma once
#include <glib.h>

/* A log file grows to this size and a line. */
#define BASE_LOG_MAX_BYTES (64 << 20)

/* Sends g_message/g_warning/… of this process to `path` (appended, 0600), each line with time,
 * program and pid; g_debug too when PDDT_DEBUG is set. NULL: stderr, warnings only. */
void base_log_init (const char *program, const char *path);

/* Of that file, for a handler of signals; -1: there is none. */
int base_log_get_fd (void);

/* A sentence for whoever has started pddt, on standard error: "pddt: …". Names in it may be anyone's, and are
 * escaped here; it is one line, which no name can forge another of. */
void base_log_say (const char *format, ...) G_GNUC_PRINTF (1, 2);
