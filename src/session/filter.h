/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stage between what ranks have answered to PRINT and LOCALS and whoever has asked: it may say values otherwise. */
#pragma once
#include "session/query.h"

typedef struct {
    /* TRUE: the answer waits for session_query_resume, which is not called from within; all that is given is the query's,
     * and there until then. */
    gboolean (*filter) (SessionQuery *query, Session *session, const JobRequest *request,
                        SessionAnswer *answer);
    void (*forget) (SessionQuery *query); /* nobody wants it any more */
} SessionFilter;

/* Kept, not copied. NULL: none. */
void session_set_filter (const SessionFilter *filter);
void session_query_resume (SessionQuery *query);
/* As session_query_new, but its answer is not filtered. */
SessionQuery *session_query_new_plain (Session *session, JobRequest *request,
                                       SessionQueryDone done, gpointer user);
