/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time limits for what others do, on machines that stand still at times: only the time counts in which this process itself
 * could run, since the others could not either. And on busy machines: only that in which who is waited for had a processor, or
 * needed none. */
#pragma once
#include <glib.h>
#include <sys/types.h>

/* Like g_timeout_add_full; destroy may be NULL. */
guint base_patience_add (guint ms, GSourceFunc function, gpointer user, GDestroyNotify destroy);
/* Like g_poll, for at least 0 ms. */
gint base_patience_poll (GPollFD *fds, guint n, gint ms);
/* For how long a process's first thread, or a thread, has waited for a processor since it was created, in µs, but for a wait
 * that lasts; 0: not known. */
gint64 base_patience_get_queued_us (pid_t whom);
/* How long it had a processor; -1: not known. */
gint64 base_patience_get_ran_us (pid_t whom);
