/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front end's end of the star: who is there, which slots are whose, and who is silent. */
#include "net/link.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/address-private.h"
#include "net/liveness-private.h"
#include "net/packet-private.h"
#include "net/slots-private.h"
#include "net/socket-private.h"
#include <string.h>
#include <zmq.h>

#define MAX_MESSAGE (64 * 1024 * 1024)

typedef enum { HOST_HERE, HOST_SILENT, HOST_LOST, HOST_CLOSED, HOST_BYE } HostState;

typedef struct {
    guint index;
    char *name;
    GBytes *routing;
    guint32 base, end; /* global slots; end == base before it reported */
    int fd;            /* of its connection; -1 when that broke */
    HostState state;
    NetLiveness liveness;
    guint64 sent, received;
} Host;

struct _NetRoot {
    void *context, *socket, *monitor;
    GSource *source, *monitor_source;
    guint tick;
    NetZap *zap;
    char *session_id, *endpoint;
    NetRootHandler handler;
    gpointer user;
    GPtrArray *hosts;      /* of Host, by index */
    GHashTable *by_routing; /* GBytes to Host */
    guint n_blocks;
    JobRequest *start;     /* for hosts that come later */
    gboolean ended;
    GArray *closed_fds;    /* connections that broke and whose last packets are being read */
};

static void
free_host (gpointer data)
{
    Host *host = data;
    g_free (host->name);
    g_bytes_unref (host->routing);
    g_free (host);
}

static void
send_to (NetRoot *root, Host *host, NetPacketType type, GVariant *body)
{
    net_packet_send (root->socket, host->routing, type, ++host->sent, 0, body);
}

static void
tell (NetRoot *root, Host *host, HostState state)
{
    static const char *const words[] = { "back", "silent", "lost", "closed", "bye" };
    if (host->state == state) {
        return;
    }
    host->state = state;
    if (root->handler.on_liveness) {
        root->handler.on_liveness (root, host->index, words[state], root->user);
    }
}

static void
send_request (NetRoot *root, Host *host, const JobRequest *request)
{
    if (host->state == HOST_BYE || host->state == HOST_CLOSED) {
        return;
    }
    g_autoptr (JobRankSet) local = net_slots_localise (request->ranks, host->base);
    if (job_rank_set_is_empty (local) && request->verb != JOB_VERB_START) {
        return;
    }
    g_autoptr (JobRequest) copy = job_request_dup (request);
    job_rank_set_free (copy->ranks);
    copy->ranks = g_steal_pointer (&local);
    send_to (root, host, NET_REQUEST, g_variant_new_variant (job_request_encode (copy)));
}

/* A name that comes again after its host went keeps its number and gets new slots; two that live
 * under one name at the same time are two hosts. */
static Host *
find_host_to_reuse (NetRoot *root, const char *name)
{
    for (guint i = 0; i < root->hosts->len; i++) {
        Host *host = root->hosts->pdata[i];
        if (strcmp (host->name, name) == 0 &&
            (host->state == HOST_CLOSED || host->state == HOST_BYE)) {
            return host;
        }
    }
    return NULL;
}

static void
admit_host (NetRoot *root, NetPacket *packet)
{
    const char *session, *name;
    guint32 pid;
    g_variant_get (packet->body, "(&s&su)", &session, &name, &pid);
    if (root->ended || strcmp (session, root->session_id) != 0 ||
        root->n_blocks >= NET_MAX_BLOCKS) {
        net_packet_send (root->socket, packet->routing, NET_END, 1, 0, g_variant_new ("()"));
        return;
    }
    Host *host = find_host_to_reuse (root, name);
    gboolean is_new = !host;
    if (is_new) {
        host = g_new0 (Host, 1);
        host->index = root->hosts->len;
        host->name = g_strdup (name);
        g_ptr_array_add (root->hosts, host);
    } else {
        g_hash_table_remove (root->by_routing, host->routing);
        g_bytes_unref (host->routing);
    }
    host->routing = g_bytes_ref (packet->routing);
    host->base = host->end = root->n_blocks++ * NET_BLOCK_SLOTS;
    host->fd = packet->fd;
    host->sent = 0;
    host->received = packet->sequence;
    net_liveness_init (&host->liveness, base_clock_get_us ());
    g_hash_table_insert (root->by_routing, host->routing, host);
    send_to (root, host, NET_WELCOME, g_variant_new ("(u)", host->base));
    if (root->handler.on_host) {
        root->handler.on_host (root, host->index, host->name, root->user);
    }
    tell (root, host, HOST_HERE);
    if (root->start) {
        send_request (root, host, root->start);
    }
}

static JobEvent *
read_event (Host *host, GVariant *body, gsize index, GError **error)
{
    g_autoptr (GVariant) boxed = g_variant_get_child_value (body, index);
    g_autoptr (GVariant) content = g_variant_get_variant (boxed);
    g_autoptr (JobEvent) event = job_event_decode (content, NET_BLOCK_SLOTS, error);
    for (guint i = 0; event && event->processes && i < event->processes->len; i++) {
        JobProcess *process = event->processes->pdata[i];
        if (process->slot >= NET_BLOCK_SLOTS || process->rank >= process->size) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "cannot read event: rank %u of %u",
                         process->rank, process->size);
            return NULL;
        }
        host->end = MAX (host->end, host->base + process->slot + 1);
    }
    if (event) {
        net_slots_globalise (event, host->base);
    }
    return g_steal_pointer (&event);
}

static void
read_events (NetRoot *root, Host *host, GVariant *body)
{
    g_autoptr (GPtrArray) events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    gsize n = g_variant_n_children (body);
    for (gsize i = 0; i < n; i++) {
        g_autoptr (GError) error = NULL;
        JobEvent *event = read_event (host, body, i, &error);
        if (event) {
            g_ptr_array_add (events, event);
        } else {
            g_warning ("%s: %s", host->name, error->message);
        }
    }
    if (events->len > 0 && root->handler.on_events) {
        root->handler.on_events (root, host->index, events, root->user);
    }
}

static void
apply_packet (NetRoot *root, NetPacket *packet)
{
    Host *host = g_hash_table_lookup (root->by_routing, packet->routing);
    if (packet->type == NET_HELLO && !host) {
        admit_host (root, packet);
        return;
    }
    if (!host || packet->sequence <= host->received) {
        return;
    }
    host->received = packet->sequence;
    host->fd = packet->fd;
    net_liveness_hear (&host->liveness);
    if (packet->type == NET_BYE) {
        tell (root, host, HOST_BYE);
        return;
    }
    tell (root, host, HOST_HERE);
    if (packet->type == NET_EVENTS) {
        read_events (root, host, packet->body);
    } else if (packet->type == NET_PING) {
        send_to (root, host, NET_PONG, g_variant_new ("()"));
    }
}

static void
read_packets (NetRoot *root)
{
    gboolean empty = FALSE;
    while (!empty) {
        g_autoptr (NetPacket) packet = net_packet_receive (root->socket, TRUE, &empty);
        if (packet) {
            apply_packet (root, packet);
        }
    }
}

static void
on_packets (gpointer user)
{
    read_packets (user);
}

/* The connection of a host that is known by now broke: its descriptor may already be another
 * connection's, so the host forgets it before newer packets are read. */
static void
note_closed (NetRoot *root, int fd)
{
    for (guint i = 0; i < root->hosts->len; i++) {
        Host *host = root->hosts->pdata[i];
        if (host->fd == fd) {
            host->fd = -1;
        }
    }
    g_array_append_val (root->closed_fds, fd);
}

static void
note_accepted (NetRoot *root, int fd)
{
    for (guint i = root->closed_fds->len; i > 0; i--) {
        if (g_array_index (root->closed_fds, int, i - 1) == fd) {
            g_array_remove_index_fast (root->closed_fds, i - 1);
        }
    }
}

static gboolean
is_closed (NetRoot *root, Host *host)
{
    for (guint i = 0; i < root->closed_fds->len; i++) {
        if (host->fd == g_array_index (root->closed_fds, int, i)) {
            return TRUE;
        }
    }
    return host->fd == -1;
}

static void
on_connections (gpointer user)
{
    NetRoot *root = user;
    guint16 event;
    guint32 value;
    gboolean any_closed = FALSE;
    while (net_monitor_read (root->monitor, &event, &value)) {
        if (event == ZMQ_EVENT_DISCONNECTED) {
            note_closed (root, (int) value);
            any_closed = TRUE;
        } else if (event == ZMQ_EVENT_ACCEPTED) {
            note_accepted (root, (int) value);
        }
    }
    if (!any_closed) {
        return;
    }
    read_packets (root); /* what it said before it broke */
    for (guint i = 0; i < root->hosts->len; i++) {
        Host *host = root->hosts->pdata[i];
        if (host->state != HOST_BYE && is_closed (root, host)) {
            tell (root, host, HOST_CLOSED);
        }
    }
    g_array_set_size (root->closed_fds, 0);
}

static gboolean
on_tick (gpointer user)
{
    NetRoot *root = user;
    gint64 now = base_clock_get_us ();
    read_packets (root);
    for (guint i = 0; i < root->hosts->len; i++) {
        Host *host = root->hosts->pdata[i];
        if (host->state == HOST_BYE || host->state == HOST_CLOSED) {
            continue;
        }
        if (net_liveness_tick (&host->liveness, now)) {
            send_to (root, host, NET_PING, g_variant_new ("()"));
        }
        if (host->liveness.silence_us >= NET_LOST_US) {
            tell (root, host, HOST_LOST);
        } else if (host->liveness.silence_us >= NET_SILENT_US) {
            tell (root, host, HOST_SILENT);
        }
    }
    return G_SOURCE_CONTINUE;
}

static gboolean
bind_address (NetRoot *root, const char *address)
{
    char endpoint[256];
    gsize size = sizeof endpoint;
    if (zmq_bind (root->socket, address) < 0 ||
        zmq_getsockopt (root->socket, ZMQ_LAST_ENDPOINT, endpoint, &size) < 0) {
        return FALSE;
    }
    g_autofree char *before = g_steal_pointer (&root->endpoint);
    root->endpoint = g_strconcat (before ? before : g_get_host_name (), " ", endpoint, NULL);
    return TRUE;
}

gboolean
net_root_listen_beyond (NetRoot *root, GError **error)
{
    g_autoptr (GPtrArray) addresses = net_address_list_facing ();
    gboolean bound = FALSE;
    for (guint i = 0; i < addresses->len; i++) {
        bound |= bind_address (root, addresses->pdata[i]);
    }
    if (!bound) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot listen for other hosts: %s",
                     addresses->len > 0 ? zmq_strerror (zmq_errno ())
                                        : "this host has no address that faces them");
    }
    return bound;
}

static gboolean
open_sockets (NetRoot *root, const char *public_key, const char *secret_key)
{
    root->context = zmq_ctx_new ();
    root->zap = net_zap_new (root->context, public_key);
    root->socket = zmq_socket (root->context, ZMQ_ROUTER);
    return root->zap && root->socket &&
           net_socket_configure (root->socket, public_key, secret_key, TRUE, MAX_MESSAGE) &&
           (root->monitor = net_monitor_open (root->context, root->socket)) &&
           bind_address (root, "tcp://127.0.0.1:*");
}

NetRoot *
net_root_new (const char *session_id, const char *public_key, const char *secret_key,
              const NetRootHandler *handler, gpointer user, GError **error)
{
    NetRoot *root = g_new0 (NetRoot, 1);
    root->session_id = g_strdup (session_id);
    root->handler = *handler;
    root->user = user;
    root->hosts = g_ptr_array_new_with_free_func (free_host);
    root->by_routing = g_hash_table_new (g_bytes_hash, g_bytes_equal);
    root->closed_fds = g_array_new (FALSE, FALSE, sizeof (int));
    if (!open_sockets (root, public_key, secret_key)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot listen for daemons: %s",
                     zmq_strerror (zmq_errno ()));
        net_root_free (root);
        return NULL;
    }
    root->source = net_socket_source_new (root->socket, on_packets, root);
    root->monitor_source = net_socket_source_new (root->monitor, on_connections, root);
    root->tick = g_timeout_add (NET_TICK_MS, on_tick, root);
    return root;
}

const char *
net_root_get_endpoint (const NetRoot *root)
{
    return root->endpoint;
}

void
net_root_send (NetRoot *root, const JobRequest *request)
{
    if (request->verb == JOB_VERB_START) {
        job_request_free (root->start);
        root->start = job_request_dup (request);
    }
    for (guint i = 0; i < root->hosts->len; i++) {
        send_request (root, root->hosts->pdata[i], request);
    }
}

gboolean
net_root_find_slots (const NetRoot *root, guint host_index, guint32 *ret_first, guint32 *ret_end)
{
    const Host *host = host_index < root->hosts->len ? root->hosts->pdata[host_index] : NULL;
    if (!host || host->end == host->base) {
        return FALSE;
    }
    *ret_first = host->base;
    *ret_end = host->end;
    return TRUE;
}

void
net_root_end (NetRoot *root)
{
    root->ended = TRUE;
    for (guint i = 0; i < root->hosts->len; i++) {
        Host *host = root->hosts->pdata[i];
        if (host->state != HOST_BYE && host->state != HOST_CLOSED) {
            send_to (root, host, NET_END, g_variant_new ("()"));
        }
    }
}

void
net_root_free (NetRoot *root)
{
    if (!root) {
        return;
    }
    g_clear_handle_id (&root->tick, g_source_remove);
    net_socket_source_clear (&root->source);
    net_socket_source_clear (&root->monitor_source);
    if (root->monitor) {
        zmq_socket_monitor (root->socket, NULL, 0);
        zmq_close (root->monitor);
    }
    if (root->socket) {
        zmq_close (root->socket);
    }
    net_zap_free (root->zap);
    if (root->context) {
        zmq_ctx_term (root->context);
    }
    g_ptr_array_unref (root->hosts);
    g_hash_table_unref (root->by_routing);
    g_array_unref (root->closed_fds);
    job_request_free (root->start);
    g_free (root->session_id);
    g_free (root->endpoint);
    g_free (root);
}
