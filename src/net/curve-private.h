/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One connection's stream of bytes, without the connection: ZMTP 3.0 (RFC 23) with the mechanism CURVE
 * (RFC 26), as libzmq speaks it. Both ends have the session's one pair of keys for long-term keys, and
 * a fresh pair for each connection. A daemon has few links and one thread; a libzmq context would be
 * two more threads, which wake each other several times for each packet. */
#pragma once
#include <glib.h>

#define NET_CURVE_KEY_SIZE 32

typedef struct _NetCurve NetCurve;

typedef struct {
    const guint8 *data; /* NULL: there was none, the handshake goes on */
    gsize size;
    gboolean more;      /* the message has further parts */
} NetCurvePart;

/* Both keys 40 characters of Z85; FALSE when they are not. */
gboolean net_curve_decode_key (const char *text, guint8 key[NET_CURVE_KEY_SIZE]);

/* max_part: bytes of one part of a message. identity: by which a ROUTER knows this end, up to 255
 * bytes, borrowed. NULL when keys are malformed or no random bytes are to be had. */
NetCurve *net_curve_new_client (const char *public_key, const char *secret_key, const char *identity,
                                gsize max_part);
/* Takes in only who has the same pair. */
NetCurve *net_curve_new_server (const char *public_key, const char *secret_key, gsize max_part);
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
/* The server said that this pair of keys is not the session's. */
gboolean net_curve_is_refused (const NetCurve *curve);
/* Appends a part of a message. */
void net_curve_put (NetCurve *curve, const void *data, gsize size, gboolean more, GByteArray *out);
