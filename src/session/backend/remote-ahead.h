/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions that are asked ahead: what clients have asked about ranks that stood is sent again with the next motion, and the
 * server asks it once they have come to its stop, so that the answers come with the stop and not one round trip later. When
 * a client then asks the same, it gets those. Only questions that change nothing, run no code of the program, and are equal
 * to the last byte; both sides tell by the same events when one is asked, so a question waits for no answer that does not
 * come. */
#pragma once
#include "session/backend/remote-private.h"

/* The event tells that a motion (its request's id) has brought its ranks to a stop. */
gboolean session_ahead_is_stop (guint64 motion, const JobEvent *event);
/* The ranks that a motion (its request's id) has not brought to a stop yet: those of the event that it has brought there are
 * taken out. Both sides call it with each event. */
void session_ahead_note (JobRankSet *left, guint64 motion, const JobEvent *event);

typedef struct _SessionAhead SessionAhead;
SessionAhead *session_ahead_new (Session *session);
void session_ahead_free (SessionAhead *ahead);
/* A request that is about to be sent. TRUE: it is answered by what was asked ahead, and is not to be sent. */
gboolean session_ahead_take (SessionAhead *ahead, const JobRequest *request);
/* A motion was sent: calls tell with each question that the server is to ask after it. */
void session_ahead_follow (SessionAhead *ahead, const JobRequest *motion,
                           void (*tell) (Session *session, guint64 motion,
                                         const JobRankSet *left, const JobRequest *question));
/* Before the start: the same of a question that will be asked about all ranks at their first stop. */
void session_ahead_foresee (SessionAhead *ahead, const JobRequest *question,
                            void (*tell) (Session *session, guint64 motion,
                                          const JobRankSet *left, const JobRequest *question));
/* The server has asked it now. FALSE: it cannot be. */
gboolean session_ahead_note_asked (SessionAhead *ahead, const JobRequest *question);
/* The text of a file that a client will want to show at once, with its NUL, and when that was changed. FALSE: it cannot be. */
gboolean session_ahead_note_source (SessionAhead *ahead, const char *path, gint64 time_us,
                                    GBytes *text);
/* The task is answered from what has come just now: TRUE. */
gboolean session_ahead_answer (SessionAhead *ahead, SessionAsk ask, GTask *task);
/* TRUE: it is of a question that was asked ahead, and is not to be applied as it is. */
gboolean session_ahead_apply (SessionAhead *ahead, const JobEvent *event);
/* Of CANCEL: the question in whose answer that request shares, or the request itself. */
guint64 session_ahead_find (const SessionAhead *ahead, guint64 id);
