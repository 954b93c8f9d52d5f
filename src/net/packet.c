/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes to packets and back. Everything received passes one gate: frame count, header, signature
 * of the type, normal form. */
#include "net/packet-private.h"
#include "base/cursor.h"
#include "base/error.h"
#include <string.h>
#include <zmq.h>

#define MAGIC 0x54444450u /* "PDDT" */
#define MAX_FRAMES 3

static const char *const signatures[NET_N_TYPES] = {
    NULL,    "(ssu)", "(u)", "(tav)", "v",   "(t)", "(t)", "(t)", "()", "(t)",
    "(ts)",  "(tst)", "(stu)", "()",  "(tb)", "(tu)", "(ta(utt)av)",
};

void
net_packet_free (NetPacket *packet)
{
    if (packet) {
        g_clear_pointer (&packet->routing, g_bytes_unref);
        g_clear_pointer (&packet->body, g_variant_unref);
        g_free (packet);
    }
}

void
net_packet_encode_header (NetPacketType type, guint64 sequence, guint32 origin,
                          guint8 header[NET_HEADER_SIZE])
{
    guint32 magic = GUINT32_TO_LE (MAGIC), flags = 0, from = GUINT32_TO_LE (origin);
    guint16 version = GUINT16_TO_LE (NET_VERSION), kind = GUINT16_TO_LE ((guint16) type);
    guint64 number = GUINT64_TO_LE (sequence);
    memcpy (header, &magic, 4);
    memcpy (header + 4, &version, 2);
    memcpy (header + 6, &kind, 2);
    memcpy (header + 8, &flags, 4);
    memcpy (header + 12, &from, 4);
    memcpy (header + 16, &number, 8);
}

static GVariant *
read_body (NetPacketType type, const guint8 *data, gsize size)
{
    g_autoptr (GBytes) bytes = g_bytes_new (data, size);
    g_autoptr (GVariant) body = g_variant_ref_sink (
        g_variant_new_from_bytes (G_VARIANT_TYPE (signatures[type]), bytes, FALSE));
    if (!g_variant_is_normal_form (body)) {
        return NULL;
    }
    return G_BYTE_ORDER == G_BIG_ENDIAN ? g_variant_byteswap (body) : g_steal_pointer (&body);
}

NetPacket *
net_packet_decode (const guint8 *header, gsize header_size, const guint8 *body, gsize body_size,
                   GError **error)
{
    BaseCursor cursor = BASE_CURSOR_INIT (header, header_size);
    guint32 magic = base_cursor_read_u32 (&cursor);
    guint16 version = base_cursor_read_u16 (&cursor), type = base_cursor_read_u16 (&cursor);
    base_cursor_skip (&cursor, 4);
    guint32 origin = base_cursor_read_u32 (&cursor);
    guint64 sequence = base_cursor_read_u64 (&cursor);
    if (cursor.failed || header_size != NET_HEADER_SIZE || magic != MAGIC ||
        version != NET_VERSION || type == 0 || type >= NET_N_TYPES) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "cannot read packet: no header of ours");
        return NULL;
    }
    GVariant *content = read_body ((NetPacketType) type, body, body_size);
    if (!content) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot read packet: body of type %u is malformed", type);
        return NULL;
    }
    NetPacket *packet = g_new0 (NetPacket, 1);
    *packet = (NetPacket) { .type = (NetPacketType) type, .sequence = sequence, .origin = origin,
                            .fd = -1, .body = content };
    return packet;
}

gboolean
net_packet_send (void *socket, GBytes *routing, NetPacketType type, guint64 sequence,
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
    return zmq_send (socket, header, sizeof header, ZMQ_SNDMORE | ZMQ_DONTWAIT) >= 0 &&
           zmq_send (socket, g_variant_get_data (content), g_variant_get_size (content),
                     ZMQ_DONTWAIT) >= 0;
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
net_packet_receive (void *socket, gboolean has_routing, gboolean *ret_empty)
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
        g_debug ("packet of %u frames refused: %s", n, error ? error->message : "wrong count");
    }
    for (guint i = 0; i < MIN (n, MAX_FRAMES); i++) {
        zmq_msg_close (&frames[i]);
    }
    return packet;
}
