/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds out why a set does not proceed: reads the message queues of the whole job, twice if a
 * rank is moving (a rank that makes progress in between does not wait), passes them to the
 * analysis and, on request, finds the places of the culprits. */
#include "session/sources.h"
#include "session/private.h"
#include "analysis/calls.h"
#include "base/clock.h"
#include "job/library.h"

#define AGAIN_MS 60        /* between the two readings */
#define AGAIN_INSIDE_MS 15 /* if all wait in numbered calls */
#define MAX_AGAIN 5        /* readings, if ranks end meanwhile */
#define MAX_SAMPLED 64     /* culprits that are briefly stopped to find their places */
#define FRESH_US 500000    /* maximal age of a moving rank's place */
#define SOFT_MS 200        /* after a step was seen to be blocked */

struct _SessionWhy {
    GList *inquiries;
    /* unsolicited */
    gboolean soft_running;
    guint soft_source;
    char *soft_text; /* said last */
};

typedef struct {
    Session *session;
    JobRankSet *set;
    SessionLook look;
    SessionWhyDone done;
    gpointer user;
    JobMessageTable *before, *now;
    GHashTable *places; /* rank + 1 to const JobLocation: sampled */
    JobRankSet *missing;
    JobRankSet *asked; /* ranks alive when the reading began; NULL */
    guint n_again;
    SessionQuery *query; /* NULL: it pauses before the next one */
    guint source;
    GCancellable *reading; /* of sources */
    enum { READ_FIRST, READ_AGAIN, SAMPLE } stage;
} Inquiry;

static void on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user);

static void
free_inquiry (Inquiry *inquiry)
{
    inquiry->session->watch->why->inquiries
        = g_list_remove (inquiry->session->watch->why->inquiries, inquiry);
    g_clear_handle_id (&inquiry->source, g_source_remove);
    session_query_free (inquiry->query);
    g_cancellable_cancel (inquiry->reading);
    g_object_unref (inquiry->reading);
    job_rank_set_free (inquiry->set);
    job_rank_set_free (inquiry->missing);
    job_rank_set_free (inquiry->asked);
    job_message_table_free (inquiry->before);
    job_message_table_free (inquiry->now);
    g_hash_table_unref (inquiry->places);
    g_free (inquiry);
}

/* ---- the values of all ranks ---- */

/* The call that the rank waits in; NULL when it is in none, or only polls. */
static const JobMessageCall *
find_waiting (const JobMessageQueue *queue)
{
    const JobMessageCall *call = job_message_queue_find_call (queue);

    return call != NULL && call->kind != JOB_MESSAGE_POLL ? call : NULL;
}

static gboolean
has_moved (const JobMessageQueue *before, const JobMessageQueue *now)
{
    const JobMessageCall *old, *new;

    if (before == NULL) {
        return now->source > JOB_MESSAGE_SOURCE_STACK; /* it could not be read */
    }
    old = find_waiting (before);
    new = find_waiting (now);
    if (now->source != JOB_MESSAGE_SOURCE_RECORDER && (old == NULL || new == NULL)) {
        return old != new && now->calls->len == 0 && now->waits->len == 0;
    }
    if (before->completed != now->completed || (old == NULL) != (new == NULL)) {
        return TRUE;
    }
    return old != NULL && (old->number != new->number || g_strcmp0 (old->name, new->name) != 0);
}

/* A poll is so short that one of the readings misses it. */
static gboolean
shows_poll (const JobMessageQueue *before, const JobMessageQueue *now)
{
    return before != NULL && now->calls->len == 0 && before->calls->len > 0
           && find_waiting (before) == NULL && before->completed == now->completed;
}

/* The rank's current place, not the one before it moved. */
static const JobLocation *
find_place (Inquiry *inquiry, guint32 rank)
{
    const SessionRank r = session_get_rank (inquiry->session, rank);
    const JobLocation *sampled = g_hash_table_lookup (inquiry->places,
                                                      GUINT_TO_POINTER (rank + 1));

    if (sampled != NULL) {
        return sampled;
    }
    if (!job_state_get_info (r.state)->is_moving || r.state == JOB_STATE_BLOCKED
        || (r.is_place_new && base_clock_get_us () - r.place_us < FRESH_US)) {
        return r.place;
    }
    return NULL;
}

/* For ranks without MPI records, uses their places. */
static void
add_stacks (Inquiry *inquiry)
{
    Session *session = inquiry->session;

    for (guint32 rank = 0; rank < session->ranks->size; rank++) {
        const JobMessageQueue *known = job_message_table_find (inquiry->now, rank);
        JobMessageQueue *made;

        if ((known != NULL && known->source != JOB_MESSAGE_SOURCE_NONE)
            || job_state_get_info ((JobState) session->ranks->states[rank])->is_ended) {
            continue;
        }
        made = analysis_calls_make_queue (rank, find_place (inquiry, rank));
        if (made != NULL) {
            job_message_table_add (inquiry->now, made);
        }
    }
}

/* The name that the user wrote, if it is not the MPI call's. */
static void
add_methods (Inquiry *inquiry)
{
    BASE_EACH (inquiry->now->queues, const JobMessageQueue, queue) {
        BASE_EACH (queue->calls, JobMessageCall, call) {
            g_free (call->method);
            call->method = g_strdup (session_find_method (inquiry->session, call->place));
        }
    }
}

static AnalysisVerdict *
judge (Inquiry *inquiry)
{
    Session *session = inquiry->session;
    g_autofree AnalysisRank *ranks = g_new0 (AnalysisRank, session->ranks->size + 1);

    add_methods (inquiry);
    BASE_EACH (inquiry->now->queues, const JobMessageQueue, queue) {
        if (queue->rank < session->ranks->size) {
            const JobMessageQueue *before = inquiry->before != NULL
                                                ? job_message_table_find (inquiry->before,
                                                                          queue->rank)
                                                : NULL;

            ranks[queue->rank].queue = shows_poll (before, queue) ? before : queue;
            ranks[queue->rank].moved = inquiry->before != NULL && has_moved (before, queue);
            ranks[queue->rank].before = before;
        }
    }
    for (guint32 rank = 0; rank < session->ranks->size; rank++) {
        const SessionFact *r = session_ranks_get_fact (session, rank);

        ranks[rank].state = r->state;
        ranks[rank].is_core = session_is_core (session);
        ranks[rank].number = r->number;
        ranks[rank].text = r->text;
        ranks[rank].place = find_place (inquiry, rank);
    }
    return analysis_verdict_new (ranks, session->ranks->size, inquiry->set);
}

/* ---- one stage after the other ---- */

static void
ask_queues (Inquiry *inquiry)
{
    static const char *const words[]
        = { [SESSION_LOOK_QUIET] = "quiet", [SESSION_LOOK_RECORDED] = "recorded" };
    JobRequest *request;

    job_rank_set_free (inquiry->asked);
    inquiry->asked = session_ranks_dup_alive (inquiry->session);
    request = job_request_new (JOB_VERB_QUEUE, inquiry->asked);
    request->text = inquiry->look != SESSION_LOOK_OPEN ? g_strdup (words[inquiry->look]) : NULL;
    inquiry->query = session_query_new (inquiry->session, request, on_answer, inquiry);
}

static gboolean
on_again (gpointer data)
{
    Inquiry *inquiry = data;

    inquiry->source = 0;
    inquiry->stage = READ_AGAIN;
    job_message_table_free (inquiry->before);
    inquiry->before = g_steal_pointer (&inquiry->now);
    ask_queues (inquiry);
    return G_SOURCE_REMOVE;
}

static void
add_placeless (JobRankSet *asked, const AnalysisVerdict *verdict)
{
    for (; verdict != NULL; verdict = verdict->next) {
        JobRankIter iter = { 0 };
        guint32 rank;

        while (job_rank_set_get_count (asked) < MAX_SAMPLED
               && job_rank_set_next (verdict->placeless, &iter, &rank)) {
            job_rank_set_add (asked, rank);
        }
    }
}

/* TRUE when it has requested the places of culprits. */
static gboolean
sample (Inquiry *inquiry, const AnalysisVerdict *verdict)
{
    g_autoptr (JobRankSet) asked = job_rank_set_new ();

    add_placeless (asked, verdict);
    if (inquiry->look != SESSION_LOOK_OPEN || inquiry->stage == SAMPLE
        || job_rank_set_is_empty (asked)) {
        return FALSE;
    }
    inquiry->stage = SAMPLE;
    inquiry->query = session_query_new (inquiry->session,
                                        job_request_new (JOB_VERB_WHERE, asked), on_answer,
                                        inquiry);
    return TRUE;
}

static void
conclude (gpointer data)
{
    Inquiry *inquiry = data;
    g_autoptr (Session) session = g_object_ref (inquiry->session);
    g_autoptr (AnalysisVerdict) verdict = judge (inquiry);

    if (!sample (inquiry, verdict)) {
        SessionWhyDone done = inquiry->done;
        gpointer user = inquiry->user;
        g_autoptr (JobRankSet) missing = g_steal_pointer (&inquiry->missing);
        g_autoptr (JobMessageTable) table = g_steal_pointer (&inquiry->now);

        free_inquiry (inquiry);
        session_operations_learn (session, table);
        done (session, verdict, missing, table, user);
    }
}

/* When the sources of the lines that call are there. */
static void
begin_to_conclude (Inquiry *inquiry)
{
    add_stacks (inquiry);
    session_load_methods (inquiry->session, inquiry->now, inquiry->reading, conclude, inquiry);
}

/* The second reading begins after the first has ended. Calls that both readings contain, by
 * number, were all active in between, together with the counted messages, so the waits-for
 * relation is true for that moment, however short it was. Waiting is needed only if a rank is
 * outside of such a call, because it may be about to enter one, or if there are no numbers. */
static gboolean
is_everybody_inside (const Inquiry *inquiry)
{
    g_autoptr (JobRankSet) alive = session_ranks_dup_alive (inquiry->session);

    JOB_EACH_RANK (alive, rank) {
        const JobMessageQueue *queue = job_message_table_find (inquiry->now, rank);

        if (queue == NULL || queue->source != JOB_MESSAGE_SOURCE_RECORDER
            || (queue->flags & (JOB_MESSAGE_QUEUE_CHANGING | JOB_MESSAGE_QUEUE_OTHERS))
            || find_waiting (queue) == NULL) {
            return FALSE;
        }
    }
    return TRUE;
}

/* A rank has ended since the reading began: the reading may still show others waiting for
 * it. */
static gboolean
is_outdated (const Inquiry *inquiry)
{
    g_autoptr (JobRankSet) alive = session_ranks_dup_alive (inquiry->session);

    return !job_rank_set_equal (alive, inquiry->asked);
}

static void
on_queues (Inquiry *inquiry)
{
    const Session *session = inquiry->session;

    if (is_outdated (inquiry) && inquiry->n_again++ < MAX_AGAIN) {
        inquiry->source = g_timeout_add (AGAIN_INSIDE_MS, on_again, inquiry);
        return;
    }
    if (inquiry->stage == READ_FIRST
        && session->ranks->counts[JOB_STATE_RUNNING]
                   + session->ranks->counts[JOB_STATE_STEPPING]
                   + session->ranks->counts[JOB_STATE_BLOCKED]
               > 0) {
        inquiry->source = g_timeout_add (is_everybody_inside (inquiry) ? AGAIN_INSIDE_MS
                                                                       : AGAIN_MS,
                                         on_again, inquiry);
        return;
    }
    begin_to_conclude (inquiry);
}

/* The innermost frame that is the user's: its place applies to all ranks of the node without a
 * deeper user frame. */
static void
take_places (Inquiry *inquiry, const JobStackNode *node, const JobLocation *place, guint depth)
{
    if (node->location.file != NULL && node->location.line > 0
        && !(node->flags & (JOB_FRAME_LIBRARY | JOB_FRAME_INTERPRETER))
        && (place == NULL || !job_library_is_header (node->location.file))) {
        place = &node->location;
    }
    if (place != NULL) {
        const JobLocation *kept = session_ranks_intern_place (inquiry->session, place);

        JOB_EACH_RANK (node->ranks, rank) {
            g_hash_table_insert (inquiry->places, GUINT_TO_POINTER (rank + 1), (gpointer) kept);
        }
    }
    for (guint i = 0; depth < 1000 && node->children != NULL && i < node->children->len; i++) {
        take_places (inquiry, g_ptr_array_index (node->children, i), place, depth + 1);
    }
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    Inquiry *inquiry = user;

    if (inquiry->stage == SAMPLE) {
        g_autoptr (JobStackTree) tree = session_answer_take_tree (answer);

        take_places (inquiry, tree->root, NULL, 0);
        g_clear_pointer (&inquiry->query, session_query_free);
        begin_to_conclude (inquiry);
    } else {
        inquiry->now = session_answer_take_queues (answer);
        job_rank_set_merge (inquiry->missing, answer->missing);
        g_clear_pointer (&inquiry->query, session_query_free);
        on_queues (inquiry);
    }
}

void
session_why (Session *session, const JobRankSet *set, SessionLook look, SessionWhyDone done,
             gpointer user)
{
    Inquiry *inquiry = g_new0 (Inquiry, 1);

    inquiry->session = session;
    inquiry->reading = g_cancellable_new ();
    inquiry->set = job_rank_set_dup (set);
    inquiry->look = look;
    inquiry->done = done;
    inquiry->user = user;
    inquiry->missing = job_rank_set_new ();
    inquiry->places = g_hash_table_new (g_direct_hash, g_direct_equal);
    session->watch->why->inquiries = g_list_prepend (session->watch->why->inquiries, inquiry);
    ask_queues (inquiry);
}

void
session_why_cancel (Session *session, gpointer user)
{
    for (GList *at = session->watch->why->inquiries, *next; at != NULL; at = next) {
        next = at->next;
        if (((Inquiry *) at->data)->user == user) {
            free_inquiry (at->data);
        }
    }
}

/* ---- unsolicited: when a step is blocked ---- */

static void
on_soft_verdict (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
                 const JobMessageTable *table, gpointer user)
{
    g_autoptr (JobRankSet) blocked = session_dup_ranks_in_state (session, JOB_STATE_BLOCKED);
    g_autofree char *text = analysis_verdict_dup_text (verdict, BASE_TEXT_ENGLISH, "; ");

    session->watch->why->soft_running = FALSE;
    /* they may have arrived while it was asked */
    if (!job_rank_set_intersects (verdict->waiting, blocked)
        || verdict->kind >= ANALYSIS_VERDICT_COMPUTING
        || g_strcmp0 (session->watch->why->soft_text, text) == 0) {
        return;
    }
    g_free (session->watch->why->soft_text);
    session->watch->why->soft_text = g_steal_pointer (&text);
    session_messages_say_verdict (session, verdict);
}

static gboolean
on_soft_timeout (gpointer data)
{
    Session *session = data;
    g_autoptr (JobRankSet) blocked = session_dup_ranks_in_state (session, JOB_STATE_BLOCKED);

    session->watch->why->soft_source = 0;
    if (!session->watch->why->soft_running && !job_rank_set_is_empty (blocked)
        && !session->life->ended) {
        session->watch->why->soft_running = TRUE;
        session_why (session, blocked, SESSION_LOOK_RECORDED, on_soft_verdict, session);
    }
    return G_SOURCE_REMOVE;
}

void
session_why_ask (Session *session, guint ms)
{
    if (session->watch->why->soft_source == 0
        && session->ranks->counts[JOB_STATE_BLOCKED] > 0) {
        session->watch->why->soft_source = g_timeout_add (MAX (SOFT_MS, ms), on_soft_timeout,
                                                          session);
    }
}

void
session_why_note_state (Session *session, const JobEvent *event)
{
    guint32 lowest = job_rank_set_get_lowest (event->ranks);

    if (event->flags & JOB_EVENT_FRESH) {
        return;
    }
    if (event->state != JOB_STATE_BLOCKED) {
        g_clear_pointer (&session->watch->why->soft_text, g_free);
    } else if (lowest < session->ranks->size) {
        session_why_ask (session,
                         session_progress_get_rest_ms (session,
                                                       session->ranks->records[lowest].motion));
    }
}

void
session_why_init (Session *session)
{
    session->watch->why = g_new0 (SessionWhy, 1);
}

void
session_why_clear (Session *session)
{
    g_clear_handle_id (&session->watch->why->soft_source, g_source_remove);
    g_clear_pointer (&session->watch->why->soft_text, g_free);
    session->watch->why->soft_running = FALSE;
    while (session->watch->why->inquiries != NULL) {
        free_inquiry (session->watch->why->inquiries->data);
    }
}
