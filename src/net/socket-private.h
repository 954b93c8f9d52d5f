/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libzmq's sockets in a GLib loop, the CURVE settings of both ends, and the monitor that tells of
 * connections. */
#pragma once
#include "net/packet-private.h"

typedef void (*NetSocketReady) (gpointer user);

/* A source that calls `ready`, which reads all that waits, while the socket has something to read;
 * attached to the default context. Destroy it with net_socket_source_clear before the socket is
 * closed. ZMQ_FD is edge-triggered, and a send or another socket's turn may take its edge: the source
 * asks ZMQ_EVENTS before each turn, and after it only where the descriptor says so, as asking costs
 * system calls. */
GSource *net_socket_source_new (void *socket, NetSocketReady ready, gpointer user);
void net_socket_source_clear (GSource **source);
/* The same of a monitor, whose handler reads until nothing waits: it is asked only when its descriptor
 * says so. */
GSource *net_monitor_source_new (void *monitor, NetSocketReady ready, gpointer user);
/* No linger beyond 300 ms, unbounded queues, keys, limits; on UNIX sockets processes of this user alone.
 * max_message: bytes of one frame. server_key NULL: this is the server's end, the ROUTER. */
gboolean net_socket_configure (void *socket, const char *public_key, const char *secret_key,
                               const char *server_key, gint64 max_message);

/* Never blocks; takes a floating body. FALSE when the peer is gone. routing NULL: a DEALER. */
gboolean net_socket_send (void *socket, GBytes *routing, NetPacketType type, guint64 sequence,
                          guint32 origin, GVariant *body);
/* The next packet that waits; NULL with ret_empty TRUE when none does, FALSE when one was
 * refused (and dropped). */
NetPacket *net_socket_receive (void *socket, gboolean has_routing, gboolean *ret_empty);

/* A PAIR socket that receives ZMQ_EVENT_ACCEPTED, _HANDSHAKE_SUCCEEDED and _DISCONNECTED of the socket;
 * NULL when it cannot. */
void *net_monitor_open (void *context, void *socket);
/* Before the socket is closed; monitor may be NULL. */
void net_monitor_close (void *socket, void *monitor);
/* The next event and its value, the descriptor; FALSE when none waits. */
gboolean net_monitor_read (void *monitor, guint16 *ret_event, guint32 *ret_value);

/* Answers libzmq's question "may this key come in" for one context: only `public_key` may. */
typedef struct _NetZap NetZap;
NetZap *net_zap_new (void *context, const char *public_key);
void net_zap_free (NetZap *zap);
