/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets of star and tree: a 24-byte header frame and a frame with a GVariant, both little-endian.
 * A daemon numbers its packets of events from 1, whichever route they take. So the front end
 * knows what it has received, and packets lost with an inner node are sent once more. */
#pragma once
#include <glib.h>

#define NET_VERSION 6
#define NET_HEADER_SIZE 24
/* Slots of one daemon; each host's block of global slots has this size. */
#define NET_BLOCK_SLOTS 65536u
#define NET_MAX_BLOCKS 16384u

typedef enum {
    NET_HELLO = 1, /* up: (ssu) session, host, pid */
    NET_WELCOME,   /* down: (u) slot base */
    NET_EVENTS,    /* up: (tav) number, events in local slots */
    NET_REQUEST,   /* down: v */
    NET_PING,
    NET_PONG,    /* both ways: (t) packets of events received */
    NET_BYE,     /* up: (t) number of the last packet of events */
    NET_END,     /* down, () */
    NET_LEAD,    /* down: (t) be the inner node of your group in this epoch */
    NET_LEADING, /* up: (ts) epoch, endpoint for the group; "" when it cannot listen */
    NET_TREE,    /* down: (tst) epoch, the inner node's endpoint; epoch 0: back to the star,
                      and resend the events after that packet */
    NET_JOIN,    /* to an inner node: (stu) session, epoch, slot base */
    NET_JOINED,  /* from it, () */
    NET_SWITCH,  /* up: (tb) epoch: asks to use the tree from now on; TRUE: its inner node is
                      gone. Down: granted */
    NET_ASKED,   /* down to an inner node: (tu) request, how many of the group got it */
    NET_MERGED,  /* up: (ta(utt)av) epoch, (slot base, first, last packet of events), events in
                      global slots */
    NET_CLOCK,   /* down: (x) the front end's time, in µs: what time is it there? */
    NET_CLOCKED, /* up: (xx) that time, and the daemon's */
    NET_N_TYPES
} NetPacketType;

typedef struct {
    NetPacketType type;
    guint64 sequence; /* increases on each link and direction */
    guint32 origin;   /* slot base of the sender's host, 0 from the front end */
    int fd;           /* connection it came by; -1 unknown */
    GBytes *routing;  /* ROUTER: who sent it; else NULL */
    GVariant *body;   /* normal form, of the type's signature */
} NetPacket;

void net_packet_free (NetPacket *packet);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NetPacket, net_packet_free)

/* Decodes a packet's header and body from untrusted bytes. CORRUPT. */
NetPacket *net_packet_decode (const guint8 *header, gsize header_size, const guint8 *body,
                              gsize body_size, GError **error);
void net_packet_encode_header (NetPacketType type, guint64 sequence, guint32 origin,
                               guint8 header[NET_HEADER_SIZE]);
