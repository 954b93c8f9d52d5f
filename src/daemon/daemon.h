/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One host's daemon: takes ranks from shims, lets the engine run them, and speaks for them to the
 * front end. What becomes of the ranks when the other side is gone is decided here. */
#pragma once
#include "daemon/fake.h"

typedef struct _Daemon Daemon;

typedef struct {
    const char *host_directory;
    const char *host;                    /* name for the front end */
    const char *endpoint, *session_id;
    const char *server_key, *public_key, *secret_key; /* the front end's and the daemons'; Z85 */
    const char *runner_path;             /* NULL: none */
    const DaemonFakeOptions *fake;       /* made-up ranks instead of an engine; NULL */
    int guard_fd;                        /* where the guard takes the link that it watches; -1: nobody does */
    guint idle_ms;                       /* no rank came or is left: end by itself */
} DaemonOptions;

/* Blocks SIGCHLD (no thread may run yet), listens for shims, connects to the front end. DENIED. */
Daemon *daemon_new (const DaemonOptions *options, GError **error);
/* Until the session is over. 0, or the status for main when it ended by a failure. */
int daemon_run (Daemon *daemon);
/* The front end is gone, and no launcher's guard is there to clear up behind it. */
gboolean daemon_is_orphaned (const Daemon *daemon);
void daemon_free (Daemon *daemon);
