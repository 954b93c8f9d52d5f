/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the front end sends to a host whose daemon does not read: libzmq takes the first packets, the next ones
 * wait here in their order, and beyond a limit requests are refused, which their sender is told. */
#include "net/root-private.h"
#include "base/array.h"
#include <errno.h>

enum { RETRY_MS = 20 };

typedef struct {
    NetPacketType type;
    GVariant *body;
} Waiting;

BASE_FREE (free_waiting, Waiting, waiting, g_variant_unref (waiting->body))

/* FALSE: libzmq has as much for the host as it may. A packet for a host that is gone counts as sent. */
static gboolean
try_to_send (NetRoot *root, NetHost *host, NetPacketType type, GVariant *body)
{
    if (!net_socket_send (root->socket, host->routing, type, host->sent + 1, 0, body)
        && errno == EAGAIN) {
        return FALSE;
    }
    host->sent++;
    return TRUE;
}

static void
send_waiting (NetRoot *root, NetHost *host)
{
    const Waiting *next;
    while ((next = g_queue_peek_head (&host->waiting)) != NULL
           && try_to_send (root, host, next->type, next->body)) {
        host->waiting_bytes -= g_variant_get_size (next->body);
        free_waiting (g_queue_pop_head (&host->waiting));
    }
}

static gboolean
on_retry (gpointer user)
{
    NetRoot *root = user;
    gboolean is_left = FALSE;
    BASE_EACH (root->hosts, NetHost, host) {
        send_waiting (root, host);
        is_left |= host->waiting.length > 0;
    }
    root->retry_source = is_left ? root->retry_source : 0;
    return is_left;
}

void
net_root_send_to (NetRoot *root, NetHost *host, NetPacketType type, GVariant *body)
{
    g_autoptr (GVariant) held = g_variant_ref_sink (body);
    if (host->waiting.length == 0 && try_to_send (root, host, type, held)) {
        return;
    }
    if (type == NET_PING || type == NET_PONG) {
        return; /* it has packets to hear from */
    }
    Waiting *waiting = g_new (Waiting, 1);
    *waiting = (Waiting){ type, g_variant_ref (held) };
    g_queue_push_tail (&host->waiting, waiting);
    host->waiting_bytes += g_variant_get_size (held);
    if (root->retry_source == 0) {
        root->retry_source = g_timeout_add (RETRY_MS, on_retry, root);
    }
}

gboolean
net_outbox_is_full (const NetHost *host)
{
    return host->waiting.length >= NET_MAX_WAITING
           || host->waiting_bytes >= NET_MAX_WAITING_BYTES;
}

void
net_outbox_clear (NetHost *host)
{
    g_queue_clear_full (&host->waiting, free_waiting);
    host->waiting_bytes = 0;
}
