/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes of this host that the user could attach to: launchers with their ranks on this
 * host, and all others. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 pid, n_ranks; /* n_ranks: of a launcher, on this host; 0 none known */
    gboolean is_launcher;
    gint64 since_us; /* real time; 0 unknown */
    char *user, *command;
    char *elsewhere; /* of a launcher: "4-7 on node2"; NULL none */
} SessionRunning;

/* This user's processes (for root: everybody's), newest first. Of SessionRunning; caller owns
 * (unref). */
GPtrArray *session_list_running (void);
void session_running_free (gpointer running);
