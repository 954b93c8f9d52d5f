/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Under which addresses a front end can be reached, and which of them a daemon takes. Endpoints
 * travel as one text: the front end's host name, its endpoint on that host, then its
 * endpoints for other hosts, with spaces between. A text of one word is the endpoint itself. */
#pragma once
#include <glib.h>

/* "tcp://ADDRESS:*" of each interface that is up and faces other machines: neither loopback nor
 * link-local nor a bridge to containers or virtual machines of this host. */
GPtrArray *net_address_list_facing (void);

/* The endpoint that the daemon of host takes: the UNIX socket beside the front end, elsewhere the first
 * that accepts a connection within limit_ms. Caller owns. LOST when there is none, with a sentence
 * that says what to do. */
char *net_address_choose (const char *endpoints, const char *host, int limit_ms, GError **error);

/* Where an inner node listens for its group ("tcp://ADDRESS:*"): the address of its link to the
 * front end, on loopback only when the front end listens nowhere else. chosen: net_address_choose's
 * answer to endpoints. Caller owns. */
char *net_address_find_inner (const char *endpoints, const char *chosen);

/* "tcp://ADDRESS:PORT", ADDRESS a number; "ipc://PATH", or "ipc://@NAME" of a socket without a path. */
gboolean net_address_is_endpoint (const char *endpoint);
/* A connection to it that has begun and never blocks, or -1; of a UNIX socket only where a process of this
 * user, or root's, listens. */
int net_address_connect (const char *endpoint);
/* "ipc://PATH", or where the path is too long for a socket "ipc://@NAME". Caller owns. */
char *net_address_format_local (const char *folder, const char *name);
/* Listens at "tcp://ADDRESS:*", or with a port; ret_endpoint with the port that it got. -1: errno. */
int net_address_listen (const char *address, char **ret_endpoint);
