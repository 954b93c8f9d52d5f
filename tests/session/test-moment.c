/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The moment, by chance: stops, motions, writes, frames, samples, restarts and late answers in any order, against every
 * kind of question and every list. A model beside the session counts what has happened to each rank. */
#include "session/moment.h"
#include "base/error.h"
#include "session/group-list.h"
#include "session/model.h"
#include "session/query.h"
#include "session/rank-list.h"
#include "session/sources.h"
#include <stdlib.h>
#include <string.h>

#define N_RANKS 6u
#define N_CLIENTS 5u
#define LIMIT_S 60

/* A question, and what its answer is. */
static const struct {
    JobVerb verb;
    JobEventKind kind;
} kinds[] = {
    { JOB_VERB_PRINT, JOB_EVENT_VALUES },      { JOB_VERB_LOCALS, JOB_EVENT_VALUES },
    { JOB_VERB_PRINTF, JOB_EVENT_TEXT },       { JOB_VERB_WHATIS, JOB_EVENT_TEXT },
    { JOB_VERB_INFO, JOB_EVENT_TEXT },         { JOB_VERB_WHERE, JOB_EVENT_STACKS },
    { JOB_VERB_REGISTERS, JOB_EVENT_DETAILS }, { JOB_VERB_THREADS, JOB_EVENT_DETAILS },
    { JOB_VERB_QUEUE, JOB_EVENT_QUEUES },      { JOB_VERB_ARRAY, JOB_EVENT_ARRAY },
    { JOB_VERB_FRAME, JOB_EVENT_FRAME },
};

typedef struct _Rig Rig;

typedef struct {
    Rig *rig;
    SessionQuery *query; /* NULL: free */
    guint kind;
    JobRankSet *left;              /* who has not answered */
    guint64 start, asked[N_RANKS]; /* the start and the moments when it was asked */
    guint token[N_RANKS];          /* what each has answered; 0: nothing */
    gboolean is_sampled[N_RANKS], has_failed[N_RANKS], is_done;
} Client;

struct _Rig {
    Session *session;
    guint64 start, moments[N_RANKS], stops[N_RANKS];
    guint n_tokens, n_answers, n_old;
    gboolean at_breakpoint[N_RANKS];
    guint64 hits;
    Client clients[N_CLIENTS];
    guint64 dead; /* a request of a start before; 0: none */
    guint dead_kind;
    SessionGroupList *by_state, *by_place;
    SessionRankList *ranks;
};

static gboolean
by_chance (guint one_of)
{
    return g_test_rand_int_range (0, (gint32) one_of) == 0;
}

static guint32
choose (guint32 end)
{
    return (guint32) g_test_rand_int_range (0, (gint32) end);
}

/* Any but none. */
static JobRankSet *
choose_ranks (guint32 n_ranks)
{
    JobRankSet *ranks = job_rank_set_new_range (0, 0);

    for (guint32 rank = 0; rank < n_ranks; rank++) {
        if (by_chance (2)) {
            job_rank_set_add (ranks, rank);
        }
    }
    if (job_rank_set_is_empty (ranks)) {
        job_rank_set_add (ranks, choose (n_ranks));
    }
    return ranks;
}

/* ---- answers ---- */

/* Of these ranks, which all say the same. */
static JobEvent *
make_answer (guint kind, guint64 request, const JobRankSet *ranks, guint token)
{
    JobEvent *event = job_event_new (kinds[kind].kind, request, ranks);
    g_autofree char *text = g_strdup_printf ("%u", token);
    g_autoptr (JobValue) value = job_value_new ("x", "int", text);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    JobRankIter iter = { 0 };
    guint32 rank;

    event->final = TRUE;
    switch (job_event_kind_get_content (event->kind)) {
    case JOB_CONTENT_TABLE:
        event->table = job_value_table_new ();
        job_value_table_add (event->table, "x", ranks, value);
        break;
    case JOB_CONTENT_TREE:
        event->tree = job_stack_tree_new ();
        g_ptr_array_add (frames, job_frame_new ());
        job_stack_tree_add (event->tree, frames, ranks);
        break;
    case JOB_CONTENT_DETAILS:
        event->details = job_detail_list_new ();
        g_ptr_array_add (event->details, job_detail_new (JOB_DETAIL_REGISTER, 0, "rax", text));
        break;
    case JOB_CONTENT_QUEUES:
        event->queues = job_message_table_new ();
        while (job_rank_set_next (ranks, &iter, &rank)) {
            job_message_table_add (event->queues, job_message_queue_new (rank));
        }
        break;
    case JOB_CONTENT_BYTES: event->bytes = g_bytes_new (text, strlen (text)); break;
    default: break;
    }
    event->text = g_steal_pointer (&text);
    return event;
}

static JobEvent *
make_failure (guint64 request, const JobRankSet *ranks, guint token)
{
    g_autoptr (GError) error = g_error_new (BASE_ERROR, BASE_ERROR_NOT_FOUND, "%u", token);
    JobEvent *event = job_event_new_failure (request, ranks, error);

    event->final = TRUE;
    return event;
}

/* Some of those that have not answered do so, perhaps sampled, perhaps only why they cannot. */
static void
answer (Rig *rig, Client *client, const JobRankSet *ranks)
{
    gboolean has_failed = by_chance (5), is_sampled = !has_failed && by_chance (3);
    guint token = ++rig->n_tokens;
    guint64 id = session_query_get_id (client->query);
    g_autoptr (JobEvent) event = has_failed ? make_failure (id, ranks, token)
                                            : make_answer (client->kind, id, ranks, token);
    JobRankIter iter = { 0 };
    guint32 rank;

    event->flags |= is_sampled ? JOB_EVENT_SAMPLED : 0;
    while (job_rank_set_next (ranks, &iter, &rank)) {
        job_rank_set_remove (client->left, rank);
        client->token[rank] = token;
        client->has_failed[rank] = has_failed;
        client->is_sampled[rank] = is_sampled;
    }
    session_apply (rig->session, event);
}

/* ---- what comes of them ---- */

/* What the event says of the rank; 0: it does not say it of it. */
static guint
read_token (const JobEvent *event, guint32 rank)
{
    const JobValueTable *table = job_event_get_table (event);

    for (guint i = 0; table != NULL && i < ((JobValueRow *) table->rows->pdata[0])->groups->len;
         i++) {
        const JobValueGroup *group = ((JobValueRow *) table->rows->pdata[0])->groups->pdata[i];

        if (job_rank_set_contains (group->ranks, rank)) {
            return (guint) strtoul (group->value->text, NULL, 10);
        }
    }
    return table == NULL && job_rank_set_contains (event->ranks, rank)
               ? (guint) strtoul (event->text, NULL, 10)
               : 0;
}

/* In one event of the lists alone, which says what the rank has said. */
static void
check_rank (const Client *client, const GPtrArray *events, const JobRankSet *old, guint32 rank)
{
    guint n_found = 0;

    for (guint i = 0; i < events->len; i++) {
        const JobEvent *event = g_ptr_array_index (events, i);

        g_assert_true (((event->flags & JOB_EVENT_STALE) != 0)
                       == job_rank_set_intersects (event->ranks, old));
        if (job_rank_set_contains (event->ranks, rank)) {
            n_found++;
            g_assert_cmpuint (read_token (event, rank), ==, client->token[rank]);
        }
    }
    g_assert_cmpuint (n_found, ==, 1);
}

static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    Client *client = user;
    Rig *rig = client->rig;

    g_assert_false (client->is_done);
    client->is_done = TRUE;
    rig->n_answers++;
    g_assert_true (job_rank_set_equal (answer->missing, client->left));
    for (guint32 rank = 0; rank < N_RANKS; rank++) {
        gboolean has_answered = client->token[rank] != 0;
        gboolean is_old = client->start != rig->start
                          || client->asked[rank] != rig->moments[rank];

        g_assert_true (job_rank_set_contains (answer->answered, rank) == has_answered);
        g_assert_true (job_rank_set_contains (answer->old, rank) == (has_answered && is_old));
        g_assert_true (job_rank_set_contains (answer->sampled, rank)
                       == (has_answered && client->is_sampled[rank]));
        g_assert_true (job_rank_set_contains (answer->failed, rank)
                       == (has_answered && client->has_failed[rank]));
        rig->n_old += has_answered && is_old;
        if (has_answered) {
            check_rank (client, client->has_failed[rank] ? answer->failures : answer->groups,
                        answer->old, rank);
        }
    }
}

static void
leave (Client *client)
{
    g_clear_pointer (&client->query, session_query_free);
    g_clear_pointer (&client->left, job_rank_set_free);
}

/* ---- what happens ---- */

static void
ask (Rig *rig, Client *client)
{
    g_autoptr (JobRankSet) ranks = choose_ranks (N_RANKS);
    JobRequest *request;

    *client
        = (Client){ .rig = rig, .kind = choose (G_N_ELEMENTS (kinds)), .start = rig->start };
    memcpy (client->asked, rig->moments, sizeof rig->moments);
    client->left = job_rank_set_dup (ranks);
    request = job_request_new (kinds[client->kind].verb, ranks);
    request->text = g_strdup ("x");
    client->query = session_query_new (rig->session, request, on_answer, client);
}

/* A rank has stopped, at the breakpoint or elsewhere. is_late: what it says is from before its last stop. */
static void
stop (Rig *rig, guint32 rank, gboolean is_late)
{
    g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, one);
    gboolean hits = !is_late && by_chance (2);

    if (is_late && rig->stops[rank] < 2) {
        return;
    }
    event->state = is_late ? JOB_STATE_EXCEPTION
                   : hits  ? JOB_STATE_BREAKPOINT
                           : JOB_STATE_STOPPED;
    event->number = hits ? 1 : 0;
    event->place = job_location_new ("work", "/src/a.c", 1 + choose (3));
    event->stop = is_late ? rig->stops[rank] - 1 : ++rig->stops[rank];
    if (!is_late) {
        rig->at_breakpoint[rank] = hits;
        rig->hits += hits;
    }
    session_apply (rig->session, event);
    g_assert_cmpuint (session_get_rank (rig->session, rank).stop, ==, rig->stops[rank]);
    g_assert_cmpint (session_get_rank (rig->session, rank).state, !=, JOB_STATE_EXCEPTION);
}

static void
move_or_write (Rig *rig, guint32 rank)
{
    static const JobVerb verbs[] = { JOB_VERB_CONTINUE, JOB_VERB_NEXT, JOB_VERB_SET,
                                     JOB_VERB_CALL, JOB_VERB_EXEC };
    g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
    guint verb = choose (G_N_ELEMENTS (verbs));

    rig->moments[rank]++;
    session_submit (rig->session, job_request_new (verbs[verb], one));
}

static void
set_breakpoint (Rig *rig)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, N_RANKS);
    JobRequest *request = job_request_new (JOB_VERB_BREAK, all);

    request->number = 1;
    session_submit (rig->session, request);
}

/* Whoever waits has an answer with what had come, all of it old. */
static void
restart (Rig *rig)
{
    for (guint i = 0; i < N_CLIENTS; i++) {
        if (rig->clients[i].query != NULL && !rig->clients[i].is_done) {
            rig->dead = session_query_get_id (rig->clients[i].query);
            rig->dead_kind = rig->clients[i].kind;
        }
    }
    rig->start++;
    memset (rig->moments, 0, sizeof rig->moments);
    memset (rig->stops, 0, sizeof rig->stops);
    memset (rig->at_breakpoint, 0, sizeof rig->at_breakpoint);
    rig->hits = 0;
    session_script_restart (rig->session);
    g_assert_cmpuint (session_get_start (rig->session), ==, rig->start);
    set_breakpoint (rig);
}

/* Of a start before: nobody gets it, and nothing changes. */
static void
answer_dead (Rig *rig)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, N_RANKS);
    guint64 sign = session_sign_moment (rig->session, all);
    guint n_answers = rig->n_answers;

    if (rig->dead != 0) {
        g_autoptr (JobEvent) event = make_answer (rig->dead_kind, rig->dead, all,
                                                  ++rig->n_tokens);

        session_apply (rig->session, event);
        g_assert_cmpuint (session_sign_moment (rig->session, all), ==, sign);
        g_assert_cmpuint (rig->n_answers, ==, n_answers);
    }
}

static void
go_on (Rig *rig, Client *client)
{
    if (client->query == NULL || client->is_done) {
        leave (client);
        ask (rig, client);
    } else {
        g_autoptr (JobRankSet) some = choose_ranks (N_RANKS);
        g_autoptr (JobRankSet) now = job_rank_set_intersect (some, client->left);

        if (!job_rank_set_is_empty (now)) {
            answer (rig, client, now);
        }
    }
}

static void
do_something (Rig *rig)
{
    guint32 rank = choose (N_RANKS);

    switch (choose (8)) {
    case 0: stop (rig, rank, FALSE); break;
    case 1: stop (rig, rank, TRUE); break;
    case 2: move_or_write (rig, rank); break;
    case 3: answer_dead (rig); break;
    case 4:
        if (by_chance (8)) {
            restart (rig);
        }
        break;
    default: go_on (rig, &rig->clients[choose (N_CLIENTS)]); break;
    }
    while (g_main_context_iteration (NULL, FALSE)) {
    }
}

/* ---- lists ---- */

/* Each rank is in one group, whose state it has. */
static gboolean
is_group_list_right (const Rig *rig, GListModel *list)
{
    g_autoptr (JobRankSet) seen = job_rank_set_new ();

    for (guint i = 0; i < g_list_model_get_n_items (list); i++) {
        g_autoptr (SessionGroup) group = g_list_model_get_item (list, i);
        const JobEvent *event = session_group_get_event (group);
        JobRankIter iter = { 0 };
        guint32 rank;

        if (job_rank_set_intersects (seen, event->ranks)) {
            return FALSE;
        }
        job_rank_set_merge (seen, event->ranks);
        while (job_rank_set_next (event->ranks, &iter, &rank)) {
            const SessionRank now = session_get_rank (rig->session, rank);

            if (now.state != event->state
                || (event->place != NULL && !job_location_equal (event->place, now.place))) {
                return FALSE;
            }
        }
    }
    return job_rank_set_get_count (seen) == N_RANKS;
}

static gboolean
is_rank_list_right (const Rig *rig)
{
    GListModel *list = G_LIST_MODEL (rig->ranks);

    for (guint i = 0; i < N_RANKS && g_list_model_get_n_items (list) == N_RANKS; i++) {
        g_autoptr (SessionRankItem) item = g_list_model_get_item (list, i);
        const SessionRank now = session_rank_item_get (item);

        if (session_rank_item_get_rank (item) != i || now.stop != rig->stops[i]) {
            return FALSE;
        }
    }
    return g_list_model_get_n_items (list) == N_RANKS;
}

static gboolean
is_breakpoint_list_right (const Rig *rig)
{
    GListModel *list = session_get_breakpoint_list (rig->session);
    g_autoptr (SessionItem) item = g_list_model_get_item (list, 0);

    return g_list_model_get_n_items (list) == 1
           && session_item_get_breakpoint (item)->hits == rig->hits;
}

static gboolean
fail_late (gpointer data)
{
    g_error ("a list does not become what is known");
    return G_SOURCE_REMOVE;
}

static void
check_lists (Rig *rig)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, NULL);

    g_assert_true (is_breakpoint_list_right (rig));
    while (!is_group_list_right (rig, G_LIST_MODEL (rig->by_state))
           || !is_group_list_right (rig, G_LIST_MODEL (rig->by_place))
           || !is_rank_list_right (rig)) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

/* ---- all of it ---- */

static void
open_rig (Rig *rig)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, N_RANKS);

    *rig = (Rig){ .session = session_new () };
    session_start_scripted (rig->session, N_RANKS, NULL, NULL);
    set_breakpoint (rig);
    rig->by_state = session_group_list_new (rig->session, NULL, SESSION_BY_STATE);
    rig->by_place = session_group_list_new (rig->session, NULL, SESSION_BY_PLACE);
    rig->ranks = session_rank_list_new (rig->session, all);
    session_group_list_set_awake (rig->by_state, TRUE);
    session_group_list_set_awake (rig->by_place, TRUE);
}

static void
close_rig (Rig *rig)
{
    for (guint i = 0; i < N_CLIENTS; i++) {
        leave (&rig->clients[i]);
    }
    g_clear_object (&rig->by_state);
    g_clear_object (&rig->by_place);
    g_clear_object (&rig->ranks);
    g_clear_object (&rig->session);
}

static void
test_orders (void)
{
    enum { N_ORDERS = 60, N_TURNS = 150 };
    guint n_answers = 0, n_old = 0;

    for (guint order = 0; order < N_ORDERS; order++) {
        Rig rig;

        open_rig (&rig);
        for (guint turn = 0; turn < N_TURNS; turn++) {
            do_something (&rig);
        }
        check_lists (&rig);
        n_answers += rig.n_answers;
        n_old += rig.n_old;
        close_rig (&rig);
    }
    g_test_message ("%u answers, %u of ranks that had gone on", n_answers, n_old);
    g_assert_cmpuint (n_answers, >, N_ORDERS);
    g_assert_cmpuint (n_old, >, N_ORDERS);
}

int
main (int argc, char *argv[])
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/moment/orders", test_orders);
    return g_test_run ();
}
