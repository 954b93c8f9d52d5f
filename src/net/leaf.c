/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's end of the star: events go up in packets of one turn of the loop, requests come
 * down, and the loss of the front end is told once. */
#include "net/link.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/address-private.h"
#include "net/liveness-private.h"
#include "net/packet-private.h"
#include "net/socket-private.h"
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#define MAX_MESSAGE (4 * 1024 * 1024)
#define MAX_PACKET (16 * 1024 * 1024)
#define MAX_EVENT (60 * 1024 * 1024)
#define REACH_MS 5000
#define WELCOME_US (30 * G_USEC_PER_SEC)

struct _NetLeaf {
    void *context, *socket, *monitor;
    GSource *source, *monitor_source;
    guint tick, flush;
    NetLeafHandler handler;
    gpointer user;
    GPtrArray *queue; /* of JobEvent */
    NetLiveness liveness;
    gint64 waited_us; /* for a welcome */
    guint64 sent, received;
    guint32 base;
    gboolean connected, welcomed, gone;
};

static void
send_up (NetLeaf *leaf, NetPacketType type, GVariant *body)
{
    net_packet_send (leaf->socket, NULL, type, ++leaf->sent, leaf->base, body);
}

static void
tell_lost (NetLeaf *leaf, gboolean closed)
{
    if (!leaf->gone) {
        leaf->gone = TRUE;
        leaf->handler.on_lost (leaf, closed, leaf->user);
    }
}

static void
apply_request (NetLeaf *leaf, GVariant *body)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GVariant) content = g_variant_get_variant (body);
    g_autoptr (JobRequest) request = job_request_decode (content, NET_BLOCK_SLOTS, &error);
    if (request) {
        leaf->handler.on_request (leaf, request, leaf->user);
    } else {
        g_warning ("request refused: %s", error->message);
    }
}

static void
apply_packet (NetLeaf *leaf, NetPacket *packet)
{
    if (packet->sequence <= leaf->received) {
        return;
    }
    leaf->received = packet->sequence;
    net_liveness_hear (&leaf->liveness);
    switch (packet->type) {
    case NET_WELCOME:
        leaf->welcomed = TRUE;
        g_variant_get (packet->body, "(u)", &leaf->base);
        if (leaf->handler.on_welcome) {
            leaf->handler.on_welcome (leaf, leaf->base, leaf->user);
        }
        break;
    case NET_REQUEST:
        apply_request (leaf, packet->body);
        break;
    case NET_PING:
        send_up (leaf, NET_PONG, g_variant_new ("()"));
        break;
    case NET_END:
        leaf->gone = TRUE;
        leaf->handler.on_end (leaf, leaf->user);
        break;
    default:
        break;
    }
}

static void
on_packets (gpointer user)
{
    NetLeaf *leaf = user;
    gboolean empty = FALSE;
    while (!empty && !leaf->gone) {
        g_autoptr (NetPacket) packet = net_packet_receive (leaf->socket, FALSE, &empty);
        if (packet) {
            apply_packet (leaf, packet);
        }
    }
}

static void
on_connection (gpointer user)
{
    NetLeaf *leaf = user;
    guint16 event;
    guint32 value;
    while (!leaf->gone && net_monitor_read (leaf->monitor, &event, &value)) {
        if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
            leaf->gone = TRUE;
            leaf->handler.on_end (leaf, leaf->user);
        } else if (event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
            leaf->connected = TRUE;
        } else if (event == ZMQ_EVENT_DISCONNECTED) {
            on_packets (leaf); /* an END may have come before the end */
            if (leaf->connected) {
                tell_lost (leaf, TRUE);
            }
        }
    }
}

static gboolean
on_tick (gpointer user)
{
    NetLeaf *leaf = user;
    on_packets (leaf);
    if (leaf->gone) {
        leaf->tick = 0;
        return G_SOURCE_REMOVE;
    }
    if (!leaf->welcomed) {
        leaf->waited_us += NET_TICK_MS * 1000;
        if (leaf->waited_us >= WELCOME_US) {
            tell_lost (leaf, TRUE);
        }
        return G_SOURCE_CONTINUE;
    }
    if (net_liveness_tick (&leaf->liveness, base_clock_get_us ())) {
        send_up (leaf, NET_PING, g_variant_new ("()"));
    }
    if (leaf->liveness.silence_us >= NET_GIVE_UP_US) {
        tell_lost (leaf, FALSE);
    }
    return G_SOURCE_CONTINUE;
}

static gboolean
open_sockets (NetLeaf *leaf, const char *endpoint, const char *host, const char *public_key,
              const char *secret_key)
{
    g_autofree char *name = g_strdup_printf ("%.200s/%d/%08x", host, (int) getpid (),
                                             g_random_int ());
    leaf->context = zmq_ctx_new ();
    leaf->socket = zmq_socket (leaf->context, ZMQ_DEALER);
    return leaf->socket &&
           net_socket_configure (leaf->socket, public_key, secret_key, FALSE, MAX_MESSAGE) &&
           zmq_setsockopt (leaf->socket, ZMQ_ROUTING_ID, name, strlen (name)) == 0 &&
           (leaf->monitor = net_monitor_open (leaf->context, leaf->socket)) &&
           zmq_connect (leaf->socket, endpoint) == 0;
}

NetLeaf *
net_leaf_new (const char *endpoint, const char *session_id, const char *host,
              const char *public_key, const char *secret_key, const NetLeafHandler *handler,
              gpointer user, GError **error)
{
    g_autofree char *chosen = net_address_choose (endpoint, host, REACH_MS, error);
    if (!chosen) {
        return NULL;
    }
    NetLeaf *leaf = g_new0 (NetLeaf, 1);
    leaf->handler = *handler;
    leaf->user = user;
    leaf->queue = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    net_liveness_init (&leaf->liveness, base_clock_get_us ());
    if (!open_sockets (leaf, chosen, host, public_key, secret_key)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot connect to %s: %s", chosen,
                     zmq_strerror (zmq_errno ()));
        leaf->gone = TRUE;
        net_leaf_free (leaf);
        return NULL;
    }
    leaf->source = net_socket_source_new (leaf->socket, on_packets, leaf);
    leaf->monitor_source = net_socket_source_new (leaf->monitor, on_connection, leaf);
    leaf->tick = g_timeout_add (NET_TICK_MS, on_tick, leaf);
    send_up (leaf, NET_HELLO, g_variant_new ("(ssu)", session_id, host, (guint32) getpid ()));
    return leaf;
}

/* An event's bytes; one that no packet can hold becomes a failure of its ranks. */
static GVariant *
encode_event (const JobEvent *event)
{
    g_autoptr (GVariant) content = g_variant_ref_sink (job_event_encode (event));
    if (g_variant_get_size (content) <= MAX_EVENT) {
        return g_variant_ref_sink (g_variant_new_variant (content));
    }
    g_autoptr (GError) error = g_error_new (BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                                            "cannot send the answer: it is larger than 60 MiB");
    g_autoptr (JobEvent) failure = job_event_new_failure (event->request, event->ranks, error);
    failure->final = event->final;
    return g_variant_ref_sink (g_variant_new_variant (job_event_encode (failure)));
}

void
net_leaf_flush (NetLeaf *leaf)
{
    g_clear_handle_id (&leaf->flush, g_source_remove);
    if (leaf->queue->len == 0 || leaf->gone) {
        g_ptr_array_set_size (leaf->queue, 0);
        return;
    }
    job_event_list_merge (leaf->queue);
    GVariantBuilder packet;
    gsize size = 0;
    g_variant_builder_init (&packet, G_VARIANT_TYPE ("av"));
    for (guint i = 0; i < leaf->queue->len; i++) {
        g_autoptr (GVariant) event = encode_event (leaf->queue->pdata[i]);
        if (size > 0 && size + g_variant_get_size (event) > MAX_PACKET) {
            send_up (leaf, NET_EVENTS, g_variant_builder_end (&packet));
            g_variant_builder_init (&packet, G_VARIANT_TYPE ("av"));
            size = 0;
        }
        size += g_variant_get_size (event);
        g_variant_builder_add_value (&packet, event);
    }
    send_up (leaf, NET_EVENTS, g_variant_builder_end (&packet));
    g_ptr_array_set_size (leaf->queue, 0);
}

static gboolean
on_flush (gpointer user)
{
    NetLeaf *leaf = user;
    leaf->flush = 0;
    net_leaf_flush (leaf);
    return G_SOURCE_REMOVE;
}

void
net_leaf_send (NetLeaf *leaf, const JobEvent *event)
{
    g_ptr_array_add (leaf->queue, job_event_dup (event));
    if (leaf->flush == 0) {
        leaf->flush = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_flush, leaf, NULL);
    }
}

void
net_leaf_free (NetLeaf *leaf)
{
    if (!leaf) {
        return;
    }
    gboolean can_send = leaf->socket && leaf->source && leaf->monitor;
    if (can_send) {
        net_leaf_flush (leaf);
        send_up (leaf, NET_BYE, g_variant_new ("()"));
    }
    g_clear_handle_id (&leaf->flush, g_source_remove);
    g_clear_handle_id (&leaf->tick, g_source_remove);
    net_socket_source_clear (&leaf->source);
    net_socket_source_clear (&leaf->monitor_source);
    if (leaf->monitor) {
        zmq_socket_monitor (leaf->socket, NULL, 0);
        zmq_close (leaf->monitor);
    }
    if (leaf->socket) {
        zmq_close (leaf->socket);
    }
    if (leaf->context) {
        zmq_ctx_term (leaf->context);
    }
    g_ptr_array_unref (leaf->queue);
    g_free (leaf);
}
