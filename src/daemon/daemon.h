/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One host's daemon: takes ranks from the shims, runs them with the engine, and represents them
 * to the front end. It decides what happens to the ranks when the front end is gone. */
#pragma once
#include <glib.h>

typedef struct _Daemon Daemon;

typedef struct {
    const char *host_directory;
    const char *host; /* name for the front end */
    const char *endpoint, *session_id;
    const char *server_key, *public_key,
        *secret_key;         /* the front end's and the daemons'; Z85 */
    const char *runner_path; /* NULL: none */
    int guard_fd;            /* for passing the link to the guard, which watches it;
                                            -1: no guard */
    guint idle_ms;           /* ends after this time without a rank */
    gboolean (*is_over) (
        gpointer
            user); /* TRUE: the front end has ended, asked until it has welcomed the daemon; NULL */
    gpointer user;
} DaemonOptions;

/* Blocks SIGCHLD (no thread may run yet), listens for shims, connects to the front end. DENIED. */
Daemon *daemon_new (const DaemonOptions *options, GError **error);
/* Runs until the session is over. Returns 0, or main's exit status after a failure. */
int daemon_run (Daemon *daemon);
/* TRUE when the front end is gone and there is no launcher's guard to clean up. */
gboolean daemon_is_orphaned (const Daemon *daemon);
void daemon_free (Daemon *daemon);
