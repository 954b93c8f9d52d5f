/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One front end (ROUTER), one daemon per host (DEALER), over a UNIX socket beside the front end and TCP from
 * other hosts. CURVE: the front end has a pair of keys that never leaves it, the session's daemons have
 * another, so that who holds theirs cannot speak as the front end; ZAP refuses every other key. The front
 * end's end is libzmq's, a daemon's its own (doc/zmtp.md). Requests and signs of life, which
 * a daemon gives unasked every 5 s, go by this star; from 64 hosts on events come through
 * inner nodes, daemons that combine what their group says. Sockets join the default GLib main context
 * as sources. */
#pragma once
#include "job/event.h"
#include "job/request.h"

/* A fresh CURVE pair, Z85, 41 bytes each with NUL. */
gboolean net_make_keys (char public_key[41], char secret_key[41], GError **error);

/* ---- front end ---- */
typedef struct _NetRoot NetRoot;
typedef struct {
    /* A host said hello. host_index counts from 0 and is stable for the host name. */
    void (*on_host) (NetRoot *root, guint host_index, const char *host, gpointer user);
    /* Events of one turn of the loop, merged over hosts, sets in global slots, borrowed. */
    void (*on_events) (NetRoot *root, GPtrArray *events, gpointer user);
    /* The link broke or the host is silent (5 s), lost (30 s) or is back. */
    void (*on_liveness) (NetRoot *root, guint host_index, const char *what, gpointer user);
    /* what: "silent", "lost", "closed" (process ended without BYE), "bye", "back" */
} NetRootHandler;
typedef struct {
    const char *public_key, *secret_key; /* the front end's; Z85 */
    const char *daemon_key;              /* the daemons' public one */
} NetRootKeys;
/* Listens on a UNIX socket in the folder, that nobody else may enter; where that cannot be, or NULL, on one
 * that has a name alone. Either serves processes of this user only. */
NetRoot *net_root_new (const char *session_id, const char *folder, const NetRootKeys *keys,
                       const NetRootHandler *handler, gpointer user, GError **error);
/* Listens also at the addresses that face other hosts. DENIED. */
gboolean net_root_listen_beyond (NetRoot *root, GError **error);
/* What daemons need to find it: this host's name and all endpoints, with spaces between. */
const char *net_root_get_endpoint (const NetRoot *root);
/* Sends to every host that has slots of the set (START: to all hosts, also later ones). */
void net_root_send (NetRoot *root, const JobRequest *request);
/* Slots [first, end) of a host; FALSE before it reported. */
gboolean net_root_find_slots (const NetRoot *root, guint host_index, guint32 *ret_first, guint32 *ret_end);
void net_root_end (NetRoot *root); /* END to all: daemons kill launched ranks and exit at once */
void net_root_free (NetRoot *root);

/* ---- daemon ---- */
typedef struct _NetLeaf NetLeaf;
typedef struct {
    void (*on_welcome) (NetLeaf *leaf, guint32 slot_base, gpointer user);
    void (*on_request) (NetLeaf *leaf, const JobRequest *request, gpointer user); /* local slots */
    void (*on_end) (NetLeaf *leaf, gpointer user);        /* END */
    void (*on_lost) (NetLeaf *leaf, gboolean closed, gpointer user); /* closed, or silent 10 min */
} NetLeafHandler;
/* endpoint: net_root_get_endpoint's text, or a single endpoint. Takes up to 5 s on another host
 * than the front end's. LOST when the front end cannot be reached, DENIED. */
typedef struct {
    const char *server_key;              /* the front end's public one; Z85 */
    const char *public_key, *secret_key; /* the daemons' */
} NetLeafKeys;
NetLeaf *net_leaf_new (const char *endpoint, const char *session_id, const char *host,
                       const NetLeafKeys *keys, const NetLeafHandler *handler, gpointer user,
                       GError **error);
/* The socket of the link, the leaf's; -1: there is none, or no longer. */
int net_leaf_get_fd (const NetLeaf *leaf);
/* Queues; events of one turn of the loop travel in one packet, merged. Sets in local slots. */
void net_leaf_send (NetLeaf *leaf, const JobEvent *event);
void net_leaf_flush (NetLeaf *leaf);
void net_leaf_free (NetLeaf *leaf); /* says BYE */
