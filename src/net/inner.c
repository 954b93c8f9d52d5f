/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combining on the way up. */
#include "net/inner-private.h"
#include "base/error.h"
#include "net/events-private.h"
#include "net/packet-private.h"
#include "net/slots-private.h"
#include "net/socket-private.h"
#include <string.h>
#include <zmq.h>

#define MAX_MESSAGE (64 * 1024 * 1024)
#define HOLD_MS 3        /* for what nobody was asked */
#define ANSWER_MS 100    /* for the answers that are still to come */
#define MAX_EXPECTED 256

typedef struct {
    guint32 base;
    guint64 first, last, received; /* packets of events that are held; packets of the link */
} Member;

typedef struct {
    guint64 request;
    guint n_members;
    GHashTable *answered; /* of slot bases */
} Expected;

struct _NetInner {
    void *socket, *monitor;
    GSource *source, *monitor_source;
    NetZap *zap;
    guint64 epoch, sent;
    char *session_id, *endpoint;
    NetInnerGive give;
    gpointer user;
    GHashTable *members;  /* GBytes of routing to Member */
    Member own;
    GPtrArray *held;      /* of JobEvent, global slots */
    gsize held_bytes;
    GPtrArray *expected;  /* of Expected, oldest first */
    guint timer;
};

static void
free_expected (gpointer data)
{
    Expected *expected = data;
    g_hash_table_unref (expected->answered);
    g_free (expected);
}

static void
add_cover (GVariantBuilder *covers, Member *member)
{
    if (member->last > 0) {
        g_variant_builder_add (covers, "(utt)", member->base, member->first, member->last);
        member->first = member->last = 0;
    }
}

/* Also nothing, where the front end waits for a sign that this node lives. */
static void
give_all (NetInner *inner)
{
    GVariantBuilder covers, events;
    GHashTableIter iter;
    gpointer member;
    g_clear_handle_id (&inner->timer, g_source_remove);
    g_variant_builder_init (&covers, G_VARIANT_TYPE ("a(utt)"));
    g_variant_builder_init (&events, G_VARIANT_TYPE ("av"));
    add_cover (&covers, &inner->own);
    g_hash_table_iter_init (&iter, inner->members);
    while (g_hash_table_iter_next (&iter, NULL, &member)) {
        add_cover (&covers, member);
    }
    job_event_list_merge (inner->held);
    for (guint i = 0; i < inner->held->len; i++) {
        g_autoptr (GVariant) event = net_events_encode_one (inner->held->pdata[i]);
        g_variant_builder_add_value (&events, event);
    }
    g_ptr_array_set_size (inner->held, 0);
    inner->held_bytes = 0;
    inner->give (g_variant_new ("(ta(utt)av)", inner->epoch, &covers, &events), inner->user);
}

static void
give_held (NetInner *inner)
{
    if (inner->held->len > 0 || inner->own.last > 0) {
        give_all (inner);
    }
}

static gboolean
on_time (gpointer user)
{
    NetInner *inner = user;
    inner->timer = 0;
    if (inner->expected->len > 0) {
        g_ptr_array_set_size (inner->expected, 0); /* who is late comes alone */
        give_all (inner);
    } else {
        give_held (inner);
    }
    return G_SOURCE_REMOVE;
}

/* TRUE when the last of those that were asked has answered. */
static gboolean
note_answer (NetInner *inner, guint64 request, guint32 base)
{
    for (guint i = 0; i < inner->expected->len; i++) {
        Expected *expected = inner->expected->pdata[i];
        if (expected->request == request) {
            g_hash_table_add (expected->answered, GUINT_TO_POINTER (base));
            if (g_hash_table_size (expected->answered) < expected->n_members) {
                return FALSE;
            }
            g_ptr_array_remove_index (inner->expected, i);
            return TRUE;
        }
    }
    return FALSE;
}

/* Events from index `first` on are new. */
static void
note_new (NetInner *inner, guint first, guint32 base)
{
    gboolean is_complete = FALSE;
    for (guint i = first; i < inner->held->len; i++) {
        const JobEvent *event = inner->held->pdata[i];
        is_complete |= event->final && note_answer (inner, event->request, base);
    }
    if (is_complete && inner->expected->len == 0) {
        give_held (inner);
    } else if (inner->timer == 0) {
        inner->timer = g_timeout_add (inner->expected->len > 0 ? ANSWER_MS : HOLD_MS, on_time, inner);
    }
}

static void
note_number (Member *member, guint64 number)
{
    member->first = member->last == 0 ? number : member->first;
    member->last = number;
}

static void
make_room (NetInner *inner, gsize bytes)
{
    if (inner->held_bytes > 0 && inner->held_bytes + bytes > NET_MAX_LIST) {
        give_held (inner);
    }
    inner->held_bytes += bytes;
}

static void
apply_events (NetInner *inner, Member *member, GVariant *body)
{
    g_autoptr (GVariant) list = g_variant_get_child_value (body, 1);
    guint64 number;
    guint32 end = 0;
    g_variant_get_child (body, 0, "t", &number);
    make_room (inner, g_variant_get_size (list));
    guint first = inner->held->len;
    net_events_take (list, member->base, "a member of the group", inner->held, &end);
    note_number (member, number);
    note_new (inner, first, member->base);
}

static void
admit_member (NetInner *inner, NetPacket *packet)
{
    const char *session;
    guint64 epoch;
    guint32 base;
    g_variant_get (packet->body, "(&stu)", &session, &epoch, &base);
    if (strcmp (session, inner->session_id) != 0 || epoch != inner->epoch ||
        base % NET_BLOCK_SLOTS != 0 || base / NET_BLOCK_SLOTS >= NET_MAX_BLOCKS) {
        return;
    }
    Member *member = g_new0 (Member, 1);
    member->base = base;
    member->received = packet->sequence;
    g_hash_table_insert (inner->members, g_bytes_ref (packet->routing), member);
    net_packet_send (inner->socket, packet->routing, NET_JOINED, ++inner->sent, 0,
                     g_variant_new ("()"));
}

static void
on_packets (gpointer user)
{
    NetInner *inner = user;
    gboolean empty = FALSE;
    while (!empty) {
        g_autoptr (NetPacket) packet = net_packet_receive (inner->socket, TRUE, &empty);
        Member *member = packet ? g_hash_table_lookup (inner->members, packet->routing) : NULL;
        if (packet && !member && packet->type == NET_JOIN) {
            admit_member (inner, packet);
        } else if (member && packet->sequence > member->received) {
            member->received = packet->sequence;
            if (packet->type == NET_EVENTS) {
                apply_events (inner, member, packet->body);
            }
        }
    }
}

/* What a member said before it went waits for nobody. */
static void
on_connections (gpointer user)
{
    NetInner *inner = user;
    guint16 event;
    guint32 value;
    while (net_monitor_read (inner->monitor, &event, &value)) {
        if (event == ZMQ_EVENT_DISCONNECTED) {
            on_packets (inner);
            give_held (inner);
        }
    }
}

static gboolean
open_sockets (NetInner *inner, void *context, const char *address, const char *public_key,
              const char *secret_key)
{
    char endpoint[256];
    gsize size = sizeof endpoint;
    inner->zap = net_zap_new (context, public_key);
    inner->socket = inner->zap ? zmq_socket (context, ZMQ_ROUTER) : NULL;
    if (!inner->socket ||
        !net_socket_configure (inner->socket, public_key, secret_key, TRUE, MAX_MESSAGE) ||
        !(inner->monitor = net_monitor_open (context, inner->socket)) ||
        zmq_bind (inner->socket, address) < 0 ||
        zmq_getsockopt (inner->socket, ZMQ_LAST_ENDPOINT, endpoint, &size) < 0) {
        return FALSE;
    }
    inner->endpoint = g_strdup (endpoint);
    return TRUE;
}

NetInner *
net_inner_new (void *context, const char *address, guint64 epoch, const char *session_id,
               const char *public_key, const char *secret_key, NetInnerGive give, gpointer user,
               GError **error)
{
    NetInner *inner = g_new0 (NetInner, 1);
    inner->epoch = epoch;
    inner->session_id = g_strdup (session_id);
    inner->give = give;
    inner->user = user;
    inner->members = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                            (GDestroyNotify) g_bytes_unref, g_free);
    inner->held = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    inner->expected = g_ptr_array_new_with_free_func (free_expected);
    if (!open_sockets (inner, context, address, public_key, secret_key)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot listen at %s: %s", address,
                     zmq_strerror (zmq_errno ()));
        net_inner_free (inner);
        return NULL;
    }
    inner->source = net_socket_source_new (inner->socket, on_packets, inner);
    inner->monitor_source = net_monitor_source_new (inner->monitor, on_connections, inner);
    net_socket_source_set_plain (inner->source);
    net_socket_source_set_plain (inner->monitor_source);
    return inner;
}

const char *
net_inner_get_endpoint (const NetInner *inner)
{
    return inner->endpoint;
}

void
net_inner_expect (NetInner *inner, guint64 request, guint n_members)
{
    Expected *expected = g_new0 (Expected, 1);
    expected->request = request;
    expected->n_members = n_members;
    expected->answered = g_hash_table_new (NULL, NULL);
    if (inner->expected->len >= MAX_EXPECTED) {
        g_ptr_array_remove_index (inner->expected, 0);
    }
    g_ptr_array_add (inner->expected, expected);
    if (inner->timer == 0) {
        inner->timer = g_timeout_add (ANSWER_MS, on_time, inner);
    }
}

void
net_inner_add_own (NetInner *inner, guint32 base, guint64 first_number, guint64 last_number,
                   GPtrArray *events)
{
    inner->own.base = base;
    guint first = inner->held->len;
    for (guint i = 0; i < events->len; i++) {
        JobEvent *event = job_event_dup (events->pdata[i]);
        net_slots_globalise (event, base);
        g_ptr_array_add (inner->held, event);
    }
    note_number (&inner->own, first_number);
    note_number (&inner->own, last_number);
    note_new (inner, first, base);
}

void
net_inner_flush (NetInner *inner)
{
    give_held (inner);
}

void
net_inner_free (NetInner *inner)
{
    if (!inner) {
        return;
    }
    g_clear_handle_id (&inner->timer, g_source_remove);
    net_socket_source_clear (&inner->source);
    net_socket_source_clear (&inner->monitor_source);
    net_monitor_close (inner->socket, inner->monitor);
    if (inner->socket) {
        zmq_close (inner->socket);
    }
    net_zap_free (inner->zap);
    g_hash_table_unref (inner->members);
    g_ptr_array_unref (inner->held);
    g_ptr_array_unref (inner->expected);
    g_free (inner->session_id);
    g_free (inner->endpoint);
    g_free (inner);
}
