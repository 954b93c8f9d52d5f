/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A deadlock of ranks that were continued is announced without being asked for: the looks at the
 * recorder's tables, which stop no rank, also tell who has been inside the same MPI call for a
 * while. For those the verdict is asked for; where it is certain that nothing which moves can free
 * them, they are shown as blocked until one of them gets on. Ranks that only wait for one that
 * computes, is paused or may still come stay running. */
#include "session/private.h"
#include "base/clock.h"
#include <glib/gi18n.h>
#include <string.h>

/* From the moment when the job went quiet until it is announced pass at most: a look that came too
 * early with the pause behind it (collectives.c: 1 s), STILL_US from the first look that sees it, and
 * two readings with 60 ms between them. Three looks and two readings may so take 1.9 s together
 * before it is more than 5 s; tests/session/test-hang.c plays it with every delay. */
#define STILL_US (2 * G_USEC_PER_SEC) /* in one call, before anything is asked */
#define AGAIN_US G_USEC_PER_SEC       /* between two questions, at least */
#define MAX_PAUSE_US                                                                           \
    (60 * G_USEC_PER_SEC) /* about the same ranks, which nothing has happened to */

typedef struct {
    guint64 completed, number; /* calls completed, and the one that it is in */
    gint64 since_us;           /* that it has been there; 0: it is in none */
    const JobLocation *place;  /* of a blocked rank, borrowed; NULL: not known */
} Progress;

struct _SessionHang {
    Progress *ranks; /* `size` of them */
    guint32 size;
    JobRankSet *blocked; /* shown so from here; a step's own state is its daemon's */
    JobRankSet *asked;   /* about whom it was asked last; NULL */
    gboolean is_asking,
        is_outdated; /* outdated: some rank's state is another one since it was asked */
    gint64 asked_us; /* when the question was asked that is not answered yet, or was last */
    gint64 answered_us, pause_us; /* of the last question; until the next one */
    gint64 due_us; /* when the first of those that stand has stood for STILL_US; 0: none will */
    char *text;    /* announced last */
    JobRankSet
        *announced; /* who is stuck by it, as long as nothing but time has passed; NULL */
};

static SessionHang *
get_still (Session *session)
{
    SessionHang *still = session->watch->hang;

    if (still == NULL) {
        still = session->watch->hang = g_new0 (SessionHang, 1);
        still->blocked = job_rank_set_new ();
    }
    if (still->size < session->ranks->size) {
        still->ranks = g_renew (Progress, still->ranks, session->ranks->size);
        memset (still->ranks + still->size, 0,
                (session->ranks->size - still->size) * sizeof (Progress));
        still->size = session->ranks->size;
    }
    return still;
}

/* Of those that are in the other state: whoever has stopped, ended or is lost stays so. Without an
 * event: nothing has happened in the ranks. place: where they are; NULL: not known. */
static void
change_state (Session *session, const JobRankSet *ranks, JobState from, JobState to,
              const JobLocation *place)
{
    g_autoptr (JobEvent) event = NULL;
    g_autoptr (JobRankSet) changed = job_rank_set_new ();
    SessionChange change = { .kind = SESSION_CHANGE_STATE };

    JOB_EACH_RANK_BELOW (ranks, rank, session->ranks->size) {
        if (session->ranks->states[rank] == from) {
            job_rank_set_add (changed, rank);
        }
    }
    if (!job_rank_set_is_empty (changed)) {
        event = job_event_new (JOB_EVENT_STATE, 0, changed);
        event->state = to;
        event->place = place != NULL ? job_location_dup (place) : NULL;
        change.event = event;
        session_apply_change (session, &change);
    }
}

static void
forget (SessionHang *still, const JobRankSet *ranks)
{
    JobRankSet *rest = job_rank_set_subtract (still->blocked, ranks);

    job_rank_set_free (still->blocked);
    still->blocked = rest;
    if (job_rank_set_is_empty (rest)) {
        g_clear_pointer (&still->text, g_free);
    }
}

/* ---- what the verdict says ---- */

static gboolean
is_fault (const AnalysisVerdict *verdict)
{
    return verdict->is_certain
           && (verdict->kind == ANALYSIS_VERDICT_CRASHED
               || verdict->kind == ANALYSIS_VERDICT_ENDED
               || verdict->kind == ANALYSIS_VERDICT_MISMATCH
               || verdict->kind == ANALYSIS_VERDICT_CYCLE
               || verdict->kind == ANALYSIS_VERDICT_NO_PARTNER);
}

/* One of them has got on in MPI since it was asked: the answer may be of before. */
static gboolean
has_moved (Session *session, const JobRankSet *ranks)
{
    const SessionHang *still = session->watch->hang;

    JOB_EACH_RANK_BELOW (ranks, rank, still->size) {
        if (job_rank_set_contains (still->asked, rank)
            && still->ranks[rank].since_us > still->asked_us) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Of those that were asked about and have not moved since; whoever steps has its daemon's state. */
static JobRankSet *
dup_stuck (Session *session, const AnalysisVerdict *verdict)
{
    const SessionHang *still = session->watch->hang;
    JobRankSet *stuck = job_rank_set_new ();
    JobRankIter iter = { 0 };
    guint32 rank;

    for (; verdict != NULL; verdict = verdict->next) {
        while (is_fault (verdict) && job_rank_set_next (verdict->stuck, &iter, &rank)
               && rank < still->size) {
            if ((session->ranks->states[rank] == JOB_STATE_RUNNING
                 || job_rank_set_contains (still->blocked, rank))
                && still->ranks[rank].since_us != 0
                && job_rank_set_contains (still->asked, rank)) {
                job_rank_set_add (stuck, rank);
            }
        }
        iter = (JobRankIter){ 0 };
    }
    return stuck;
}

/* As `show state` names a place inside MPI: the call, and the line of its caller. NULL: not known. */
static JobLocation *
dup_call_place (const JobMessageQueue *queue)
{
    const JobMessageCall *call = job_message_queue_find_call (queue);
    JobLocation *place;

    if (call == NULL || call->place == NULL || call->place->file == NULL) {
        return NULL;
    }
    place = job_location_dup (call->place);
    g_free (place->function);
    place->function = g_strdup (call->name);
    return place;
}

/* Ranks at one place change together. */
static void
show_blocked (Session *session, const JobRankSet *ranks)
{
    const SessionHang *still = session->watch->hang;
    g_autoptr (JobRankSet) rest = job_rank_set_dup (ranks);

    while (!job_rank_set_is_empty (rest)) {
        guint32 first = job_rank_set_get_lowest (rest), rank;
        const JobLocation *place = first < still->size ? still->ranks[first].place : NULL;
        g_autoptr (JobRankSet) here = job_rank_set_new ();
        JobRankSet *others;
        JobRankIter iter = { 0 };

        while (job_rank_set_next (rest, &iter, &rank)) {
            if ((rank < still->size ? still->ranks[rank].place : NULL) == place) {
                job_rank_set_add (here, rank);
            }
        }
        change_state (session, here, JOB_STATE_RUNNING, JOB_STATE_BLOCKED, place);
        others = job_rank_set_subtract (rest, here);
        job_rank_set_free (rest);
        rest = others;
    }
}

/* Where they wait is known from the same answers. */
static void
block (Session *session, const JobRankSet *ranks, const JobMessageTable *table)
{
    SessionHang *still = session->watch->hang;

    for (guint i = 0; table != NULL && i < table->queues->len; i++) {
        const JobMessageQueue *queue = table->queues->pdata[i];

        if (queue->rank < still->size && job_rank_set_contains (ranks, queue->rank)) {
            g_autoptr (JobLocation) place = dup_call_place (queue);

            still->ranks[queue->rank].place = session_ranks_intern_place (session, place);
        }
    }
    show_blocked (session, ranks);
}

static void
on_verdict (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
            const JobMessageTable *table, gpointer user)
{
    SessionHang *still = user;
    g_autoptr (JobRankSet) stuck = dup_stuck (session, verdict);
    g_autoptr (JobRankSet) fresh = job_rank_set_subtract (stuck, still->blocked);
    g_autoptr (JobRankSet) freed = job_rank_set_subtract (still->blocked, stuck);
    g_autofree char *text = analysis_verdict_dup_text (verdict, BASE_TEXT_ENGLISH, "; ");

    still->is_asking = FALSE;
    still->answered_us = base_clock_get_us ();
    if (has_moved (session, verdict->stuck)) {
        still->is_outdated = TRUE;
        return;
    }
    still->pause_us = MIN (MAX (2 * still->pause_us, AGAIN_US), MAX_PAUSE_US);
    forget (still, freed);
    change_state (session, freed, JOB_STATE_BLOCKED, JOB_STATE_RUNNING, NULL);
    job_rank_set_merge (still->blocked, stuck);
    block (session, fresh, table);
    if (!job_rank_set_is_empty (stuck) && g_strcmp0 (text, still->text) != 0) {
        g_free (still->text);
        still->text = g_steal_pointer (&text);
        g_clear_pointer (&still->announced, job_rank_set_free);
        still->announced = job_rank_set_dup (stuck);
        session_messages_say_verdict (session, verdict);
    }
}

/* Nothing has happened to the ranks, and one of those that nothing could free has got on. */
static void
withdraw (Session *session, const JobRankSet *awake)
{
    SessionHang *still = session->watch->hang;
    g_autoptr (JobRankSet) moved = still->announced != NULL
                                       ? job_rank_set_intersect (still->announced, awake)
                                       : job_rank_set_new ();
    g_autofree char *who = job_rank_set_format (moved);

    if (!job_rank_set_is_empty (moved)) {
        g_clear_pointer (&still->announced, job_rank_set_free);
        /* Translators: ranks that were said to be in a deadlock. */
        session_say (session, 1,
                     N_ ("%s moved on after all: what was said of a deadlock was wrong"), who);
    }
}

/* ---- what a look shows ---- */

/* The call that it waits in; NULL: it is in none, polls, or was not to be read at this moment. */
static const JobMessageCall *
find_waiting (const Session *session, const JobMessageQueue *queue)
{
    const JobMessageCall *call = NULL;

    if (queue->source != JOB_MESSAGE_SOURCE_RECORDER
        || (queue->flags & JOB_MESSAGE_QUEUE_CHANGING)
        || !job_state_get_info ((JobState) session->ranks->states[queue->rank])->is_moving) {
        return NULL;
    }
    for (guint i = 0; i < queue->calls->len; i++) {
        call = queue->calls->pdata[i];
        if (call->kind == JOB_MESSAGE_POLL || call->kind == JOB_MESSAGE_LOCAL) {
            return NULL;
        }
    }
    return call;
}

/* Those who have joined are asked about at once; the others when something has happened that may
 * have decided about them, else less and less often. */
static gboolean
is_worth_asking (const SessionHang *still, const JobRankSet *ranks, gboolean is_same,
                 gint64 now_us)
{
    g_autoptr (JobRankSet) fresh = job_rank_set_subtract (ranks, still->blocked);
    gint64 since_us = now_us - still->answered_us;

    if (still->is_asking || job_rank_set_is_empty (ranks)) {
        return FALSE;
    }
    return (still->is_outdated && since_us >= AGAIN_US)
           || (!job_rank_set_is_empty (fresh) && (!is_same || since_us >= still->pause_us));
}

static void
ask (Session *session, JobRankSet *ranks, gint64 now_us)
{
    SessionHang *still = session->watch->hang;
    gboolean is_same = still->asked != NULL && job_rank_set_equal (still->asked, ranks);

    if (!is_worth_asking (still, ranks, is_same, now_us)) {
        return;
    }
    if (!is_same) {
        job_rank_set_free (still->asked);
        still->asked = job_rank_set_dup (ranks);
        still->pause_us = 0;
    }
    still->is_asking = TRUE;
    still->is_outdated = FALSE;
    still->asked_us = now_us;
    session_why (session, ranks, SESSION_LOOK_QUIET, on_verdict, still);
}

void
session_hang_update (Session *session, const JobMessageTable *table)
{
    SessionHang *still = get_still (session);
    g_autoptr (JobRankSet) stand = job_rank_set_new (), awake = job_rank_set_new ();
    gint64 now_us = base_clock_get_us ();

    still->due_us = 0;
    BASE_EACH (table->queues, const JobMessageQueue, queue) {
        const JobMessageCall *call = queue->rank < still->size ? find_waiting (session, queue)
                                                               : NULL;
        Progress *before = queue->rank < still->size ? &still->ranks[queue->rank] : NULL;

        if (before == NULL) {
            continue;
        }
        if (call != NULL && before->since_us != 0 && before->completed == queue->completed
            && before->number == call->number) {
            if (now_us - before->since_us >= STILL_US) {
                job_rank_set_add (stand, queue->rank);
            } else if (still->due_us == 0 || before->since_us + STILL_US < still->due_us) {
                still->due_us = before->since_us + STILL_US;
            }
            continue;
        }
        *before = (Progress){ queue->completed, call != NULL ? call->number : 0,
                              call != NULL ? now_us : 0, NULL };
        if (job_rank_set_contains (still->blocked, queue->rank)
            || (still->announced != NULL
                && job_rank_set_contains (still->announced, queue->rank))) {
            job_rank_set_add (awake, queue->rank);
        }
    }
    withdraw (session, awake);
    forget (still, awake);
    change_state (session, awake, JOB_STATE_BLOCKED, JOB_STATE_RUNNING, NULL);
    ask (session, stand, now_us);
}

/* ---- from the session's other files ---- */

guint
session_hang_get_rest_ms (const Session *session)
{
    const SessionHang *still = session->watch->hang;
    gint64 rest_us = still != NULL && still->due_us != 0 ? still->due_us - base_clock_get_us ()
                                                         : G_MAXINT;

    return (guint) (MAX (rest_us, 0) / 1000 + 1);
}

void
session_hang_note_state (Session *session, const JobEvent *event)
{
    SessionHang *still = session->watch->hang;
    JobRankIter iter = { 0 };
    guint32 rank;

    if (still == NULL) {
        return;
    }
    if ((event->flags & JOB_EVENT_FRESH) && event->state == JOB_STATE_RUNNING) {
        g_autoptr (JobRankSet) kept = job_rank_set_intersect (still->blocked, event->ranks);

        /* Update: a daemon knows of steps alone */
        show_blocked (session, kept);
        return;
    }
    if (event->flags & JOB_EVENT_FRESH) {
        return;
    }
    still->is_outdated = TRUE; /* what they wait for may be another rank now */
    g_clear_pointer (&still->announced, job_rank_set_free);
    forget (still, event->ranks);
    while (job_rank_set_next (event->ranks, &iter, &rank) && rank < still->size) {
        still->ranks[rank].since_us = 0;
    }
}

void
session_hang_clear (Session *session)
{
    SessionHang *still = g_steal_pointer (&session->watch->hang);

    if (still != NULL) {
        session_why_cancel (session, still);
        job_rank_set_free (still->blocked);
        job_rank_set_free (still->asked);
        job_rank_set_free (still->announced);
        g_free (still->text);
        g_free (still->ranks);
        g_free (still);
    }
}
