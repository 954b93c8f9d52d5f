/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The guards, which survive what they watch: one for the launcher, and one on each host for
 * pddtd and its helpers. */
#pragma once
#include "base/trap-table.h"
#include <sys/types.h>

/* What the launcher's guard sends on its lifeline, a SEQPACKET socket. The front end sends 'T'
 * or closes it to end the launcher, or sends 'K' with descriptors to leave it the launcher's
 * output: then the launcher runs on. */
typedef struct {
    guint32 kind; /* 'P' launcher is running, value pid; 'E' exec failed, value errno; 'W' wait
                     status; 'K' the output is taken over */
    gint32 value;
} LaunchGuardWord;

/* Parent of a launcher in its own process group; is_foreground: in that of this process, which leaves
 * it, so that the terminal's signals reach the launcher and not its guard. Returns the exit status for main; if a signal
 * killed the launcher, this process kills itself with the same one. Removes session_directory
 * (may be NULL) if the front end is gone before the launcher. */
int launch_guard_run (int lifeline_fd, const char *session_directory, gboolean is_foreground,
                      char **launcher_argv);

/* Restores what stood under a process's traps, by way of its threads, and clears their debug registers, once its tracer is
 * gone, which may last until until_us (g_get_monotonic_time). traps NULL: there is no table. */
typedef void (*LaunchDisarm) (pid_t pid, const BaseTrapTable *traps, gint64 until_us);

/* Parent of a host's pddtd and pddt-symbols until pddtd ends. ready_fd is passed on to pddtd. */
int launch_host_guard_run (const char *session_directory, const char *host_directory,
                           int ready_fd, LaunchDisarm disarm);
/* The log that the guard of that host has kept of a daemon that crashed, at the earliest at since_s (seconds of real time).
 * Caller owns. NULL: none is to be seen from here. */
char *launch_host_guard_find_crash (const char *session_directory, const char *host,
                                    gint64 since_s);
