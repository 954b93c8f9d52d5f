/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries of a scripted session: one answer for each, collected from whatever comes in between, and
 * the ranks that did not answer, with reasons where there are any. */
#include "session/query.h"
#include "base/error.h"
#include <string.h>
#include "session/moment.h"

#define LIMIT_S 120

typedef struct {
    Session *session;
    GPtrArray *sent;  /* of JobRequest */
    gboolean at_once; /* answers while the request is being sent */
} Rig;

typedef struct {
    Rig *rig;
    SessionQuery *query;
    guint n_done;
    GString *text;
    gboolean ok;
    gboolean frees; /* the query, in its own answer */
} Client;

static JobEvent *
make_value (guint64 request, guint32 first, guint32 end, const char *text, guint64 stop)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (JobValue) value = job_value_new ("x", "int", text);
    JobEvent *event = job_event_new (JOB_EVENT_VALUES, request, ranks);

    event->final = TRUE;
    event->stop = stop;
    event->table = job_value_table_new ();
    job_value_table_add (event->table, "x", ranks, value);
    return event;
}

static void
answer (Rig *rig, guint64 request, guint32 first, guint32 end, const char *text, guint64 stop)
{
    g_autoptr (JobEvent) event = make_value (request, first, end, text, stop);

    session_apply (rig->session, event);
}

static void
say (Rig *rig, guint64 request, guint32 first, guint32 end, const char *text)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_TEXT, request, ranks);

    event->final = TRUE;
    event->text = g_strdup (text);
    session_apply (rig->session, event);
}

static void
fail (Rig *rig, guint64 request, guint32 first, guint32 end, const char *text)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (GError) error = g_error_new_literal (BASE_ERROR, BASE_ERROR_NOT_FOUND, text);
    g_autoptr (JobEvent) event = job_event_new_failure (request, ranks, error);

    event->final = TRUE;
    session_apply (rig->session, event);
}

static void
on_send (const JobRequest *request, gpointer user)
{
    Rig *rig = user;

    g_ptr_array_add (rig->sent, job_request_dup (request));
    if (rig->at_once) {
        answer (rig, request->id, 0, 4, "1", 7);
    }
}

static void
open_rig (Rig *rig)
{
    *rig = (Rig){ 0 };
    rig->session = session_new ();
    rig->sent = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    session_start_scripted (rig->session, 4, on_send, rig);
}

static void
close_rig (Rig *rig)
{
    g_clear_object (&rig->session);
    g_ptr_array_unref (rig->sent);
}

static void
append_set (GString *text, const char *name, const JobRankSet *set)
{
    g_autofree char *ranks = job_rank_set_format (set);

    g_string_append_printf (text, "%s[%s]", name, ranks);
}

/* "1[0-1] 2[2] !no such variable[3] missing[]" */
static void
on_answer (SessionQuery *query, SessionAnswer *answer, gpointer user)
{
    Client *client = user;

    g_assert_false (session_query_is_open (query));
    client->n_done++;
    client->ok = answer->ok;
    for (guint i = 0; i < answer->groups->len; i++) {
        const JobEvent *event = g_ptr_array_index (answer->groups, i);
        const JobValueRow *row = event->table != NULL
                                     ? g_ptr_array_index (event->table->rows, 0)
                                     : NULL;

        g_assert_cmpuint (event->stop, ==, 0);
        for (guint j = 0; row != NULL && j < row->groups->len; j++) {
            const JobValueGroup *group = g_ptr_array_index (row->groups, j);

            append_set (client->text, group->value->text, group->ranks);
            g_string_append_c (client->text, ' ');
        }
        if (event->kind == JOB_EVENT_TEXT) {
            append_set (client->text, event->text, event->ranks);
            g_string_append_c (client->text, ' ');
        }
    }
    for (guint i = 0; i < answer->failures->len; i++) {
        const JobEvent *event = g_ptr_array_index (answer->failures, i);

        g_string_append_c (client->text, '!');
        append_set (client->text, event->text, event->ranks);
        g_string_append_c (client->text, ' ');
    }
    append_set (client->text, "missing", answer->missing);
    if (!job_rank_set_is_empty (answer->old)) {
        append_set (client->text, " old", answer->old);
    }
    for (guint i = 0; i < answer->groups->len; i++) {
        const JobEvent *event = g_ptr_array_index (answer->groups, i);

        g_assert_cmpint ((event->flags & JOB_EVENT_STALE) != 0, ==,
                         job_rank_set_intersects (event->ranks, answer->old));
    }
    if (client->frees) {
        g_clear_pointer (&client->query, session_query_free);
    }
}

static void
ask (Client *client, Rig *rig, JobVerb verb)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4);
    JobRequest *request = job_request_new (verb, all);

    *client = (Client){ 0 };
    client->rig = rig;
    client->text = g_string_new (NULL);
    request->text = g_strdup ("x");
    client->query = session_query_new (rig->session, request, on_answer, client);
}

static void
leave (Client *client)
{
    session_query_free (client->query);
    g_string_free (client->text, TRUE);
}

static gboolean
fail_late (gpointer data)
{
    g_error ("no answer within %d s", LIMIT_S);
    return G_SOURCE_REMOVE;
}

static void
await (const Client *client)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, NULL);

    while (client->n_done == 0) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

static void
settle (void)
{
    while (g_main_context_iteration (NULL, FALSE)) {
    }
}

static void
test_groups (void)
{
    Rig rig;
    Client client;
    guint64 id;

    open_rig (&rig);
    ask (&client, &rig, JOB_VERB_PRINT);
    id = session_query_get_id (client.query);
    g_assert_true (session_has_query (rig.session, id));
    answer (&rig, id, 2, 3, "2", 9);
    answer (&rig, id, 0, 1, "1", 7);
    answer (&rig, id + 50, 0, 4, "another's", 7);
    answer (&rig, 0, 0, 4, "nobody's", 7);
    fail (&rig, id, 3, 4, "no such variable");
    settle ();
    g_assert_cmpuint (client.n_done, ==, 0);
    answer (&rig, id, 1, 2, "1", 8);
    await (&client);
    g_assert_cmpstr (client.text->str, ==, "1[0-1] 2[2] !no such variable[3] missing[]");
    g_assert_false (client.ok);
    g_assert_false (session_has_query (rig.session, id));
    answer (&rig, id, 0, 4, "too late", 10);
    settle ();
    g_assert_cmpuint (client.n_done, ==, 1);
    leave (&client);
    close_rig (&rig);
}

/* Equal texts are one, by the lowest rank, whoever has come first. */
static void
test_texts (void)
{
    Rig rig;
    Client client;
    guint64 id;

    open_rig (&rig);
    ask (&client, &rig, JOB_VERB_WHATIS);
    id = session_query_get_id (client.query);
    say (&rig, id, 3, 4, "int");
    say (&rig, id, 1, 2, "double");
    say (&rig, id, 2, 3, "double");
    say (&rig, id, 0, 1, "int");
    await (&client);
    g_assert_cmpstr (client.text->str, ==, "int[0,3] double[1-2] missing[]");
    g_assert_true (client.ok);
    leave (&client);
    close_rig (&rig);
}

static void
test_at_once (void)
{
    Rig rig;
    Client client;

    open_rig (&rig);
    rig.at_once = TRUE;
    ask (&client, &rig, JOB_VERB_PRINT);
    g_assert_cmpuint (client.n_done, ==, 0); /* not while it is being asked */
    await (&client);
    g_assert_cmpstr (client.text->str, ==, "1[0-3] missing[]");
    leave (&client);
    close_rig (&rig);
}

static void
test_deadline (void)
{
    Rig rig;
    Client client;

    open_rig (&rig);
    session_set_deadlines (rig.session, 30, 30);
    ask (&client, &rig, JOB_VERB_PRINT);
    client.frees = TRUE;
    answer (&rig, session_query_get_id (client.query), 0, 2, "1", 7);
    await (&client);
    g_assert_cmpstr (client.text->str, ==, "1[0-1] missing[2-3]");
    g_assert_null (client.query);
    leave (&client);
    close_rig (&rig);
}

static void
test_cancel (void)
{
    Rig rig;
    Client client;
    const JobRequest *last;

    open_rig (&rig);
    ask (&client, &rig, JOB_VERB_PRINT);
    answer (&rig, session_query_get_id (client.query), 1, 2, "1", 7);
    session_query_cancel (client.query);
    g_assert_cmpuint (client.n_done, ==, 1);
    g_assert_cmpstr (client.text->str, ==, "1[1] missing[0,2-3]");
    last = g_ptr_array_index (rig.sent, rig.sent->len - 1);
    g_assert_cmpint (last->verb, ==, JOB_VERB_CANCEL);
    session_query_cancel (client.query);
    g_assert_cmpuint (client.n_done, ==, 1);
    leave (&client);
    close_rig (&rig);
}

typedef struct {
    guint64 id;
    guint n_finished;
    gboolean has_cancelled;
} Cancelled;

static void
on_finished (Session *session, guint64 id, gboolean ok, JobRankSet *missing,
             Cancelled *cancelled)
{
    cancelled->n_finished += id == cancelled->id;
}

static void
on_message (Session *session, guint severity, const char *english, const char *shown,
            Cancelled *cancelled)
{
    if (!cancelled->has_cancelled) {
        cancelled->has_cancelled = TRUE;
        session_cancel (session, 0);
    }
}

/* Who is told that a request is cancelled cancels it, too: it ends once. */
static void
test_cancel_inside (void)
{
    Rig rig;
    Cancelled cancelled = { 0 };
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4);

    open_rig (&rig);
    g_signal_connect (rig.session, "message", G_CALLBACK (on_message), &cancelled);
    g_signal_connect (rig.session, "finished", G_CALLBACK (on_finished), &cancelled);
    cancelled.id = session_submit (rig.session, job_request_new (JOB_VERB_PRINT, all));
    session_cancel (rig.session, 0);
    g_assert_true (cancelled.has_cancelled);
    g_assert_cmpuint (cancelled.n_finished, ==, 1);
    close_rig (&rig);
}

/* Two clients ask at once; one loses interest, the other gets its own. */
static void
test_freed (void)
{
    Rig rig;
    Client first, second;
    guint64 id;

    open_rig (&rig);
    ask (&first, &rig, JOB_VERB_PRINT);
    ask (&second, &rig, JOB_VERB_PRINT);
    id = session_query_get_id (first.query);
    g_clear_pointer (&first.query, session_query_free);
    answer (&rig, id, 0, 4, "1", 7);
    answer (&rig, session_query_get_id (second.query), 0, 4, "2", 7);
    await (&second);
    settle ();
    g_assert_cmpuint (first.n_done, ==, 0);
    g_assert_cmpstr (second.text->str, ==, "2[0-3] missing[]");
    leave (&first);
    leave (&second);
    close_rig (&rig);
}

static void
test_outlives (void)
{
    Rig rig;
    Client client;

    open_rig (&rig);
    ask (&client, &rig, JOB_VERB_PRINT);
    close_rig (&rig);
    session_query_cancel (client.query);
    g_assert_cmpuint (client.n_done, ==, 0);
    leave (&client);
}

static void
test_ended (void)
{
    Rig rig;
    Client client;
    g_autoptr (JobRankSet) two = job_rank_set_new_range (2, 4);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, two);

    open_rig (&rig);
    event->state = JOB_STATE_EXITED;
    session_apply (rig.session, event);
    ask (&client, &rig, JOB_VERB_PRINT);
    answer (&rig, session_query_get_id (client.query), 0, 2, "1", 7);
    await (&client);
    g_assert_cmpstr (client.text->str, ==, "1[0-1] !the process has exited[2-3] missing[]");
    leave (&client);
    close_rig (&rig);
}

static void
send (Rig *rig, JobVerb verb, guint32 first, guint32 end)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    JobRequest *request = job_request_new (verb, ranks);

    request->text = g_strdup ("x");
    request->text2 = g_strdup ("1");
    session_submit (rig->session, request);
}

static void
stop (Rig *rig, guint32 first, guint32 end, guint64 number)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (first, end);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, ranks);

    event->state = JOB_STATE_STOPPED;
    event->stop = number;
    session_apply (rig->session, event);
}

/* What ranks say that have gone on, or were written to, since they were asked, was so before. */
static void
test_moments (void)
{
    Rig rig;
    Client client;

    open_rig (&rig);
    stop (&rig, 0, 4, 1);
    ask (&client, &rig, JOB_VERB_PRINT);
    send (&rig, JOB_VERB_CONTINUE, 1, 2);
    stop (&rig, 1, 2, 2);
    send (&rig, JOB_VERB_SET, 3, 4);
    answer (&rig, session_query_get_id (client.query), 0, 4, "1", 0);
    await (&client);
    g_assert_cmpstr (client.text->str, ==, "1[0-3] missing[] old[1,3]");
    leave (&client);
    ask (&client, &rig, JOB_VERB_PRINT); /* after them */
    answer (&rig, session_query_get_id (client.query), 0, 4, "2", 0);
    await (&client);
    g_assert_cmpstr (client.text->str, ==, "2[0-3] missing[]");
    leave (&client);
    close_rig (&rig);
}

/* Orders of stops, motions, writes and late answers, beside a count of what has happened to each rank. */
static void
test_orders (void)
{
    enum { N_ORDERS = 200, N_TURNS = 30 };
    Rig rig;

    open_rig (&rig);
    for (guint order = 0; order < N_ORDERS; order++) {
        guint moments[4] = { 0 }, asked[4] = { 0 };
        g_autoptr (JobRankSet) all = job_rank_set_new_range (0, 4), old = job_rank_set_new ();
        g_autoptr (GString) expected = g_string_new ("v[0-3] missing[]");
        guint64 sign, before;
        Client client = { 0 };

        for (guint turn = 0; turn < N_TURNS; turn++) {
            guint32 rank = (guint32) g_test_rand_int_range (0, 4);
            int what = g_test_rand_int_range (0, 4);

            before = session_sign_moment (rig.session, all);
            if (what == 0 && client.query == NULL) {
                ask (&client, &rig, JOB_VERB_PRINT);
                memcpy (asked, moments, sizeof asked);
                g_assert_cmpuint (session_sign_moment (rig.session, all), ==, before);
            } else if (what == 1) {
                stop (&rig, rank, rank + 1, order * N_TURNS + turn + 1);
                g_assert_cmpuint (session_sign_moment (rig.session, all), !=, before);
            } else if (what > 1) {
                send (&rig, what == 2 ? JOB_VERB_NEXT : JOB_VERB_EXEC, rank, rank + 1);
                moments[rank]++;
            }
            sign = session_sign_moment (rig.session, all);
            g_assert_true (what != 3 || sign != before);
        }
        if (client.query == NULL) {
            continue;
        }
        for (guint32 rank = 0; rank < 4; rank++) {
            if (asked[rank] != moments[rank]) {
                job_rank_set_add (old, rank);
            }
        }
        if (!job_rank_set_is_empty (old)) {
            append_set (expected, " old", old);
        }
        answer (&rig, session_query_get_id (client.query), 0, 4, "v", 0);
        await (&client);
        g_assert_cmpstr (client.text->str, ==, expected->str);
        leave (&client);
        session_cancel (rig.session, 0);
    }
    close_rig (&rig);
}

int
main (int argc, char *argv[])
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/query/groups", test_groups);
    g_test_add_func ("/session/query/texts", test_texts);
    g_test_add_func ("/session/query/at-once", test_at_once);
    g_test_add_func ("/session/query/deadline", test_deadline);
    g_test_add_func ("/session/query/cancel", test_cancel);
    g_test_add_func ("/session/query/cancel-inside", test_cancel_inside);
    g_test_add_func ("/session/query/freed", test_freed);
    g_test_add_func ("/session/query/outlives", test_outlives);
    g_test_add_func ("/session/query/ended", test_ended);
    g_test_add_func ("/session/query/moments", test_moments);
    g_test_add_func ("/session/query/orders", test_orders);
    return g_test_run ();
}
