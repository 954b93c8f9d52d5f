/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls that the engine makes, in place of libc's: between begin and end one in `rate` of them fails, as the seed
 * says, with an error that the kernel may give. */
#pragma once
#include <glib.h>
#include <sys/types.h>

void failing_begin (guint32 seed, guint rate);
void failing_end (void);
/* What an event is about is not told, as of a thread that was killed meanwhile. */
void failing_refuse_events (gboolean is_on);
/* The kernel does not compare processes (kcmp), as in a container. */
void failing_refuse_comparison (gboolean is_on);
/* How often each path is opened from now on (path to number); NULL: no more. */
void failing_count_opens (GHashTable *counts);
/* Is called each time before a thread is told to stop; NULL: no more. */
void failing_before_interrupt (void (*function) (pid_t tid));
/* This process is killed instead of the `nth` call of ptrace from now on. */
void failing_kill_at (guint nth);
