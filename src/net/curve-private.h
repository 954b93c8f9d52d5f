/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One connection's stream of bytes, without the connection: ZMTP 3.0 (RFC 23) with the mechanism CURVE
 * (RFC 26), as libzmq speaks it; doc/zmtp.md says what of them. Each end has a pair of long-term keys and
 * knows the other's public one, and has a fresh pair for each connection. A daemon has few links and one
 * thread; a libzmq context would be two more threads, which wake each other several times for each packet. */
#pragma once
#include <glib.h>

#define NET_CURVE_KEY_SIZE 32

typedef struct _NetCurve NetCurve;

/* Wiped by net_curve_keys_clear by whoever holds them. */
typedef struct {
    guint8 public_key[NET_CURVE_KEY_SIZE], secret_key[NET_CURVE_KEY_SIZE]; /* this end's long-term pair */
    guint8 other_key[NET_CURVE_KEY_SIZE]; /* the only one that the other end may have */
} NetCurveKeys;

typedef struct {
    const guint8 *data; /* NULL: there was none, the handshake goes on */
    gsize size;
    gboolean more;      /* the message has further parts */
} NetCurvePart;

/* 40 characters of Z85; FALSE when it is not. */
gboolean net_curve_decode_key (const char *text, guint8 key[NET_CURVE_KEY_SIZE]);
/* All of Z85; FALSE, and cleared, when one is not. */
gboolean net_curve_keys_init (NetCurveKeys *keys, const char *public_key, const char *secret_key,
                              const char *other_key);
void net_curve_keys_clear (NetCurveKeys *keys);

/* max_part: bytes of one part of a message. identity: by which a ROUTER knows this end, up to 255
 * bytes, borrowed. NULL when no random bytes are to be had. The keys are copied. */
NetCurve *net_curve_new_client (const NetCurveKeys *keys, const char *identity, gsize max_part);
/* Takes in only who has the other key. */
NetCurve *net_curve_new_server (const NetCurveKeys *keys, gsize max_part);
void net_curve_free (NetCurve *curve);

/* What is sent before anything came. */
void net_curve_begin (NetCurve *curve, GByteArray *out);
/* Takes one frame (at first: the greeting) from the front of what came, which it may overwrite;
 * answers of the handshake are appended to out. Bytes taken, 0: not all of it is there, -1: this is
 * not our other end, and nothing more may be read. ret_part is valid while data is. */
gssize net_curve_take (NetCurve *curve, guint8 *data, gsize size, GByteArray *out,
                       NetCurvePart *ret_part);
/* Messages can be put and come. */
gboolean net_curve_is_open (const NetCurve *curve);
/* Appends a part of a message. */
void net_curve_put (NetCurve *curve, const void *data, gsize size, gboolean more, GByteArray *out);
