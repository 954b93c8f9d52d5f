/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What both sides of --remote put into their frames. Readers check: GErrors are CORRUPT. */
#pragma once
#include "session/private.h"
#include "session/backend/remote-link.h"
#include "session/saved.h"
#include "session/sources.h"

#define SESSION_REMOTE_MAX_RANKS (1u << 24)

/* "a{sv}"; floating. */
GVariant *session_remote_encode_options (const SessionOptions *options);
/* Its texts are kept in `owner`, an array that frees them. */
void session_remote_decode_options (GVariant *packed, SessionOptions *ret_options,
                                    GPtrArray *owner);

/* "ay" of a set; NULL: an empty one. Floating. */
GVariant *session_remote_encode_ranks (const JobRankSet *ranks);
JobRankSet *session_remote_decode_ranks (GVariant *packed); /* NULL: damaged. Caller owns */

/* Of ASK. */
typedef enum {
    SESSION_ASK_SOURCE,
    SESSION_ASK_TIME,
    SESSION_ASK_FOLDER,
    SESSION_ASK_RUNNING,
    SESSION_ASK_CORES,
    SESSION_ASK_PROGRAM,
    SESSION_ASK_NAME,
    SESSION_ASK_QUEUE,
    SESSION_N_ASKS
} SessionAsk;
GVariant *session_remote_encode_wanted (guint32 id, SessionAsk ask,
                                        const SessionWanted *wanted);
/* NULL: damaged. Caller owns. */
SessionWanted *session_remote_decode_wanted (GVariant *packed, guint32 *ret_id,
                                             SessionAsk *ret_ask);
/* "(ubv)" of the answer that the finished task has. Floating. */
GVariant *session_remote_encode_answer (guint32 id, SessionAsk ask, GTask *task);
/* Gives the answer to the task that has asked. FALSE: it is damaged, and the task has got an error. */
gboolean session_remote_give_answer (GTask *task, SessionAsk ask, gboolean ok,
                                     GVariant *answer);

/* ---- of the front end ---- */

/* A session's ground: what the server has said. */
typedef struct {
    Session *session;
    guint32 number, size;
    gboolean lingers, is_starting, is_started, has_ended;
    JobRequest *start;
    GError *failure;
    struct _SessionAhead *ahead; /* remote-ahead.h */
    gsize unfed;                 /* bytes of input that are not with the job yet */
    gboolean is_taken_over;
    gboolean is_learning;   /* what is known of a session that was taken over is on its way */
    SessionSaved *kept;     /* of one that was taken over: its sets and windows; NULL */
    char *told;             /* the last text of KEEP; NULL: none */
    gboolean is_kept_above; /* who shows the session tells KEEP */
    guint keep_source;
} SessionRemoteGround;

/* remote.c: the connection, of which there is one. */
SessionLink *session_remote_get_link (void); /* NULL: none */
gboolean session_remote_is_up (void);        /* now */
/* A ground's number from now on, or that which it has. FALSE with LOST: there is no connection now. */
gboolean session_remote_add (SessionRemoteGround *ground, GError **error);
void session_remote_remove (SessionRemoteGround *ground);
/* Serves the connection alone until the session is started, or has failed to, which is then said. */
gboolean session_remote_wait (SessionRemoteGround *ground, GError **error);
/* The task is answered, in the end. Takes a reference. */
void session_remote_ask (SessionAsk ask, GTask *task);

/* remote-backend.c: of a session, as it came. FALSE: it cannot be. */
gboolean session_remote_take (SessionRemoteGround *ground, SessionFrameKind kind,
                              GVariant *body);
void session_remote_note_lost (SessionRemoteGround *ground, const char *host, guint keep_for_s);
void session_remote_note_back (SessionRemoteGround *ground, const char *host, guint away_s);
/* The job there is out of reach for ever. */
void session_remote_note_gone (SessionRemoteGround *ground, const char *why);
