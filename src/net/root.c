/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front end's end of all links: knows the hosts, their slots, and which are silent. Passes
 * on the events of one main loop iteration merged over all hosts. */
#include "net/root-private.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/limits.h"
#include "net/address-private.h"
#include "net/events-private.h"
#include "net/slots-private.h"
#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <zmq.h>

#define MAX_MESSAGE (64 * 1024 * 1024)
#define MAX_BATCH 8192
#define MAX_BATCH_BYTES (64 * 1024 * 1024)
#define SLICE_US 4000   /* of reading, before other sources run */
#define SPARE_LINKS 512 /* for connections before the next host is admitted, and for files */
#define CLOSE_MS 200    /* for its inner node to send a host's last events */

BASE_FREE (free_host, NetHost, host, net_outbox_clear (host); g_free (host->name);
           g_bytes_unref (host->routing); net_speaker_clear (&host->speaker))

/* Passes on the events received so far, before any other callback. */
static void
give_batch (NetRoot *root)
{
    if (root->batch->len == 0) {
        return;
    }
    g_autoptr (GPtrArray) events = g_steal_pointer (&root->batch);
    root->batch = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    root->batch_bytes = 0;
    job_event_list_merge (events);
    if (root->handler.on_events) {
        root->handler.on_events (root, events, root->user);
    }
}

static void
tell (NetRoot *root, NetHost *host, NetHostState state)
{
    static const char *const words[] = { "back", "silent", "lost", "closed", "bye" };
    if (host->state == state) {
        return;
    }
    gboolean was_here = host->state == NET_HOST_HERE;
    give_batch (root);
    host->state = state;
    if (state == NET_HOST_CLOSED || state == NET_HOST_BYE) {
        net_outbox_clear (host);
    }
    if (was_here) {
        net_groups_leave (root, host);
    } else if (state == NET_HOST_HERE) {
        net_groups_schedule (root);
    }
    if (root->handler.on_liveness) {
        root->handler.on_liveness (root, host->index, words[state], root->user);
    }
}

/* Hosts with equal local slots share the encoded request. */
typedef struct {
    JobRankSet *slots;
    GVariant *body;
} Shared;

/* What is selected in other hosts' slots is left out. */
static void
localise_selections (JobRequest *request, guint32 base)
{
    for (guint i = request->selections ? request->selections->len : 0; i > 0; i--) {
        JobSelection *selection = request->selections->pdata[i - 1];
        JobRankSet *local = net_slots_localise (selection->ranks, base);
        job_rank_set_free (selection->ranks);
        selection->ranks = local;
        if (job_rank_set_is_empty (local)) {
            g_ptr_array_remove_index (request->selections, i - 1);
        }
    }
}

static GVariant *
dup_body (Shared *shared, const JobRequest *request, JobRankSet *local, guint32 base)
{
    g_autoptr (JobRankSet) owned = local;
    if (!shared->slots || request->selections || !job_rank_set_equal (shared->slots, local)) {
        g_autoptr (JobRequest) copy = job_request_dup (request);
        job_rank_set_free (copy->ranks);
        copy->ranks = g_steal_pointer (&owned);
        localise_selections (copy, base);
        g_clear_pointer (&shared->body, g_variant_unref);
        job_rank_set_free (shared->slots);
        shared->slots = job_rank_set_dup (copy->ranks);
        shared->body = g_variant_ref_sink (g_variant_new_variant (job_request_encode (copy)));
    }
    return g_variant_ref (shared->body);
}

static void
clear_shared (Shared *shared)
{
    job_rank_set_free (shared->slots);
    g_clear_pointer (&shared->body, g_variant_unref);
}

static void
send_start (NetRoot *root, NetHost *host)
{
    g_autoptr (JobRankSet) all = net_slots_localise (root->start->ranks, host->base);
    Shared shared = { NULL, NULL };
    g_autoptr (GVariant) body = dup_body (&shared, root->start, g_steal_pointer (&all),
                                          host->base);
    net_root_send_to (root, host, NET_REQUEST, body);
    clear_shared (&shared);
}

/* A host that returns under its name keeps its number and gets new slots; two live connections
 * with the same name are two hosts. */
static NetHost *
find_host_to_reuse (NetRoot *root, const char *name)
{
    return BASE_FIND (root->hosts, NetHost, host,
                      strcmp (host->name, name) == 0
                          && (host->state == NET_HOST_CLOSED || host->state == NET_HOST_BYE));
}

/* Each link needs a descriptor, and the usual limit is 1,024. */
static void
make_room_for_links (const NetRoot *root)
{
    struct rlimit limit;
    if (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max
        && limit.rlim_cur < root->hosts->len + SPARE_LINKS) {
        base_limits_raise_files ();
    }
}

static void
admit_host (NetRoot *root, NetPacket *packet)
{
    const char *session, *given;
    guint32 pid;
    g_variant_get (packet->body, "(&s&su)", &session, &given, &pid);
    g_autofree char *name = base_escape_dup (given, BASE_ESCAPE_NAME);
    if (root->ended || strcmp (session, root->session_id) != 0
        || root->blocks->len >= NET_MAX_BLOCKS) {
        net_socket_send (root->socket, packet->routing, NET_END, 1, 0, g_variant_new ("()"));
        return;
    }
    NetHost *host = find_host_to_reuse (root, name);
    gboolean is_new = !host;
    if (is_new) {
        host = g_new0 (NetHost, 1);
        host->index = root->hosts->len;
        host->name = g_strdup (name);
        g_ptr_array_add (root->hosts, host);
    } else {
        g_hash_table_remove (root->by_routing, host->routing);
        g_bytes_unref (host->routing);
        root->blocks->pdata[host->base / NET_BLOCK_SLOTS] = NULL;
    }
    give_batch (root);
    make_room_for_links (root);
    host->routing = g_bytes_ref (packet->routing);
    host->base = root->blocks->len * NET_BLOCK_SLOTS;
    net_speaker_clear (&host->speaker);
    net_speaker_init (&host->speaker, host->base);
    host->n_events = host->epoch = 0;
    host->closes_us = 0;
    host->is_on_tree = FALSE;
    g_ptr_array_add (root->blocks, host);
    host->fd = packet->fd;
    host->sent = 0;
    net_outbox_clear (host);
    host->received = packet->sequence;
    net_liveness_init (&host->liveness, base_clock_get_us ());
    g_hash_table_insert (root->by_routing, host->routing, host);
    net_root_send_to (root, host, NET_WELCOME, g_variant_new ("(u)", host->base));
    if (root->handler.on_host) {
        root->handler.on_host (root, host->index, host->name, root->user);
    }
    tell (root, host, NET_HOST_HERE);
    if (root->start) {
        send_start (root, host);
    }
    net_groups_schedule (root);
}

static void
apply_events (NetRoot *root, NetHost *host, GVariant *body)
{
    g_autoptr (GVariant) list = g_variant_get_child_value (body, 1);
    guint64 number;
    g_variant_get_child (body, 0, "t", &number);
    if (number > host->n_events) { /* else it came through the tree */
        host->n_events = number;
        root->batch_bytes += net_events_take (list, &host->speaker, host->name, root->batch);
    }
}

/* Only what was asked can have been asked, and not later than now. */
static void
apply_clock (NetRoot *root, NetHost *host, GVariant *body)
{
    NetClockReading reading = { .received_us = g_get_monotonic_time () };
    g_variant_get (body, "(xx)", &reading.sent_us, &reading.there_us);
    if (reading.sent_us > reading.received_us || reading.sent_us < root->first_clock_us
        || reading.there_us < 0) {
        g_message ("%s has answered a question that it was not asked", host->name);
    } else if (root->handler.on_clock) {
        root->handler.on_clock (root, host->index, &reading, root->user);
    }
}

static void
apply_packet (NetRoot *root, NetPacket *packet)
{
    NetHost *host = g_hash_table_lookup (root->by_routing, packet->routing);
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
        tell (root, host, NET_HOST_BYE);
        return;
    }
    tell (root, host, NET_HOST_HERE);
    if (packet->type == NET_EVENTS) {
        apply_events (root, host, packet->body);
    } else if (packet->type == NET_PING) {
        net_root_send_to (root, host, NET_PONG, g_variant_new ("(t)", host->n_events));
    } else if (packet->type == NET_CLOCKED) {
        apply_clock (root, host, packet->body);
    } else {
        net_groups_apply (root, host, packet);
    }
    if (root->batch->len >= MAX_BATCH || root->batch_bytes >= MAX_BATCH_BYTES) {
        give_batch (root);
    }
}

/* FALSE: reading ran out of time (limit_us 0: no limit). */
static gboolean
read_packets (NetRoot *root, gint64 limit_us)
{
    gint64 end_us = g_get_monotonic_time () + limit_us;
    gboolean empty = FALSE;
    while (!empty && (limit_us == 0 || g_get_monotonic_time () < end_us)) {
        g_autoptr (NetPacket) packet = net_socket_receive (root->socket, TRUE, &empty);
        if (packet) {
            apply_packet (root, packet);
        }
    }
    give_batch (root);
    return empty;
}

/* In a flood of packets, the window must stay responsive between two slices. */
static void
on_packets (gpointer user)
{
    GSource *source = g_main_current_source ();
    gboolean empty = read_packets (user, SLICE_US);
    if (!g_source_is_destroyed (source)) { /* then the root exists, too */
        g_source_set_priority (source, empty ? G_PRIORITY_DEFAULT : G_PRIORITY_DEFAULT_IDLE);
    }
}

/* The connection of a host that is known by now broke: its descriptor may already be another
 * connection's, so the host forgets it before newer packets are read. */
static void
note_closed (NetRoot *root, int fd)
{
    BASE_EACH (root->hosts, NetHost, host) {
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
is_closed (NetRoot *root, NetHost *host)
{
    return BASE_ANY (i, root->closed_fds->len,
                     host->fd == g_array_index (root->closed_fds, int, i))
           || host->fd == -1;
}

static gboolean
on_close (gpointer user)
{
    NetRoot *root = user;
    gboolean any_left = FALSE;
    read_packets (root, 0);
    gint64 now = base_clock_get_us ();
    BASE_EACH (root->hosts, NetHost, host) {
        if (host->closes_us != 0 && host->closes_us <= now) {
            host->closes_us = 0;
            tell (root, host, NET_HOST_CLOSED);
        }
        any_left |= host->closes_us != 0;
    }
    root->close_source = any_left ? root->close_source : 0;
    return any_left;
}

/* An inner node other than the host itself may still have its events. */
static void
close_host (NetRoot *root, NetHost *host)
{
    net_groups_leave (root, host);
    if (!host->is_on_tree || host->state != NET_HOST_HERE) {
        tell (root, host, NET_HOST_CLOSED);
    } else if (host->closes_us == 0) {
        host->closes_us = base_clock_get_us () + CLOSE_MS * 1000;
        if (root->close_source == 0) {
            root->close_source = g_timeout_add (CLOSE_MS / 4, on_close, root);
        }
    }
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
            net_startups_remove (root->startups, (int) value);
            note_closed (root, (int) value);
            any_closed = TRUE;
        } else if (event == ZMQ_EVENT_ACCEPTED) {
            net_startups_add (root->startups, (int) value, base_clock_get_us ());
            note_accepted (root, (int) value);
        } else {
            net_startups_remove (root->startups, (int) value); /* it has the key */
        }
    }
    net_startups_limit (root->startups, base_clock_get_us ());
    if (!any_closed) {
        return;
    }
    read_packets (root, 0); /* packets sent before it broke */
    BASE_EACH (root->hosts, NetHost, host) {
        if (host->state != NET_HOST_BYE && is_closed (root, host)) {
            close_host (root, host);
        }
    }
    g_array_set_size (root->closed_fds, 0);
}

static gboolean
on_tick (gpointer user)
{
    NetRoot *root = user;
    gint64 now = base_clock_get_us ();
    read_packets (root, 0);
    BASE_EACH (root->hosts, NetHost, host) {
        if (host->state == NET_HOST_BYE || host->state == NET_HOST_CLOSED) {
            continue;
        }
        if (net_liveness_tick (&host->liveness, now)) {
            net_root_send_to (root, host, NET_PING, g_variant_new ("(t)", host->n_events));
        }
        if (net_liveness_get_silence_us (&host->liveness) >= NET_LOST_US) {
            tell (root, host, NET_HOST_LOST);
        } else if (net_liveness_get_silence_us (&host->liveness) >= NET_SILENT_US) {
            tell (root, host, NET_HOST_SILENT);
        }
    }
    net_startups_limit (root->startups, now);
    net_groups_tick (root);
    return G_SOURCE_CONTINUE;
}

gboolean
net_root_bind (NetRoot *root, const char *address)
{
    char endpoint[256];
    gsize size = sizeof endpoint;
    if (zmq_bind (root->socket, address) < 0
        || zmq_getsockopt (root->socket, ZMQ_LAST_ENDPOINT, endpoint, &size) < 0) {
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
    base_limits_raise_files (); /* anyone may connect there */
    for (guint i = 0; i < addresses->len; i++) {
        bound |= net_root_bind (root, addresses->pdata[i]);
    }
    if (!bound) {
        if (addresses->len > 0) {
            base_error_set (error, BASE_ERROR_DENIED, "cannot listen for other hosts: %s",
                            zmq_strerror (zmq_errno ()));
        } else {
            base_error_set (
                error, BASE_ERROR_DENIED,
                "cannot listen for other hosts: this host has no address on a network "
                "that they could be on");
        }
    }
    return bound;
}

/* Some file systems have no sockets. */
static gboolean
bind_local (NetRoot *root, const char *folder)
{
    g_autofree char *local = net_address_format_local (folder, root->session_id);
    g_autofree char *plain = net_address_format_local (NULL, root->session_id);
    return net_root_bind (root, local)
           || (strcmp (local, plain) != 0 && net_root_bind (root, plain));
}

static gboolean
open_sockets (NetRoot *root, const char *folder, const NetRootKeys *keys)
{
    root->context = zmq_ctx_new ();
    root->zap = net_zap_new (root->context, keys->daemon_key);
    root->socket = zmq_socket (root->context, ZMQ_ROUTER);
    return root->zap && root->socket
           && net_socket_configure (root->socket, keys->public_key, keys->secret_key, NULL,
                                    MAX_MESSAGE)
           && (root->monitor = net_monitor_open (root->context, root->socket))
           && bind_local (root, folder);
}

NetRoot *
net_root_new (const char *session_id, const char *folder, const NetRootKeys *keys,
              const NetRootHandler *handler, gpointer user, GError **error)
{
    NetRoot *root = g_new0 (NetRoot, 1);
    /* Otherwise libzmq's threads would have separate heaps, which grow page by page with a
     * system call each. */
    mallopt (M_ARENA_MAX, 1);
    root->session_id = g_strdup (session_id);
    root->handler = *handler;
    root->user = user;
    root->hosts = g_ptr_array_new_with_free_func (free_host);
    root->by_routing = g_hash_table_new (g_bytes_hash, g_bytes_equal);
    root->closed_fds = g_array_new (FALSE, FALSE, sizeof (int));
    root->blocks = g_ptr_array_new ();
    root->batch = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    net_groups_init (root);
    root->startups = net_startups_new ();
    if (!open_sockets (root, folder, keys)) {
        base_error_set (error, BASE_ERROR_DENIED, "cannot listen for daemons: %s",
                        zmq_strerror (zmq_errno ()));
        net_root_free (root);
        return NULL;
    }
    root->source = net_socket_source_new (root->socket, on_packets, root);
    root->monitor_source = net_monitor_source_new (root->monitor, on_connections, root);
    root->tick = g_timeout_add (NET_TICK_MS, on_tick, root);
    return root;
}

const char *
net_root_get_endpoint (const NetRoot *root)
{
    return root->endpoint;
}

static gboolean
on_refused (gpointer user)
{
    NetRoot *root = user;
    root->refuse_source = 0;
    give_batch (root);
    return G_SOURCE_REMOVE;
}

/* A request that cannot even wait is answered, so that nobody waits for it. */
static void
refuse (NetRoot *root, const NetHost *host, const JobRequest *request, const JobRankSet *local)
{
    g_autoptr (GError) error = NULL;
    base_error_set (&error, BASE_ERROR_BUSY,
                    "cannot send the request: host %s has not taken the last %u requests",
                    host->name, host->waiting.length);
    JobEvent *event = job_event_new_failure (request->id, local, error);
    event->final = TRUE;
    net_slots_globalise (event, host->base);
    g_ptr_array_add (root->batch, event);
    if (root->refuse_source == 0) { /* not from within the caller's call */
        root->refuse_source = g_idle_add_full (G_PRIORITY_DEFAULT, on_refused, root, NULL);
    }
}

static void
send_to_asked (NetRoot *root, const JobRequest *request)
{
    g_autoptr (GPtrArray) asked = g_ptr_array_new ();
    g_autoptr (GPtrArray) slots = g_ptr_array_new ();
    Shared shared = { NULL, NULL };
    BASE_EACH (root->hosts, NetHost, host) {
        if (host->state == NET_HOST_BYE || host->state == NET_HOST_CLOSED) {
            continue;
        }
        JobRankSet *local = net_slots_localise (request->ranks, host->base);
        if (job_rank_set_is_empty (local)) {
            job_rank_set_free (local);
            continue;
        }
        if (net_outbox_is_full (host)) {
            refuse (root, host, request, local);
            job_rank_set_free (local);
            continue;
        }
        g_ptr_array_add (asked, host);
        g_ptr_array_add (slots, local);
    }
    net_groups_announce (root, asked, request->id);
    for (guint i = 0; i < asked->len; i++) {
        NetHost *host = asked->pdata[i];
        g_autoptr (GVariant) body = dup_body (&shared, request, slots->pdata[i], host->base);
        net_root_send_to (root, host, NET_REQUEST, body);
    }
    clear_shared (&shared);
}

void
net_root_send (NetRoot *root, const JobRequest *request)
{
    if (request->verb == JOB_VERB_START) {
        job_request_free (root->start);
        root->start = job_request_dup (request);
        for (guint i = 0; i < root->hosts->len; i++) {
            send_start (root, root->hosts->pdata[i]);
        }
        return;
    }
    send_to_asked (root, request);
}

void
net_root_ask_clocks (NetRoot *root)
{
    BASE_EACH (root->hosts, NetHost, host) {
        if (host->state == NET_HOST_HERE) {
            gint64 now = g_get_monotonic_time ();
            root->first_clock_us = root->first_clock_us != 0 ? root->first_clock_us : now;
            net_root_send_to (root, host, NET_CLOCK, g_variant_new ("(x)", now));
        }
    }
}

gboolean
net_root_find_slots (const NetRoot *root, guint host_index, guint32 *ret_first,
                     guint32 *ret_end)
{
    const NetHost *host = host_index < root->hosts->len ? root->hosts->pdata[host_index] : NULL;
    if (!host || job_rank_set_is_empty (host->speaker.reported)) {
        return FALSE;
    }
    *ret_first = host->base;
    const GArray *ranges = host->speaker.reported->ranges;
    *ret_end = g_array_index (ranges, JobRankRange, ranges->len - 1).end;
    return TRUE;
}

void
net_root_end (NetRoot *root)
{
    root->ended = TRUE;
    BASE_EACH (root->hosts, NetHost, host) {
        if (host->state != NET_HOST_BYE && host->state != NET_HOST_CLOSED) {
            net_root_send_to (root, host, NET_END, g_variant_new ("()"));
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
    g_clear_handle_id (&root->close_source, g_source_remove);
    g_clear_handle_id (&root->retry_source, g_source_remove);
    g_clear_handle_id (&root->refuse_source, g_source_remove);
    net_groups_clear (root);
    net_socket_source_clear (&root->source);
    net_socket_source_clear (&root->monitor_source);
    net_monitor_close (root->socket, root->monitor);
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
    net_startups_free (root->startups);
    g_ptr_array_unref (root->blocks);
    g_ptr_array_unref (root->batch);
    job_request_free (root->start);
    g_free (root->session_id);
    g_free (root->endpoint);
    g_free (root);
}
