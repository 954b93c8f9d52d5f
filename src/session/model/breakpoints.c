/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The logical breakpoints: the session numbers them, and hosts report where each is set. */
#include "session/follow.h"
#include "session/private.h"

void
session_breakpoint_free (gpointer data)
{
    SessionBreakpoint *breakpoint = data;

    job_rank_set_free (breakpoint->ranks);
    job_rank_set_free (breakpoint->set_ranks);
    job_rank_set_free (breakpoint->disabled);
    job_where_clear (&breakpoint->where);
    g_free (breakpoint->condition);
    g_free (breakpoint->log);
    g_ptr_array_unref (breakpoint->hit_groups);
    g_free (breakpoint->kind);
    g_ptr_array_unref (breakpoint->places);
    job_request_free (breakpoint->before);
    g_free (breakpoint->reason);
    g_free (breakpoint);
}

static void
free_hits (gpointer data)
{
    job_rank_set_free (((SessionHits *) data)->ranks);
    g_free (data);
}

guint32
session_next_breakpoint_number (Session *session)
{
    return ++session->breakpoints->last;
}

GPtrArray *
session_get_breakpoints (const Session *session)
{
    return session->breakpoints->all;
}

const SessionBreakpoint *
session_find_breakpoint (const Session *session, guint32 number)
{
    return BASE_FIND (session->breakpoints->all, const SessionBreakpoint, breakpoint,
                      breakpoint->number == number);
}

/* For those who write it. */
static SessionBreakpoint *
find_breakpoint (Session *session, guint32 number)
{
    return (SessionBreakpoint *) session_find_breakpoint (session, number);
}

gboolean
session_breakpoint_is_enabled (const SessionBreakpoint *breakpoint, const JobRankSet *ranks)
{
    g_autoptr (JobRankSet) enabled = job_rank_set_subtract (breakpoint->ranks,
                                                            breakpoint->disabled);

    return ranks != NULL ? job_rank_set_intersects (enabled, ranks)
                         : !job_rank_set_is_empty (enabled);
}

static void
copy_modifiers (SessionBreakpoint *breakpoint, const JobRequest *request)
{
    g_free (breakpoint->condition);
    g_free (breakpoint->log);
    breakpoint->condition = g_strdup (request->condition);
    breakpoint->log = g_strdup (request->log);
    breakpoint->every = request->every;
}

/* The ranks may refuse it: what was is kept. */
static void
change_modifiers (SessionBreakpoint *breakpoint, const JobRequest *request)
{
    job_request_free (breakpoint->before);
    breakpoint->before = job_request_new (JOB_VERB_CONDITION, NULL);
    breakpoint->before->id = request->id;
    breakpoint->before->condition = g_strdup (breakpoint->condition);
    breakpoint->before->log = g_strdup (breakpoint->log);
    breakpoint->before->every = breakpoint->every;
    copy_modifiers (breakpoint, request);
}

void
session_breakpoints_restore (Session *session, guint32 number, guint64 id)
{
    SessionBreakpoint *breakpoint = find_breakpoint (session, number);

    if (breakpoint != NULL && breakpoint->before != NULL && breakpoint->before->id == id) {
        copy_modifiers (breakpoint, breakpoint->before);
        session_model_note_breakpoint (session, number, 0);
    }
}

static void
add_breakpoint (Session *session, const JobRequest *request)
{
    SessionBreakpoint *breakpoint = g_new0 (SessionBreakpoint, 1);

    breakpoint->number = request->number;
    breakpoint->ranks = job_rank_set_dup (request->ranks);
    breakpoint->set_ranks = job_rank_set_new ();
    breakpoint->hit_groups = g_ptr_array_new_with_free_func (free_hits);
    job_where_copy (&request->where, &breakpoint->where);
    copy_modifiers (breakpoint, request);
    breakpoint->temporary = (request->flags & JOB_REQUEST_TEMPORARY) != 0;
    breakpoint->thread = request->thread;
    breakpoint->disabled = job_rank_set_new ();
    breakpoint->places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    if (request->verb == JOB_VERB_BREAK) {
        breakpoint->kind = g_strdup ("break");
    } else {
        /* The object of a catch or watch replaces the place. */
        breakpoint->kind = g_strdup (request->verb == JOB_VERB_CATCH ? "catch" : "watch");
        breakpoint->where.kind = JOB_WHERE_FUNCTION;
        g_free (breakpoint->where.function);
        breakpoint->where.function = g_strdup (request->text);
    }
    g_ptr_array_add (session->breakpoints->all, breakpoint);
}

JobRequest *
session_breakpoint_make_request (const SessionBreakpoint *breakpoint, const JobRankSet *ranks)
{
    gboolean is_place = g_strcmp0 (breakpoint->kind, "break") == 0;
    JobVerb verb = is_place                                     ? JOB_VERB_BREAK
                   : g_strcmp0 (breakpoint->kind, "watch") == 0 ? JOB_VERB_WATCH
                                                                : JOB_VERB_CATCH;
    JobRequest *request = job_request_new (verb, ranks);

    request->number = breakpoint->number;
    request->every = breakpoint->every;
    request->thread = breakpoint->thread;
    request->condition = g_strdup (breakpoint->condition);
    request->log = g_strdup (breakpoint->log);
    request->flags = breakpoint->temporary ? JOB_REQUEST_TEMPORARY : 0;
    if (is_place) {
        job_where_copy (&breakpoint->where, &request->where);
    } else {
        request->text = g_strdup (breakpoint->where.function);
    }
    return request;
}

static void
take_away (JobRankSet **set, const JobRankSet *ranks)
{
    JobRankSet *rest = job_rank_set_subtract (*set, ranks);

    job_rank_set_free (*set);
    *set = rest;
}

void
session_breakpoints_drop (Session *session, guint32 number, const JobRankSet *ranks)
{
    SessionBreakpoint *breakpoint = find_breakpoint (session, number);

    if (breakpoint == NULL) {
        return;
    }
    take_away (&breakpoint->ranks, ranks);
    take_away (&breakpoint->set_ranks, ranks);
    take_away (&breakpoint->disabled, ranks);
    if (job_rank_set_is_empty (breakpoint->ranks)) {
        g_ptr_array_remove (session->breakpoints->all, breakpoint);
        session_logged_drop (session, number);
    }
    session_model_note_breakpoint (session, number, 0);
}

void
session_breakpoints_release_number (Session *session, guint32 number)
{
    if (number == session->breakpoints->last && find_breakpoint (session, number) == NULL) {
        session->breakpoints->last--;
    }
}

/* A breakpoint may be disabled in some ranks only. */
static void
note_enabled (SessionBreakpoint *breakpoint, const JobRequest *request)
{
    if (request->verb == JOB_VERB_ENABLE) {
        take_away (&breakpoint->disabled, request->ranks);
    } else {
        g_autoptr (JobRankSet) here = job_rank_set_intersect (request->ranks,
                                                              breakpoint->ranks);

        job_rank_set_merge (breakpoint->disabled, here);
    }
}

/* Set again, it may have moved with its line. */
static void
note_where (SessionBreakpoint *breakpoint, const JobRequest *request)
{
    if (request->verb == JOB_VERB_BREAK) {
        job_where_clear (&breakpoint->where);
        job_where_copy (&request->where, &breakpoint->where);
    }
}

void
session_breakpoints_apply_request (Session *session, const JobRequest *request)
{
    SessionBreakpoint *breakpoint = find_breakpoint (session, request->number);

    switch (request->verb) {
    case JOB_VERB_BREAK:
    case JOB_VERB_CATCH:
    case JOB_VERB_WATCH:
        session->breakpoints->last = MAX (session->breakpoints->last, request->number);
        if (breakpoint == NULL) {
            add_breakpoint (session, request);
        } else {
            job_rank_set_merge (breakpoint->ranks, request->ranks);
            note_where (breakpoint, request);
        }
        session_model_note_breakpoint (session, request->number, 0);
        break;
    case JOB_VERB_DELETE:
        session_breakpoints_drop (session, request->number, request->ranks);
        break;
    case JOB_VERB_CONDITION:
        if (breakpoint != NULL) {
            change_modifiers (breakpoint, request);
            session_model_note_breakpoint (session, request->number, 0);
        }
        break;
    case JOB_VERB_ENABLE:
    case JOB_VERB_DISABLE:
        if (breakpoint != NULL) {
            note_enabled (breakpoint, request);
            session_model_note_breakpoint (session, request->number, 0);
        }
        break;
    default: break;
    }
}

static void
add_place (SessionBreakpoint *breakpoint, const JobLocation *place)
{
    if (BASE_ANY (i, breakpoint->places->len,
                  job_location_equal (g_ptr_array_index (breakpoint->places, i), place))) {
        return;
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
    /* An event has all places of its ranks, so places of other ranks are kept. */
    if (event->places != NULL && event->places->len > 0
        && job_rank_set_is_subset (breakpoint->set_ranks, event->ranks)) {
        g_ptr_array_set_size (breakpoint->places, 0);
    }
    for (guint i = 0; event->places != NULL && i < event->places->len; i++) {
        session_format_note_place (session, g_ptr_array_index (event->places, i));
        add_place (breakpoint, g_ptr_array_index (event->places, i));
    }
    if (event->places != NULL && event->places->len > 0) {
        job_rank_set_merge (breakpoint->set_ranks, event->ranks);
    } else {
        g_free (breakpoint->reason);
        breakpoint->reason = g_strdup (event->text);
    }
    if (session->relay == NULL) { /* else the user's session follows it */
        session_follow_note (session, breakpoint);
    }
    session_model_note_breakpoint (session, breakpoint->number, event->stop);
}

static void
add_hits (SessionBreakpoint *breakpoint, guint64 hits, JobRankSet *ranks)
{
    SessionHits *group = NULL;
    guint at = 0;

    while (at < breakpoint->hit_groups->len
           && ((SessionHits *) breakpoint->hit_groups->pdata[at])->hits < hits) {
        at++;
    }
    group = at < breakpoint->hit_groups->len ? breakpoint->hit_groups->pdata[at] : NULL;
    if (group == NULL || group->hits != hits) {
        group = g_new (SessionHits, 1);
        *group = (SessionHits){ hits, job_rank_set_new () };
        g_ptr_array_insert (breakpoint->hit_groups, (int) at, group);
    }
    job_rank_set_merge (group->ranks, ranks);
}

/* Moves each rank to the group with one more hit, starting with the highest count so that no
 * rank moves twice. */
static void
count_hits (SessionBreakpoint *breakpoint, const JobRankSet *ranks)
{
    g_autoptr (JobRankSet) fresh = job_rank_set_dup (ranks);

    for (guint i = breakpoint->hit_groups->len; i > 0; i--) {
        SessionHits *group = breakpoint->hit_groups->pdata[i - 1];
        g_autoptr (JobRankSet) moved = job_rank_set_intersect (group->ranks, ranks);
        JobRankSet *rest;

        if (job_rank_set_is_empty (moved)) {
            continue;
        }
        rest = job_rank_set_subtract (fresh, moved);
        job_rank_set_free (fresh);
        fresh = rest;
        add_hits (breakpoint, group->hits + 1, moved);
        rest = job_rank_set_subtract (group->ranks, moved);
        job_rank_set_free (group->ranks);
        group->ranks = rest;
        if (job_rank_set_is_empty (rest)) {
            g_ptr_array_remove_index (breakpoint->hit_groups, i - 1);
        }
    }
    if (!job_rank_set_is_empty (fresh)) {
        add_hits (breakpoint, 1, fresh);
    }
}

char *
session_breakpoint_format_hits (const SessionBreakpoint *breakpoint)
{
    GString *text = g_string_new (NULL);

    for (guint i = breakpoint->hit_groups->len; i > 0; i--) {
        const SessionHits *group = breakpoint->hit_groups->pdata[i - 1];
        g_autofree char *ranks = job_rank_set_format_brief (group->ranks);

        g_string_append_printf (text, "%s%s: %" G_GUINT64_FORMAT, text->len > 0 ? ", " : "",
                                ranks, group->hits);
    }
    return g_string_free (text, FALSE);
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
    count_hits (breakpoint, event->ranks);
    if (breakpoint->temporary) {
        session_breakpoints_drop (session, breakpoint->number, event->ranks);
    } else {
        session_model_note_breakpoint (session, breakpoint->number, event->stop);
    }
}

/* In the place of what was counted for these ranks before. */
void
session_breakpoints_apply_hits (Session *session, guint32 number, const JobRankSet *ranks,
                                guint64 hits)
{
    SessionBreakpoint *breakpoint = find_breakpoint (session, number);
    g_autoptr (JobRankSet) fresh = job_rank_set_dup (ranks);

    if (breakpoint == NULL || job_rank_set_is_empty (ranks) || hits == 0) {
        return;
    }
    for (guint i = breakpoint->hit_groups->len; i > 0; i--) {
        SessionHits *group = breakpoint->hit_groups->pdata[i - 1];
        g_autoptr (JobRankSet) here = job_rank_set_intersect (group->ranks, ranks);

        breakpoint->hits -= group->hits * job_rank_set_get_count (here);
        take_away (&group->ranks, ranks);
        if (job_rank_set_is_empty (group->ranks)) {
            g_ptr_array_remove_index (breakpoint->hit_groups, i - 1);
        }
    }
    add_hits (breakpoint, hits, fresh);
    breakpoint->hits += hits * job_rank_set_get_count (ranks);
    session_model_note_breakpoint (session, number, 0);
}

void
session_breakpoints_reset (Session *session)
{
    BASE_EACH (session->breakpoints->all, SessionBreakpoint, breakpoint) {
        breakpoint->hits = 0;
        g_ptr_array_set_size (breakpoint->hit_groups, 0);
        job_rank_set_clear (breakpoint->set_ranks);
        g_ptr_array_set_size (breakpoint->places, 0);
        session_model_note_breakpoint (session, breakpoint->number, 0);
    }
}

void
session_breakpoints_share (Session *session, guint32 parent, guint32 child)
{
    BASE_EACH (session->breakpoints->all, SessionBreakpoint, breakpoint) {
        if (g_strcmp0 (breakpoint->kind, "watch") == 0
            || !job_rank_set_contains (breakpoint->ranks, parent)) {
            continue;
        }
        job_rank_set_add (breakpoint->ranks, child);
        if (job_rank_set_contains (breakpoint->disabled, parent)) {
            job_rank_set_add (breakpoint->disabled, child);
        }
        session_model_note_breakpoint (session, breakpoint->number, 0);
    }
}
