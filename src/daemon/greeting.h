/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Those that connect to the daemon's hand-over socket and have not said yet what they want: shims, and front ends with
 * processes to attach to. Nobody waits for them: one that says nothing for two seconds is let go. */
#pragma once
#include "launch/hand-over.h"

/* fd, on which the peer waits for its answer, and input_fd (-1) are the callee's. targets: NULL for a shim. */
typedef void (*DaemonGreeted) (int fd, pid_t pid, const LaunchHello *hello, int input_fd,
                               GPtrArray *targets, gpointer user);
typedef struct _DaemonGreetings DaemonGreetings;

DaemonGreetings *daemon_greetings_new (DaemonGreeted on_greeted, gpointer user);
void daemon_greetings_free (DaemonGreetings *greetings);
/* Accepts one from the listening socket. */
void daemon_greetings_accept (DaemonGreetings *greetings, int listen_fd);
