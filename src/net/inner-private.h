/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inner node of a group of daemons. It collects its members' events and its own until every
 * member that was asked has answered, or for a short time, merges them with the functions of
 * `job`, and sends them up in one packet. */
#pragma once
#include "job/event.h"
#include "net/curve-private.h"

typedef struct _NetInner NetInner;
/* body: of NET_MERGED, floating. */
typedef void (*NetInnerGive) (GVariant *body, gpointer user);

/* Listens at address ("tcp://ADDRESS:*") for daemons of the session that know the epoch. keys:
 * the daemons', for both ends. DENIED. */
NetInner *net_inner_new (const char *address, guint64 epoch, const char *session_id,
                         const NetCurveKeys *keys, NetInnerGive give, gpointer user,
                         GError **error);
const char *net_inner_get_endpoint (const NetInner *inner);
/* n_members of the group, including the node itself, got this request. */
void net_inner_expect (NetInner *inner, guint64 request, guint n_members);
/* The node's own packets of these numbers: events in local slots, borrowed. */
void net_inner_add_own (NetInner *inner, guint32 base, guint64 first, guint64 last,
                        GPtrArray *events);
/* Sends up everything collected so far. */
void net_inner_flush (NetInner *inner);
/* Drops what it has collected: the front end requests it again. */
void net_inner_free (NetInner *inner);
