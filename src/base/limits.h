/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of this process that its children must not inherit: no core dump, because it may hold
 * a key, and as many descriptors as possible. */
#pragma once
#include <glib.h>

/* From now on only root can trace this process or read its memory, and it leaves no core file.
 * It can still read its own /proc/self. May be called repeatedly. */
void base_limits_protect (void);
/* As many open descriptors as the system allows. */
void base_limits_raise_files (void);
/* A file that grows beyond RLIMIT_FSIZE is an error from now on, not the end of this process. */
void base_limits_catch_size (void);
/* For helpers that start no program of the user's: as large as the system allows, and that. */
void base_limits_free_size (void);
/* Between fork and exec (async-signal-safe; also as a GSpawnChildSetupFunc): restores the
 * original limits. The exec itself makes the process traceable again. */
void base_limits_restore (gpointer unused);

/* Overwrites the text, then frees it; NULL is fine. */
void base_secret_free (char *text);
