/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One front end (ROUTER), one daemon per host (DEALER), over a UNIX socket beside the front end and TCP from
 * other hosts. CURVE: the front end has a pair of keys that never leaves it, the session's
 * daemons share another, so whoever steals theirs cannot pose as the front end; ZAP refuses
 * every other key. The front end uses libzmq, a daemon its own code (doc/maintainers/zmtp.md). Requests and
 * heartbeats, which each daemon sends every 5 s, use this star; from 64 hosts on, events come
 * through inner nodes, daemons that merge the events of their group. Sockets are sources of the
 * default GLib main context. */
#pragma once
#include "job/event.h"
#include "job/request.h"

/* A fresh CURVE pair, Z85, 41 bytes each with NUL. */
gboolean net_make_keys (char public_key[41], char secret_key[41], GError **error);

/* ---- front end ---- */
typedef struct _NetRoot NetRoot;
/* A host's clock between two times of the front end's; each in µs, CLOCK_MONOTONIC of its machine. */
typedef struct {
    gint64 sent_us, received_us;
    gint64 there_us;
} NetClockReading;
typedef struct {
    /* A host said hello. host_index counts from 0 and is stable for the host name. */
    void (*on_host) (NetRoot *root, guint host_index, const char *host, gpointer user);
    /* The events of one main loop iteration, merged over hosts, sets in global slots,
     * borrowed. */
    void (*on_events) (NetRoot *root, GPtrArray *events, gpointer user);
    /* A host's liveness has changed: silent after 5 s, lost after 30 s. */
    void (*on_liveness) (NetRoot *root, guint host_index, const char *what, gpointer user);
    /* what: "silent", "lost", "closed" (process ended without BYE), "bye", "back" */
    /* An answer to net_root_ask_clocks. */
    void (*on_clock) (NetRoot *root, guint host_index, const NetClockReading *reading,
                      gpointer user);
} NetRootHandler;
typedef struct {
    const char *public_key, *secret_key; /* the front end's; Z85 */
    const char *daemon_key;              /* the daemons' public one */
} NetRootKeys;
/* Listens on a UNIX socket in folder, which only this user may enter; if that is impossible or
 * folder is NULL, on an abstract one. Either accepts only processes of this user. */
NetRoot *net_root_new (const char *session_id, const char *folder, const NetRootKeys *keys,
                       const NetRootHandler *handler, gpointer user, GError **error);
/* Listens on the addresses that lead to other hosts, too. DENIED. */
gboolean net_root_listen_beyond (NetRoot *root, GError **error);
/* What daemons need to find it: this host's name and all endpoints, separated by spaces. */
const char *net_root_get_endpoint (const NetRoot *root);
/* Sends to every host that has slots of the set (START: to all hosts, also later ones). */
void net_root_send (NetRoot *root, const JobRequest *request);
/* Asks every host that is there what time it is; one that is busy answers later, on_clock says how much. */
void net_root_ask_clocks (NetRoot *root);
/* Slots [first, end) of a host; FALSE before it reported. */
gboolean net_root_find_slots (const NetRoot *root, guint host_index, guint32 *ret_first,
                              guint32 *ret_end);
void
net_root_end (NetRoot *root); /* END to all: daemons kill launched ranks and exit at once */
void net_root_free (NetRoot *root);

/* ---- daemon ---- */
typedef struct _NetLeaf NetLeaf;
typedef struct {
    void (*on_welcome) (NetLeaf *leaf, guint32 slot_base, gpointer user);
    void (*on_request) (NetLeaf *leaf, const JobRequest *request,
                        gpointer user);            /* local slots */
    void (*on_end) (NetLeaf *leaf, gpointer user); /* END */
    void (*on_lost) (NetLeaf *leaf, gboolean closed,
                     gpointer user); /* closed, or silent 10 min */
} NetLeafHandler;
/* endpoint: net_root_get_endpoint's text, or a single endpoint. On another host than the front
 * end's it takes up to 5 s. LOST when the front end cannot be reached, DENIED. */
typedef struct {
    const char *server_key;              /* the front end's public one; Z85 */
    const char *public_key, *secret_key; /* the daemons' */
} NetLeafKeys;
NetLeaf *net_leaf_new (const char *endpoint, const char *session_id, const char *host,
                       const NetLeafKeys *keys, const NetLeafHandler *handler, gpointer user,
                       GError **error);
/* The link's socket, owned by the leaf; -1: closed or not connected yet. */
int net_leaf_get_fd (const NetLeaf *leaf);
/* Queues the event. What has been queued is merged and sent in one packet as soon as the main loop has nothing else
 * to do, within 20 ms while it has, and at once when it is more than 1 MiB. Sets in local slots. */
void net_leaf_send (NetLeaf *leaf, const JobEvent *event);
void net_leaf_flush (NetLeaf *leaf);
/* Bytes of events that the front end has not taken yet. */
gsize net_leaf_get_backlog (const NetLeaf *leaf);
void net_leaf_free (NetLeaf *leaf); /* says BYE */
