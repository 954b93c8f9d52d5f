/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's link to the front end: sends the events of each main loop iteration in one
 * packet, on the star or through the inner node of the daemon's group, receives requests, and
 * reports the loss of the front end once. Packets sent through the tree are kept until the
 * front end has them: if the inner node is lost, the front end says which it has, and the rest
 * is resent on the star. */
#include "net/link.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/address-private.h"
#include "net/beat-private.h"
#include "net/branch-private.h"
#include "net/events-private.h"
#include "net/inner-private.h"
#include "net/liveness-private.h"
#include "net/packet-private.h"
#include "net/wire-private.h"
#include <string.h>
#include <unistd.h>

#define MAX_MESSAGE (4 * 1024 * 1024)
#define MAX_KEPT (4 * 1024 * 1024) /* bytes after which it asks what has arrived */
/* Events wait for a turn in which nothing else is to be done, to be merged; but not longer than this, as there may
 * be no such turn, nor when there are more of them. */
#define MAX_WAIT_MS 20
#define MAX_QUEUE (1024 * 1024) /* bytes */
#define N_SUMMARIES 64u
#define REACH_MS 5000
#define WELCOME_US (60 * G_USEC_PER_SEC)

/* The route of packets of events. */
typedef enum { WAY_STAR, WAY_HELD /* the ways are being changed */, WAY_TREE, WAY_INNER } Way;

typedef struct {
    guint64 number;
    GVariant *body;
} Kept;

struct _NetLeaf {
    NetWire *wire;
    NetBeat *beat;
    GVariant *life; /* body of the sign of life */
    guint flush,
        late_flush; /* sources: when the loop is idle, and when it is not; 0: nothing waits */
    NetLeafHandler handler;
    gpointer user;
    GPtrArray *queue; /* of JobEvent */
    guint64
        summaries[N_SUMMARIES]; /* the last requests for which a summary is enough; 0: none */
    guint n_summaries;          /* of all time */
    gsize queue_bytes;          /* that they are about */
    gint64 tick_us, silence_us; /* silence counts while this loop runs */
    guint64 sent, received;
    guint32 base;
    gboolean welcomed, gone, heard;
    /* the tree */
    char *endpoint, *chosen, *session_id;
    NetCurveKeys keys, group_keys; /* towards the front end, and towards daemons */
    Way way;
    guint64 epoch, n_events; /* packets of events made */
    NetBranch *branch;
    NetInner *inner;
    GQueue kept; /* of Kept: sent through the tree, not confirmed yet */
    gsize kept_bytes;
};

static void
send_up (NetLeaf *leaf, NetPacketType type, GVariant *body)
{
    net_wire_send (leaf->wire, type, ++leaf->sent, leaf->base, body);
}

static void
tell_lost (NetLeaf *leaf, gboolean closed)
{
    if (!leaf->gone) {
        leaf->gone = TRUE;
        leaf->handler.on_lost (leaf, closed, leaf->user);
    }
}

BASE_FREE (free_kept, Kept, kept, g_variant_unref (kept->body))

/* The front end has received everything up to that number. */
static void
forget_kept (NetLeaf *leaf, guint64 number)
{
    Kept *kept;
    while ((kept = g_queue_peek_head (&leaf->kept)) && kept->number <= number) {
        leaf->kept_bytes -= g_variant_get_size (kept->body);
        free_kept (g_queue_pop_head (&leaf->kept));
    }
}

static void
send_events (NetLeaf *leaf, GVariant *body)
{
    if (leaf->way == WAY_STAR) {
        send_up (leaf, NET_EVENTS, body);
        return;
    }
    Kept *kept = g_new (Kept, 1);
    gsize before = leaf->kept_bytes;
    *kept = (Kept){ leaf->n_events, g_variant_ref (body) };
    g_queue_push_tail (&leaf->kept, kept);
    leaf->kept_bytes += g_variant_get_size (body);
    if (leaf->way == WAY_TREE) {
        net_branch_send (leaf->branch, body);
    }
    if (before / MAX_KEPT < leaf->kept_bytes / MAX_KEPT) {
        send_up (leaf, NET_PING, g_variant_new ("(t)", (guint64) 0));
    }
}

static void
leave_tree (NetLeaf *leaf)
{
    g_clear_pointer (&leaf->branch, net_branch_free);
    g_clear_pointer (&leaf->inner, net_inner_free);
    leaf->epoch = 0;
}

static void
on_merged (GVariant *body, gpointer user)
{
    send_up (user, NET_MERGED, body);
}

static void
begin_to_lead (NetLeaf *leaf, guint64 epoch)
{
    g_autoptr (GError) error = NULL;
    g_autofree char *address = net_address_find_inner (leaf->endpoint, leaf->chosen);
    if (leaf->way == WAY_STAR) {
        leave_tree (leaf);
        leaf->inner = net_inner_new (address, epoch, leaf->session_id, &leaf->group_keys,
                                     on_merged, leaf, &error);
    }
    if (leaf->way == WAY_STAR && leaf->inner) {
        net_leaf_flush (leaf);
        leaf->epoch = epoch;
        leaf->way = WAY_INNER;
    } else {
        g_warning ("cannot become an inner node: %s",
                   error ? error->message : "already connected to one");
    }
    gboolean leads = leaf->epoch == epoch && leaf->inner;
    send_up (leaf, NET_LEADING,
             g_variant_new ("(ts)", epoch, leads ? net_inner_get_endpoint (leaf->inner) : ""));
}

/* From now on, events wait until the front end has everything sent on the star. */
static void
on_joined (gpointer user)
{
    NetLeaf *leaf = user;
    net_leaf_flush (leaf);
    leaf->way = WAY_HELD;
    send_up (leaf, NET_SWITCH, g_variant_new ("(tb)", leaf->epoch, FALSE));
}

static void
on_broken (gpointer user)
{
    NetLeaf *leaf = user;
    leaf->way = WAY_HELD;
    send_up (leaf, NET_SWITCH, g_variant_new ("(tb)", leaf->epoch, TRUE));
}

static void
go_back_to_star (NetLeaf *leaf, guint64 received)
{
    leave_tree (leaf);
    forget_kept (leaf, received);
    leaf->way = WAY_STAR;
    for (GList *item = leaf->kept.head; item; item = item->next) {
        send_up (leaf, NET_EVENTS, ((Kept *) item->data)->body);
    }
    forget_kept (leaf, G_MAXUINT64);
    net_leaf_flush (leaf);
}

static void
apply_tree (NetLeaf *leaf, GVariant *body)
{
    static const NetBranchHandler handler = { on_joined, on_broken };
    guint64 epoch, received;
    const char *endpoint;
    g_variant_get (body, "(t&st)", &epoch, &endpoint, &received);
    if (epoch == 0) {
        go_back_to_star (leaf, received);
    } else if (leaf->way == WAY_STAR) {
        leave_tree (leaf);
        leaf->epoch = epoch;
        leaf->branch = net_branch_new (endpoint, leaf->session_id, epoch, leaf->base,
                                       &leaf->group_keys, &handler, leaf);
    }
}

static void
apply_switch (NetLeaf *leaf, GVariant *body)
{
    guint64 epoch;
    g_variant_get (body, "(tb)", &epoch, NULL);
    if (leaf->way == WAY_HELD && leaf->branch && epoch == leaf->epoch) {
        leaf->way = WAY_TREE;
        net_leaf_flush (leaf);
    }
}

/* Packets that control the tree, and confirmations. */
static void
apply_shape (NetLeaf *leaf, NetPacket *packet)
{
    guint64 number = 0;
    guint32 n_members;
    if (packet->type == NET_LEAD) {
        g_variant_get (packet->body, "(t)", &number);
        begin_to_lead (leaf, number);
    } else if (packet->type == NET_TREE) {
        apply_tree (leaf, packet->body);
    } else if (packet->type == NET_SWITCH) {
        apply_switch (leaf, packet->body);
    } else if (packet->type == NET_ASKED && leaf->inner) {
        g_variant_get (packet->body, "(tu)", &number, &n_members);
        net_inner_expect (leaf->inner, number, n_members);
    } else if (packet->type == NET_PING || packet->type == NET_PONG) {
        g_variant_get (packet->body, "(t)", &number);
        forget_kept (leaf, number);
    }
}

static void
apply_request (NetLeaf *leaf, GVariant *body)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (GVariant) content = g_variant_get_variant (body);
    g_autoptr (JobRequest) request = job_request_decode (content, NET_BLOCK_SLOTS, &error);
    if (request) {
        if (request->flags & JOB_REQUEST_SUMMARY) {
            leaf->summaries[leaf->n_summaries++ % N_SUMMARIES] = request->id;
        }
        leaf->handler.on_request (leaf, request, leaf->user);
    } else {
        g_warning ("request refused: %s", error->message);
    }
}

/* At once, on the star: the time that an answer takes is what is not known of the clock. */
static void
tell_time (NetLeaf *leaf, GVariant *body)
{
    gint64 asked_us;
    g_variant_get (body, "(x)", &asked_us);
    send_up (leaf, NET_CLOCKED, g_variant_new ("(xx)", asked_us, g_get_monotonic_time ()));
}

static void
apply_packet (NetLeaf *leaf, NetPacket *packet)
{
    if (packet->sequence <= leaf->received) {
        return;
    }
    leaf->received = packet->sequence;
    leaf->heard = TRUE;
    switch (packet->type) {
    case NET_WELCOME:
        leaf->welcomed = TRUE;
        g_variant_get (packet->body, "(u)", &leaf->base);
        if (leaf->handler.on_welcome) {
            leaf->handler.on_welcome (leaf, leaf->base, leaf->user);
        }
        break;
    case NET_REQUEST: apply_request (leaf, packet->body); break;
    case NET_PING:
        apply_shape (leaf, packet);
        send_up (leaf, NET_PONG, g_variant_new ("(t)", (guint64) 0));
        break;
    case NET_CLOCK: tell_time (leaf, packet->body); break;
    case NET_END:
        leaf->gone = TRUE;
        leaf->handler.on_end (leaf, leaf->user);
        break;
    default: apply_shape (leaf, packet); break;
    }
}

static void
on_packets (NetWire *wire, gpointer user)
{
    NetLeaf *leaf = user;
    NetPacket *packet;
    while (!leaf->gone && (packet = net_wire_receive (wire)) != NULL) {
        apply_packet (leaf, packet);
        net_packet_free (packet);
    }
    if (leaf->flush != 0) {
        net_leaf_flush (leaf); /* send answers in this iteration */
    }
}

static void
on_closed (NetWire *wire, gpointer user)
{
    tell_lost (user, TRUE);
}

/* The only thing that wakes an idle daemon: sends a heartbeat and measures the front end's
 * silence. */
static gboolean
on_beat (gpointer user)
{
    NetLeaf *leaf = user;
    gint64 now = base_clock_get_us ();
    gint64 passed = CLAMP (now - leaf->tick_us, 0, 2 * NET_BEAT_S * G_USEC_PER_SEC);
    leaf->silence_us = leaf->heard ? 0 : leaf->silence_us + passed;
    leaf->tick_us = now;
    leaf->heard = FALSE;
    if (leaf->silence_us >= NET_GIVE_UP_US
        || (!leaf->welcomed && leaf->silence_us >= WELCOME_US)) {
        tell_lost (leaf, !leaf->welcomed);
    } else if (leaf->welcomed && !leaf->gone) {
        send_up (leaf, NET_PONG, leaf->life);
    }
    return !leaf->gone && net_wire_is_idle (leaf->wire);
}

NetLeaf *
net_leaf_new (const char *endpoint, const char *session_id, const char *host,
              const NetLeafKeys *keys, const NetLeafHandler *handler, gpointer user,
              GError **error)
{
    static const NetWireHandler wire_handler = { on_packets, on_closed };
    g_autofree char *chosen = net_address_choose (endpoint, host, REACH_MS, error);
    if (!chosen) {
        return NULL;
    }
    g_autofree char *name = g_strdup_printf ("%.200s/%d/%08x", host, (int) getpid (),
                                             (guint) g_get_monotonic_time ());
    NetLeaf *leaf = g_new0 (NetLeaf, 1);
    leaf->handler = *handler;
    leaf->user = user;
    leaf->queue = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    leaf->endpoint = g_strdup (endpoint);
    leaf->chosen = g_strdup (chosen);
    leaf->session_id = g_strdup (session_id);
    gboolean has_keys = net_curve_keys_init (&leaf->keys, keys->public_key, keys->secret_key,
                                             keys->server_key)
                        && net_curve_keys_init (&leaf->group_keys, keys->public_key,
                                                keys->secret_key, keys->public_key);
    leaf->tick_us = base_clock_get_us ();
    leaf->wire = has_keys ? net_wire_new (chosen, &leaf->keys, name, MAX_MESSAGE, TRUE,
                                          &wire_handler, leaf)
                          : NULL;
    if (!leaf->wire) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                     "cannot connect to %s: the address or the "
                     "session's key is invalid",
                     chosen);
        net_leaf_free (leaf);
        return NULL;
    }
    leaf->life = g_variant_ref_sink (g_variant_new ("(t)", (guint64) 0));
    leaf->beat = net_beat_new (NET_BEAT_S, on_beat, leaf);
    send_up (leaf, NET_HELLO, g_variant_new ("(ssu)", session_id, host, (guint32) getpid ()));
    return leaf;
}

int
net_leaf_get_fd (const NetLeaf *leaf)
{
    return net_wire_get_fd (leaf->wire);
}

static void
send_list (NetLeaf *leaf, GVariantBuilder *list)
{
    g_autoptr (GVariant) body = g_variant_ref_sink (g_variant_new ("(tav)", ++leaf->n_events,
                                                                   list));
    send_events (leaf, body);
}

static void
empty_queue (NetLeaf *leaf)
{
    g_ptr_array_set_size (leaf->queue, 0);
    leaf->queue_bytes = 0;
}

static void
stop_waiting (NetLeaf *leaf)
{
    g_clear_handle_id (&leaf->flush, g_source_remove);
    g_clear_handle_id (&leaf->late_flush, g_source_remove);
}

void
net_leaf_flush (NetLeaf *leaf)
{
    stop_waiting (leaf);
    if (leaf->queue->len == 0 || leaf->gone) {
        empty_queue (leaf);
        return;
    }
    if (leaf->way == WAY_HELD) {
        return; /* the change of route sends it */
    }
    job_event_list_merge (leaf->queue);
    job_event_list_cut (leaf->queue);
    GVariantBuilder list;
    gsize size = 0;
    guint64 first = leaf->n_events + 1;
    g_variant_builder_init (&list, G_VARIANT_TYPE ("av"));
    for (guint i = 0; i < leaf->queue->len; i++) {
        g_autoptr (GVariant) event = net_events_encode_one (leaf->queue->pdata[i]);
        if (size > 0 && size + g_variant_get_size (event) > NET_MAX_LIST) {
            send_list (leaf, &list);
            g_variant_builder_init (&list, G_VARIANT_TYPE ("av"));
            size = 0;
        }
        size += g_variant_get_size (event);
        g_variant_builder_add_value (&list, event);
    }
    send_list (leaf, &list);
    if (leaf->way == WAY_INNER) {
        net_inner_add_own (leaf->inner, leaf->base, first, leaf->n_events, leaf->queue);
    }
    empty_queue (leaf);
}

static gboolean
on_flush (gpointer user)
{
    net_leaf_flush (user); /* removes this source too */
    return G_SOURCE_REMOVE;
}

static gsize
get_event_bytes (const JobEvent *event)
{
    return sizeof *event + (event->text ? strlen (event->text) : 0)
           + (job_event_get_bytes (event) ? g_bytes_get_size (job_event_get_bytes (event)) : 0);
}

static gboolean
is_summary_enough (const NetLeaf *leaf, const JobEvent *event)
{
    return event->request != 0
           && BASE_ANY (i, MIN (leaf->n_summaries, N_SUMMARIES),
                        leaf->summaries[i] == event->request);
}

void
net_leaf_send (NetLeaf *leaf, const JobEvent *event)
{
    JobEvent *copy = job_event_dup (event);

    copy->flags |= is_summary_enough (leaf, event) ? JOB_EVENT_SUMMARY : 0;
    leaf->queue_bytes += get_event_bytes (event);
    g_ptr_array_add (leaf->queue, copy);
    if (leaf->queue_bytes > MAX_QUEUE) {
        net_leaf_flush (leaf);
    } else if (leaf->flush == 0) {
        leaf->flush = g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_flush, leaf, NULL);
        leaf->late_flush = g_timeout_add (MAX_WAIT_MS, on_flush, leaf);
    }
}

gsize
net_leaf_get_backlog (const NetLeaf *leaf)
{
    return net_wire_get_backlog (leaf->wire) + leaf->kept_bytes + leaf->queue_bytes;
}

/* No events of this daemon may be left in another one when it ends. */
static void
say_last_words (NetLeaf *leaf)
{
    if (leaf->way == WAY_INNER) {
        net_inner_flush (leaf->inner);
    } else if (leaf->way != WAY_STAR) {
        go_back_to_star (leaf, 0);
    }
}

void
net_leaf_free (NetLeaf *leaf)
{
    if (!leaf) {
        return;
    }
    if (leaf->wire) {
        net_leaf_flush (leaf);
        say_last_words (leaf);
        send_up (leaf, NET_BYE, g_variant_new ("(t)", leaf->n_events));
    }
    leave_tree (leaf);
    stop_waiting (leaf);
    net_beat_free (leaf->beat);
    g_clear_pointer (&leaf->life, g_variant_unref);
    net_wire_free (leaf->wire);
    forget_kept (leaf, G_MAXUINT64);
    g_ptr_array_unref (leaf->queue);
    g_free (leaf->endpoint);
    g_free (leaf->chosen);
    g_free (leaf->session_id);
    net_curve_keys_clear (&leaf->keys);
    net_curve_keys_clear (&leaf->group_keys);
    g_free (leaf);
}
