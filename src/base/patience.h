/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time limits for what others do, on machines that stand still at times: only the time counts in which this process itself
 * could run, since the others could not either. */
#pragma once
#include <glib.h>

/* Like g_timeout_add_full; destroy may be NULL. */
guint base_patience_add (guint ms, GSourceFunc function, gpointer user, GDestroyNotify destroy);
/* Like g_poll, for at least 0 ms. */
gint base_patience_poll (GPollFD *fds, guint n, gint ms);
