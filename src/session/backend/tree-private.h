/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What real jobs stand on. Only the files of this backend (tree.c, attach.c) know it. */
#pragma once
#include "launch/launch.h"
#include "net/link.h"
#include "session/private.h"

typedef struct {
    NetRoot *net;
    GPtrArray *hosts; /* of char*, by host index */
    LaunchSession *launch_session;
    LaunchLine *line; /* NULL: attached, or core files */
    LaunchJob *job;   /* the same */
    GPtrArray *looks; /* of GSource: at the logs of daemons that have crashed */
} SessionTree;

/* NULL before session_tree_open_net, and after clear. */
SessionTree *session_tree_get (const Session *session);
/* Opens the net for a start. On failure the caller clears the backend. */
gboolean session_tree_open_net (Session *session, GError **error);
/* Listens beyond this host, and publishes where. */
gboolean session_tree_listen_beyond (SessionTree *tree, GError **error);
void session_tree_send_start (Session *session, const SessionOptions *options);

/* attach.c: processes that run already, or core files, in the place of a launcher. */
gboolean session_attach_start (Session *session, const SessionOptions *options, GError **error);
