/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the front end's files share: a host, a group of hosts, and the root. */
#pragma once
#include "net/link.h"
#include "net/events-private.h"
#include "net/liveness-private.h"
#include "net/packet-private.h"
#include "net/socket-private.h"
#include "net/startups-private.h"

typedef enum {
    NET_HOST_HERE,
    NET_HOST_SILENT,
    NET_HOST_LOST,
    NET_HOST_CLOSED,
    NET_HOST_BYE
} NetHostState;

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
    guint64 n_events;    /* packets of events received, by any route */
    GQueue waiting;      /* outbox.c: packets that libzmq does not take yet */
    gsize waiting_bytes; /* of their bodies */
    gint64 closes_us;    /* its link broke, but an inner node may still send its events; 0 no */
    /* the tree */
    guint64 epoch; /* of the inner node that it was given; 0 the star */
    gboolean is_on_tree;
    gboolean cannot_lead;
    guint n_breaks; /* inner nodes that it lost although they were alive */
} NetHost;

typedef struct {
    guint first, end; /* hosts by index */
    NetHost *leader;  /* NULL none */
    guint64 epoch;
    char *endpoint; /* NULL before the leader listens */
    guint n_failures;
    guint n_waits; /* ticks that the leader has left a request unanswered */
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
    GPtrArray *blocks;      /* of NetHost: whose block of slots it is; NULL: free again */
    JobRequest *start;      /* for hosts that come later */
    gboolean ended;
    GArray *closed_fds;    /* broken connections whose last packets are being read */
    GPtrArray *batch;      /* of JobEvent: received in this iteration */
    guint64 batch_bytes;   /* of memory that the batch takes */
    gint64 first_clock_us; /* when a host was first asked for its time; 0 never */
    GPtrArray *groups;     /* of NetGroup */
    guint64 last_epoch;
    guint form_source, close_source, retry_source, refuse_source;
    NetStartups *startups;
};

/* Listens on "tcp://ADDRESS:*", too. */
gboolean net_root_bind (NetRoot *root, const char *address);

/* outbox.c */
/* Takes a floating body. What cannot be sent yet waits, in its order. */
void net_root_send_to (NetRoot *root, NetHost *host, NetPacketType type, GVariant *body);
/* So much waits for the host that no further request may. */
#define NET_MAX_WAITING 4096 /* packets */
#define NET_MAX_WAITING_BYTES ((gsize) 16 << 20)
gboolean net_outbox_is_full (const NetHost *host);
void net_outbox_clear (NetHost *host); /* its daemon will not come for them */

/* groups.c */
void net_groups_init (NetRoot *root);
void net_groups_clear (NetRoot *root);
/* After hosts joined or an inner node left: forms groups once the changes pause for a
 * moment. */
void net_groups_schedule (NetRoot *root);
/* The host is gone, silent or restarted: the group that it led returns to the star. */
void net_groups_leave (NetRoot *root, NetHost *host);
/* LEADING, SWITCH, MERGED. */
void net_groups_apply (NetRoot *root, NetHost *host, NetPacket *packet);
/* Once a second: replaces a leader that does not answer requests. */
void net_groups_tick (NetRoot *root);
/* Tells the leaders how many members get the request; call it before sending to hosts (of
 * NetHost). */
void net_groups_announce (NetRoot *root, GPtrArray *hosts, guint64 request);
