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
    guint32 n_targets; /* not 0: no shim comes but who wants these processes or core files to be
                          looked at; they follow in a second packet, and rank and size say nothing */
} LaunchHello;

/* A process to attach to, or a core file. */
typedef struct {
    gint32 pid;         /* 0: a core file */
    guint32 rank, size; /* size 0: a core whose own environment tells */
    char *core;         /* path; NULL */
} LaunchTarget;

void launch_target_free (LaunchTarget *target);

/* Directory of the session on this host, made 0700 and checked for owner, type and mode
 * ("$TMP/pddt-UID-HOST-SESSION"). DENIED, CORRUPT. */
char *launch_host_directory_open (const char *session_id, GError **error);

/* Removes the directory with all that pddt keeps in it, under its lock. */
void launch_host_directory_remove (const char *host_directory);

/* Daemon: binds and listens (the daemon itself must, for SO_PEERCRED); returns the descriptor. */
int launch_hand_over_listen (const char *host_directory, GError **error);
/* Daemon: one waiting shim: its true pid from SO_PEERCRED, refused when of another user.
 * Returns the connected descriptor, on which the answer is due. input_fd -1 without. */
int launch_hand_over_accept (int listen_fd, pid_t *ret_pid, LaunchHello *ret_hello,
                             int *ret_input_fd, GError **error);
/* Daemon: what follows a hello with n_targets: GPtrArray of LaunchTarget. CORRUPT. */
GPtrArray *launch_hand_over_read_targets (int fd, guint32 n_targets, GError **error);
/* Front end: hands the targets (GPtrArray of LaunchTarget) to this host's daemon, which is started
 * when it does not run. What cannot be attached to comes as a FAILURE event without ranks.
 * DENIED, LOST. */
gboolean launch_hand_over_send_targets (const char *session_directory, GPtrArray *targets,
                                        GError **error);
/* Daemon: that process's parent is noted where the guard ends it, if it is a launcher's daemon that may
 * be asleep for long when all is over. */
void launch_hand_over_note_launcher (const char *host_directory, pid_t rank);
/* Daemon: its guard gets a copy of the link to the front end, and kills this process when that link has been
 * closed for 10 s. guard_fd or link_fd -1: nothing is done. */
void launch_hand_over_give_link (int guard_fd, int link_fd);
/* Daemon: "G" lets the shim exec, a message makes it print and exit 126. Closes fd. */
void launch_hand_over_answer (int fd, const char *refusal);
