/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object. What its rooms share is in a structure of each: model, ask, watch and backend; what one file alone
 * knows is that file's. */
#pragma once
#include "base/array.h"
#include "session/ask/ask.h"
#include "session/backend/backend.h"
#include "session/model/model.h"
#include "session/watch/watch.h"

typedef struct _SessionListeners SessionListeners;

struct _Session {
    GObject parent;
    SessionListeners *listeners; /* session.c */
    SessionMoments *moments;     /* moment.c */
    SessionRanks *ranks;
    SessionTexts *texts;
    SessionBreakpoints *breakpoints;
    SessionOptionValues *options; /* options.c */
    SessionSets *sets;
    SessionSilences *silences;
    SessionSlots *slots;
    SessionMessages *messages; /* messages.c */
    SessionLists *lists;
    SessionAsked *ask;
    SessionWatch *watch;
    SessionLife *life;
    SessionRestart *restart;
    GPtrArray *displays;           /* saved.h: a prompt's, to be saved; NULL: none */
    SessionFiles *files;           /* files.c; NULL: none */
    const SessionBackend *backend; /* NULL: nothing was started */
    gpointer backend_data;         /* the backend's own; NULL: nothing */
    SessionRelay *relay;           /* NULL: the user is here */
};

enum {
    SESSION_STATES_CHANGED,
    SESSION_OUTPUT,
    SESSION_FINISHED,
    SESSION_SAID, /* "message" */
    SESSION_BREAKPOINTS_CHANGED,
    SESSION_SETS_CHANGED,
    SESSION_READY,
    SESSION_ENDED,
    SESSION_VERDICT,
    SESSION_PROGRESS,
    SESSION_BUSY,
    SESSION_SOURCES_MOVED,
    SESSION_CLOCK,
    SESSION_RESTARTED,
    SESSION_N_SIGNALS
};
extern guint session_signals[SESSION_N_SIGNALS];

/* Emit "message". A format is a whole sentence, marked N_ ("…") for translators, and what others have
 * said ("%s") is not translated; one and many as for base_text_new_plural. */
void session_say (Session *session, guint severity, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void session_say_plural (Session *session, guint severity, const char *one, const char *many,
                         gulong n, ...) G_GNUC_PRINTF (3, 6) G_GNUC_PRINTF (4, 6);
void session_say_error (Session *session, guint severity, const GError *error);
/* Takes text. */
void session_fail_text (Session *session, BaseText *text);
/* A notice about these ranks, as an event. Takes text. */
void session_note (Session *session, const JobRankSet *ranks, BaseText *text);
/* An error that is also the session's failure, if it is the first. */
void session_fail (Session *session, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* session.c: what the front end itself decides, and what it learns from others than the ranks, comes in by the
 * door of events. Nothing else changes what it believes of ranks, breakpoints, options and sets, which
 * tests/meta checks. */
typedef enum {
    SESSION_CHANGE_REQUEST, /* `request` is about to be sent */
    SESSION_CHANGE_BEGIN,   /* `ranks` begin the motion of request `number` */
    SESSION_CHANGE_GIVE_UP, /* nothing will be heard from `ranks` about the motion of request `number` */
    SESSION_CHANGE_STATE, /* `event` is what is believed; nothing has happened in its ranks */
    SESSION_CHANGE_DROP,  /* the breakpoint `number` is not for `ranks` any more */
    SESSION_CHANGE_CHILD, /* breakpoints of rank `number` are for `ranks`, too, which it has forked */
    SESSION_CHANGE_OPTION, /* `name` is `text` */
    SESSION_CHANGE_SKIP, /* `text` is skipped, too; NULL: what has the `number` is not any more */
    SESSION_CHANGE_SET, /* `name` is `ranks`, or `text`, which is computed; both NULL: forgotten */
    SESSION_CHANGE_FOCUS,   /* `ranks` are acted on */
    SESSION_CHANGE_SILENCE, /* `ranks` have been silent for `number` ms; 0: they answer */
    SESSION_CHANGE_RESTART, /* nothing is known of a rank any more */
    SESSION_CHANGE_HITS, /* the breakpoint `number` has stopped `ranks` so many times: `count`, in all */
} SessionChangeKind;
typedef struct {
    SessionChangeKind kind;
    const JobRequest *request;
    const JobEvent *event;
    const JobRankSet *ranks;
    const char *name, *text;
    guint64 number, count;
} SessionChange;
void session_apply_change (Session *session, const SessionChange *change);
