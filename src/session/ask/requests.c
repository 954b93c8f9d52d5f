/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Open requests: ids, answers, deadlines, and ranks that can never answer. */
#include "session/private.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/patience.h"
#include <glib/gi18n.h>

#define QUERY_MS 30000
#define MOTION_MS 10000

static void
free_request (gpointer data)
{
    SessionRequest *request = data;

    g_clear_handle_id (&request->deadline_source, g_source_remove);
    if (request->query != NULL) {
        session_query_lose_session (request->query);
    }
    job_rank_set_free (request->asked);
    job_rank_set_free (request->answered);
    job_rank_set_free (request->failed);
    job_rank_set_free (request->hopeless);
    job_rank_set_free (request->old);
    g_ptr_array_unref (request->local_events);
    g_free (request);
}

void
session_requests_init (Session *session)
{
    session->ask->requests = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL,
                                                    free_request);
    session->ask->query_ms = QUERY_MS;
    session->ask->motion_ms = MOTION_MS;
}

void
session_requests_clear (Session *session)
{
    g_clear_handle_id (&session->ask->idle_source, g_source_remove);
    g_hash_table_unref (session->ask->requests);
    g_clear_pointer (&session->ask->foreseen, g_ptr_array_unref);
}

void
session_set_deadlines (Session *session, guint query_ms, guint motion_ms)
{
    session->ask->query_ms = query_ms;
    session->ask->motion_ms = motion_ms;
}

static void
finish_request (Session *session, SessionRequest *request)
{
    g_autoptr (JobRankSet) missing = job_rank_set_subtract (request->asked, request->answered);
    gboolean ok = job_rank_set_is_empty (missing) && job_rank_set_is_empty (request->failed);
    guint64 id = request->id;
    SessionQuery *query = g_steal_pointer (&request->query);

    if (job_verb_is_motion (request->verb)) {
        const SessionChange change
            = { .kind = SESSION_CHANGE_GIVE_UP, .ranks = missing, .number = id };

        session_apply_change (session, &change);
    }
    if (query != NULL) {
        session_query_finish (query, request, missing, ok);
    }
    g_hash_table_remove (session->ask->requests, &id);
    if (query != NULL) { /* before the signal, whose handlers may free it */
        session_query_call (query);
    }
    g_signal_emit (session, session_signals[SESSION_FINISHED], 0, id, ok, missing);
    if (g_hash_table_size (session->ask->requests) == 0) {
        g_signal_emit (session, session_signals[SESSION_BUSY], 0, FALSE);
    }
}

static GArray *
list_settled (Session *session)
{
    GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));
    gpointer value;

    BASE_WALK (session->ask->requests, NULL, &value) {
        SessionRequest *request = value;

        if (request->settled || request->local_events->len > 0) {
            g_array_append_val (ids, request->id);
        }
    }
    return ids;
}

/* Delivers local answers and finishes complete requests from idle. */
static gboolean
settle_requests (gpointer data)
{
    g_autoptr (Session) session = g_object_ref (SESSION_SESSION (data));
    g_autoptr (GArray) ids = list_settled (session);

    session->ask->idle_source = 0;
    for (guint i = 0; i < ids->len; i++) {
        guint64 id = g_array_index (ids, guint64, i);
        SessionRequest *request = g_hash_table_lookup (session->ask->requests, &id);
        g_autoptr (GPtrArray) events = NULL;

        if (request == NULL) {
            continue;
        }
        events = request->local_events;
        request->local_events
            = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
        for (guint j = 0; j < events->len; j++) {
            session_apply (session, g_ptr_array_index (events, j));
        }
        request = g_hash_table_lookup (session->ask->requests, &id);
        if (request != NULL && request->settled) {
            finish_request (session, request);
        }
    }
    return G_SOURCE_REMOVE;
}

static void
begin_settle (Session *session)
{
    if (session->ask->idle_source == 0) {
        session->ask->idle_source = g_idle_add_full (G_PRIORITY_DEFAULT, settle_requests,
                                                     session, NULL);
    }
}

static void
check_request (Session *session, SessionRequest *request)
{
    g_autoptr (JobRankSet) done = NULL;

    /* A cheap check first: too few answers. */
    if (job_rank_set_get_count (request->answered) + job_rank_set_get_count (request->hopeless)
        < job_rank_set_get_count (request->asked)) {
        return;
    }
    done = job_rank_set_union (request->answered, request->hopeless);
    if (job_rank_set_is_subset (request->asked, done)) {
        request->settled = TRUE;
        begin_settle (session);
    }
}

typedef struct {
    Session *session;
    guint64 id;
} Deadline;

/* Code that it runs in a rank would delay the next request. */
static void
interrupt (Session *session, const SessionRequest *request)
{
    g_autoptr (JobRankSet) rest = job_rank_set_subtract (request->asked, request->answered);
    g_autoptr (JobRequest) cancel = job_request_new (JOB_VERB_CANCEL, rest);

    cancel->cancels = request->id;
    if (!job_rank_set_is_empty (rest) && !job_verb_is_motion (request->verb)) {
        cancel->id = ++session->ask->last_id;
        session_life_send (session, cancel);
    }
}

static gboolean
on_deadline (gpointer data)
{
    Deadline *deadline = data;
    g_autoptr (Session) session = g_object_ref (deadline->session);
    SessionRequest *request = g_hash_table_lookup (session->ask->requests, &deadline->id);

    if (request != NULL) {
        request->deadline_source = 0;
        interrupt (session, request);
        finish_request (session, request);
    }
    return G_SOURCE_REMOVE;
}

static void
begin_deadline (Session *session, SessionRequest *request)
{
    Deadline *deadline = g_new0 (Deadline, 1);
    guint ms = job_verb_is_motion (request->verb) ? session->ask->motion_ms
                                                  : session->ask->query_ms;

    ms += MIN (request->lasts_ms, G_MAXUINT - ms);

    deadline->session = session;
    deadline->id = request->id;
    request->deadline_source = base_patience_add (ms, on_deadline, deadline, g_free);
}

/* An ended rank needs no daemon to say so; those in `except` have one that can say more. */
static void
answer_ended (Session *session, SessionRequest *request, JobState state,
              const JobRankSet *except)
{
    g_autoptr (JobRankSet) ended = session_dup_ranks_in_state (session, state);
    g_autoptr (JobRankSet) asked = job_rank_set_intersect (ended, request->asked);
    g_autoptr (JobRankSet) ranks = job_rank_set_subtract (asked, except);
    g_autoptr (GError) error = NULL;
    JobEvent *event;

    if (job_rank_set_is_empty (ranks)) {
        return;
    }
    if (request->verb == JOB_VERB_STATE || request->verb == JOB_VERB_DELETE
        || request->verb == JOB_VERB_KILL || request->verb == JOB_VERB_DETACH) {
        event = job_event_new (JOB_EVENT_ACCEPTED, request->id, ranks);
        event->final = TRUE;
    } else {
        if (state == JOB_STATE_EXITED) {
            base_error_set (&error, BASE_ERROR_GONE, "the process has exited");
        } else {
            base_error_set (&error, BASE_ERROR_GONE, "the process has ended");
        }
        event = job_event_new_failure (request->id, ranks, error);
        event->final = TRUE;
    }
    g_ptr_array_add (request->local_events, event);
}

/* Adds ended ranks in the state whose host's daemon is still there. */
static JobRankSet *
add_ended (Session *session, JobState state, JobRankSet *ranks)
{
    g_autoptr (JobRankSet) before = ranks;
    g_autoptr (JobRankSet) ended = session_dup_ranks_in_state (session, state);
    g_autoptr (JobRankSet) there = session->silences->cut_off == NULL
                                       ? job_rank_set_dup (ended)
                                       : job_rank_set_subtract (ended,
                                                                session->silences->cut_off);

    return job_rank_set_union (before, there);
}

/* The ranks for which a daemon can answer; others are answered here or are missing. */
static JobRankSet *
dup_reachable (Session *session, SessionRequest *request, guint32 flags)
{
    JobRankSet *alive = session_ranks_dup_alive (session);
    g_autoptr (JobRankSet) reachable = (flags & JOB_REQUEST_ENDED) == 0
                                           ? alive
                                           : add_ended (session, JOB_STATE_FAILED,
                                                        add_ended (session, JOB_STATE_EXITED,
                                                                   alive));

    answer_ended (session, request, JOB_STATE_EXITED, reachable);
    answer_ended (session, request, JOB_STATE_FAILED, reachable);
    return job_rank_set_intersect (request->asked, reachable);
}

/* Before its deadline begins to count. */
static guint
get_duration_ms (const JobRequest *request)
{
    gboolean is_sampling = request->verb == JOB_VERB_PROFILE && request->rate != 0;

    if (!is_sampling) {
        return 0;
    }
    return request->ms == 0 ? G_MAXINT : (guint) MIN (request->ms, G_MAXINT);
}

static SessionRequest *
add_request (Session *session, const JobRequest *request)
{
    SessionRequest *open = g_new0 (SessionRequest, 1);

    open->id = request->id;
    open->verb = request->verb;
    open->number = request->number;
    open->lasts_ms = get_duration_ms (request);
    open->begin_us = base_clock_get_us ();
    open->asked = job_rank_set_dup (request->ranks);
    open->answered = job_rank_set_new ();
    open->failed = job_rank_set_new ();
    open->hopeless = job_rank_set_new ();
    open->local_events = g_ptr_array_new_with_free_func ((GDestroyNotify) job_event_free);
    g_hash_table_insert (session->ask->requests, &open->id, open);
    if (g_hash_table_size (session->ask->requests) == 1) {
        g_signal_emit (session, session_signals[SESSION_BUSY], 0, TRUE);
    }
    return open;
}

/* Waits only for ranks that can still answer. */
static void
begin_wait (Session *session, SessionRequest *open, const JobRankSet *reachable)
{
    job_rank_set_free (open->hopeless);
    open->hopeless = job_rank_set_subtract (open->asked, reachable);
    BASE_EACH (open->local_events, const JobEvent, event) {
        JobRankSet *rest = job_rank_set_subtract (open->hopeless, event->ranks);

        job_rank_set_free (open->hopeless);
        open->hopeless = rest;
    }
    if (!job_rank_set_is_empty (reachable)) {
        begin_deadline (session, open);
    }
    check_request (session, open);
    if (open->local_events->len > 0) {
        begin_settle (session);
    }
}

guint64
session_get_start_request (Session *session)
{
    if (session->life->start_request == 0) {
        session->life->start_request = session_reserve_request (session);
    }
    return session->life->start_request;
}

guint64
session_reserve_request (Session *session)
{
    return ++session->ask->last_id;
}

guint64
session_get_next_request (const Session *session)
{
    return session->ask->last_id + 1;
}

/* Requests that the session handles itself. */
static void
answer_own (SessionRequest *open, const JobRequest *request, const JobRankSet *ranks)
{
    JobEvent *event = job_event_new (request->verb == JOB_VERB_CATCH ? JOB_EVENT_BREAKPOINT
                                                                     : JOB_EVENT_ACCEPTED,
                                     open->id, ranks);

    event->number = (gint32) request->number;
    event->final = TRUE;
    g_ptr_array_add (open->local_events, event);
}

/* What the front end believes as soon as it sends it. */
static void
apply_request (Session *session, const JobRequest *request)
{
    const SessionChange change = { .kind = SESSION_CHANGE_REQUEST, .request = request };

    session_apply_change (session, &change);
}

static void
begin_motion (Session *session, const JobRankSet *ranks, guint64 id)
{
    const SessionChange change = { .kind = SESSION_CHANGE_BEGIN, .ranks = ranks, .number = id };

    session_apply_change (session, &change);
}

/* Daemons take the requests to a rank in their order: who was asked before will answer of what was before. */
static void
make_old (Session *session, const JobRankSet *ranks)
{
    gpointer value;

    BASE_WALK (session->ask->requests, NULL, &value) {
        SessionRequest *open = value;

        if (open->query != NULL && open->old == NULL) {
            open->old = job_rank_set_intersect (open->asked, ranks);
        } else if (open->query != NULL) {
            g_autoptr (JobRankSet) more = job_rank_set_intersect (open->asked, ranks);

            job_rank_set_merge (open->old, more);
        }
    }
}

guint64
session_requests_submit (Session *session, JobRequest *request, SessionQuery *query)
{
    g_autoptr (JobRequest) owned = request;
    g_autoptr (JobRankSet) reachable = NULL;
    SessionRequest *open;
    guint64 id = ++session->ask->last_id;
    gboolean is_own = session_diverged_is_own (session, owned);

    owned->id = id;
    if (owned->verb == JOB_VERB_START) {
        session->life->start_request = id;
        session_life_send (session, owned);
        return id;
    }
    apply_request (session, owned);
    if (job_verb_is_motion (owned->verb) || job_verb_is_write (owned->verb)) {
        make_old (session, owned->ranks);
    }
    open = add_request (session, owned);
    open->query = query;
    reachable = dup_reachable (session, open, owned->flags);
    if (job_verb_is_motion (owned->verb)) {
        session_diverged_cancel (session, reachable);
        session_progress_begin (session, owned->verb, reachable, id);
        begin_motion (session, reachable, id);
    } else if (is_own) {
        answer_own (open, owned, reachable);
        job_rank_set_clear (reachable);
    }
    begin_wait (session, open, reachable);
    if (!job_rank_set_is_empty (reachable)) {
        job_rank_set_free (owned->ranks);
        owned->ranks = job_rank_set_dup (reachable);
        session_life_send (session, owned);
    }
    return id;
}

guint64
session_submit (Session *session, JobRequest *request)
{
    return session_requests_submit (session, request, NULL);
}

void
session_foresee (Session *session, JobRequest *request)
{
    if (session->ask->foreseen == NULL) {
        session->ask->foreseen
            = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    }
    g_ptr_array_add (session->ask->foreseen, request);
}

void
session_requests_forget_query (Session *session, guint64 id)
{
    SessionRequest *request = g_hash_table_lookup (session->ask->requests, &id);

    if (request != NULL) {
        request->query = NULL;
    }
}

gboolean
session_has_query (const Session *session, guint64 request)
{
    const SessionRequest *open = request != 0
                                     ? g_hash_table_lookup (session->ask->requests, &request)
                                     : NULL;

    return open != NULL && open->query != NULL;
}

static void
apply_motion (Session *session, SessionRequest *request, const JobEvent *event)
{
    gboolean is_moving = event->kind == JOB_EVENT_STATE
                         && job_state_get_info (event->state)->is_moving;
    gboolean is_over = event->kind == JOB_EVENT_FAILURE || request->verb == JOB_VERB_DETACH
                       || (request->verb == JOB_VERB_JUMP && !is_moving);

    if (is_over) {
        session_diverged_cancel (session, event->ranks);
        session_ranks_clear_motion (session, event->ranks, request->id);
    } else {
        session_ranks_accept_motion (session, event->ranks, request->id);
    }
    if (event->kind == JOB_EVENT_ACCEPTED && request->verb == JOB_VERB_PAUSE) {
        g_autoptr (JobRankSet) stopped = session_dup_ranks_in_state (session,
                                                                     JOB_STATE_STOPPED);
        g_autoptr (JobRankSet) paused = job_rank_set_intersect (stopped, event->ranks);

        session_ranks_clear_motion (session, paused, request->id);
    }
}

void
session_requests_apply (Session *session, const JobEvent *event)
{
    SessionRequest *request;

    if (event->request == 0 || (!event->final && !session_query_wants (event))) {
        return;
    }
    request = g_hash_table_lookup (session->ask->requests, &event->request);
    if (request != NULL && request->query != NULL && session_query_wants (event)) {
        session_query_collect (request->query, event);
    }
    if (request == NULL || !event->final) {
        return;
    }
    if (event->kind == JOB_EVENT_FAILURE) {
        job_rank_set_merge (request->failed, event->ranks);
        if (request->verb == JOB_VERB_INPUT) { /* nobody waits for its answer */
            g_autofree char *ranks = job_rank_set_format (event->ranks);
            g_autofree char *shown = job_event_dup_shown (event);
            g_autoptr (BaseText) text
                = base_text_new_take (g_strdup_printf ("%s (%s)", event->text, ranks),
                                      g_strdup_printf ("%s (%s)", shown, ranks));

            session_say_text (session, 2, text);
        }
        if (request->verb == JOB_VERB_BREAK || request->verb == JOB_VERB_CATCH
            || request->verb == JOB_VERB_WATCH) {
            session_breakpoints_drop (session, request->number, event->ranks);
            session_breakpoints_release_number (session, request->number);
        }
    }
    if (job_verb_is_motion (request->verb)) {
        apply_motion (session, request, event);
    }
    job_rank_set_merge (request->answered, event->ranks);
    if (request->verb == JOB_VERB_CONDITION
        && job_rank_set_equal (request->failed, request->asked)) {
        session_breakpoints_restore (session, request->number, request->id);
    }
    check_request (session, request);
}

void
session_requests_drop (Session *session, const JobRankSet *ranks)
{
    gpointer value;

    if (session->relay != NULL) {
        session->relay->note (session->relay, SESSION_TOLD_DROP, ranks, 0, 0);
    }
    BASE_WALK (session->ask->requests, NULL, &value) {
        SessionRequest *request = value;
        g_autoptr (JobRankSet) open = job_rank_set_subtract (request->asked, request->answered);
        g_autoptr (JobRankSet) dropped = job_rank_set_intersect (open, ranks);

        job_rank_set_merge (request->hopeless, dropped);
        check_request (session, request);
    }
}

void
session_requests_give_up (Session *session)
{
    g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint64));
    gpointer value;

    BASE_WALK (session->ask->requests, NULL, &value) {
        g_array_append_val (ids, ((const SessionRequest *) value)->id);
    }
    for (guint i = 0; i < ids->len; i++) {
        SessionRequest *request = g_hash_table_lookup (session->ask->requests,
                                                       &g_array_index (ids, guint64, i));

        if (request != NULL) {
            job_rank_set_free (request->old);
            request->old = job_rank_set_dup (request->asked);
            finish_request (session, request);
        }
    }
}

/* ---- what takes its time ---- */

static const SessionRequest *
find_oldest (const Session *session)
{
    const SessionRequest *oldest = NULL;
    gpointer value;

    BASE_WALK (session->ask->requests, NULL, &value) {
        const SessionRequest *request = value;

        if (!request->settled && (oldest == NULL || request->id < oldest->id)) {
            oldest = request;
        }
    }
    return oldest;
}

gboolean
session_find_pending (const Session *session, SessionPending *ret_pending)
{
    const SessionRequest *request = find_oldest (session);

    if (request != NULL) {
        *ret_pending = (SessionPending){
            .id = request->id,
            .verb = request->verb,
            .n_answered = job_rank_set_get_count (request->answered),
            .n_asked = job_rank_set_get_count (request->asked)
                       - job_rank_set_get_count (request->hopeless),
            .begin_us = request->begin_us,
        };
    }
    return request != NULL;
}

/* Ranks that have not confirmed it may set it later: deletes it there again. */
static void
take_back (Session *session, const SessionRequest *request)
{
    g_autoptr (JobRankSet) rest = job_rank_set_subtract (request->asked, request->answered);
    g_autoptr (JobRequest) back = job_request_new (JOB_VERB_DELETE, rest);

    const SessionChange change
        = { .kind = SESSION_CHANGE_DROP, .ranks = rest, .number = request->number };

    back->number = request->number;
    session_apply_change (session, &change);
    if (!job_rank_set_is_empty (rest)) {
        back->id = ++session->ask->last_id;
        session_life_send (session, back);
    }
}

static SessionRequest *
find_open (const Session *session, guint64 id)
{
    return g_hash_table_lookup (session->ask->requests, &id);
}

/* Who is told of something may end the request. */
static void
cancel_one (Session *session, guint64 id, gboolean says_so)
{
    SessionRequest *request = find_open (session, id);

    if (request != NULL
        && (request->verb == JOB_VERB_BREAK || request->verb == JOB_VERB_CATCH
            || request->verb == JOB_VERB_WATCH)) {
        take_back (session, request);
    } else if (request != NULL) {
        interrupt (session, request);
    }
    request = find_open (session, id);
    if (request != NULL && says_so) {
        /* Translators: the name of a command, which stays English; then numbers of ranks. */
        session_say (session, 0, N_ ("cancelled: %s, %u of %u ranks had answered"),
                     job_verb_get_name (request->verb),
                     job_rank_set_get_count (request->answered),
                     job_rank_set_get_count (request->asked));
    }
    request = find_open (session, id);
    if (request != NULL) {
        finish_request (session, request);
    }
}

void
session_cancel (Session *session, guint64 id)
{
    G_GNUC_UNUSED g_autoptr (Session) alive = g_object_ref (session);
    g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint64));
    gpointer value;

    BASE_WALK (session->ask->requests, NULL, &value) {
        const SessionRequest *request = value;

        if (!request->settled && (id == 0 || request->id == id)) {
            g_array_append_val (ids, request->id);
        }
    }
    for (guint i = 0; i < ids->len; i++) {
        cancel_one (session, g_array_index (ids, guint64, i), id == 0);
    }
}
