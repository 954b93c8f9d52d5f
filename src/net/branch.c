/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The member's end of a group. */
#include "net/branch-private.h"
#include "net/packet-private.h"
#include "net/socket-private.h"
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#define MAX_MESSAGE 65536

struct _NetBranch {
    void *socket, *monitor;
    GSource *source, *monitor_source;
    NetBranchHandler handler;
    gpointer user;
    guint64 sent;
    guint32 base;
    gboolean is_joined, is_broken;
};

static void
on_packets (gpointer user)
{
    NetBranch *branch = user;
    gboolean empty = FALSE, is_new = FALSE;
    while (!empty) {
        g_autoptr (NetPacket) packet = net_packet_receive (branch->socket, FALSE, &empty);
        is_new |= packet && packet->type == NET_JOINED && !branch->is_joined;
    }
    if (is_new && !branch->is_broken) {
        branch->is_joined = TRUE;
        branch->handler.on_joined (branch->user);
    }
}

static void
on_connection (gpointer user)
{
    NetBranch *branch = user;
    guint16 event;
    guint32 value;
    gboolean broke = FALSE;
    while (net_monitor_read (branch->monitor, &event, &value)) {
        broke |= event == ZMQ_EVENT_DISCONNECTED;
    }
    if (broke && branch->is_joined && !branch->is_broken) {
        branch->is_broken = TRUE;
        branch->handler.on_broken (branch->user);
    }
}

static gboolean
open_sockets (NetBranch *branch, void *context, const char *endpoint, const char *public_key,
              const char *secret_key)
{
    g_autofree char *name = g_strdup_printf ("%u/%d/%08x", branch->base, (int) getpid (),
                                             g_random_int ());
    int never = -1;
    branch->socket = zmq_socket (context, ZMQ_DEALER);
    return branch->socket &&
           net_socket_configure (branch->socket, public_key, secret_key, FALSE, MAX_MESSAGE) &&
           zmq_setsockopt (branch->socket, ZMQ_ROUTING_ID, name, strlen (name)) == 0 &&
           zmq_setsockopt (branch->socket, ZMQ_RECONNECT_IVL, &never, sizeof never) == 0 &&
           (branch->monitor = net_monitor_open (context, branch->socket)) &&
           zmq_connect (branch->socket, endpoint) == 0;
}

NetBranch *
net_branch_new (void *context, const char *endpoint, const char *session_id, guint64 epoch,
                guint32 base, const char *public_key, const char *secret_key,
                const NetBranchHandler *handler, gpointer user)
{
    NetBranch *branch = g_new0 (NetBranch, 1);
    branch->base = base;
    branch->handler = *handler;
    branch->user = user;
    if (!open_sockets (branch, context, endpoint, public_key, secret_key)) {
        net_branch_free (branch);
        return NULL;
    }
    branch->source = net_socket_source_new (branch->socket, on_packets, branch);
    branch->monitor_source = net_monitor_source_new (branch->monitor, on_connection, branch);
    net_socket_source_set_plain (branch->source);
    net_socket_source_set_plain (branch->monitor_source);
    net_packet_send (branch->socket, NULL, NET_JOIN, ++branch->sent, base,
                     g_variant_new ("(stu)", session_id, epoch, base));
    return branch;
}

void
net_branch_send (NetBranch *branch, GVariant *body)
{
    net_packet_send (branch->socket, NULL, NET_EVENTS, ++branch->sent, branch->base, body);
}

void
net_branch_free (NetBranch *branch)
{
    if (!branch) {
        return;
    }
    net_socket_source_clear (&branch->source);
    net_socket_source_clear (&branch->monitor_source);
    net_monitor_close (branch->socket, branch->monitor);
    if (branch->socket) {
        zmq_close (branch->socket);
    }
    g_free (branch);
}
