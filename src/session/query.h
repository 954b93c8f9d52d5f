/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A question to ranks and its collected answer: the one way in which commands, panes and the session
 * itself read the job. The request says {ranks, thread, frame, what}; the answer comes once, when all
 * ranks have answered, cannot answer any more, or had their time. */
#pragma once
#include "session/session.h"

typedef struct _SessionQuery SessionQuery;

/* Who has answered what: asked = answered + missing; failed is a part of answered. */
typedef struct {
    /* of JobEvent: what the ranks say, equal content once, by lowest rank; without request's
     * acceptance, and `stop` is 0 */
    GPtrArray *groups;
    GPtrArray *failures; /* of JobEvent (FAILURE): why the others cannot say it, likewise */
    JobRankSet *asked, *answered, *failed, *missing;
    /* of `answered`: who has begun to move, was written to or belongs to a job that was started again since it was
     * asked: what it says was so before, and events about it have JOB_EVENT_STALE; and who ran and was stopped
     * briefly or looked at from outside, which is a moment of its own */
    JobRankSet *old, *sampled;
    gboolean ok; /* all have answered, and none has failed */
} SessionAnswer;

/* The answer is the query's; what is in the lists may be taken out. The query may be freed here. */
typedef void (*SessionQueryDone) (SessionQuery *query, SessionAnswer *answer, gpointer user);

/* Takes the request (any but START) and sends it. `done` is called once, never from within this
 * call, unless the query is freed before. Caller owns; it may outlive the session, and then gets no answer. */
SessionQuery *session_query_new (Session *session, JobRequest *request, SessionQueryDone done,
                                 gpointer user);
/* Nobody wants the answer any more. NULL is nothing. */
void session_query_free (SessionQuery *query);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SessionQuery, session_query_free)
/* As session_cancel: `done` is called now, with what has come. Nothing when it has been called. */
void session_query_cancel (SessionQuery *query);
gboolean session_query_is_open (const SessionQuery *query); /* FALSE: `done` was called */
guint64 session_query_get_id (const SessionQuery *query);   /* of its request */
/* Whether answers to this request are a query's, and so nobody else's. */
gboolean session_has_query (const Session *session, guint64 request);

/* Takes all queues, or stacks, out of the groups as one; empty when there are none. Caller owns. */
JobMessageTable *session_answer_take_queues (SessionAnswer *answer);
JobStackTree *session_answer_take_tree (SessionAnswer *answer);
