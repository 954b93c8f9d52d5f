/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets a host's guard notice that the front end is gone even if the daemon hangs: the daemon
 * passes it a copy of its link, and the guard waits for the link to close. */
#pragma once
#include <glib.h>
#include <poll.h>
#include <sys/types.h>

#define LAUNCH_WATCHDOG_FDS 2

typedef struct {
    int channel;        /* where the daemon sends its link; -1: none */
    int link;           /* a copy of the daemon's socket; -1: none, or closed by the other
                            side */
    gint64 deadline_us; /* for the daemon's end; G_MAXINT64: none */
    guint step;         /* how many deadlines have passed */
    gboolean is_ending; /* the deadline belongs to a request to end */
    gboolean is_over;   /* the front end is gone */
} LaunchWatchdog;

/* Call it before starting the daemon. Returns the daemon's end of the channel, which the caller
 * passes on and closes; -1: the daemon is not watched. */
int launch_watchdog_open (LaunchWatchdog *watchdog);
/* What to poll, and for how many milliseconds at most (-1: no limit). */
int launch_watchdog_prepare (const LaunchWatchdog *watchdog,
                             struct pollfd fds[LAUNCH_WATCHDOG_FDS]);
/* Handles poll's result. Returns 0, or how many deadlines the daemon has missed: 1 and, while
 * it exists, again after some seconds 2, 3, … */
guint launch_watchdog_check (LaunchWatchdog *watchdog,
                             const struct pollfd fds[LAUNCH_WATCHDOG_FDS]);
/* The daemon was asked to end: it has 10 s. */
void launch_watchdog_expect_end (LaunchWatchdog *watchdog);
/* The daemon has ended: closes the link, so that the front end notices at once. */
void launch_watchdog_close (LaunchWatchdog *watchdog);
