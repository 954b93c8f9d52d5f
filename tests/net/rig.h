/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both ends of a link in one loop, for the tests of net. */
#pragma once
#include "net/link.h"

#define LIMIT_MS 120000

typedef struct {
    NetRoot *root;
    NetLeaf *leaf;
    char public_key[41], secret_key[41];    /* the front end's */
    char daemon_key[41], daemon_secret[41]; /* the daemons' */
    char *folder;
    guint n_hosts, n_batches; /* of events */
    guint n_clocks;
    NetClockReading reading; /* the last one */
    guint n_turns;           /* of the loop that are still busy and have an event each */
    GPtrArray *events, *requests;
    GString *said; /* liveness words */
    guint32 base;
    guint n_welcomes, n_ends, n_lost;
    gboolean late;
} Rig;

/* Runs the loop until the condition is true; fails after LIMIT_MS. */
#define WAIT(rig, condition)                                                                   \
    do {                                                                                       \
        (rig)->late = FALSE;                                                                   \
        guint timer = g_timeout_add (LIMIT_MS, rig_on_late, &(rig)->late);                     \
        while (!(condition) && !(rig)->late) {                                                 \
            g_main_context_iteration (NULL, TRUE);                                             \
        }                                                                                      \
        if (!(rig)->late) {                                                                    \
            g_source_remove (timer);                                                           \
        }                                                                                      \
        g_assert_true (condition);                                                             \
    } while (0)

/* A front end with keys and a folder of its own; nobody has connected. */
void rig_open (Rig *rig);
void rig_close (Rig *rig); /* frees rig->leaf, too */
/* The root's endpoint on this host. Borrowed. */
const char *rig_get_local (const Rig *rig);
/* A daemon's end with the right keys. Caller owns. */
NetLeaf *rig_make_leaf (Rig *rig, const char *session, const char *host);
/* What a daemon says of one process. Caller owns. */
JobEvent *rig_make_ranks_event (guint32 slot, guint32 rank);
gboolean rig_on_late (gpointer user); /* of WAIT */
gboolean rig_on_poll (gpointer user); /* a timer that only wakes the loop */
extern const NetLeafHandler rig_leaf_handler;
