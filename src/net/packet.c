/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts packets to bytes and back. Checks everything received: header, signature of the
 * type, normal form. */
#include "net/packet-private.h"
#include "base/array.h"
#include "base/cursor.h"
#include "base/error.h"
#include <string.h>

#define MAGIC 0x54444450u /* "PDDT" */

static const char *const signatures[NET_N_TYPES] = {
    NULL,   "(ssu)", "(u)",   "(tav)", "v",    "(t)",  "(t)",         "(t)", "()",   "(t)",
    "(ts)", "(tst)", "(stu)", "()",    "(tb)", "(tu)", "(ta(utt)av)", "(x)", "(xx)",
};

BASE_FREE_PUBLIC (net_packet_free, NetPacket, packet,
                  g_clear_pointer (&packet->routing, g_bytes_unref);
                  g_clear_pointer (&packet->body, g_variant_unref))

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
    g_autoptr (GVariant) body
        = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (signatures[type]),
                                                        bytes, FALSE));
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
    if (cursor.failed || header_size != NET_HEADER_SIZE || magic != MAGIC
        || version != NET_VERSION || type == 0 || type >= NET_N_TYPES) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot read packet: it has no pddt header");
        return NULL;
    }
    GVariant *content = read_body ((NetPacketType) type, body, body_size);
    if (!content) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "cannot read packet: body of type %u is malformed", type);
        return NULL;
    }
    NetPacket *packet = g_new0 (NetPacket, 1);
    *packet = (NetPacket){ .type = (NetPacketType) type,
                           .sequence = sequence,
                           .origin = origin,
                           .fd = -1,
                           .body = content };
    return packet;
}
