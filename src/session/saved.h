/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept of a session between two starts (a file *.pddt): how its job is started, its
 * breakpoints, its named sets, and the windows that were open. Plain data and a key file; no job is
 * needed to read one. */
#pragma once
#include "session/session.h"

typedef struct {
    JobRequest *request; /* BREAK, CATCH or WATCH; its ranks are those that were meant */
    gboolean is_for_all, is_enabled;
    JobRankSet *disabled; /* of those that were meant, when some pass over it and others do not; else NULL */
} SessionSavedPoint;

typedef struct {
    char *name, *live;   /* live NULL: a fixed set */
    JobRankSet *ranks;   /* of a fixed one */
} SessionSavedSet;

enum { SESSION_SAVED_N_LAYOUT = 7 };

typedef struct {
    char *name;          /* NULL: none */
    JobRankSet *ranks;
    char **watches;
    char **tabs;         /* "/path/a.c:12", the shown one last; NULL: none */
    gint64 shown_by;     /* the representative; -1 unknown */
    int layout[SESSION_SAVED_N_LAYOUT]; /* width, height, three dividers, upper page, lower page */
    gboolean has_layout;
} SessionSavedWindow;

typedef struct {
    char **argv, **environment;       /* environment: additions, may be NULL */
    char *folder, *stop_at, *input_ranks, *input_file, *output_folder, *source_folders;
    gboolean keep;
    gboolean is_own;                  /* loaded: pddt wrote exactly this file for this user, or it was accepted */
    char *sum;                        /* loaded: of the file's content */
    GPtrArray *points, *sets, *windows;
} SessionSaved;

SessionSaved *session_saved_new (void);
void session_saved_free (SessionSaved *saved);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionSaved, session_saved_free)
/* As the session is now, without windows. NULL: there is no command line to start it by again. */
SessionSaved *session_dup_saved (const Session *session);
/* NOT_FOUND; CORRUPT and UNSUPPORTED name the file and what is wrong with it. */
SessionSaved *session_saved_load (const char *file, GError **error);
/* The text of such a file. Caller owns. */
char *session_saved_format (const SessionSaved *saved);
/* What it does, one fact a line, for the user who has to decide whether to start it: command, folder, environment,
 * files, and every expression that it evaluates in the program, which can do whatever the program can. What
 * could control a terminal is escaped. Caller owns. */
char *session_saved_describe (const SessionSaved *saved);
/* The user has seen that: from now on files of exactly this content count as own in this process; saved NULL: all
 * files do. */
void session_saved_accept (const SessionSaved *saved);
/* FALSE (DENIED) for a file that is not own and evaluates expressions. file: its name, for the message. */
gboolean session_saved_may_restore (const SessionSaved *saved, const char *file, GError **error);
/* Writes it whole or not at all, for its owner alone, and remembers that it is his; a file there that is no saved session of pddt's is kept under the
 * name FILE.before. DENIED. */
gboolean session_saved_store (const SessionSaved *saved, const char *file, GError **error);
/* Borrowed: options to start it with. */
SessionOptions session_saved_get_options (const SessionSaved *saved);
/* Names the sets, clipped to the ranks that there are, and gives the requests (of JobRequest) that
 * set what is not set yet. Caller owns (unref). */
GPtrArray *session_restore (Session *session, const SessionSaved *saved);
/* The file that the program's session is kept in by itself: by program and folder, not by the
 * number of ranks. Caller owns. folder NULL: the current one. */
char *session_saved_get_file (const char *const *argv, const char *folder);
/* The word of the command line that is the user's own program. Borrowed. */
const char *session_saved_find_program (const char *const *argv);
/* Files of the sessions kept by themselves, newest first; NULL-terminated, caller owns. */
char **session_saved_list (guint max);
