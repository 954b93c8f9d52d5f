/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job on another host, the window or prompt here: this process's one connection to `pddt --serve` there, through
 * the user's own ssh. While there is one, every session starts there (remote-backend.c), and what a session or dialog
 * asks about files and processes is answered there. */
#pragma once
#include <glib.h>

typedef struct {
    const char
        *host; /* as ssh takes it, [USER@]HOST; with :FOLDER behind it, where the job starts */
    const char *program; /* how pddt is called there, for its shell; NULL: "pddt" */
    const char *release; /* of this pddt */
    guint keep_for_s;    /* so long the job lives when the connection is lost */
} SessionRemoteOptions;

/* Asks for passwords as ssh does. LOST, INVALID, UNSUPPORTED in sentences for the user. */
gboolean session_remote_connect (const SessionRemoteOptions *options, GError **error);
/* Of this process; NULL: it has none. */
const char *session_remote_get_host (void);
/* The last session is over: the server ends. */
void session_remote_disconnect (void);

/* The far end: connects standard input and output to a server, a process of its own that lives on when they are
 * closed; a new one, or that with the id. Returns the exit status. */
int session_serve_run (const char *resume_id, const char *release);
