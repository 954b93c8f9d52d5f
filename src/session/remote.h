/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job on another host, the window or prompt here: this process's one connection to `pddt --serve` there, through
 * the user's own ssh. While there is one, every session starts there (remote-backend.c), and what a session or dialog
 * asks about files and processes is answered there. */
#pragma once
#include "session/offers.h"
#include "session/saved.h"
#include "session/session.h"

/* A server of this user's that lives there, with a job. Texts are escaped. */
typedef struct {
    char *id, *who, *command; /* who has it, or had it last */
    gboolean is_held;         /* it is with who: taking it over takes it away */
    gboolean is_named;        /* --take has named it: no other one begins in its place */
    gint64 since_us;          /* real time of its host */
    guint32 n_ranks;
} SessionLiving;
typedef enum {
    SESSION_LIVING_NEW,
    SESSION_LIVING_TAKE,
    SESSION_LIVING_LEAVE
} SessionLivingChoice;
/* Of those, which is taken over (*ret_index), whether another one begins, or whether nothing is done. */
typedef SessionLivingChoice (*SessionChooseLiving) (const GPtrArray *living, const char *host,
                                                    guint *ret_index, gpointer user);

/* Several times a second until there is a connection, for so long: FALSE when the user does not want it any more. */
typedef gboolean (*SessionRemoteWait) (const char *host, guint waited_ms);

typedef struct {
    const SessionOffer *offer; /* a job that waits; NULL: a server begins on the host */
    const char *own;           /* of that: the path of this pddt */
    /* as ssh takes it, [USER@]HOST; with :FOLDER behind it, where the job starts */
    const char *host;
    const char *
        take; /* the id of a job that waits there, or on a host behind it; NULL: a server begins */
    const char *program; /* how pddt is called there, for its shell; NULL: "pddt" */
    const char *release; /* of this pddt */
    guint keep_for_s;    /* so long the job lives when the connection is lost */
    /* session_start follows, with a job of its own: the other side gets both at once, and session_start waits for its
     * answer, and fails as session_remote_connect. Without `take` and `offer`; nobody chooses. */
    gboolean starts_at_once;
    /* Path of the program by which ssh asks for passwords (SSH_ASKPASS), with PDDT_ASKPASS in its environment, the host;
     * NULL: ssh asks on the terminal. */
    const char *askpass;
    SessionChooseLiving
        choose; /* NULL: another one begins, and what another front end has is left to it */
    SessionRemoteWait wait; /* NULL: nobody sees that it takes long */
    gpointer user;
} SessionRemoteOptions;

/* ssh runs, and connects while the caller does something else; session_remote_connect waits for it. Fails as that. */
gboolean session_remote_begin (const SessionRemoteOptions *options, GError **error);
/* Asks for passwords as ssh does. LOST, DENIED (the other side has answered, and refuses), INVALID, UNSUPPORTED in sentences
 * for the user; CANCELLED of G_IO_ERROR: choose has said LEAVE, or wait FALSE. */
gboolean session_remote_connect (const SessionRemoteOptions *options, GError **error);
/* "HOST:FOLDER", where FOLDER begins with '/', '~' or '.', as a host may have a ':', too; folder: "" the home. Caller owns
 * both. */
void session_remote_split_host (const char *given, char **ret_host, char **ret_folder);
/* The words by which ssh is called: PDDT_SSH's, another program that takes ssh's words, with words of its own before them;
 * otherwise "ssh". Caller owns. INVALID. */
char **session_remote_dup_ssh (GError **error);
/* Of this process; NULL: it has none. */
const char *session_remote_get_host (void);
/* HOST or HOST:FOLDER, by which --remote connects again; NULL: none, or a job that was offered. Caller owns. */
char *session_remote_dup_address (void);
/* Where jobs start there that say no other folder, as --remote names it; "" the home; NULL: no connection. Caller owns. */
char *session_remote_dup_folder (void);
/* How pddt is called there; NULL: no connection. */
const char *session_remote_get_program (void);
/* The job that was offered, of which the texts are owned by `owner`. FALSE: none was. */
gboolean session_remote_find_job (SessionOptions *ret_options, GPtrArray *owner);
/* The index-th of the sessions that lived there when the connection began, to be taken over by session_start; its texts
 * are owned by `owner`. FALSE: there are not so many. */
gboolean session_remote_find_living (guint index, SessionOptions *ret_options,
                                     GPtrArray *owner);
/* Of a session there: what a front end that takes it over will get, beside the job, is the text of this saved session. */
void session_remote_keep (Session *session, const char *text);
gboolean session_remote_is_taken_over (const Session *session);
/* What it has got so: sets and windows; NULL: nothing. Borrowed. */
const SessionSaved *session_remote_get_kept (const Session *session);
/* It is not wanted; ends the connection. */
void session_remote_decline (void);
/* The last session is over: the server ends. */
void session_remote_disconnect (void);

/* The far end: connects standard input and output to a server, a process of its own that lives on when they are
 * closed; a new one, or that with the id, which may be a job that waits on another host, where pddt is called
 * `program`, or one that has been measured: then a new one, too. Returns the exit status. */
int session_serve_run (const char *wanted_id, const char *program, const char *release);

/* A job that waits until a pddt of this user takes it, and then is served from here. */
typedef struct {
    const SessionOptions *start;
    const char *release;
    guint timeout_s; /* 0: waits without limit */
} SessionConnectOptions;
typedef enum {
    SESSION_CONNECT_FAILED, /* with an error */
    SESSION_CONNECT_OVER,
    SESSION_CONNECT_DECLINED,
    SESSION_CONNECT_LATE,
    SESSION_CONNECT_BROKEN /* by a signal */
} SessionConnectEnd;
SessionConnectEnd session_connect_run (const SessionConnectOptions *options, GError **error);
