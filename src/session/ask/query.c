/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects what ranks answer to a request. It hangs on the open request, so that events come to it
 * by their request's number, also those that come while the request is being sent. */
#include "session/query.h"
#include "session/filter.h"
#include "session/private.h"

enum { FOLD_FROM = 64 };

struct _SessionQuery {
    Session *session; /* NULL: it is gone */
    guint64 id;
    SessionQueryDone done;
    gpointer user;
    SessionAnswer answer;
    gboolean is_open, is_filtered;
    JobRequest *request; /* where the filter may want the answer; NULL */
    guint limits[2];     /* of groups and failures: so many are merged */
};

static const SessionFilter *filter;

void
session_set_filter (const SessionFilter *given)
{
    filter = given;
}

static SessionQuery *
make_query (Session *session, JobRequest *request, SessionQueryDone done, gpointer user,
            gboolean may_filter)
{
    SessionQuery *query = g_new0 (SessionQuery, 1);

    if (may_filter && filter != NULL
        && (((request->verb == JOB_VERB_PRINT || request->verb == JOB_VERB_CALL)
             && g_strcmp0 (request->text2, "r") != 0
             && (request->flags & JOB_REQUEST_TRUTH) == 0)
            || request->verb == JOB_VERB_LOCALS)) {
        query->request = job_request_dup (request);
    }

    query->session = session;
    query->done = done;
    query->user = user;
    query->is_open = TRUE;
    query->answer.groups = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    query->answer.failures = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    query->answer.sampled = job_rank_set_new ();
    query->id = session_requests_submit (session, request, query);
    return query;
}

SessionQuery *
session_query_new (Session *session, JobRequest *request, SessionQueryDone done, gpointer user)
{
    return make_query (session, request, done, user, TRUE);
}

SessionQuery *
session_query_new_plain (Session *session, JobRequest *request, SessionQueryDone done,
                         gpointer user)
{
    return make_query (session, request, done, user, FALSE);
}

void
session_query_free (SessionQuery *query)
{
    SessionAnswer *answer;

    if (query == NULL) {
        return;
    }
    if (query->is_open && query->session != NULL) {
        session_requests_forget_query (query->session, query->id);
    }
    if (query->is_filtered) {
        filter->forget (query);
    }
    g_clear_pointer (&query->request, job_request_free);
    answer = &query->answer;
    g_ptr_array_unref (answer->groups);
    g_ptr_array_unref (answer->failures);
    job_rank_set_free (answer->sampled);
    g_clear_pointer (&answer->old, job_rank_set_free);
    g_clear_pointer (&answer->asked, job_rank_set_free);
    g_clear_pointer (&answer->answered, job_rank_set_free);
    g_clear_pointer (&answer->failed, job_rank_set_free);
    g_clear_pointer (&answer->missing, job_rank_set_free);
    g_free (query);
}

void
session_query_cancel (SessionQuery *query)
{
    if (query->is_open && query->session != NULL) {
        session_cancel (query->session, query->id);
    }
}

gboolean
session_query_is_open (const SessionQuery *query)
{
    return query->is_open;
}

guint64
session_query_get_id (const SessionQuery *query)
{
    return query->id;
}

/* ---- from requests.c ---- */

gboolean
session_query_wants (const JobEvent *event)
{
    switch (event->kind) {
    case JOB_EVENT_BREAKPOINT:
    case JOB_EVENT_STACKS:
    case JOB_EVENT_VALUES:
    case JOB_EVENT_TEXT:
    case JOB_EVENT_FAILURE:
    case JOB_EVENT_FRAME:
    case JOB_EVENT_QUEUES:
    case JOB_EVENT_ARRAY:
    case JOB_EVENT_DETAILS:
    case JOB_EVENT_COSTS:
    case JOB_EVENT_SAMPLES: return TRUE;
    default: return FALSE; /* acceptances, and what concerns everybody */
    }
}

/* Answers of many hosts become fewer as they come, in a time that grows as their number does. */
static void
fold (GPtrArray *events, guint *limit)
{
    if (events->len >= MAX (*limit, FOLD_FROM)) {
        job_event_list_merge (events);
        *limit = 2 * events->len;
    }
}

void
session_query_collect (SessionQuery *query, const JobEvent *event)
{
    SessionAnswer *answer = &query->answer;
    GPtrArray *events = event->kind == JOB_EVENT_FAILURE ? answer->failures : answer->groups;
    JobEvent seen = *event; /* borrows its content */

    seen.stop = 0;
    seen.final = TRUE;
    if (event->flags & JOB_EVENT_SAMPLED) {
        job_rank_set_merge (answer->sampled, event->ranks);
    }
    g_ptr_array_add (events, job_event_dup (&seen));
    fold (events, &query->limits[event->kind == JOB_EVENT_FAILURE]);
}

BASE_ORDER_POINTERS (compare_lowest, JobEvent,
                     job_rank_set_compare_lowest (left->ranks, right->ranks))

/* An event of many ranks is old if one of them is: `old` says which. */
static void
mark_old (GPtrArray *events, const JobRankSet *old)
{
    for (guint i = 0; i < events->len && !job_rank_set_is_empty (old); i++) {
        JobEvent *event = g_ptr_array_index (events, i);

        if (job_rank_set_intersects (event->ranks, old)) {
            event->flags |= JOB_EVENT_STALE;
        }
    }
}

void
session_query_finish (SessionQuery *query, SessionRequest *request, const JobRankSet *missing,
                      gboolean ok)
{
    SessionAnswer *answer = &query->answer;

    query->is_open = FALSE;
    answer->asked = job_rank_set_dup (request->asked);
    answer->answered = job_rank_set_dup (request->answered);
    answer->failed = job_rank_set_dup (request->failed);
    answer->missing = job_rank_set_dup (missing);
    answer->old = request->old != NULL
                      ? job_rank_set_intersect (request->old, request->answered)
                      : job_rank_set_new ();
    answer->ok = ok;
    job_event_list_merge (answer->groups);
    job_event_list_merge (answer->failures);
    mark_old (answer->groups, answer->old);
    mark_old (answer->failures, answer->old);
    g_ptr_array_sort (answer->groups, compare_lowest);
    g_ptr_array_sort (answer->failures, compare_lowest);
}

void
session_query_call (SessionQuery *query)
{
    query->is_filtered = query->request != NULL && query->session != NULL
                         && filter->filter (query, query->session, query->request,
                                            &query->answer);
    if (!query->is_filtered) {
        query->done (query, &query->answer, query->user);
    }
}

void
session_query_resume (SessionQuery *query)
{
    query->is_filtered = FALSE;
    query->done (query, &query->answer, query->user);
}

void
session_query_lose_session (SessionQuery *query)
{
    query->session = NULL;
}

/* ---- answers ---- */

JobMessageTable *
session_answer_take_queues (SessionAnswer *answer)
{
    JobMessageTable *table = NULL;

    for (guint i = 0; i < answer->groups->len;) {
        JobEvent *event = g_ptr_array_index (answer->groups, i);

        if (event->kind != JOB_EVENT_QUEUES) {
            i++;
            continue;
        }
        if (table == NULL) {
            table = g_steal_pointer (&event->queues);
        } else if (event->queues != NULL) {
            job_message_table_merge (table, event->queues);
        }
        g_ptr_array_remove_index (answer->groups, i);
    }
    return table != NULL ? table : job_message_table_new ();
}

JobStackTree *
session_answer_take_tree (SessionAnswer *answer)
{
    JobStackTree *tree = NULL;

    for (guint i = 0; i < answer->groups->len;) {
        JobEvent *event = g_ptr_array_index (answer->groups, i);

        if (event->kind != JOB_EVENT_STACKS) {
            i++;
            continue;
        }
        if (tree == NULL) {
            tree = g_steal_pointer (&event->tree);
        } else if (event->tree != NULL) {
            job_stack_tree_merge (tree, event->tree);
        }
        g_ptr_array_remove_index (answer->groups, i);
    }
    return tree != NULL ? tree : job_stack_tree_new ();
}
