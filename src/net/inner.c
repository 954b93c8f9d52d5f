/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges events on their way up. */
#include "net/inner-private.h"
#include "base/array.h"
#include "base/error.h"
#include "net/address-private.h"
#include "net/events-private.h"
#include "net/slots-private.h"
#include "net/wire-private.h"
#include <errno.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_MESSAGE (64 * 1024 * 1024)
#define HOLD_MS 3     /* for unsolicited events */
#define ANSWER_MS 100 /* for missing answers */
#define MAX_EXPECTED 256
#define HANDSHAKE_MS 5000
#define MAX_PEERS 72 /* a group, and a few unauthenticated peers */

/* A connection; a member when it has joined. */
typedef struct {
    NetInner *inner;
    NetWire *wire; /* NULL: the node's own events */
    gboolean is_member;
    guint32 base;
    NetSpeaker speaker;            /* when it is a member */
    guint64 first, last, received; /* collected packets of events; packets of the link */
} Member;

typedef struct {
    guint64 request;
    guint n_members;
    GHashTable *answered; /* of slot bases */
} Expected;

struct _NetInner {
    int listen_fd;
    guint listen_source;
    guint64 epoch;
    char *session_id, *endpoint;
    NetCurveKeys keys;
    NetInnerGive give;
    gpointer user;
    GPtrArray *members; /* of Member */
    Member own;
    GPtrArray *held; /* of JobEvent, global slots */
    gsize held_bytes;
    GPtrArray *expected; /* of Expected, oldest first */
    guint timer;
};

BASE_FREE (free_expected, Expected, expected, g_hash_table_unref (expected->answered))

static void
add_cover (GVariantBuilder *covers, Member *member)
{
    if (member->last > 0) {
        g_variant_builder_add (covers, "(utt)", member->base, member->first, member->last);
        member->first = member->last = 0;
    }
}

/* Possibly without events, to show the front end that this node is alive. */
static void
give_all (NetInner *inner)
{
    GVariantBuilder covers, events;
    g_clear_handle_id (&inner->timer, g_source_remove);
    g_variant_builder_init (&covers, G_VARIANT_TYPE ("a(utt)"));
    g_variant_builder_init (&events, G_VARIANT_TYPE ("av"));
    add_cover (&covers, &inner->own);
    for (guint i = 0; i < inner->members->len; i++) {
        add_cover (&covers, inner->members->pdata[i]);
    }
    job_event_list_merge (inner->held);
    job_event_list_cut (inner->held);
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
        g_ptr_array_set_size (inner->expected, 0); /* late answers are sent separately */
        give_all (inner);
    } else {
        give_held (inner);
    }
    return G_SOURCE_REMOVE;
}

/* TRUE when all members that were asked have answered. */
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
        inner->timer = g_timeout_add (inner->expected->len > 0 ? ANSWER_MS : HOLD_MS, on_time,
                                      inner);
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
    g_variant_get_child (body, 0, "t", &number);
    make_room (inner, g_variant_get_size (list));
    guint first = inner->held->len;
    net_events_take (list, &member->speaker, "a member of the group", inner->held);
    note_number (member, number);
    note_new (inner, first, member->base);
}

static void
admit_member (NetInner *inner, Member *member, const NetPacket *packet)
{
    const char *session;
    guint64 epoch;
    guint32 base;
    g_variant_get (packet->body, "(&stu)", &session, &epoch, &base);
    if (strcmp (session, inner->session_id) != 0 || epoch != inner->epoch
        || base % NET_BLOCK_SLOTS != 0 || base / NET_BLOCK_SLOTS >= NET_MAX_BLOCKS) {
        return;
    }
    member->is_member = TRUE;
    member->base = base;
    net_speaker_init (&member->speaker, base);
    job_rank_set_merge (member->speaker.reported,
                        member->speaker.blocks); /* by the star, perhaps */
    member->received = packet->sequence;
    net_wire_send (member->wire, NET_JOINED, 1, 0, g_variant_new ("()"));
}

static void
on_packets (NetWire *wire, gpointer user)
{
    Member *member = user;
    NetPacket *packet;
    while ((packet = net_wire_receive (wire)) != NULL) {
        if (!member->is_member && packet->type == NET_JOIN) {
            admit_member (member->inner, member, packet);
        } else if (member->is_member && packet->sequence > member->received) {
            member->received = packet->sequence;
            if (packet->type == NET_EVENTS) {
                apply_events (member->inner, member, packet->body);
            }
        }
        net_packet_free (packet);
    }
}

BASE_FREE (free_member, Member, member, net_wire_free (member->wire);
           net_speaker_clear (&member->speaker))

/* The last events of a member that left are sent without waiting. */
static void
on_closed (NetWire *wire, gpointer user)
{
    Member *member = user;
    NetInner *inner = member->inner;
    if (member->is_member) {
        give_held (inner);
    }
    g_ptr_array_remove (inner->members, member); /* keeps the order of the others */
}

/* Drops the oldest unauthenticated peer for the new one: peers with the key authenticate at
 * once, so they are never locked out. */
static void
make_room_for_peer (NetInner *inner)
{
    for (guint i = 0; inner->members->len >= MAX_PEERS && i < inner->members->len; i++) {
        const Member *member = inner->members->pdata[i];
        if (!net_wire_is_open (member->wire)) {
            g_ptr_array_remove_index (inner->members, i);
            return;
        }
    }
}

static gboolean
on_connection (int listen_fd, GIOCondition condition, gpointer user)
{
    static const NetWireHandler handler = { on_packets, on_closed };
    NetInner *inner = user;
    int fd;
    while ((fd = accept4 (listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        make_room_for_peer (inner);
        Member *member = g_new0 (Member, 1);
        member->inner = inner;
        member->wire = net_wire_new_accepted (fd, &inner->keys, MAX_MESSAGE, HANDSHAKE_MS,
                                              &handler, member);
        if (member->wire) {
            g_ptr_array_add (inner->members, member);
        } else {
            g_free (member);
        }
    }
    return G_SOURCE_CONTINUE;
}

NetInner *
net_inner_new (const char *address, guint64 epoch, const char *session_id,
               const NetCurveKeys *keys, NetInnerGive give, gpointer user, GError **error)
{
    NetInner *inner = g_new0 (NetInner, 1);
    inner->epoch = epoch;
    inner->session_id = g_strdup (session_id);
    inner->keys = *keys;
    inner->give = give;
    inner->user = user;
    inner->members = g_ptr_array_new_with_free_func (free_member);
    inner->held = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    inner->expected = g_ptr_array_new_with_free_func (free_expected);
    inner->listen_fd = net_address_listen (address, &inner->endpoint);
    if (inner->listen_fd < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot listen at %s: %s", address,
                     g_strerror (errno));
        net_inner_free (inner);
        return NULL;
    }
    inner->listen_source = g_unix_fd_add (inner->listen_fd, G_IO_IN, on_connection, inner);
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
    g_clear_handle_id (&inner->listen_source, g_source_remove);
    if (inner->listen_fd >= 0) {
        close (inner->listen_fd);
    }
    g_ptr_array_unref (inner->members);
    g_ptr_array_unref (inner->held);
    g_ptr_array_unref (inner->expected);
    g_free (inner->session_id);
    g_free (inner->endpoint);
    net_curve_keys_clear (&inner->keys);
    g_free (inner);
}
