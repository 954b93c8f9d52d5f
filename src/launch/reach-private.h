/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connection from a shim or an attaching front end to the host's daemon. */
#pragma once
#include <glib.h>

/* A connected SEQPACKET socket of the session's daemon on this host, which is started under its
 * guard when nobody has done so yet. session: the session's directory. -1 with DENIED, LOST. */
int launch_reach_daemon (const char *session, GError **error);
/* The folder in which this host has the session's key: the session's own, or the host's. NULL: none, also
 * because the session is over. Caller owns. */
char *launch_reach_find_key (const char *session);
