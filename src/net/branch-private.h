/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon's link to the inner node of its group: it carries only packets of events. */
#pragma once
#include "net/curve-private.h"

typedef struct _NetBranch NetBranch;
typedef struct {
    void (*on_joined) (gpointer user);
    void (*on_broken) (gpointer user); /* once, and only after on_joined */
} NetBranchHandler;

/* Connects and asks to join; on_joined never comes if the node does not answer. NULL when the
 * endpoint is malformed. */
NetBranch *net_branch_new (const char *endpoint, const char *session_id, guint64 epoch,
                           guint32 base, const NetCurveKeys *keys,
                           const NetBranchHandler *handler, gpointer user);
/* An NET_EVENTS body, borrowed. */
void net_branch_send (NetBranch *branch, GVariant *body);
void net_branch_free (NetBranch *branch);
