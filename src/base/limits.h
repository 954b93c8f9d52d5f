/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this process does to itself and what it starts must not inherit: no core dump of a process that
 * holds a key, and room for many descriptors. */
#pragma once
#include <glib.h>

/* Nobody but root can trace this process or read its memory, and no core of it is written. Its own
 * reading of /proc/self goes on. Once or several times. */
void base_limits_protect (void);
/* As many open descriptors as the system allows. */
void base_limits_raise_files (void);
/* Between fork and exec (async-signal-safe; also as a GSpawnChildSetupFunc): the limits as they were
 * found. An exec makes a process traceable by itself. */
void base_limits_restore (gpointer unused);

/* Overwrites the text, then frees it; NULL is fine. */
void base_secret_free (char *text);
