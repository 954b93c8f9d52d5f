/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logical breakpoints: numbers are given here, hosts only say where each of them stands. */
#include "session/private.h"

void
session_breakpoint_free (gpointer data)
{
    SessionBreakpoint *breakpoint = data;

    job_rank_set_free (breakpoint->ranks);
    job_rank_set_free (breakpoint->set_ranks);
    job_where_clear (&breakpoint->where);
    g_free (breakpoint->condition);
    g_free (breakpoint->log);
    g_free (breakpoint->kind);
    g_ptr_array_unref (breakpoint->places);
    g_free (breakpoint);
}

static void
say_changed (Session *session)
{
    g_signal_emit (session, session_signals[SESSION_BREAKPOINTS_CHANGED], 0);
}

guint32
session_next_breakpoint_number (Session *session)
{
    return ++session->last_breakpoint;
}

GPtrArray *
session_get_breakpoints (const Session *session)
{
    return session->breakpoints;
}

static SessionBreakpoint *
find_breakpoint (const Session *session, guint32 number)
{
    for (guint i = 0; i < session->breakpoints->len; i++) {
        SessionBreakpoint *breakpoint = g_ptr_array_index (session->breakpoints, i);

        if (breakpoint->number == number) {
            return breakpoint;
        }
    }
    return NULL;
}

const SessionBreakpoint *
session_find_breakpoint (const Session *session, guint32 number)
{
    return find_breakpoint (session, number);
}

static void
add_breakpoint (Session *session, const JobRequest *request)
{
    SessionBreakpoint *breakpoint = g_new0 (SessionBreakpoint, 1);

    breakpoint->number = request->number;
    breakpoint->ranks = job_rank_set_dup (request->ranks);
    breakpoint->set_ranks = job_rank_set_new ();
    job_where_copy (&request->where, &breakpoint->where);
    breakpoint->condition = g_strdup (request->condition);
    breakpoint->log = g_strdup (request->log);
    breakpoint->every = request->every;
    breakpoint->temporary = (request->flags & JOB_REQUEST_TEMPORARY) != 0;
    breakpoint->enabled = TRUE;
    breakpoint->places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    if (request->verb == JOB_VERB_BREAK) {
        breakpoint->kind = g_strdup ("break");
    } else {
        /* What is caught or watched stands where a place would. */
        breakpoint->kind = g_strdup (request->verb == JOB_VERB_CATCH ? "catch" : "watch");
        breakpoint->where.kind = JOB_WHERE_FUNCTION;
        g_free (breakpoint->where.function);
        breakpoint->where.function = g_strdup (request->text);
    }
    g_ptr_array_add (session->breakpoints, breakpoint);
    say_changed (session);
}

void
session_breakpoints_drop (Session *session, guint32 number, const JobRankSet *ranks)
{
    SessionBreakpoint *breakpoint = find_breakpoint (session, number);
    JobRankSet *rest;

    if (breakpoint == NULL) {
        return;
    }
    rest = job_rank_set_subtract (breakpoint->ranks, ranks);
    job_rank_set_free (breakpoint->ranks);
    breakpoint->ranks = rest;
    rest = job_rank_set_subtract (breakpoint->set_ranks, ranks);
    job_rank_set_free (breakpoint->set_ranks);
    breakpoint->set_ranks = rest;
    if (job_rank_set_is_empty (breakpoint->ranks)) {
        g_ptr_array_remove (session->breakpoints, breakpoint);
    }
    say_changed (session);
}

void
session_breakpoints_release_number (Session *session, guint32 number)
{
    if (number == session->last_breakpoint && find_breakpoint (session, number) == NULL) {
        session->last_breakpoint--;
    }
}

void
session_breakpoints_note_request (Session *session, const JobRequest *request)
{
    SessionBreakpoint *breakpoint = find_breakpoint (session, request->number);

    switch (request->verb) {
    case JOB_VERB_BREAK:
    case JOB_VERB_CATCH:
    case JOB_VERB_WATCH:
        session->last_breakpoint = MAX (session->last_breakpoint, request->number);
        if (breakpoint == NULL) {
            add_breakpoint (session, request);
        } else {
            job_rank_set_merge (breakpoint->ranks, request->ranks);
        }
        break;
    case JOB_VERB_DELETE:
        session_breakpoints_drop (session, request->number, request->ranks);
        break;
    case JOB_VERB_ENABLE:
    case JOB_VERB_DISABLE:
        if (breakpoint != NULL) {
            breakpoint->enabled = request->verb == JOB_VERB_ENABLE;
            say_changed (session);
        }
        break;
    default:
        break;
    }
}

static void
add_place (SessionBreakpoint *breakpoint, const JobLocation *place)
{
    for (guint i = 0; i < breakpoint->places->len; i++) {
        if (job_location_equal (g_ptr_array_index (breakpoint->places, i), place)) {
            return;
        }
    }
    g_ptr_array_add (breakpoint->places, job_location_dup (place));
}

void
session_breakpoints_apply (Session *session, const JobEvent *event)
{
    SessionBreakpoint *breakpoint = find_breakpoint (session, (guint32) event->number);

    if (breakpoint == NULL) {
        return;
    }
    if (event->flags & JOB_EVENT_GONE) {
        session_breakpoints_drop (session, breakpoint->number, event->ranks);
        return;
    }
    for (guint i = 0; event->places != NULL && i < event->places->len; i++) {
        session_format_note_place (session, g_ptr_array_index (event->places, i));
        add_place (breakpoint, g_ptr_array_index (event->places, i));
    }
    if (event->places != NULL && event->places->len > 0) {
        job_rank_set_merge (breakpoint->set_ranks, event->ranks);
    }
    say_changed (session);
}

void
session_breakpoints_apply_hit (Session *session, const JobEvent *event)
{
    SessionBreakpoint *breakpoint;

    if (event->state != JOB_STATE_BREAKPOINT || (event->flags & JOB_EVENT_FRESH)) {
        return;
    }
    breakpoint = find_breakpoint (session, (guint32) event->number);
    if (breakpoint == NULL) {
        return;
    }
    breakpoint->hits += job_rank_set_get_count (event->ranks);
    if (breakpoint->temporary) {
        session_breakpoints_drop (session, breakpoint->number, event->ranks);
    } else {
        say_changed (session);
    }
}
