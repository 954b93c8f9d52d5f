/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked of the ranks: requests on their way, those who wait for the answers, and how far steps have come. */
#pragma once
#include "session/query.h"
#include "session/session.h"

typedef struct {
    guint64 id;
    JobVerb verb;
    guint32 number;                                   /* breakpoint's */
    JobRankSet *asked, *answered, *failed, *hopeless; /* hopeless: nobody is left to answer */
    JobRankSet *
        old; /* who has begun to move or was written to since: what they answer was so before; NULL: nobody */
    GPtrArray *local_events; /* of JobEvent: answers that need no daemon; given from idle */
    gint64 begin_us;
    guint lasts_ms; /* how long the ranks were told to take for the answer */
    guint deadline_source;
    gboolean settled;    /* in the queue of those to be finished from idle */
    SessionQuery *query; /* gets the answers; NULL: nobody waits for them */
} SessionRequest;

typedef struct _SessionProgress SessionProgress;

typedef struct {
    GHashTable *requests; /* id to SessionRequest */
    guint64 last_id;
    guint idle_source;
    guint query_ms, motion_ms;
    GPtrArray *selections; /* of SessionSelection, not owned; NULL before the first */
    GPtrArray *foreseen;   /* of JobRequest: session_foresee; NULL: none */
    GList *searches;       /* names.c */
    SessionProgress *progress;
} SessionAsked;

/* requests.c */
void session_requests_init (Session *session);
void session_requests_clear (Session *session);
void session_requests_apply (Session *session, const JobEvent *event);
/* The ranks will answer no more: open requests count them as missing. */
void session_requests_drop (Session *session, const JobRankSet *ranks);
/* Finishes all that are open, with those who have not answered missing. Called when no rank is known:
 * what is submitted while they finish ends by itself. */
void session_requests_give_up (Session *session);

/* As session_submit; the answers go to the query, which may be NULL. */
guint64 session_requests_submit (Session *session, JobRequest *request, SessionQuery *query);
void session_requests_forget_query (Session *session, guint64 id);

/* query.c */
gboolean session_query_wants (const JobEvent *event);
void session_query_collect (SessionQuery *query, const JobEvent *event);
/* The answer is complete; then calls `done`, which may free the query. */
void session_query_finish (SessionQuery *query, SessionRequest *request,
                           const JobRankSet *missing, gboolean ok);
void session_query_call (SessionQuery *query);
void session_query_lose_session (SessionQuery *query);

/* selection.c */
/* Of all clients: their ranks are those of a job that is over. */
void session_selections_forget (Session *session);

/* names.c */
void session_names_clear (Session *session);

/* progress.c */
void session_progress_init (Session *session);
void session_progress_clear (Session *session);
void session_progress_forget (Session *session); /* the ranks are others */
/* Motions that are steps are followed; the others not. */
void session_progress_begin (Session *session, JobVerb verb, const JobRankSet *ranks,
                             guint64 id);
/* What is noted between them counts at the end, at once. */
void session_progress_hold (Session *session);
void session_progress_release (Session *session);
/* A rank's motion is over: it has arrived, or it is out of the count. */
void session_progress_note (Session *session, guint64 id, gboolean has_arrived);
/* Until those on their way are asked for; 0 now, or not followed. */
guint session_progress_get_rest_ms (const Session *session, guint64 id);
