/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The socket below a NetCurve, and packets of two parts above it. */
#include "net/wire-private.h"
#include "base/array.h"
#include "base/patience.h"
#include "net/address-private.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK 32768
#define MAX_CHUNKS 64 /* in one iteration */
#define SMALL 4096    /* larger buffers are freed when empty */
#define RETRY_MS 100
#define LINGER_MS 300
#define PROBE_S 60 /* TCP keepalive: idle time and interval */
#define UNANSWERED_MS (11 * 60 * 1000)

typedef struct {
    GSource source;
    NetWire *wire;
} WireSource;

struct _NetWire {
    guint n_refs;
    int fd;
    GSource *source;
    gpointer fd_tag;
    GIOCondition watched;
    NetCurve *curve;
    GByteArray *in, *out; /* unread bytes; bytes to send, from out_at on */
    gsize out_at;
    GQueue packets;                 /* of NetPacket: came */
    GQueue held;                    /* of Held: waiting for the handshake */
    guint8 header[NET_HEADER_SIZE]; /* first part of a message */
    gboolean has_header;
    guint n_parts;
    char *endpoint, *identity;
    NetCurveKeys keys;
    gsize max_part;
    gboolean is_server, tries_again, is_closed, is_reading;
    guint timer;
    NetWireHandler handler;
    gpointer user;
};

typedef struct {
    guint8 header[NET_HEADER_SIZE];
    GVariant *body;
} Held;

BASE_FREE (free_held, Held, held, g_variant_unref (held->body))

static void
unref_wire (NetWire *wire)
{
    if (--wire->n_refs > 0) {
        return;
    }
    net_curve_free (wire->curve);
    g_byte_array_unref (wire->in);
    g_byte_array_unref (wire->out);
    g_queue_clear_full (&wire->packets, (GDestroyNotify) net_packet_free);
    g_queue_clear_full (&wire->held, free_held);
    g_free (wire->endpoint);
    g_free (wire->identity);
    net_curve_keys_clear (&wire->keys);
    g_free (wire);
}

static void
close_fd (NetWire *wire)
{
    if (wire->source) {
        g_source_destroy (wire->source);
        g_clear_pointer (&wire->source, g_source_unref);
    }
    if (wire->fd >= 0) {
        close (wire->fd);
        wire->fd = -1;
    }
}

static void
watch (NetWire *wire, GIOCondition condition)
{
    if (wire->source && wire->watched != condition) {
        wire->watched = condition;
        g_source_modify_unix_fd (wire->source, wire->fd_tag, condition);
    }
}

static void
shrink (GByteArray **array)
{
    if ((*array)->len > SMALL) {
        g_byte_array_unref (*array);
        *array = g_byte_array_new ();
    } else {
        g_byte_array_set_size (*array, 0);
    }
}

/* A broken connection is noticed on reading, after everything received before. */
static void
flush (NetWire *wire)
{
    while (wire->fd >= 0 && wire->out_at < wire->out->len) {
        gssize n = send (wire->fd, wire->out->data + wire->out_at,
                         wire->out->len - wire->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == ENOTCONN)) {
            watch (wire, G_IO_IN | G_IO_OUT);
            return;
        }
        if (n < 0 && errno != EINTR) {
            break;
        }
        wire->out_at += n > 0 ? (gsize) n : 0;
    }
    shrink (&wire->out);
    wire->out_at = 0;
    watch (wire, G_IO_IN);
}

static void
put_packet (NetWire *wire, const guint8 *header, GVariant *body)
{
    net_curve_put (wire->curve, header, NET_HEADER_SIZE, TRUE, wire->out);
    net_curve_put (wire->curve, g_variant_get_data (body), g_variant_get_size (body), FALSE,
                   wire->out);
}

static void
put_held (NetWire *wire)
{
    Held *held;
    while ((held = g_queue_pop_head (&wire->held)) != NULL) {
        put_packet (wire, held->header, held->body);
        free_held (held);
    }
}

/* Drops messages with another number of parts. */
static void
take_part (NetWire *wire, const NetCurvePart *part)
{
    g_autoptr (GError) error = NULL;
    wire->n_parts++;
    if (part->more) {
        if (wire->n_parts == 1 && part->size == NET_HEADER_SIZE) {
            memcpy (wire->header, part->data, NET_HEADER_SIZE);
            wire->has_header = TRUE;
        }
        return;
    }
    NetPacket *packet = wire->n_parts == 2 && wire->has_header
                            ? net_packet_decode (wire->header, NET_HEADER_SIZE, part->data,
                                                 part->size, &error)
                            : NULL;
    if (packet) {
        g_queue_push_tail (&wire->packets, packet);
    } else {
        g_debug ("packet refused: %s", error ? error->message : "wrong number of parts");
    }
    wire->has_header = FALSE;
    wire->n_parts = 0;
}

/* The bytes taken from the start; -1: malformed or not authenticated. */
static gssize
take_all (NetWire *wire, guint8 *data, gsize size)
{
    gsize taken = 0;
    for (gssize n = 1; n > 0;) {
        NetCurvePart part;
        gboolean was_open = net_curve_is_open (wire->curve);
        n = net_curve_take (wire->curve, data + taken, size - taken, wire->out, &part);
        if (n < 0) {
            return -1;
        }
        taken += (gsize) n;
        if (part.data) {
            take_part (wire, &part);
        }
        if (!was_open && net_curve_is_open (wire->curve)) {
            g_clear_handle_id (&wire->timer, g_source_remove);
            put_held (wire);
        }
    }
    return (gssize) taken;
}

/* Keeps incomplete frames. */
static gboolean
take_chunk (NetWire *wire, guint8 *chunk, gsize size)
{
    gssize taken;
    if (wire->in->len == 0) {
        taken = take_all (wire, chunk, size);
        if (taken >= 0) {
            g_byte_array_append (wire->in, chunk + taken, (guint) (size - (gsize) taken));
        }
        return taken >= 0;
    }
    g_byte_array_append (wire->in, chunk, (guint) size);
    taken = take_all (wire, wire->in->data, wire->in->len);
    if (taken == (gssize) wire->in->len) {
        shrink (&wire->in);
    } else if (taken > 0) {
        g_byte_array_remove_range (wire->in, 0, (guint) taken);
    }
    return taken >= 0;
}

/* FALSE: the stream has ended. */
static gboolean
read_stream (NetWire *wire)
{
    guint8 chunk[CHUNK];
    for (guint i = 0; i < MAX_CHUNKS; i++) {
        gssize n = recv (wire->fd, chunk, sizeof chunk, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno == EAGAIN;
        }
        if (n == 0 || !take_chunk (wire, chunk, (gsize) n)) {
            return FALSE;
        }
        if (n < (gssize) sizeof chunk) {
            break; /* poll reports further data */
        }
    }
    return TRUE;
}

static gboolean begin (NetWire *wire);

static gboolean
on_retry (gpointer user)
{
    NetWire *wire = user;
    wire->timer = 0;
    begin (wire);
    return G_SOURCE_REMOVE;
}

static gboolean
on_too_long (gpointer user)
{
    NetWire *wire = user;
    wire->timer = 0;
    close_fd (wire);
    wire->is_closed = TRUE;
    wire->handler.on_closed (wire, wire->user);
    return G_SOURCE_REMOVE;
}

static void
handle_end (NetWire *wire)
{
    gboolean was_open = net_curve_is_open (wire->curve);
    flush (wire); /* sends the ERROR to a peer without the key */
    close_fd (wire);
    g_clear_handle_id (&wire->timer, g_source_remove);
    if (!was_open && wire->tries_again) {
        wire->timer = g_timeout_add (RETRY_MS, on_retry, wire);
    } else if (!wire->is_closed) {
        wire->is_closed = TRUE;
        wire->handler.on_closed (wire, wire->user);
    }
}

static gboolean
dispatch_wire (GSource *source, GSourceFunc callback, gpointer user)
{
    NetWire *wire = ((WireSource *) source)->wire;
    GIOCondition condition = g_source_query_unix_fd (source, wire->fd_tag);
    gboolean goes_on = TRUE;
    wire->n_refs++;
    wire->is_reading = TRUE;
    if ((condition & ~G_IO_OUT) != 0) {
        goes_on = read_stream (wire);
    }
    if (wire->packets.length > 0) {
        wire->handler.on_packets (wire, wire->user);
    }
    wire->is_reading = FALSE;
    if (!wire->is_closed && !goes_on) {
        handle_end (wire);
    } else if (!wire->is_closed) {
        flush (wire);
    }
    unref_wire (wire);
    return G_SOURCE_CONTINUE;
}

static void
add_source (NetWire *wire)
{
    static GSourceFuncs functions = { NULL, NULL, dispatch_wire, NULL };
    wire->source = g_source_new (&functions, sizeof (WireSource));
    ((WireSource *) wire->source)->wire = wire;
    wire->watched = G_IO_IN;
    wire->fd_tag = g_source_add_unix_fd (wire->source, wire->fd, G_IO_IN);
    g_source_set_can_recurse (wire->source, TRUE); /* otherwise GLib wakes itself in each
                                                      iteration */
    g_source_attach (wire->source, NULL);
}

/* Works even while this program hangs: its guard sees the connection close. Not needed for UNIX
 * sockets, whose other end is on the same host. */
static void
set_options (const NetWire *wire)
{
    static const struct {
        int level, name, value;
    } options[] = { { IPPROTO_TCP, TCP_NODELAY, 1 },
                    { SOL_SOCKET, SO_KEEPALIVE, 1 },
                    { IPPROTO_TCP, TCP_KEEPIDLE, PROBE_S },
                    { IPPROTO_TCP, TCP_KEEPINTVL, PROBE_S },
                    { IPPROTO_TCP, TCP_USER_TIMEOUT, UNANSWERED_MS } };
    for (gsize i = 0; i < G_N_ELEMENTS (options); i++) {
        setsockopt (wire->fd, options[i].level, options[i].name, &options[i].value,
                    sizeof options[i].value);
    }
}

/* FALSE when no random bytes are to be had. */
static gboolean
begin (NetWire *wire)
{
    net_curve_free (wire->curve);
    wire->curve = wire->is_server
                      ? net_curve_new_server (&wire->keys, wire->max_part)
                      : net_curve_new_client (&wire->keys, wire->identity, wire->max_part);
    g_byte_array_set_size (wire->in, 0);
    g_byte_array_set_size (wire->out, 0);
    wire->out_at = 0;
    if (!wire->curve) {
        return FALSE;
    }
    if (!wire->is_server) {
        wire->fd = net_address_connect (wire->endpoint);
    }
    if (wire->fd < 0) {
        wire->timer = g_timeout_add (RETRY_MS, on_retry, wire);
        return TRUE;
    }
    set_options (wire);
    add_source (wire);
    net_curve_begin (wire->curve, wire->out);
    flush (wire);
    return TRUE;
}

static NetWire *
make_wire (int fd, const NetCurveKeys *keys, gsize max_part, const NetWireHandler *handler,
           gpointer user)
{
    NetWire *wire = g_new0 (NetWire, 1);
    wire->n_refs = 1;
    wire->fd = fd;
    wire->in = g_byte_array_new ();
    wire->out = g_byte_array_new ();
    wire->keys = *keys;
    wire->max_part = max_part;
    wire->handler = *handler;
    wire->user = user;
    return wire;
}

NetWire *
net_wire_new (const char *endpoint, const NetCurveKeys *keys, const char *identity,
              gsize max_part, gboolean tries_again, const NetWireHandler *handler,
              gpointer user)
{
    if (!net_address_is_endpoint (endpoint)) {
        return NULL;
    }
    NetWire *wire = make_wire (-1, keys, max_part, handler, user);
    wire->endpoint = g_strdup (endpoint);
    wire->identity = g_strdup (identity);
    wire->tries_again = tries_again;
    if (!begin (wire)) {
        g_clear_pointer (&wire, net_wire_free);
    }
    return wire;
}

NetWire *
net_wire_new_accepted (int fd, const NetCurveKeys *keys, gsize max_part, guint limit_ms,
                       const NetWireHandler *handler, gpointer user)
{
    NetWire *wire = make_wire (fd, keys, max_part, handler, user);
    wire->is_server = TRUE;
    if (!begin (wire)) {
        net_wire_free (wire);
        return NULL;
    }
    wire->timer = base_patience_add (limit_ms, on_too_long, wire, NULL);
    return wire;
}

static void
linger (NetWire *wire)
{
    gint64 end_us = g_get_monotonic_time () + LINGER_MS * 1000;
    flush (wire);
    while (wire->out_at < wire->out->len && g_get_monotonic_time () < end_us) {
        struct pollfd waiting = { wire->fd, POLLOUT, 0 };
        poll (&waiting, 1, (int) ((end_us - g_get_monotonic_time ()) / 1000 + 1));
        flush (wire);
    }
    /* With unread bytes, close would reset the connection and discard what was sent. */
    guint8 chunk[SMALL];
    shutdown (wire->fd, SHUT_WR);
    for (guint i = 0; i < MAX_CHUNKS && recv (wire->fd, chunk, sizeof chunk, MSG_DONTWAIT) > 0;
         i++) {
    }
}

void
net_wire_free (NetWire *wire)
{
    if (!wire) {
        return;
    }
    g_clear_handle_id (&wire->timer, g_source_remove);
    if (wire->fd >= 0 && wire->curve && net_curve_is_open (wire->curve)) {
        linger (wire);
    }
    wire->is_closed = TRUE;
    close_fd (wire);
    unref_wire (wire);
}

gboolean
net_wire_is_open (const NetWire *wire)
{
    return net_curve_is_open (wire->curve) && !wire->is_closed;
}

int
net_wire_get_fd (const NetWire *wire)
{
    return wire->fd;
}

gsize
net_wire_get_backlog (const NetWire *wire)
{
    return wire->out->len - wire->out_at;
}

gboolean
net_wire_is_idle (const NetWire *wire)
{
    return wire->out_at == wire->out->len;
}

NetPacket *
net_wire_receive (NetWire *wire)
{
    return g_queue_pop_head (&wire->packets);
}

void
net_wire_send (NetWire *wire, NetPacketType type, guint64 sequence, guint32 origin,
               GVariant *body)
{
    g_autoptr (GVariant) held = g_variant_ref_sink (body);
    g_autoptr (GVariant) content = G_BYTE_ORDER == G_BIG_ENDIAN ? g_variant_byteswap (held)
                                                                : g_variant_ref (held);
    guint8 header[NET_HEADER_SIZE];
    net_packet_encode_header (type, sequence, origin, header);
    if (wire->is_closed) {
        return;
    }
    if (!net_curve_is_open (wire->curve)) {
        Held *waiting = g_new (Held, 1);
        memcpy (waiting->header, header, sizeof header);
        waiting->body = g_steal_pointer (&content);
        g_queue_push_tail (&wire->held, waiting);
        return;
    }
    put_packet (wire, header, content);
    if (!wire->is_reading && wire->watched == G_IO_IN) {
        flush (wire);
    }
}
