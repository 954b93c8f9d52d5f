/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon's connections in its GLib loop: packets over ZMTP with CURVE, by one thread, one system call
 * for all that came and one for what is sent. */
#pragma once
#include "net/curve-private.h"
#include "net/packet-private.h"

typedef struct _NetWire NetWire;
typedef struct {
    /* Packets wait: all are to be read. */
    void (*on_packets) (NetWire *wire, gpointer user);
    /* Once, and nothing after it: the connection that stood is closed, or never will be. */
    void (*on_closed) (NetWire *wire, gpointer user);
} NetWireHandler;

/* Connects to "tcp://ADDRESS:PORT" or "ipc://PATH"; what is sent before it stands waits. identity: by which
 * a ROUTER knows it, up to 255 bytes. tries_again: until it has stood once, whatever ends an attempt before
 * that; the kernel ends a connection whose other side has not answered it for 11 minutes, which is when the
 * leaf has given up by itself. max_part: bytes of a packet's body. The keys are copied. NULL when the endpoint makes no sense. */
NetWire *net_wire_new (const char *endpoint, const NetCurveKeys *keys, const char *identity, gsize max_part,
                       gboolean tries_again, const NetWireHandler *handler, gpointer user);
/* The server's end of a connection that was accepted; takes fd. Who has not shown the key within
 * limit_ms is closed. */
NetWire *net_wire_new_accepted (int fd, const NetCurveKeys *keys, gsize max_part, guint limit_ms,
                                const NetWireHandler *handler, gpointer user);
/* Callable from the handlers; waits up to 300 ms for what is not yet sent. NULL is fine. */
void net_wire_free (NetWire *wire);
/* The other side has shown the key. */
gboolean net_wire_is_open (const NetWire *wire);
/* Its socket; -1 between attempts and after its end. */
int net_wire_get_fd (const NetWire *wire);
/* All that was sent is the kernel's. */
gboolean net_wire_is_idle (const NetWire *wire);
/* The next packet that came, the caller's; NULL when none waits. */
NetPacket *net_wire_receive (NetWire *wire);
/* Never blocks; takes a floating body. Dropped once the connection is closed. What is sent in one turn
 * of packets goes out at its end, together. */
void net_wire_send (NetWire *wire, NetPacketType type, guint64 sequence, guint32 origin,
                    GVariant *body);
