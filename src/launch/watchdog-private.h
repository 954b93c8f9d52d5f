/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a host's guard finds out that the front end has gone although the daemon, which should hear of it,
 * hangs: the daemon gives it a copy of its link once that stands, and the guard waits for the link's end. */
#pragma once
#include <glib.h>
#include <poll.h>
#include <sys/types.h>

#define LAUNCH_WATCHDOG_FDS 2

typedef struct {
    int channel;         /* where the daemon sends its link; -1: none */
    int link;            /* a copy of the daemon's socket; -1: not given, or closed by the other side */
    gint64 deadline_us;  /* of the daemon's end; G_MAXINT64: it need not end */
    guint step;          /* how often it has passed */
    gboolean is_ending;  /* the deadline is that of a request to end */
    gboolean is_over;    /* the front end has gone */
} LaunchWatchdog;

/* Before the daemon is started. Returns the daemon's end of the channel, which the caller closes and passes
 * on; -1: the daemon is not watched. */
int launch_watchdog_open (LaunchWatchdog *watchdog);
/* What to poll, and for how many milliseconds at most (-1: no limit). */
int launch_watchdog_prepare (const LaunchWatchdog *watchdog, struct pollfd fds[LAUNCH_WATCHDOG_FDS]);
/* Looks at what poll found. Not 0 when the daemon has had its time: for the first time (1) and, as long as it
 * is there, again after some seconds (2, 3, …). */
guint launch_watchdog_check (LaunchWatchdog *watchdog, const struct pollfd fds[LAUNCH_WATCHDOG_FDS]);
/* The daemon was asked to end: it has 10 s. */
void launch_watchdog_expect_end (LaunchWatchdog *watchdog);
/* The daemon has ended: the other side of its link is to notice that at once. */
void launch_watchdog_close (LaunchWatchdog *watchdog);
