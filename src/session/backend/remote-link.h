/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What travels between a front end and the server of --remote: frames over a stream socket, numbered, so that after a
 * broken connection another socket goes on where the last one ended. Both sides have one. A frame is u32 size, u8
 * kind, three zero bytes, u64 number (little-endian; 0: of the connection itself, not numbered), and a body, which is
 * one GVariant in native byte order. Whatever comes from the other side is bounded and checked here: it may be
 * anybody's who has taken over that machine. */
#pragma once
#include <gio/gio.h>

#define SESSION_REMOTE_PROTOCOL 4
#define SESSION_REMOTE_MAGIC "PDDT-SERVE "

typedef enum {
    /* of the connection */
    /* "(usstuayu)": protocol, release, who it is, number of the last frame that came, seconds to live on without a
     * front end, folder, the turn that WELCOME has given before (0: none) */
    SESSION_FRAME_HELLO = 1,
    /* "(usstua{sv}a(ua{sv}))": protocol, host, id, number of the last frame that came, turn, the job that is offered,
     * sessions that live there already: number and options */
    SESSION_FRAME_WELCOME,
    SESSION_FRAME_REFUSE,  /* "(s)": why */
    SESSION_FRAME_PING,    /* "(t)": number of the last frame that came */
    SESSION_FRAME_PONG,    /* the same */
    SESSION_FRAME_DECLINE, /* "()": the job that is offered is not wanted */
    /* "(a(sbsxsu))", before WELCOME, where servers of this user live: of each its id, whether a front end has it, who
     * has or had it, since when (real time of that host, in us), its command, how many ranks */
    SESSION_FRAME_LIVING,
    /* "(sb)", before HELLO, or as the answer to LIVING: the id of one of them ("": none of them), whether it is taken
     * from the front end that has it */
    SESSION_FRAME_CHOOSE,
    SESSION_FRAME_DESCRIBE,    /* "()": between servers */
    SESSION_FRAME_DESCRIPTION, /* "(sbsxsu)": as LIVING has it */
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
    SESSION_FRAME_KEEP,    /* "(us)": for who takes it over: the text of the saved session */
    /* "(utayv)": of a motion, its id: the ranks that it has to bring to a stop, and a request that is to be sent then; at the
     * next motion it is forgotten. No ranks: of the start, for all that have come then, unless there are more than those of
     * the request; ASKED says so */
    SESSION_FRAME_AHEAD,
    SESSION_FRAME_TAKE, /* "(u)": it lives already: STARTED and all that is known of it are wanted */
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
    /* "(uv)": a request of who had it before; else one of AHEAD that is asked now, about all ranks */
    SESSION_FRAME_ASKED,
    SESSION_FRAME_HITS,   /* "(uutay)": of a breakpoint: so many in these ranks */
    SESSION_FRAME_WHOLE,  /* "(u)": all that is known has been said */
    SESSION_FRAME_SOURCE, /* "(uayxay)": that will be asked for: path, time, text with its NUL */
    SESSION_FRAME_LAST = SESSION_FRAME_SOURCE
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
/* The other side has got the frames up to that number: the others are sent again, and new ones at once. For one that is new,
 * and knows nothing yet, it need not be heard before. FALSE: it cannot be. */
gboolean session_link_resume (SessionLink *link, guint64 received);
/* Takes a floating body. Numbered frames wait until session_link_resume. */
void session_link_send (SessionLink *link, SessionFrameKind kind, GVariant *body);
void session_link_ping (SessionLink *link); /* answered by the link itself */
guint64 session_link_get_received (const SessionLink *link);
/* Bytes of frames that the other side has not said to have got. */
gsize session_link_get_waiting (const SessionLink *link);
gint64 session_link_get_heard_us (const SessionLink *link);
/* Gives the socket to another one, in the place of that one's own, with what was read of it and not handed out. */
void session_link_move (SessionLink *from, SessionLink *to);
/* One frame that is not numbered, for a descriptor that has no link; takes a floating body. */
void session_link_write (int fd, SessionFrameKind kind, GVariant *body);
void session_link_refuse (int fd, const char *why); /* REFUSE */
/* Waits for one such frame, and adds its bytes to raw. NULL: it is none. Caller owns. */
GVariant *session_link_read (int fd, SessionFrameKind *ret_kind, GByteArray *raw);
/* What came before the magic line, or instead of it. */
const char *session_link_get_greeting (const SessionLink *link);
/* Of `frame`: what comes behind this one is handed out by the main loop. */
void session_link_leave_rest (SessionLink *link);
/* Whether the main loop reads from the socket, as it does from one that was opened just now; else only session_link_turn. */
void session_link_be_served (SessionLink *link, gboolean by_loop);
/* Serves the socket alone, without the main loop, until something came or the time is over. */
void session_link_turn (SessionLink *link, int limit_ms);
