/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What travels between a front end and the server of --remote: frames over a stream socket, numbered, so that after a
 * broken connection another socket goes on where the last one ended. Both sides have one. A frame is u32 size, u8
 * kind, three zero bytes, u64 number (little-endian; 0: of the connection itself, not numbered), and a body, which is
 * one GVariant in native byte order. Whatever comes from the other side is bounded and checked here: it may be
 * anybody's who has taken over that machine. */
#pragma once
#include <gio/gio.h>

#define SESSION_REMOTE_PROTOCOL 1
#define SESSION_REMOTE_MAGIC "PDDT-SERVE "

typedef enum {
    /* of the connection */
    /* "(ustuayb)": protocol, release, number of the last frame that came, seconds to live on without a front end,
     * folder, whether it was here before */
    SESSION_FRAME_HELLO = 1,
    /* "(ussta{sv})": protocol, host, id, number of the last frame that came, the job that is offered */
    SESSION_FRAME_WELCOME,
    SESSION_FRAME_REFUSE,  /* "(s)": why */
    SESSION_FRAME_PING,    /* "(t)": number of the last frame that came */
    SESSION_FRAME_PONG,    /* the same */
    SESSION_FRAME_DECLINE, /* "()": the job that is offered is not wanted */
    /* of all sessions, down */
    SESSION_FRAME_ASK = 16, /* "(uyayayaytaybu)": id, verb, and a SessionWanted */
    SESSION_FRAME_BYE,      /* "()" */
    /* of the session whose number comes first, down */
    SESSION_FRAME_START,   /* "(ua{sv}mv)": options, the request START */
    SESSION_FRAME_REQUEST, /* "(uv)" */
    SESSION_FRAME_END,     /* "(ub)": keep */
    SESSION_FRAME_CLEAR,   /* "(ub)": keep */
    SESSION_FRAME_CLOCKS,  /* "(u)" */
    SESSION_FRAME_INPUT,   /* "(uayb)": bytes, end of file */
    SESSION_FRAME_SIGNAL,  /* "(ui)" */
    SESSION_FRAME_HOLD,    /* "(ub)" */
    /* up */
    SESSION_FRAME_ANSWER = 64, /* "(ubv)": of ASK: id, whether it is an answer or an error */
    SESSION_FRAME_STARTED,     /* "(ua{sv})": what is known */
    SESSION_FRAME_FAILED,      /* "(uis)": error */
    SESSION_FRAME_EVENT,       /* "(uv)" */
    SESSION_FRAME_SAY,         /* "(uus)": severity (3: it is the session's failure), text */
    SESSION_FRAME_OUTPUT,      /* "(uayuay)": ranks (none: the job's), stream, text */
    SESSION_FRAME_CLOCK,       /* "(usxxx)" */
    SESSION_FRAME_NOTE,        /* "(uuayxx)": a SessionTold, ranks, numbers */
    SESSION_FRAME_FED,         /* "(ut)": bytes of INPUT that the job has been given */
    SESSION_FRAME_LAST = SESSION_FRAME_FED
} SessionFrameKind;

typedef struct _SessionLink SessionLink;
typedef struct {
    /* In the order of sending, each once. FALSE: it cannot be, so that the connection ends. */
    gboolean (*frame) (SessionFrameKind kind, GVariant *body, gpointer user);
    /* The magic line has come, with this behind it. NULL: does not matter. */
    gboolean (*offered) (const char *text, gpointer user);
    /* The socket is closed; numbered frames that are sent are kept for the next one. */
    void (*closed) (const char *why, gpointer user);
} SessionLinkHandler;

SessionLink *session_link_new (const SessionLinkHandler *handler, gpointer user);
void session_link_free (SessionLink *link);
/* Takes fd, a connected socket that does not block. skips_greeting: what a login shell prints before the magic line of
 * the server is skipped. */
void session_link_open (SessionLink *link, int fd, gboolean skips_greeting);
void session_link_close (SessionLink *link, const char *why); /* NULL: without a word */
gboolean session_link_is_open (const SessionLink *link);
/* The other side is heard, and has got the frames up to that number: the others are sent again. FALSE: it cannot be. */
gboolean session_link_resume (SessionLink *link, guint64 received);
/* Takes a floating body. Numbered frames wait until session_link_resume. */
void session_link_send (SessionLink *link, SessionFrameKind kind, GVariant *body);
void session_link_ping (SessionLink *link); /* answered by the link itself */
guint64 session_link_get_received (const SessionLink *link);
/* Bytes of frames that the other side has not said to have got. */
gsize session_link_get_waiting (const SessionLink *link);
gint64 session_link_get_heard_us (const SessionLink *link);
/* Says why to a socket that has no link, and closes nothing. */
void session_link_refuse (int fd, const char *why);
/* What came before the magic line, or instead of it. */
const char *session_link_get_greeting (const SessionLink *link);
/* Serves the socket alone, without the main loop, until something came or the time is over. */
void session_link_turn (SessionLink *link, int limit_ms);
