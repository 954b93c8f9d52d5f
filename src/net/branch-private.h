/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A daemon's link to the inner node of its group: only packets of events go by it. */
#pragma once
#include "net/curve-private.h"

typedef struct _NetBranch NetBranch;
typedef struct {
    void (*on_joined) (gpointer user);
    void (*on_broken) (gpointer user); /* once, after on_joined alone */
} NetBranchHandler;

/* Connects and asks to join; a node that never answers is never joined. NULL when the endpoint
 * makes no sense. */
NetBranch *net_branch_new (const char *endpoint, const char *session_id, guint64 epoch, guint32 base,
                           const NetCurveKeys *keys, const NetBranchHandler *handler, gpointer user);
/* An NET_EVENTS body, borrowed. */
void net_branch_send (NetBranch *branch, GVariant *body);
void net_branch_free (NetBranch *branch);
