/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our end of ZMTP and CURVE against libzmq's, and against who should not come in. */
#include "net/address-private.h"
#include "net/curve-private.h"
#include "net/link.h"
#include "net/socket-private.h"
#include "net/wire-private.h"
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#define LIMIT_MS 120000
#define MAX_PART (1024 * 1024)

typedef struct {
    char public_key[41], secret_key[41]; /* the server's */
    char client_key[41], client_secret[41];
    NetCurveKeys server, client;
    int listen_fd;
    char *endpoint;
    guint n_packets, n_closed;
    guint64 last;
    gsize last_size;
    gboolean late;
} Rig;

static void
on_packets (NetWire *wire, gpointer user)
{
    Rig *rig = user;
    NetPacket *packet;
    while ((packet = net_wire_receive (wire)) != NULL) {
        rig->n_packets++;
        rig->last = packet->sequence;
        rig->last_size = g_variant_get_size (packet->body);
        net_packet_free (packet);
    }
}

static void
on_closed (NetWire *wire, gpointer user)
{
    ((Rig *) user)->n_closed++;
}

static const NetWireHandler handler = { on_packets, on_closed };

static gboolean
on_late (gpointer user)
{
    *(gboolean *) user = TRUE;
    return G_SOURCE_REMOVE;
}

#define WAIT(rig, condition)                                                                   \
    do {                                                                                       \
        (rig)->late = FALSE;                                                                   \
        guint timer = g_timeout_add (LIMIT_MS, on_late, &(rig)->late);                         \
        while (!(condition) && !(rig)->late) {                                                 \
            g_main_context_iteration (NULL, TRUE);                                             \
        }                                                                                      \
        if (!(rig)->late) {                                                                    \
            g_source_remove (timer);                                                           \
        }                                                                                      \
        g_assert_true (condition);                                                             \
    } while (0)

static void
open_rig (Rig *rig)
{
    *rig = (Rig){ 0 };
    g_assert_true (net_make_keys (rig->public_key, rig->secret_key, NULL));
    g_assert_true (net_make_keys (rig->client_key, rig->client_secret, NULL));
    g_assert_true (net_curve_keys_init (&rig->server, rig->public_key, rig->secret_key,
                                        rig->client_key));
    g_assert_true (net_curve_keys_init (&rig->client, rig->client_key, rig->client_secret,
                                        rig->public_key));
    rig->listen_fd = net_address_listen ("tcp://127.0.0.1:*", &rig->endpoint);
    g_assert_cmpint (rig->listen_fd, >=, 0);
}

static void
close_rig (Rig *rig)
{
    close (rig->listen_fd);
    g_free (rig->endpoint);
}

static NetWire *
accept_one (Rig *rig, guint limit_ms)
{
    int fd;
    while ((fd = accept4 (rig->listen_fd, NULL, NULL, SOCK_CLOEXEC)) < 0) {
        g_main_context_iteration (NULL, FALSE);
    }
    return net_wire_new_accepted (fd, &rig->server, MAX_PART, limit_ms, &handler, rig);
}

/* Ends with what it said: server NULL is a plain one. */
static void *
open_peer (Rig *rig, void *context, const char *server, const char *public_key,
           const char *secret_key)
{
    void *socket = zmq_socket (context, ZMQ_DEALER);
    int never = -1, linger = 0;
    zmq_setsockopt (socket, ZMQ_RECONNECT_IVL, &never, sizeof never);
    zmq_setsockopt (socket, ZMQ_LINGER, &linger, sizeof linger);
    if (server) {
        zmq_setsockopt (socket, ZMQ_CURVE_SERVERKEY, server, 40);
        zmq_setsockopt (socket, ZMQ_CURVE_PUBLICKEY, public_key, 40);
        zmq_setsockopt (socket, ZMQ_CURVE_SECRETKEY, secret_key, 40);
    }
    g_assert_cmpint (zmq_connect (socket, rig->endpoint), ==, 0);
    net_socket_send (socket, NULL, NET_HELLO, 1, 0,
                     g_variant_new ("(ssu)", "session", "one", 1));
    return socket;
}

static GVariant *
make_body (gsize size)
{
    g_autofree char *text = g_strnfill (size, 'x');
    return g_variant_new ("(ssu)", text, "host", 1);
}

/* The oracle: libzmq's client understands our server, up to the largest packets, and is cut off above. */
static void
test_libzmq_client (void)
{
    Rig rig;
    open_rig (&rig);
    void *context = zmq_ctx_new ();
    void *peer = open_peer (&rig, context, rig.public_key, rig.client_key, rig.client_secret);
    NetWire *wire = accept_one (&rig, LIMIT_MS);
    net_wire_send (wire, NET_WELCOME, 1, 0,
                   g_variant_new ("(u)", 77)); /* held until the key is shown */
    WAIT (&rig, rig.n_packets == 1);
    g_assert_true (net_wire_is_open (wire));
    static const gsize sizes[] = { 1, 200, 255, 256, 40000, MAX_PART - 100 };
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
        net_socket_send (peer, NULL, NET_HELLO, i + 2, 0, make_body (sizes[i]));
        WAIT (&rig, rig.n_packets == i + 2);
        g_assert_cmpuint (rig.last, ==, i + 2);
        g_assert_cmpuint (rig.last_size, >, sizes[i]);
        net_wire_send (wire, NET_HELLO, i + 2, 0, make_body (sizes[i]));
    }
    guint n = 0;
    for (gboolean empty = TRUE; n < 1 + G_N_ELEMENTS (sizes);) {
        g_main_context_iteration (NULL, FALSE);
        g_autoptr (NetPacket) packet = net_socket_receive (peer, FALSE, &empty);
        if (packet) {
            g_assert_cmpuint (packet->sequence, ==, ++n);
            g_assert_cmpuint (n == 1 ? 0 : sizes[n - 2], <, g_variant_get_size (packet->body));
        }
    }
    g_assert_cmpuint (rig.n_closed, ==, 0);
    net_socket_send (peer, NULL, NET_HELLO, 100, 0, make_body (2 * MAX_PART));
    WAIT (&rig, rig.n_closed == 1);
    g_assert_cmpuint (rig.n_packets, ==, 1 + G_N_ELEMENTS (sizes));
    net_wire_free (wire);
    zmq_close (peer);
    zmq_ctx_term (context);
    close_rig (&rig);
}

/* None of them comes so far that a byte of theirs is read as a packet; all are closed. */
static void
test_strangers (void)
{
    enum { N = 6 };
    Rig rig;
    char public_key[41], secret_key[41];
    guint8 noise[600];
    NetWire *wires[N];
    open_rig (&rig);
    net_make_keys (public_key, secret_key, NULL);
    void *context = zmq_ctx_new ();
    void *peers[]
        = { open_peer (&rig, context, rig.public_key, public_key, secret_key), /* own keys */
            open_peer (&rig, context, rig.public_key, rig.public_key,
                       rig.secret_key),                                      /* the server's */
            open_peer (&rig, context, NULL, NULL, NULL),                     /* plain */
            open_peer (&rig, context, public_key, public_key, secret_key) }; /* wrong server */
    int garbage = net_address_connect (rig.endpoint), mute = net_address_connect (rig.endpoint);
    for (gsize i = 0; i < sizeof noise; i++) {
        noise[i] = (guint8) g_test_rand_int_range (0, 255);
    }
    for (guint i = 0; i < N; i++) {
        wires[i] = accept_one (&rig, 300);
    }
    g_assert_cmpint (send (garbage, noise, sizeof noise, MSG_NOSIGNAL), ==, sizeof noise);
    WAIT (&rig, rig.n_closed == N);
    g_assert_cmpuint (rig.n_packets, ==, 0);
    for (guint i = 0; i < N; i++) {
        g_assert_false (net_wire_is_open (wires[i]));
        net_wire_free (wires[i]);
    }
    for (guint i = 0; i < G_N_ELEMENTS (peers); i++) {
        zmq_close (peers[i]);
    }
    close (garbage);
    close (mute);
    zmq_ctx_term (context);
    close_rig (&rig);
}

/* A client whose server is another session's, or talks nonsense, is told once that it is closed. */
static void
test_wrong_servers (void)
{
    NetCurveKeys daemon;
    Rig rig, other;
    open_rig (&rig);
    open_rig (&other);
    NetWire *client = net_wire_new (rig.endpoint, &other.client, "x", MAX_PART, FALSE, &handler,
                                    &other);
    NetWire *server = accept_one (&rig, LIMIT_MS);
    net_wire_send (client, NET_BYE, 1, 0, g_variant_new ("(t)", (guint64) 1));
    WAIT (&rig, rig.n_closed == 1 && other.n_closed == 1);
    net_wire_free (client);
    net_wire_free (server);
    client = net_wire_new (rig.endpoint, &rig.client, "x", MAX_PART, FALSE, &handler, &other);
    /* who has the daemons' key cannot speak as the front end */
    g_assert_true (net_curve_keys_init (&daemon, rig.client_key, rig.client_secret,
                                        rig.client_key));
    int impostor_fd;
    while ((impostor_fd = accept4 (rig.listen_fd, NULL, NULL, SOCK_CLOEXEC)) < 0) {
        g_main_context_iteration (NULL, FALSE);
    }
    server = net_wire_new_accepted (impostor_fd, &daemon, MAX_PART, LIMIT_MS, &handler, &rig);
    WAIT (&rig, rig.n_closed == 2 && other.n_closed == 2);
    net_wire_free (client);
    net_wire_free (server);
    client = net_wire_new (rig.endpoint, &rig.client, "x", MAX_PART, FALSE, &handler, &other);
    int fd = accept4 (rig.listen_fd, NULL, NULL, SOCK_CLOEXEC);
    g_assert_cmpint (
        send (fd, "SSH-2.0-OpenSSH_9.2p1 and more than a greeting's 64 bytes of nonsense....",
              70, 0),
        ==, 70);
    WAIT (&rig, other.n_closed == 3);
    g_assert_cmpuint (rig.n_packets + other.n_packets, ==, 0);
    close (fd);
    net_wire_free (client);
    g_assert_null (net_wire_new ("nonsense", &rig.client, "x", MAX_PART, FALSE, &handler,
                                 &other));
    close_rig (&rig);
    close_rig (&other);
}

/* Somebody on the way says in the server's name, when only READY is missing, that the key is not the
 * session's: nothing proves that, and the client comes again. */
static void
test_forged_error (void)
{
    static const guint8 forged[] = "\4\12\5ERROR\003400";
    enum { GREETING = 64 };
    Rig rig;
    open_rig (&rig);
    NetWire *client = net_wire_new (rig.endpoint, &rig.client, "x", MAX_PART, TRUE, &handler,
                                    &rig);
    net_wire_send (client, NET_BYE, 7, 0, g_variant_new ("(t)", (guint64) 1));
    NetCurve *server = net_curve_new_server (&rig.server, MAX_PART);
    g_autoptr (GByteArray) in = g_byte_array_new (), out = g_byte_array_new ();
    int fd;
    while ((fd = accept4 (rig.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) < 0) {
        g_main_context_iteration (NULL, FALSE);
    }
    net_curve_begin (server, out);
    while (!net_curve_is_open (server)) { /* READY is made, and kept back */
        guint8 chunk[4096];
        NetCurvePart part;
        send (fd, out->data, out->len, MSG_NOSIGNAL);
        g_byte_array_set_size (out, 0);
        g_main_context_iteration (NULL, FALSE);
        gssize n = recv (fd, chunk, sizeof chunk, 0);
        g_byte_array_append (in, chunk, (guint) MAX (n, 0));
        for (gssize taken = 1; taken > 0 && !net_curve_is_open (server);) {
            taken = net_curve_take (server, in->data, in->len, out, &part);
            g_assert_cmpint (taken, >=, 0);
            g_byte_array_remove_range (in, 0, (guint) taken);
        }
    }
    g_assert_cmpint (send (fd, forged, sizeof forged - 1, MSG_NOSIGNAL), ==, sizeof forged - 1);
    net_curve_free (server);
    NetWire *wire = accept_one (&rig, LIMIT_MS);
    WAIT (&rig, rig.n_packets == 1);
    g_assert_true (net_wire_is_open (client) && rig.last == 7 && rig.n_closed == 0);
    close (fd);
    net_wire_free (client);
    net_wire_free (wire);
    close_rig (&rig);
}

/* What a ROUTER of libzmq has got. */
static guint
count_at (void *router, guint64 *ret_last)
{
    guint n = 0;
    for (gboolean empty = FALSE; !empty;) {
        g_autoptr (NetPacket) packet = net_socket_receive (router, TRUE, &empty);
        if (packet) {
            *ret_last = packet->sequence;
            n++;
        }
    }
    return n;
}

/* A message of n parts of that size to the client of that name. */
static void
send_parts (void *router, const char *name, guint n, gsize size)
{
    g_autofree char *bytes = g_malloc0 (size + 1);
    zmq_send (router, name, strlen (name), ZMQ_SNDMORE);
    for (guint i = 0; i < n; i++) {
        zmq_send (router, bytes, size, i + 1 < n ? ZMQ_SNDMORE : 0);
    }
}

/* Our client and libzmq's server: all sizes, messages of other numbers of parts than two, empty parts, and
 * PING, which libzmq sends as a command; they are left out, and the next packet is understood. */
static void
test_libzmq_server (void)
{
    static const gsize sizes[] = { 0, 1, 200, 230, 231, 255, 256, 40000, MAX_PART - 100 };
    Rig rig;
    int one = 1, beat = 20, patience = 600000;
    char endpoint[256];
    gsize size = sizeof endpoint;
    guint64 last = 0;
    guint n = 0;
    open_rig (&rig);
    void *context = zmq_ctx_new (), *router = zmq_socket (context, ZMQ_ROUTER);
    NetZap *zap = net_zap_new (context, rig.client_key);
    zmq_setsockopt (router, ZMQ_ROUTER_MANDATORY, &one, sizeof one);
    zmq_setsockopt (router, ZMQ_HEARTBEAT_IVL, &beat, sizeof beat);
    zmq_setsockopt (router, ZMQ_HEARTBEAT_TIMEOUT, &patience, sizeof patience);
    g_assert_true (net_socket_configure (router, rig.public_key, rig.secret_key, NULL,
                                         2 * MAX_PART));
    g_assert_cmpint (zmq_bind (router, "tcp://127.0.0.1:*"), ==, 0);
    zmq_getsockopt (router, ZMQ_LAST_ENDPOINT, endpoint, &size);
    NetWire *client = net_wire_new (endpoint, &rig.client, "name", MAX_PART, TRUE, &handler,
                                    &rig);
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
        net_wire_send (client, NET_HELLO, i + 1, 0, make_body (sizes[i]));
    }
    WAIT (&rig,
          (n += count_at (router, &last)) == G_N_ELEMENTS (sizes) || (g_usleep (1000), FALSE));
    g_assert_cmpuint (last, ==, G_N_ELEMENTS (sizes));
    GBytes *name = g_bytes_new_static ("name", 4);
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
        for (guint parts = 1; parts <= 4; parts++) {
            send_parts (router, "name", parts, MIN (sizes[i], 40000));
        }
        g_assert_true (net_socket_send (router, name, NET_HELLO, i + 1, 0,
                                        make_body (sizes[i])));
        WAIT (&rig, rig.n_packets == i + 1);
        g_assert_cmpuint (rig.last, ==, i + 1);
    }
    gint64 end_us = g_get_monotonic_time () + 10 * beat * 1000; /* some of libzmq's PINGs */
    while (g_get_monotonic_time () < end_us) {
        g_main_context_iteration (NULL, FALSE);
    }
    net_socket_send (router, name, NET_HELLO, 100, 0, make_body (1));
    WAIT (&rig, rig.last == 100);
    g_assert_cmpuint (rig.n_closed, ==, 0);
    g_bytes_unref (name);
    net_wire_free (client);
    zmq_close (router);
    net_zap_free (zap);
    zmq_ctx_term (context);
    close_rig (&rig);
}

/* Two ends without a connection. */
typedef struct {
    NetCurve *client, *server;
    GByteArray *up, *down; /* what each has said and the other has not read */
} Pair;

static void
open_pair (Pair *pair)
{
    char public_key[41], secret_key[41], client_key[41], client_secret[41];
    NetCurveKeys server, client;
    net_make_keys (public_key, secret_key, NULL);
    net_make_keys (client_key, client_secret, NULL);
    g_assert_true (net_curve_keys_init (&server, public_key, secret_key, client_key));
    g_assert_true (net_curve_keys_init (&client, client_key, client_secret, public_key));
    g_assert_false (net_curve_keys_init (&server, "short", secret_key, client_key));
    g_assert_true (net_curve_keys_init (&server, public_key, secret_key, client_key));
    pair->client = net_curve_new_client (&client, "name", 4096);
    pair->server = net_curve_new_server (&server, 4096);
    pair->up = g_byte_array_new ();
    pair->down = g_byte_array_new ();
    net_curve_begin (pair->client, pair->up);
    net_curve_begin (pair->server, pair->down);
}

static void
close_pair (Pair *pair)
{
    net_curve_free (pair->client);
    net_curve_free (pair->server);
    g_byte_array_unref (pair->up);
    g_byte_array_unref (pair->down);
}

static gssize
take_one (NetCurve *curve, GByteArray *in, GByteArray *out, NetCurvePart *part)
{
    gssize n = net_curve_take (curve, in->data, in->len, out, part);
    if (n > 0 && !part->data) {
        g_byte_array_remove_range (in, 0, (guint) n);
    }
    return n;
}

/* Frames of the handshake in their order: who reads them, and whether they can be damaged unseen (the
 * greeting's and HELLO's padding). */
static gssize
step_pair (Pair *pair, guint step)
{
    NetCurvePart part;
    gboolean is_client = step == 0 || step == 3 || step == 5;
    return take_one (is_client ? pair->client : pair->server, is_client ? pair->down : pair->up,
                     is_client ? pair->up : pair->down, &part);
}

static void
damage (GByteArray *bytes, guint from)
{
    guint at = (guint) g_test_rand_int_range ((int) from, (int) bytes->len);
    bytes->data[at] ^= (guint8) (1u << g_test_rand_int_range (0, 8));
}

/* Version 3.0 and CURVE in one piece, and who is the server. A later version is accepted, an earlier one and another
 * mechanism are not; what the peer says of the server does not matter. Reserved bits of a frame end the connection. */
static void
test_greeting (void)
{
    static const struct {
        guint at;
        guint8 value;
        gssize taken;
    } changes[] = { { 10, 2, -1 }, { 10, 4, 64 },   { 11, 1, 64 },   { 32, 0, 64 },
                    { 32, 1, 64 }, { 12, 'N', -1 }, { 31, 'X', -1 }, { 0, 0, -1 } };
    Pair pair;
    NetCurvePart part;

    for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
        open_pair (&pair);
        g_assert_cmpuint (pair.down->len, ==, 64);
        g_assert_cmpmem (pair.down->data + 10, 7, "\3\0CURVE", 7);
        g_assert_cmpuint (pair.down->data[32], ==, 1);
        g_assert_cmpmem (pair.up->data + 10, 7, "\3\0CURVE", 7);
        g_assert_cmpuint (pair.up->data[32], ==, 0);
        pair.down->data[changes[i].at] = changes[i].value;
        g_assert_cmpint (net_curve_take (pair.client, pair.down->data, pair.down->len, pair.up,
                                         &part),
                         ==, changes[i].taken);
        close_pair (&pair);
    }
    open_pair (&pair);
    g_assert_cmpint (step_pair (&pair, 1), ==, 64);
    g_assert_cmpuint (pair.up->data[0], ==, 4);
    pair.up->data[0] |= 8;
    g_assert_cmpint (step_pair (&pair, 2), ==, -1);
    close_pair (&pair);
}

/* The padding of HELLO is zeros and is not looked at; its box is. */
static void
test_padding (void)
{
    static const guint8 zeros[72];
    for (guint round = 0; round < 2; round++) {
        Pair pair;
        open_pair (&pair);
        g_assert_cmpint (step_pair (&pair, 0), ==, 64);
        g_assert_cmpint (step_pair (&pair, 1), ==, 64);
        g_assert_cmpmem (pair.up->data + 2, 8, "\5HELLO\1\0", 8);
        g_assert_cmpmem (pair.up->data + 10, 72, zeros, 72);
        pair.up->data[round ? pair.up->len - 1 : 40] ^= 1;
        g_assert_cmpint (step_pair (&pair, 2), ==, round ? -1 : 202);
        close_pair (&pair);
    }
}

/* A client that knows the server's key and has another one of its own. */
static void
test_refusal (void)
{
    char public_key[41], secret_key[41], server_key[41], server_secret[41];
    NetCurveKeys keys;
    Pair pair;
    open_pair (&pair);
    net_curve_free (pair.server);
    net_curve_free (pair.client);
    net_make_keys (server_key, server_secret, NULL);
    net_make_keys (public_key, secret_key, NULL);
    g_assert_true (net_curve_keys_init (&keys, server_key, server_secret, server_key));
    pair.server = net_curve_new_server (&keys, 4096);
    g_assert_true (net_curve_keys_init (&keys, public_key, secret_key, server_key));
    pair.client = net_curve_new_client (&keys, "name", 4096);
    g_byte_array_set_size (pair.up, 0);
    g_byte_array_set_size (pair.down, 0);
    net_curve_begin (pair.client, pair.up);
    net_curve_begin (pair.server, pair.down);
    for (guint step = 0; step < 4; step++) {
        g_assert_cmpint (step_pair (&pair, step), >, 0);
    }
    g_assert_cmpint (step_pair (&pair, 4), ==, -1);
    g_assert_cmpmem (pair.down->data, pair.down->len, "\4\12\5ERROR\003400", 12);
    close_pair (&pair);
}

static void
test_damaged_handshakes (void)
{
    for (guint round = 0; round < 300; round++) {
        Pair pair;
        guint damaged = 3 + round % 3; /* WELCOME, INITIATE, READY */
        open_pair (&pair);
        for (guint step = 0; step < damaged; step++) {
            g_assert_cmpint (step_pair (&pair, step), >, 0);
        }
        GByteArray *in = damaged == 4 ? pair.up : pair.down;
        damage (in, in->data[0] & 2 ? 9 : 2);
        g_assert_cmpint (step_pair (&pair, damaged), ==, -1);
        g_assert_false (net_curve_is_open (damaged == 4 ? pair.server : pair.client));
        close_pair (&pair);
    }
}

/* Each damaged message is refused, also one that comes a second time or too early a number; lengths that
 * lie are waited for or refused, never believed. */
static void
test_damaged_messages (void)
{
    Pair pair;
    NetCurvePart part;
    guint8 text[300];
    open_pair (&pair);
    for (guint step = 0; step < 6; step++) {
        g_assert_cmpint (step_pair (&pair, step), >, 0);
    }
    g_assert_true (net_curve_is_open (pair.client) && net_curve_is_open (pair.server));
    memset (text, 'x', sizeof text);
    for (guint i = 0; i < 10000; i++) {
        gsize size = (gsize) g_test_rand_int_range (0, sizeof text);
        g_byte_array_set_size (pair.up, 0);
        net_curve_put (pair.client, text, size, i % 2, pair.up);
        g_autoptr (GByteArray) whole = g_byte_array_new ();
        g_byte_array_append (whole, pair.up->data, pair.up->len);
        damage (pair.up, i % 5 == 0 ? 0 : pair.up->data[0] & 2 ? 9 : 2);
        gssize n = net_curve_take (pair.server, pair.up->data, pair.up->len, pair.down, &part);
        if (n > 0) { /* a flag of the frame without a meaning here */
            g_assert_cmpuint (part.size, ==, size);
            g_assert_true (part.more == (i % 2 == 1) && memcmp (part.data, text, size) == 0);
            continue;
        }
        g_assert_null (part.data);
        g_autoptr (GByteArray) again = g_byte_array_new ();
        g_byte_array_append (again, whole->data, whole->len);
        g_assert_cmpint (net_curve_take (pair.server, whole->data, whole->len, pair.down,
                                         &part),
                         ==, whole->len);
        g_assert_cmpuint (part.size, ==, size);
        g_assert_cmpint (net_curve_take (pair.server, again->data, again->len, pair.down,
                                         &part),
                         ==, -1);
    }
    close_pair (&pair);
}

static void
test_keys (void)
{
    guint8 ours[32], theirs[32];
    for (guint i = 0; i < 200; i++) {
        char public_key[41], secret_key[41];
        net_make_keys (public_key, secret_key, NULL);
        g_assert_true (net_curve_decode_key (public_key, ours));
        zmq_z85_decode (theirs, public_key);
        g_assert_cmpmem (ours, 32, theirs, 32);
        public_key[i % 40] = '~';
        g_assert_false (net_curve_decode_key (public_key, ours));
    }
    g_assert_false (net_curve_decode_key ("", ours));
    g_assert_false (
        net_curve_decode_key ("#####################################################", ours));
    g_assert_false (net_curve_decode_key ("########################################", ours));
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/wire/libzmq-client", test_libzmq_client);
    g_test_add_func ("/wire/strangers", test_strangers);
    g_test_add_func ("/wire/wrong-servers", test_wrong_servers);
    g_test_add_func ("/wire/forged-error", test_forged_error);
    g_test_add_func ("/wire/libzmq-server", test_libzmq_server);
    g_test_add_func ("/curve/greeting", test_greeting);
    g_test_add_func ("/curve/padding", test_padding);
    g_test_add_func ("/curve/refusal", test_refusal);
    g_test_add_func ("/curve/damaged-handshakes", test_damaged_handshakes);
    g_test_add_func ("/curve/damaged-messages", test_damaged_messages);
    g_test_add_func ("/curve/keys", test_keys);
    return g_test_run ();
}
