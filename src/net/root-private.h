/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the front end's files share: a host, a group of hosts, and the root. */
#pragma once
#include "net/link.h"
#include "net/events-private.h"
#include "net/liveness-private.h"
#include "net/packet-private.h"
#include "net/socket-private.h"
#include "net/startups-private.h"

typedef enum { NET_HOST_HERE, NET_HOST_SILENT, NET_HOST_LOST, NET_HOST_CLOSED, NET_HOST_BYE }
    NetHostState;

typedef struct {
    guint index;
    char *name;
    GBytes *routing;
    guint32 base;       /* global slots begin there */
    NetSpeaker speaker; /* which of them it has reported */
    int fd;             /* of its connection; -1 when that broke */
    NetHostState state;
    NetLiveness liveness;
    guint64 sent, received;
    guint64 n_events;   /* packets of events that came, by whichever way */
    gint64 closes_us;   /* its link broke, but others may still have words of it; 0 no */
    /* the tree */
    guint64 epoch;      /* its inner node was named to it; 0 the star */
    gboolean is_on_tree;
    gboolean cannot_lead;
    guint n_breaks;     /* inner nodes that it lost while they were there */
} NetHost;

typedef struct {
    guint first, end;   /* hosts by index */
    NetHost *leader;    /* NULL none */
    guint64 epoch;
    char *endpoint;     /* NULL before the leader listens */
    guint n_failures;
    guint n_waits;      /* ticks since the leader was told of a request, and silent; 0 it spoke */
} NetGroup;

struct _NetRoot {
    void *context, *socket, *monitor;
    GSource *source, *monitor_source;
    guint tick;
    NetZap *zap;
    char *session_id, *endpoint;
    NetRootHandler handler;
    gpointer user;
    GPtrArray *hosts;       /* of NetHost, by index */
    GHashTable *by_routing; /* GBytes to NetHost */
    GPtrArray *blocks;      /* of NetHost: whose block of slots it is; NULL nobody's any more */
    JobRequest *start;      /* for hosts that come later */
    gboolean ended;
    GArray *closed_fds;     /* connections that broke and whose last packets are being read */
    GPtrArray *batch;       /* of JobEvent: came in this turn */
    guint64 batch_bytes;    /* of memory that they take */
    GPtrArray *groups;      /* of NetGroup */
    guint64 last_epoch;
    guint form_source, close_source;
    NetStartups *startups;
};

/* Listens there too, "tcp://ADDRESS:*". */
gboolean net_root_bind (NetRoot *root, const char *address);

void net_root_send_to (NetRoot *root, NetHost *host, NetPacketType type, GVariant *body);
/* Alive, as far as its link tells. */
gboolean net_host_is_here (const NetHost *host);

/* groups.c */
void net_groups_init (NetRoot *root);
void net_groups_clear (NetRoot *root);
/* Hosts came, or an inner node went: groups are formed when no more come for a moment. */
void net_groups_schedule (NetRoot *root);
/* The host is gone, silent, or starts anew: what it led goes back to the star. */
void net_groups_leave (NetRoot *root, NetHost *host);
/* LEADING, SWITCH, MERGED. */
void net_groups_apply (NetRoot *root, NetHost *host, NetPacket *packet);
/* Once a second: a leader that says nothing of what was asked loses its part. */
void net_groups_tick (NetRoot *root);
/* Before these hosts (of NetHost) get the request. */
void net_groups_announce (NetRoot *root, GPtrArray *hosts, guint64 request);
