/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Debug Adapter Protocol (https://microsoft.github.io/debug-adapter-protocol/, version 1.71): an editor's
 * requests in, responses and events out. A client of the session, as the windows are. */
#pragma once
#include <glib.h>

typedef struct {
    const char *
        socket; /* path of a UNIX socket to make and wait at; NULL: standard input and output */
    const char *version; /* pddt's */
    gboolean keep;   /* launched ranks run on when it ends, unless the client says otherwise */
    guint timeout_s; /* as SessionOptions has it; 0: not given */
} DapOptions;

/* In the terminal that the editor has opened: hands on what is typed, and prints, until the debugger is gone. What
 * `pddt --editor-terminal SOCKET` does. pddt's exit status. */
#define DAP_TERMINAL_OPTION "--editor-terminal"
int dap_terminal_serve (const char *path);
/* Serves one client and one session, until the client says goodbye or is gone. pddt's exit status: 0; 1: what came
 * was not the protocol; 3: the socket cannot be made, or the job could not be started. */
int dap_run (const DapOptions *options);
