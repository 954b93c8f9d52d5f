/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a launcher's version, once in a process for each state of its file. */
#pragma once
#include <gio/gio.h>

/* The output of `program --version`, or its error output if there is nothing else. Caller owns.
 * TIMEOUT when it does not answer or was cancelled (cancellable may be NULL), DENIED when it cannot be
 * started; these are not kept. Any thread. */
char *launch_version_read (const char *program, GCancellable *cancellable, GError **error);
/* Starts asking and does not wait: launch_version_read of the same program does, for what is left. For one that nobody
 * reads it ends with this process, and no other can be asked so. */
void launch_version_begin (const char *program);
