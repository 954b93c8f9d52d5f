/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ZMTP 3.0 (RFC 23) with the mechanism CURVE (RFC 26) on one connection's bytes, compatible
 * with libzmq and without any I/O; doc/maintainers/zmtp.md says which parts. Each end has a pair of
 * long-term keys, knows the other's public key, and makes a fresh pair for each connection.
 * Daemons do not use libzmq: its two threads would wake each other several times for each
 * packet. */
#pragma once
#include <glib.h>

#define NET_CURVE_KEY_SIZE 32

typedef struct _NetCurve NetCurve;

/* Whoever holds these wipes them with net_curve_keys_clear. */
typedef struct {
    guint8 public_key[NET_CURVE_KEY_SIZE],
        secret_key[NET_CURVE_KEY_SIZE];   /* this end's long-term pair */
    guint8 other_key[NET_CURVE_KEY_SIZE]; /* the only one that the other end may have */
} NetCurveKeys;

typedef struct {
    const guint8 *data; /* NULL: no part yet, the handshake continues */
    gsize size;
    gboolean more; /* the message has further parts */
} NetCurvePart;

/* text: 40 characters of Z85; FALSE when it is malformed. */
gboolean net_curve_decode_key (const char *text, guint8 key[NET_CURVE_KEY_SIZE]);
/* The keys as Z85; FALSE, with keys cleared, when one is malformed. */
gboolean net_curve_keys_init (NetCurveKeys *keys, const char *public_key,
                              const char *secret_key, const char *other_key);
void net_curve_keys_clear (NetCurveKeys *keys);

/* max_part: bytes of one part of a message. identity: names this end to a ROUTER, up to 255
 * bytes, borrowed. Copies the keys. NULL when the system has no random bytes. */
NetCurve *net_curve_new_client (const NetCurveKeys *keys, const char *identity, gsize max_part);
/* Accepts only a client with keys->other_key. */
NetCurve *net_curve_new_server (const NetCurveKeys *keys, gsize max_part);
void net_curve_free (NetCurve *curve);

/* Appends what this end sends first. */
void net_curve_begin (NetCurve *curve, GByteArray *out);
/* Takes one frame (first the greeting) from the start of data, which it may overwrite, and
 * appends the handshake's answers to out. Returns the bytes taken; 0: the frame is incomplete;
 * -1: close the connection, the peer is malformed or not authenticated. *ret_part is valid as
 * long as data. */
gssize net_curve_take (NetCurve *curve, guint8 *data, gsize size, GByteArray *out,
                       NetCurvePart *ret_part);
/* The handshake is complete: messages can be sent and received. */
gboolean net_curve_is_open (const NetCurve *curve);
/* Appends a part of a message. */
void net_curve_put (NetCurve *curve, const void *data, gsize size, gboolean more,
                    GByteArray *out);
