/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meeting of a shim (pddt-start) and its host's daemon (pddtd) over a SEQPACKET socket in
 * the host's 0700 directory. The daemon's end is used by the daemon layer. */
#pragma once
#include <glib.h>
#include <sys/types.h>

#define LAUNCH_HAND_OVER_VERSION 2

typedef struct {
    guint32 version;
    guint32 rank, size, local_rank;
    guint32 has_input; /* a descriptor (the write end of the rank's input) travels beside it */
    guint32 n_targets; /* not 0: not from a shim but from a front end that attaches to processes
                          or opens core files, which follow in a second packet; rank and size
                          are unused */
} LaunchHello;

/* A process to attach to, or a core file. */
typedef struct {
    gint32 pid;         /* 0: a core file */
    guint32 rank, size; /* size 0: take it from the core's environment */
    char *core;         /* path; NULL */
} LaunchTarget;

void launch_target_free (LaunchTarget *target);

/* Directory of the session on this host, made 0700 and checked for owner, type and mode
 * ("$TMP/pddt-UID-HOST-SESSION"). DENIED, CORRUPT. */
char *launch_host_directory_open (const char *session_id, GError **error);

/* Removes the directory with all that pddt keeps in it, under its lock. */
void launch_host_directory_remove (const char *host_directory);

/* Daemon: binds and listens (in the daemon itself, for SO_PEERCRED); returns the descriptor. */
int launch_hand_over_listen (const char *host_directory, GError **error);
/* Daemon: accepts a shim, with its pid from SO_PEERCRED; refuses other users. Returns the
 * connected descriptor, on which the shim waits for an answer. */
int launch_hand_over_accept (int listen_fd, pid_t *ret_pid, GError **error);
/* Daemon: reads the greeting that has come. *ret_input_fd -1 without input. CORRUPT. */
gboolean launch_hand_over_read_hello (int fd, LaunchHello *ret_hello, int *ret_input_fd,
                                      GError **error);
/* Daemon: reads what has come of the targets after a hello with n_targets, behind what is in bytes. FALSE: more is
 * to come. TRUE: *ret_targets, GPtrArray of LaunchTarget, or CORRUPT. */
gboolean launch_hand_over_read_targets (int fd, guint32 n_targets, GByteArray *bytes,
                                        GPtrArray **ret_targets, GError **error);
/* Front end: hands the targets (GPtrArray of LaunchTarget) to this host's daemon, starting it
 * if needed. A target that cannot be attached to causes a FAILURE event without ranks. DENIED,
 * LOST. */
gboolean launch_hand_over_send_targets (const char *session_directory, GPtrArray *targets,
                                        GError **error);
/* Front end: whether this host's daemon, which has the targets, still lives. */
gboolean launch_hand_over_is_served (const char *session_directory);
/* Daemon: if the rank's parent is a launcher's daemon that may sleep long after the end, notes
 * it for the guard to end. */
void launch_hand_over_note_launcher (const char *host_directory, pid_t rank);
/* Daemon: gives its guard a copy of the link to the front end; the guard kills this process
 * when the link has been closed for 10 s. guard_fd or link_fd -1: does nothing. */
void launch_hand_over_give_link (int guard_fd, int link_fd);
/* Daemon: "G" lets the shim exec, a message makes it print and exit 126. Closes fd. */
void launch_hand_over_answer (int fd, const char *refusal);
