/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A saved session (a *.pddt file): how its job is started, its breakpoints, named sets and open
 * windows. Plain data and a key file; reading one needs no job. */
#pragma once
#include "session/session.h"

typedef struct {
    JobRequest *request; /* BREAK, CATCH or WATCH; its ranks are those that the user asked
                            for */
    gboolean is_for_all, is_enabled;
    JobRankSet *disabled; /* of those ranks, if it is disabled in some only; else NULL */
} SessionSavedPoint;

typedef struct {
    char *name, *live; /* live NULL: a fixed set */
    JobRankSet *ranks; /* of a fixed one */
} SessionSavedSet;

/* Of `display`. */
typedef struct {
    guint32 number;
    char *expression;
    char letter;       /* its format, 'x'; 0: none */
    JobRankSet *ranks; /* NULL: all */
} SessionSavedDisplay;

enum { SESSION_SAVED_N_LAYOUT = 7 };

typedef struct {
    char *name; /* NULL: none */
    JobRankSet *ranks;
    char **watches;
    char **tabs;     /* "/path/a.c:12", the shown one last; NULL: none */
    gint64 shown_by; /* the representative; -1 unknown */
    int layout
        [SESSION_SAVED_N_LAYOUT]; /* width, height, three dividers, upper page, lower page */
    gboolean has_layout;
} SessionSavedWindow;

typedef struct {
    char **argv, **environment; /* environment: additions, may be NULL */
    char *host,
        *host_program; /* of --remote, where all paths are, and how pddt is called there; NULL: this one */
    char *folder, *stop_at, *input_ranks, *input_file, *output_folder, *source_folders;
    gboolean keep;
    gboolean is_own; /* loaded: pddt wrote exactly this file for this user, or
                                         the user accepted it */
    char *sum;       /* loaded: of the file's content */
    GPtrArray *points, *sets, *windows, *displays;
} SessionSaved;

SessionSaved *session_saved_new (void);
void session_saved_free (SessionSaved *saved);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionSaved, session_saved_free)
void session_saved_display_free (gpointer display);
SessionSavedDisplay *session_saved_display_dup (const SessionSavedDisplay *display);
/* What a prompt shows of the session at each stop (of SessionSavedDisplay), so that it is saved with it. */
void session_keep_displays (Session *session, const GPtrArray *displays);
/* The session as it is now, without windows. NULL: it has no command line to start it again. */
SessionSaved *session_dup_saved (const Session *session);
/* NOT_FOUND; CORRUPT and UNSUPPORTED name the file and what is wrong with it. */
SessionSaved *session_saved_load (const char *file, GError **error);
/* Of the text of such a file, which somebody else may have written. NULL: it is none. Caller owns. */
SessionSaved *session_saved_parse (const char *text, gsize size);
/* The text of such a file. Caller owns. */
char *session_saved_format (const SessionSaved *saved);
/* What the file does, one fact a line, for the user who must decide whether to start it:
 * command, folder, environment, files, and every expression that it evaluates in the program
 * (an expression can do whatever the program can). Escaped for terminals. Caller owns. */
char *session_saved_describe (const SessionSaved *saved);
/* The user has accepted the file: from now on, this process treats files with exactly this
 * content as its own; saved NULL: all files. */
void session_saved_accept (const SessionSaved *saved);
/* FALSE (DENIED) for a file that is not own and evaluates expressions. file: its name, for the message. */
gboolean session_saved_may_restore (const SessionSaved *saved, const char *file,
                                    GError **error);
/* Writes it atomically with mode 0600 and remembers that this user owns it. An existing file
 * that is not a saved session is kept as FILE.before. DENIED. */
gboolean session_saved_store (const SessionSaved *saved, const char *file, GError **error);
/* Options to start it with; their strings are borrowed. */
SessionOptions session_saved_get_options (const SessionSaved *saved);
/* Restores the named sets, clipped to existing ranks, and returns the requests (of JobRequest)
 * for the breakpoints that are not set yet. Caller owns (unref). */
GPtrArray *session_restore (Session *session, const SessionSaved *saved);
/* The file in which pddt automatically keeps the program's session, by program and folder,
 * whatever the number of ranks; on the host of --remote another one. Caller owns. folder NULL: the
 * current one. */
char *session_saved_get_file (const char *const *argv, const char *folder);
/* The word of the command line that is the user's own program. Borrowed. */
const char *session_saved_find_program (const char *const *argv);
/* Files of the automatically kept sessions, newest first; NULL-terminated, caller owns. */
char **session_saved_list (guint max);
