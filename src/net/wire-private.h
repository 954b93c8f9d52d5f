/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon's connections in its GLib loop: packets over ZMTP with CURVE in one thread, with one
 * system call to receive everything pending and one to send. */
#pragma once
#include "net/curve-private.h"
#include "net/packet-private.h"

typedef struct _NetWire NetWire;
typedef struct {
    /* Packets are pending: read them all. */
    void (*on_packets) (NetWire *wire, gpointer user);
    /* Last and only once: the connection is closed or cannot be established. */
    void (*on_closed) (NetWire *wire, gpointer user);
} NetWireHandler;

/* Connects to "tcp://ADDRESS:PORT" or "ipc://PATH"; packets sent before it is open are queued.
 * identity: names it to a ROUTER, up to 255 bytes. tries_again: retries until the first
 * connection succeeds. The kernel drops a connection whose peer does not answer for 11 minutes;
 * by then the leaf has given up itself. max_part: bytes of a packet's body. Copies the keys.
 * NULL when the endpoint is malformed. */
NetWire *net_wire_new (const char *endpoint, const NetCurveKeys *keys, const char *identity,
                       gsize max_part, gboolean tries_again, const NetWireHandler *handler,
                       gpointer user);
/* The server's end of an accepted connection; takes fd. Closed unless the peer authenticates
 * within limit_ms. */
NetWire *net_wire_new_accepted (int fd, const NetCurveKeys *keys, gsize max_part,
                                guint limit_ms, const NetWireHandler *handler, gpointer user);
/* May be called from the handlers; waits up to 300 ms to send what is queued. NULL is fine. */
void net_wire_free (NetWire *wire);
/* The peer is authenticated. */
gboolean net_wire_is_open (const NetWire *wire);
/* Its socket; -1 between attempts and after its end. */
int net_wire_get_fd (const NetWire *wire);
/* Nothing is queued: the kernel has it all. */
gboolean net_wire_is_idle (const NetWire *wire);
/* Bytes that wait to be sent. */
gsize net_wire_get_backlog (const NetWire *wire);
/* The next received packet, owned by the caller; NULL when there is none. */
NetPacket *net_wire_receive (NetWire *wire);
/* Never blocks; takes a floating body. Dropped once the connection is closed. Packets sent
 * within on_packets go out together when it returns. */
void net_wire_send (NetWire *wire, NetPacketType type, guint64 sequence, guint32 origin,
                    GVariant *body);
