/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a launcher's version. */
#pragma once
#include <glib.h>

/* The output of `program --version`, or its error output if there is nothing else. Caller owns.
 * TIMEOUT when it does not answer, DENIED when it cannot be started. */
char *launch_version_read (const char *program, GError **error);
