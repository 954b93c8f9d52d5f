/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The member's end of a group. */
#include "net/branch-private.h"
#include "net/wire-private.h"
#include "base/array.h"
#include <unistd.h>

#define MAX_MESSAGE 65536

struct _NetBranch {
    NetWire *wire;
    NetBranchHandler handler;
    gpointer user;
    guint64 sent;
    guint32 base;
    gboolean is_joined;
};

static void
on_packets (NetWire *wire, gpointer user)
{
    NetBranch *branch = user;
    NetPacket *packet;
    gboolean is_new = FALSE;
    while ((packet = net_wire_receive (wire)) != NULL) {
        is_new |= packet->type == NET_JOINED && !branch->is_joined;
        net_packet_free (packet);
    }
    if (is_new) {
        branch->is_joined = TRUE;
        branch->handler.on_joined (branch->user);
    }
}

static void
on_closed (NetWire *wire, gpointer user)
{
    NetBranch *branch = user;
    if (branch->is_joined) {
        branch->handler.on_broken (branch->user);
    }
}

NetBranch *
net_branch_new (const char *endpoint, const char *session_id, guint64 epoch, guint32 base,
                const NetCurveKeys *keys, const NetBranchHandler *handler, gpointer user)
{
    static const NetWireHandler wire_handler = { on_packets, on_closed };
    g_autofree char *name = g_strdup_printf ("%u/%d", base, (int) getpid ());
    NetBranch *branch = g_new0 (NetBranch, 1);
    branch->base = base;
    branch->handler = *handler;
    branch->user = user;
    branch->wire = net_wire_new (endpoint, keys, name, MAX_MESSAGE, FALSE, &wire_handler,
                                 branch);
    if (!branch->wire) {
        net_branch_free (branch);
        return NULL;
    }
    net_wire_send (branch->wire, NET_JOIN, ++branch->sent, base,
                   g_variant_new ("(stu)", session_id, epoch, base));
    return branch;
}

void
net_branch_send (NetBranch *branch, GVariant *body)
{
    net_wire_send (branch->wire, NET_EVENTS, ++branch->sent, branch->base, body);
}

BASE_FREE_PUBLIC (net_branch_free, NetBranch, branch, net_wire_free (branch->wire))
