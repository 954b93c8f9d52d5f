/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inner node of a group of daemons: events of its members and its own are held until all that
 * were asked have answered, or for a short while, merged by job's own functions, and handed up in
 * one packet. */
#pragma once
#include "job/event.h"
#include "net/curve-private.h"

typedef struct _NetInner NetInner;
/* body: of NET_MERGED, floating. */
typedef void (*NetInnerGive) (GVariant *body, gpointer user);

/* Listens at address ("tcp://ADDRESS:*") for daemons of the session that know the epoch. keys: those of
 * daemons, for both ends. DENIED. */
NetInner *net_inner_new (const char *address, guint64 epoch, const char *session_id,
                         const NetCurveKeys *keys, NetInnerGive give, gpointer user, GError **error);
const char *net_inner_get_endpoint (const NetInner *inner);
/* So many of the group, the node itself included, were asked this request. */
void net_inner_expect (NetInner *inner, guint64 request, guint n_members);
/* The node's own packets of these numbers: events in local slots, borrowed. */
void net_inner_add_own (NetInner *inner, guint32 base, guint64 first, guint64 last,
                        GPtrArray *events);
/* Hands up what is held. */
void net_inner_flush (NetInner *inner);
/* What is held is dropped: the front end asks for it again. */
void net_inner_free (NetInner *inner);
