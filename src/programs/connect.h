/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that are elsewhere: --remote, --take and --connect. */
#pragma once
#include "programs/options.h"
#include "session/remote.h"
#include "session/session.h"

typedef struct {
    const char *release;
    SessionChooseLiving choose; /* asks which of those that live there is taken over, where the
                                   line does not say what to debug; NULL: none */
    SessionRemoteWait wait;     /* NULL: a line on standard error */
    const char *askpass;        /* by which ssh asks for passwords; NULL: on the terminal */
    gboolean starts_at_once;    /* session_start is called next, and waits for the connection */
} ProgramWay;
/* Of --remote, where the line names the host: ssh runs; program_connect, with the same, goes on. Does nothing elsewhere. */
gboolean program_connect_begin (const ProgramOptions *options, const ProgramWay *way,
                                GError **error);
/* --remote and --take; does nothing without them. GError: a sentence for the user, or CANCELLED of G_IO_ERROR: choose, or
 * wait, has said so. */
gboolean program_connect (const ProgramOptions *options, const ProgramWay *way, GError **error);
/* Asks on a terminal; elsewhere the first one that nobody has is taken. */
SessionLivingChoice program_connect_ask_living (const GPtrArray *living, const char *host,
                                                guint *ret_index, gpointer user);
/* The newest session of those that were taken over, in ret_options. `owner` frees its texts. FALSE: there is none. */
gboolean program_connect_find_living (SessionOptions *ret_options, GPtrArray *owner);
/* Of a job that was taken: its words in the place of the command line's, in ret_options, which has the others already.
 * `owner` frees them. */
void program_connect_fill (SessionOptions *ret_options, GPtrArray *owner);
/* --cli without a job, where some wait: asks on a terminal, takes the oldest elsewhere. FALSE: none is taken, which is
 * said; *ret_status is pddt's. */
gboolean program_connect_choose (ProgramOptions *options, int *ret_status);
/* The same of jobs that wait where --remote has connected to. The id of the one; caller owns. NULL: none. */
char *program_connect_choose_there (void);
/* What --take names where --remote has connected to may be a job that a queue has measured: its archive is brought here, to
 * a folder in the current one, and is offered no more. wait: as SessionRemoteWait; NULL: nobody sees that it takes long.
 * *ret_archive: its path; NULL: it is none of those. Caller owns. FALSE: a sentence for the user, or CANCELLED of G_IO_ERROR:
 * wait has said so, and the connection is gone. */
gboolean program_connect_bring (const ProgramOptions *options, SessionRemoteWait wait,
                                char **ret_archive, GError **error);
/* The same of the job that was submitted there with that token, and is over; folder: a path. */
gboolean program_connect_bring_submitted (const char *token, const char *folder,
                                          GError **error);
/* --decline. Returns the exit status. */
int program_connect_decline (const ProgramOptions *options, const char *release);
/* --connect. Returns the exit status; or does not, with --keep, when nobody takes the job. */
int program_connect_wait (const ProgramOptions *options, const char *release);
