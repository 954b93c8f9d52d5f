/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The addresses of a front end, and a daemon's choice among them. Endpoints are passed as one
 * text: the front end's host name, its endpoint on that host, then its endpoints for other
 * hosts, separated by spaces. A text of one word is the endpoint itself. */
#pragma once
#include <glib.h>

/* "tcp://ADDRESS:*" for each interface that is up and leads to other machines: no loopback,
 * link-local, container or virtual machine bridge. */
GPtrArray *net_address_list_facing (void);

/* The endpoint that the daemon of host takes: the UNIX socket beside the front end, elsewhere the first
 * that accepts a connection within limit_ms. Caller owns. LOST when there is none; the message
 * says what to do. */
char *net_address_choose (const char *endpoints, const char *host, int limit_ms,
                          GError **error);

/* Where an inner node listens for its group ("tcp://ADDRESS:*"): the address of its link to the
 * front end, on loopback only when the front end listens nowhere else. chosen: net_address_choose's
 * answer to endpoints. Caller owns. */
char *net_address_find_inner (const char *endpoints, const char *chosen);

/* "tcp://ADDRESS:PORT", ADDRESS a number; "ipc://PATH", or "ipc://@NAME" of a socket without a path. */
gboolean net_address_is_endpoint (const char *endpoint);
/* Starts a non-blocking connection, or returns -1. Refuses a UNIX socket on which another user
 * than this one or root listens. */
int net_address_connect (const char *endpoint);
/* "ipc://PATH", or "ipc://@NAME" if the path is too long for a socket. Caller owns. */
char *net_address_format_local (const char *folder, const char *name);
/* Listens at "tcp://ADDRESS:*" or "tcp://ADDRESS:PORT"; *ret_endpoint has the actual port. -1:
 * errno. */
int net_address_listen (const char *address, char **ret_endpoint);
