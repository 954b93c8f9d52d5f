/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parents that outlive: one of the launcher, one of each host's helpers. */
#pragma once
#include <glib.h>
#include <sys/types.h>

/* What the launcher's guard says on its lifeline, a SEQPACKET socket; the front end answers with
 * one byte 'T' (end the launcher), by closing it, which means the same, or by leaving it the
 * launcher's output ("K" with descriptors): then the launcher runs on. */
typedef struct {
    guint32 kind; /* 'P' launcher runs, value pid; 'E' exec failed, value errno; 'W' wait status; 'K' the output is taken over */
    gint32 value;
} LaunchGuardWord;

/* Parent of a launcher in its own process group. Returns the exit status for main; when the
 * launcher was killed by a signal this process dies of the same one. session_directory (may be
 * NULL) is removed when the front end was gone before the launcher. */
int launch_guard_run (int lifeline_fd, const char *session_directory, char **launcher_argv);

/* Clears the debug registers of all threads of a process that its tracer has left. */
typedef void (*LaunchDisarm) (pid_t pid);

/* Parent of a host's pddtd and pddt-symbols until pddtd ends. ready_fd is passed on to pddtd. */
int launch_host_guard_run (const char *session_directory, const char *host_directory, int ready_fd,
                           LaunchDisarm disarm);
