/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The authenticator of a context (ZeroMQ RFC 27, ZAP 1.0): accepts the session's own key and
 * refuses all others before any of their bytes reach the application. */
#include "net/socket-private.h"
#include "base/array.h"
#include <string.h>
#include <zmq.h>

#define ZAP_ENDPOINT "inproc://zeromq.zap.01"
#define REQUEST_FRAMES 7
#define KEY_FRAME 6
#define MAX_FIELD 256

struct _NetZap {
    void *socket;
    GSource *source;
    guint8 key[32];
};

typedef struct {
    guint8 data[MAX_FIELD];
    gsize size;
} ZapField;

/* Reads the frames of the next request; one with too many or too long frames will be
 * refused. */
static guint
read_question (void *socket, ZapField fields[REQUEST_FRAMES], gboolean *ret_bad)
{
    guint n = 0;
    int more = 1;
    gsize more_size = sizeof more;
    *ret_bad = FALSE;
    while (more) {
        ZapField spare, *field = n < REQUEST_FRAMES ? &fields[n] : &spare;
        int size = zmq_recv (socket, field->data, MAX_FIELD, ZMQ_DONTWAIT);
        if (size < 0) {
            break;
        }
        field->size = MIN ((gsize) size, MAX_FIELD);
        *ret_bad |= size > MAX_FIELD;
        n++;
        zmq_getsockopt (socket, ZMQ_RCVMORE, &more, &more_size);
    }
    return n;
}

static void
send_text (void *socket, const char *text, gboolean last)
{
    zmq_send (socket, text, strlen (text), last ? ZMQ_DONTWAIT : ZMQ_SNDMORE | ZMQ_DONTWAIT);
}

static void
on_question (gpointer user)
{
    NetZap *zap = user;
    ZapField fields[REQUEST_FRAMES];
    gboolean bad;
    guint n;
    while ((n = read_question (zap->socket, fields, &bad)) > 0) {
        gboolean accepted = !bad && n == REQUEST_FRAMES
                            && fields[KEY_FRAME].size == sizeof zap->key
                            && memcmp (fields[KEY_FRAME].data, zap->key, sizeof zap->key) == 0;
        if (!accepted) {
            g_message ("refused a peer with the wrong key");
        }
        send_text (zap->socket, "1.0", FALSE);
        zmq_send (zap->socket, fields[1].data, n > 1 ? fields[1].size : 0,
                  ZMQ_SNDMORE | ZMQ_DONTWAIT);
        send_text (zap->socket, accepted ? "200" : "400", FALSE);
        send_text (zap->socket, "", FALSE);
        send_text (zap->socket, "", FALSE);
        send_text (zap->socket, "", TRUE);
    }
}

NetZap *
net_zap_new (void *context, const char *public_key)
{
    NetZap *zap = g_new0 (NetZap, 1);
    int linger = 0;
    zap->socket = zmq_socket (context, ZMQ_REP);
    zmq_setsockopt (zap->socket, ZMQ_LINGER, &linger, sizeof linger);
    if (!zmq_z85_decode (zap->key, public_key) || zmq_bind (zap->socket, ZAP_ENDPOINT) < 0) {
        zmq_close (zap->socket);
        g_free (zap);
        return NULL;
    }
    zap->source = net_socket_source_new (zap->socket, on_question, zap);
    return zap;
}

BASE_FREE_PUBLIC (net_zap_free, NetZap, zap, net_socket_source_clear (&zap->source);
                  zmq_close (zap->socket))
