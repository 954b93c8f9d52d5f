/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the server share: the server itself and its sessions. */
#pragma once
#include "session/backend/remote-private.h"
#include "session/backend/served-private.h"

typedef struct {
    SessionLink *link;    /* of the front end that has it */
    GHashTable *sessions; /* number to Served */
    GPtrArray *callers;   /* served-door.c: who has connected, and has not said yet what for */
    GMainLoop *loop;
    const char *id, *release;
    const SessionServedJob *job; /* NULL: none is offered */
    SessionServedEnd end;
    char *who;       /* has it, or had it last; NULL: nobody yet */
    gint64 since_us; /* real time: since when it has, or has not any more */
    guint32 turn;    /* how many front ends have had it */
    guint keep_for_s, death_source;
    gboolean is_greeted, is_holding;
    gint64 beat_us, awake_us; /* awake_us: since then this process has listened */
} SessionServer;

typedef struct _SessionServed SessionServed;
struct _SessionServed {
    SessionRelay relay;
    SessionServer *server;
    Session *session;
    guint32 number;
    JobRequest *start;
    guint64 unfed; /* bytes of input that the job has not been told to have got */
    guint feed_source;
    guint64 left_out; /* bytes of output */
    gboolean is_held; /* by the user */
    /* served-take.c: for a front end that takes it over */
    gboolean is_told;    /* the front end wants to hear of it */
    GVariant *options;   /* of START */
    char *kept;          /* the last text of KEEP; NULL: none came */
    GPtrArray *ranks;    /* of GVariant: the events RANKS */
    GQueue said, output; /* of GVariant: the last frames SAY and OUTPUT */
    gsize output_size;
    GPtrArray *held; /* served-ahead.c: questions that wait for ranks to stand; NULL: none */
    guint64 motion;  /* the last one; 0: none */
    JobRankSet *stopped;  /* that it has brought to a stop; NULL: none */
    gboolean has_source;  /* the text of the first place is on its way */
    GArray *points;       /* of the last requests that set breakpoints */
    guint64 last_request; /* the highest id that came */
    gint64 wait_status;
    gboolean launcher_ended, is_over, is_ready;
    struct _SessionPace *pace; /* served-pace.h; NULL: no state was told */
    guint pace_source;
    gboolean is_late_said;
};

/* To the front end, if it wants to hear of it. Takes a floating body. */
void session_served_tell (SessionServed *served, SessionFrameKind kind, GVariant *body);
void session_served_die_in (SessionServer *server, guint seconds); /* 0: it does not */
/* "STARTED": what is known of a session that has been started. */
void session_served_say_started (SessionServed *served);

/* served-take.c */
void session_served_note_event (SessionServed *served, const JobEvent *event, GVariant *packed);
void session_served_note_said (SessionServed *served, GVariant *body);
void session_served_note_output (SessionServed *served, GVariant *body);
void session_served_note_told (SessionServed *served, SessionTold told, gint64 a);
void session_served_note_request (SessionServed *served, const JobRequest *request);
/* STARTED, all that is known, and WHOLE: from now on the front end hears of it. */
void session_served_hand_over (SessionServed *served);
void session_served_forget (SessionServed *served); /* frees what was noted */
/* "a(ua{sv})" of all sessions, as WELCOME has them. Floating. */
GVariant *session_served_list (const SessionServer *server);
/* DESCRIPTION; NULL: there is nothing to take over. Floating. */
GVariant *session_served_describe (const SessionServer *server);

/* served-ahead.c */
/* A motion is sent: what is held for another one is forgotten. */
void session_served_note_motion (SessionServed *served, guint64 motion);
/* Of AHEAD, which may come behind the stop that it is for: the ranks may have been quicker than the link. FALSE: it cannot
 * be. */
gboolean session_served_hold (SessionServed *served, GVariant *body);
void session_served_drop_held (SessionServed *served);
/* After the event has been told: asks what has waited for it. */
void session_served_ask_held (SessionServed *served, const JobEvent *event);
/* To a front end that has questions about the first stop: the text of the first place. */
void session_served_send_source (SessionServed *served, const JobEvent *event);

void session_served_say (SessionServed *served, guint severity, const char *text);

/* served-pace.c */
/* Of any event, before it is told. TRUE: it is a state that is told later. */
gboolean session_served_hold_state (SessionServed *served, const JobEvent *event,
                                    GVariant *body);
/* Tells the states that wait, before something that may build on them. */
void session_served_release_states (SessionServed *served);
/* Until another front end takes it over, which hears of all states anew. */
void session_served_stop_telling (SessionServed *served);

/* served-door.c */
void session_served_open_door (SessionServer *server);
void session_served_close_door (SessionServer *server);
/* Takes a connected socket. */
void session_served_let_in (SessionServer *server, int fd);
/* Those who say nothing are sent away. */
void session_served_look_at_door (SessionServer *server, gint64 now_us);
/* DESCRIPTION, if another front end has what HELLO wants; NULL: none has. Floating. */
GVariant *session_served_find_held (const SessionServer *server, GVariant *hello);
/* Says to the caller who has it. */
void session_served_refuse_held (const SessionServer *server, SessionLink *caller);
/* What HELLO has said: served.c. FALSE: the caller is refused, which is said to the socket, or not one of ours. */
gboolean session_served_greet (SessionServer *server, SessionLink *caller, GVariant *body,
                               gboolean is_forced);
