/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The GSource over a libzmq socket, its settings, its packets, and its monitor. */
#include "net/socket-private.h"
#include "net/link.h"
#include "base/error.h"
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#define MAX_FRAMES 3
#define MAX_UNREAD 1000 /* packets of one host; the next ones wait there */
#define MAX_UNSENT 256  /* packets for one host; the next ones wait in its outbox */

typedef struct {
    GSource source;
    void *socket;
    gpointer fd_tag;
    NetSocketReady ready;
    gpointer user;
    gboolean only_receives, has_run;
} SocketSource;

static gboolean
has_input (const SocketSource *source)
{
    int events = 0;
    gsize size = sizeof events;
    return zmq_getsockopt (source->socket, ZMQ_EVENTS, &events, &size) == 0
           && (events & ZMQ_POLLIN) != 0;
}

static gboolean
prepare_input (GSource *source, int *timeout)
{
    SocketSource *self = (SocketSource *) source;
    *timeout = -1;
    if (self->only_receives && self->has_run) {
        return FALSE; /* only its own dispatch consumes the descriptor's edge */
    }
    self->has_run = TRUE;
    return has_input (self);
}

static gboolean
check_input (GSource *source)
{
    SocketSource *self = (SocketSource *) source;
    return g_source_query_unix_fd (source, self->fd_tag) != 0 && has_input (self);
}

static gboolean
dispatch_input (GSource *source, GSourceFunc callback, gpointer user)
{
    SocketSource *self = (SocketSource *) source;
    self->ready (self->user);
    return G_SOURCE_CONTINUE;
}

static GSourceFuncs socket_functions = { prepare_input, check_input, dispatch_input, NULL };

GSource *
net_socket_source_new (void *socket, NetSocketReady ready, gpointer user)
{
    int fd = -1;
    gsize size = sizeof fd;
    zmq_getsockopt (socket, ZMQ_FD, &fd, &size);
    GSource *source = g_source_new (&socket_functions, sizeof (SocketSource));
    SocketSource *self = (SocketSource *) source;
    self->socket = socket;
    self->ready = ready;
    self->user = user;
    self->fd_tag = g_source_add_unix_fd (source, fd, G_IO_IN);
    g_source_attach (source, NULL);
    return source;
}

GSource *
net_monitor_source_new (void *monitor, NetSocketReady ready, gpointer user)
{
    GSource *source = net_socket_source_new (monitor, ready, user);
    ((SocketSource *) source)->only_receives = TRUE;
    return source;
}

void
net_socket_source_clear (GSource **source)
{
    if (*source) {
        g_source_destroy (*source);
        g_clear_pointer (source, g_source_unref);
    }
}

static gboolean
set_number (void *socket, int option, int value)
{
    return zmq_setsockopt (socket, option, &value, sizeof value) == 0;
}

gboolean
net_socket_configure (void *socket, const char *public_key, const char *secret_key,
                      const char *server_key, gint64 max_message)
{
    static const char domain[] = "pddt";
    const uid_t own = geteuid ();
    return set_number (socket, ZMQ_LINGER, 300) && set_number (socket, ZMQ_SNDHWM, MAX_UNSENT)
           && set_number (socket, ZMQ_RCVHWM, MAX_UNREAD)
           && set_number (socket, ZMQ_BACKLOG, 4096) && set_number (socket, ZMQ_IPV6, 1)
           && set_number (socket, ZMQ_HANDSHAKE_IVL, 5000)
           && zmq_setsockopt (socket, ZMQ_MAXMSGSIZE, &max_message, sizeof max_message) == 0
           && zmq_setsockopt (socket, ZMQ_ZAP_DOMAIN, domain, sizeof domain - 1) == 0
           && zmq_setsockopt (socket, ZMQ_IPC_FILTER_UID, &own, sizeof own) == 0
           && (server_key ? zmq_setsockopt (socket, ZMQ_CURVE_SERVERKEY, server_key, 40) == 0
                          : set_number (socket, ZMQ_CURVE_SERVER, 1)
                                && set_number (socket, ZMQ_ROUTER_MANDATORY, 1))
           && zmq_setsockopt (socket, ZMQ_CURVE_PUBLICKEY, public_key, 40) == 0
           && zmq_setsockopt (socket, ZMQ_CURVE_SECRETKEY, secret_key, 40) == 0;
}

void *
net_monitor_open (void *context, void *socket)
{
    g_autofree char *name = g_strdup_printf ("inproc://pddt-monitor-%p", socket);
    void *monitor = zmq_socket (context, ZMQ_PAIR);
    set_number (monitor, ZMQ_LINGER, 0);
    /* With a limit, libzmq's thread would block for all connections until the monitor is read,
     * and hold a lock that net_monitor_close needs. Thousands of hosts that connect at once
     * would reach any limit. */
    set_number (monitor, ZMQ_RCVHWM, 0);
    if (zmq_socket_monitor (socket, name,
                            ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED
                                | ZMQ_EVENT_DISCONNECTED)
            < 0
        || zmq_connect (monitor, name) < 0) {
        zmq_close (monitor);
        return NULL;
    }
    return monitor;
}

void
net_monitor_close (void *socket, void *monitor)
{
    if (monitor) {
        zmq_socket_monitor (socket, NULL, 0);
        zmq_close (monitor);
    }
}

gboolean
net_monitor_read (void *monitor, guint16 *ret_event, guint32 *ret_value)
{
    guint8 frame[6], address[256];
    if (zmq_recv (monitor, frame, sizeof frame, ZMQ_DONTWAIT) != sizeof frame) {
        return FALSE;
    }
    zmq_recv (monitor, address, sizeof address, ZMQ_DONTWAIT);
    memcpy (ret_event, frame, 2);
    memcpy (ret_value, frame + 2, 4);
    return TRUE;
}

gboolean
net_make_keys (char public_key[41], char secret_key[41], GError **error)
{
    if (zmq_curve_keypair (public_key, secret_key) < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                     "cannot create session keys: libzmq was built without CURVE");
        return FALSE;
    }
    return TRUE;
}

gboolean
net_socket_send (void *socket, GBytes *routing, NetPacketType type, guint64 sequence,
                 guint32 origin, GVariant *body)
{
    g_autoptr (GVariant) held = g_variant_ref_sink (body);
    g_autoptr (GVariant) content = G_BYTE_ORDER == G_BIG_ENDIAN ? g_variant_byteswap (held)
                                                                : g_variant_ref (held);
    guint8 header[NET_HEADER_SIZE];
    net_packet_encode_header (type, sequence, origin, header);
    if (routing) {
        gsize size;
        const void *id = g_bytes_get_data (routing, &size);
        if (zmq_send (socket, id, size, ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0) {
            return FALSE;
        }
    }
    return zmq_send (socket, header, sizeof header, ZMQ_SNDMORE | ZMQ_DONTWAIT) >= 0
           && zmq_send (socket, g_variant_get_data (content), g_variant_get_size (content),
                        ZMQ_DONTWAIT)
                  >= 0;
}

/* All frames of the next message; those past MAX_FRAMES are dropped but counted. 0: none. */
static guint
read_frames (void *socket, zmq_msg_t frames[MAX_FRAMES])
{
    guint n = 0;
    int more = 1;
    while (more) {
        zmq_msg_t frame;
        zmq_msg_init (&frame);
        if (zmq_msg_recv (&frame, socket, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close (&frame);
            break;
        }
        more = zmq_msg_more (&frame);
        if (n < MAX_FRAMES) {
            zmq_msg_init (&frames[n]);
            zmq_msg_move (&frames[n], &frame);
        }
        zmq_msg_close (&frame);
        n++;
    }
    return n;
}

NetPacket *
net_socket_receive (void *socket, gboolean has_routing, gboolean *ret_empty)
{
    zmq_msg_t frames[MAX_FRAMES];
    guint n = read_frames (socket, frames), first = has_routing ? 1 : 0;
    NetPacket *packet = NULL;
    g_autoptr (GError) error = NULL;
    *ret_empty = n == 0;
    if (n == first + 2) {
        zmq_msg_t *header = &frames[first], *body = &frames[first + 1];
        packet = net_packet_decode (zmq_msg_data (header), zmq_msg_size (header),
                                    zmq_msg_data (body), zmq_msg_size (body), &error);
        if (packet) {
            packet->fd = zmq_msg_get (body, ZMQ_SRCFD);
            packet->routing = has_routing ? g_bytes_new (zmq_msg_data (&frames[0]),
                                                         zmq_msg_size (&frames[0]))
                                          : NULL;
        }
    }
    if (n > 0 && !packet) {
        g_debug ("packet of %u frames refused: %s", n, error ? error->message : "wrong number");
    }
    for (guint i = 0; i < MIN (n, MAX_FRAMES); i++) {
        zmq_msg_close (&frames[i]);
    }
    return packet;
}
