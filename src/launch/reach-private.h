/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connection from a shim or an attaching front end to the host's daemon. */
#pragma once
#include <glib.h>

/* Connects a SEQPACKET socket to the session's daemon on this host, starting it under its guard
 * if needed. session: the session's directory. -1 with DENIED, LOST. */
int launch_reach_daemon (const char *session, GError **error);
/* Whether that daemon lives; starts nothing. */
gboolean launch_reach_is_served (const char *session);
/* The folder with the session's key on this host: the session's or the host's. NULL: none, or
 * the session is over. Caller owns. */
char *launch_reach_find_key (const char *session);
