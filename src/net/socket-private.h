/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libzmq's sockets in a GLib loop, the CURVE settings of both ends, and the monitor that
 * reports connections. */
#pragma once
#include "net/packet-private.h"

typedef void (*NetSocketReady) (gpointer user);

/* A source that calls `ready` while the socket is readable; `ready` must read everything.
 * Attached to the default context; destroy it with net_socket_source_clear before you close the
 * socket. ZMQ_FD is edge-triggered, and a send or another socket may consume its edge: so the
 * source checks ZMQ_EVENTS before each poll, and after it only if the descriptor is readable,
 * because the check costs system calls. */
GSource *net_socket_source_new (void *socket, NetSocketReady ready, gpointer user);
void net_socket_source_clear (GSource **source);
/* The same for a monitor. It is checked only when its descriptor is readable, because its
 * handler always reads everything. */
GSource *net_monitor_source_new (void *monitor, NetSocketReady ready, gpointer user);
/* No linger beyond 300 ms, a full queue refuses and loses nothing, keys, limits; on UNIX sockets only processes of
 * this user. max_message: bytes of one frame. server_key NULL: this end is the server, the
 * ROUTER. */
gboolean net_socket_configure (void *socket, const char *public_key, const char *secret_key,
                               const char *server_key, gint64 max_message);

/* Never blocks; takes a floating body. FALSE with errno: EAGAIN when the peer's queue is full, others when
 * it is gone. routing NULL: a DEALER. */
gboolean net_socket_send (void *socket, GBytes *routing, NetPacketType type, guint64 sequence,
                          guint32 origin, GVariant *body);
/* The next pending packet; NULL with *ret_empty TRUE when there is none, FALSE when a malformed
 * one was dropped. */
NetPacket *net_socket_receive (void *socket, gboolean has_routing, gboolean *ret_empty);

/* A PAIR socket that receives ZMQ_EVENT_ACCEPTED, _HANDSHAKE_SUCCEEDED and _DISCONNECTED of the socket;
 * NULL when that fails. */
void *net_monitor_open (void *context, void *socket);
/* Before the socket is closed; monitor may be NULL. */
void net_monitor_close (void *socket, void *monitor);
/* The next event and its value, the descriptor; FALSE when there is none. */
gboolean net_monitor_read (void *monitor, guint16 *ret_event, guint32 *ret_value);

/* libzmq's authenticator for one context: accepts only `public_key`. */
typedef struct _NetZap NetZap;
NetZap *net_zap_new (void *context, const char *public_key);
void net_zap_free (NetZap *zap);
