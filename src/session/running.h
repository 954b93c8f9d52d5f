/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that the user could attach to: launchers with their ranks on this host, and all others; listed by
 * session_list_running_async (session/sources.h). */
#pragma once
#include <glib.h>

typedef struct {
    guint32 pid, n_ranks; /* n_ranks: of a launcher, on this host; 0 none known */
    gboolean is_launcher;
    gint64 since_us; /* real time; 0 unknown */
    char *user, *command;
    char *elsewhere; /* of a launcher: "4-7 on node2"; NULL none */
} SessionRunning;

void session_running_free (gpointer running);
SessionRunning *session_running_dup (const SessionRunning *running);
