/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Those that must not come in: wrong keys, crowds that say nothing, other users of the host, garbage. */
#include "rig.h"
#include "net/address-private.h"
#include "net/packet-private.h"
#include "net/root-private.h"
#include "net/socket-private.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <glib/gstdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

/* Sends what a daemon would, with the keys given; NULL: none. */
static void *
make_stranger (void *context, Rig *rig, const char *server, const char *public_key,
               const char *secret_key)
{
    void *socket = zmq_socket (context, ZMQ_DEALER);
    int linger = 0;
    zmq_setsockopt (socket, ZMQ_LINGER, &linger, sizeof linger);
    if (server) {
        zmq_setsockopt (socket, ZMQ_CURVE_SERVERKEY, server, 40);
        zmq_setsockopt (socket, ZMQ_CURVE_PUBLICKEY, public_key, 40);
        zmq_setsockopt (socket, ZMQ_CURVE_SECRETKEY, secret_key, 40);
    }
    g_assert_cmpint (zmq_connect (socket, rig_get_local (rig)), ==, 0);
    net_socket_send (socket, NULL, NET_HELLO, 1, 0,
                     g_variant_new ("(ssu)", "session", "evil", 1));
    return socket;
}

/* What libzmq says of the stranger's own end. */
static void *
watch_stranger (void *context, void *stranger, guint number)
{
    g_autofree char *name = g_strdup_printf ("inproc://stranger-%u", number);
    void *monitor = zmq_socket (context, ZMQ_PAIR);
    int events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
                 | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
                 | ZMQ_EVENT_DISCONNECTED;
    g_assert_cmpint (zmq_socket_monitor (stranger, name, events), ==, 0);
    g_assert_cmpint (zmq_connect (monitor, name), ==, 0);
    return monitor;
}

/* Takes what has come: counts refusals; that one came in is a failure. */
static guint
count_refusals (void *monitor)
{
    char frame[512];
    guint n = 0;
    while (zmq_recv (monitor, frame, sizeof frame, ZMQ_DONTWAIT) >= 0) {
        guint16 event;
        memcpy (&event, frame, sizeof event);
        g_assert_cmpuint (event, !=, ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
        n++;
        zmq_recv (monitor, frame, sizeof frame, 0); /* the endpoint */
    }
    return n;
}

/* However slow they are: each has knocked and been refused before the end of the test. */
static void
test_strangers (void)
{
    enum { N = 4 };
    Rig rig;
    char public_key[41], secret_key[41];
    rig_open (&rig);
    void *context = zmq_ctx_new ();
    net_make_keys (public_key, secret_key, NULL);
    void *strangers[N] = {
        make_stranger (context, &rig, rig.public_key, public_key, secret_key), /* own keys */
        make_stranger (context, &rig, rig.public_key, rig.public_key,
                       rig.secret_key),                                    /* the server's */
        make_stranger (context, &rig, NULL, NULL, NULL),                   /* plain */
        make_stranger (context, &rig, public_key, public_key, secret_key), /* wrong server */
    };
    void *monitors[N];
    guint n_refusals[N] = { 0 };
    guint poll_timer = g_timeout_add (10, rig_on_poll, NULL);
    for (guint i = 0; i < N; i++) {
        monitors[i] = watch_stranger (context, strangers[i], i);
    }
    rig.leaf = rig_make_leaf (&rig, "session", "good");
    WAIT (&rig, rig.n_welcomes == 1);
    for (guint i = 0; i < N; i++) {
        WAIT (&rig, (n_refusals[i] += count_refusals (monitors[i])) > 0);
    }
    g_autoptr (JobEvent) event = rig_make_ranks_event (0, 0);
    net_leaf_send (rig.leaf, event);
    net_leaf_flush (rig.leaf);
    WAIT (&rig, rig.events->len == 1);
    g_assert_cmpuint (rig.n_hosts, ==, 1);
    for (guint i = 0; i < N; i++) {
        zmq_socket_monitor (strangers[i], NULL, 0);
        zmq_close (monitors[i]);
        zmq_close (strangers[i]);
    }
    zmq_ctx_term (context);
    g_source_remove (poll_timer);
    rig_close (&rig);
}

/* ---- who says nothing ---- */

/* In a process of its own: connections that never say a word. Returns its end, which says when all stand. */
static pid_t
start_crowd (const char *endpoint, guint n, int *ret_ready)
{
    int ends[2];
    g_assert_cmpint (pipe (ends), ==, 0);
    pid_t pid = fork ();
    if (pid == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        for (guint i = 0; i < n; i++) {
            struct pollfd waiting = { net_address_connect (endpoint), POLLOUT, 0 };
            if (waiting.fd < 0 || poll (&waiting, 1, LIMIT_MS) != 1) {
                _exit (1);
            }
        }
        if (write (ends[1], "G", 1) == 1) {
            pause ();
        }
        _exit (1);
    }
    close (ends[1]);
    fcntl (ends[0], F_SETFL, O_NONBLOCK);
    *ret_ready = ends[0];
    return pid;
}

static guint
count_descriptors (void)
{
    g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
    guint n = 0;
    while (folder && g_dir_read_name (folder)) {
        n++;
    }
    return n;
}

/* 600 of them leave descriptors for files, and a daemon from another host comes in beside them. */
static void
test_crowd (void)
{
    enum { CROWD = 600, LEFT = 64 };
    Rig rig;
    char letter;
    int ready;
    rig_open (&rig);
    g_assert_true (net_root_bind (rig.root, "tcp://127.0.0.1:*"));
    const char *endpoint = strrchr (net_root_get_endpoint (rig.root), ' ') + 1;
    guint before = count_descriptors (), poll_timer = g_timeout_add (10, rig_on_poll, NULL);
    pid_t crowd = start_crowd (endpoint, CROWD, &ready);
    gboolean stands = FALSE;
    WAIT (&rig, (stands = stands || read (ready, &letter, 1) == 1));
    const NetLeafKeys keys = { rig.public_key, rig.daemon_key, rig.daemon_secret };
    rig.leaf = net_leaf_new (endpoint, "session", "far", &keys, &rig_leaf_handler, &rig, NULL);
    WAIT (&rig, rig.n_welcomes == 1);
    WAIT (&rig, count_descriptors () <= before + LEFT + 4);
    g_assert_cmpuint (net_startups_get_count (rig.root->startups), <=, LEFT);
    g_assert_cmpuint (rig.n_hosts, ==, 1);
    g_assert_cmpuint (rig.n_lost, ==, 0);
    kill (crowd, SIGKILL);
    waitpid (crowd, NULL, 0);
    close (ready);
    g_source_remove (poll_timer);
    rig_close (&rig);
}

/* ---- another user of this host ---- */

#define NOBODY 65534

static gboolean
can_be_another (void)
{
    if (geteuid () != 0) {
        g_test_skip ("only root can try to be another user");
        return FALSE;
    }
    return TRUE;
}

/* Even where the folder has been opened to all: the kernel says who connects. */
static void
test_other_client (void)
{
    Rig rig;
    if (!can_be_another ()) {
        return;
    }
    rig_open (&rig);
    const char *path = rig_get_local (&rig) + strlen ("ipc://");
    g_assert_true (g_str_has_prefix (path, rig.folder));
    g_assert_true (g_chmod (rig.folder, 0755) == 0 && g_chmod (path, 0777) == 0);
    pid_t pid = fork ();
    if (pid == 0) {
        char letter;
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int fd = socket (AF_UNIX, SOCK_STREAM, 0);
        g_strlcpy (address.sun_path, path, sizeof address.sun_path);
        _exit (setresuid (NOBODY, NOBODY, NOBODY) == 0
                       && connect (fd, (struct sockaddr *) &address, sizeof address) == 0
                       && read (fd, &letter, 1) <= 0
                   ? 0
                   : 1);
    }
    int status = -1;
    guint poll_timer = g_timeout_add (10, rig_on_poll, NULL);
    gboolean is_over = FALSE;
    WAIT (&rig, (is_over = is_over || waitpid (pid, &status, WNOHANG) == pid));
    g_assert_cmpint (status, ==, 0); /* not a byte of the greeting */
    g_source_remove (poll_timer);
    rig.leaf = rig_make_leaf (&rig, "session", "own");
    WAIT (&rig, rig.n_welcomes == 1);
    rig_close (&rig);
}

/* Nor does a daemon speak to whoever took the name. */
static void
test_other_server (void)
{
    int ends[2];
    char letter;
    if (!can_be_another ()) {
        return;
    }
    g_assert_cmpint (pipe (ends), ==, 0);
    g_autofree char *name = g_strdup_printf ("pddt-test-other-%d", (int) getpid ());
    g_autofree char *endpoint = g_strconcat ("ipc://@", name, NULL);
    pid_t pid = fork ();
    if (pid == 0) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        socklen_t size = (socklen_t) (offsetof (struct sockaddr_un, sun_path) + 1
                                      + strlen (name));
        int fd = socket (AF_UNIX, SOCK_STREAM, 0);
        memcpy (address.sun_path + 1, name, strlen (name));
        g_assert_cmpint (setresuid (NOBODY, NOBODY, NOBODY), ==, 0);
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        if (bind (fd, (struct sockaddr *) &address, size) == 0 && listen (fd, 4) == 0
            && write (ends[1], "G", 1) == 1) {
            pause ();
        }
        _exit (1);
    }
    g_assert_cmpint (read (ends[0], &letter, 1), ==, 1);
    g_assert_cmpint (net_address_connect (endpoint), ==, -1);
    kill (pid, SIGKILL);
    waitpid (pid, NULL, 0);
    close (ends[0]);
    close (ends[1]);
}

/* One with the right key that sends garbage neither stops nor confuses the others. */
static void
test_garbage (void)
{
    Rig rig;
    rig_open (&rig);
    void *context = zmq_ctx_new ();
    void *socket = make_stranger (context, &rig, rig.public_key, rig.daemon_key,
                                  rig.daemon_secret);
    WAIT (&rig, rig.n_hosts == 1);
    guint8 noise[64];
    for (guint i = 0; i < 200; i++) {
        for (gsize j = 0; j < sizeof noise; j++) {
            noise[j] = (guint8) g_test_rand_int_range (0, 256);
        }
        guint8 header[NET_HEADER_SIZE];
        net_packet_encode_header ((NetPacketType) (1 + i % (NET_N_TYPES - 1)), i + 2, 0,
                                  header);
        gboolean has_header = i % 3 != 0;
        zmq_send (socket, has_header ? header : noise, NET_HEADER_SIZE, ZMQ_SNDMORE);
        zmq_send (socket, noise, (gsize) g_test_rand_int_range (0, sizeof noise),
                  i % 7 == 0 ? ZMQ_SNDMORE : 0);
        if (i % 7 == 0) {
            zmq_send (socket, "", 0, 0);
        }
    }
    rig.leaf = rig_make_leaf (&rig, "session", "good");
    WAIT (&rig, rig.n_welcomes == 1);
    g_autoptr (JobEvent) event = rig_make_ranks_event (0, 0);
    net_leaf_send (rig.leaf, event);
    WAIT (&rig, rig.events->len == 1);
    zmq_close (socket);
    zmq_ctx_term (context);
    rig_close (&rig);
}

/* While the front end does something else its end of the links lives on, and it can end then. */
static void
test_many_come_and_go (void)
{
    Rig rig;
    rig_open (&rig);
    const struct timeval limit = { .tv_sec = LIMIT_MS / 1000 };
    guint8 noise[64] = "no greeting of ours";
    for (guint i = 0; i < 1500; i++) { /* libzmq's own limit was at a thousand */
        int fd = net_address_connect (rig_get_local (&rig));
        g_assert_cmpint (fd, >=, 0);
        fcntl (fd, F_SETFL, 0);
        setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        g_assert_cmpint (send (fd, noise, sizeof noise, MSG_NOSIGNAL), ==, sizeof noise);
        gssize n;
        while ((n = recv (fd, noise, 1, 0)) > 0) { /* its greeting */
        }
        g_assert_true (n == 0 || errno == ECONNRESET);
        close (fd);
    }
    rig_close (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/link/strangers", test_strangers);
    g_test_add_func ("/link/crowd", test_crowd);
    g_test_add_func ("/link/other-client", test_other_client);
    g_test_add_func ("/link/other-server", test_other_server);
    g_test_add_func ("/link/garbage", test_garbage);
    g_test_add_func ("/link/many-come-and-go", test_many_come_and_go);
    return g_test_run ();
}
