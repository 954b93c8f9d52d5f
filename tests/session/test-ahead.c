/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions that are asked ahead: a client that asks after a stop what it has asked after the last one gets the answer that
 * came with the stop, and nothing is sent; but nobody gets an answer that may be another one by now. */
#include "session/backend/remote-ahead.h"
#include "base/clock.h"

enum { N_RANKS = 4 };

typedef struct {
    Session *session;
    SessionAhead *ahead;
    GString *sent; /* what was sent */
    guint64 motion, question, last,
        stacked; /* question: the last one that was told; stacked: id of the last WHERE that was answered */
    guint n_stacks;    /* how many WHERE were answered */
    GHashTable *asked; /* ids of WHERE */
    JobRankSet *left;
} Rig;

static gint64 now_us;

static gint64
get_now_us (void)
{
    return now_us;
}

static void
on_tell (Session *session, guint64 motion, const JobRankSet *left, const JobRequest *question)
{
    Rig *rig = g_object_get_data (G_OBJECT (session), "rig");

    g_assert_cmpuint (motion, ==, rig->motion);
    g_string_append_printf (rig->sent, "(%s) ", job_verb_get_name (question->verb));
    rig->question = question->id;
    g_clear_pointer (&rig->left, job_rank_set_free);
    rig->left = job_rank_set_dup (left);
}

/* As the backend of --remote does it. */
static void
on_send (const JobRequest *request, gpointer user)
{
    Rig *rig = user;

    rig->last = request->id;
    if (request->verb == JOB_VERB_WHERE) {
        g_hash_table_add (rig->asked, GUINT_TO_POINTER ((guint) request->id));
    }
    if (session_ahead_take (rig->ahead, request)) {
        return;
    }
    g_string_append_printf (rig->sent, "%s ", job_verb_get_name (request->verb));
    if (job_verb_is_motion (request->verb)) {
        rig->motion = request->id;
        session_ahead_follow (rig->ahead, request, on_tell);
    }
}

static void
on_finished (Session *session, guint64 id, gboolean ok, const JobRankSet *missing, Rig *rig)
{
    if (g_hash_table_contains (rig->asked, GUINT_TO_POINTER ((guint) id))) {
        g_assert_true (ok);
        rig->n_stacks++;
        rig->stacked = id;
    }
}

static Rig *
make_rig (void)
{
    Rig *rig = g_new0 (Rig, 1);

    rig->session = session_new ();
    rig->sent = g_string_new (NULL);
    rig->asked = g_hash_table_new (NULL, NULL);
    rig->ahead = session_ahead_new (rig->session);
    g_object_set_data (G_OBJECT (rig->session), "rig", rig);
    g_signal_connect (rig->session, "finished", G_CALLBACK (on_finished), rig);
    session_start_scripted (rig->session, N_RANKS, on_send, rig);
    g_string_truncate (rig->sent, 0);
    return rig;
}

static void
free_rig (Rig *rig)
{
    session_ahead_free (rig->ahead);
    g_clear_pointer (&rig->left, job_rank_set_free);
    g_object_unref (rig->session);
    g_string_free (rig->sent, TRUE);
    g_hash_table_unref (rig->asked);
    g_free (rig);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rig, free_rig)

static void
ask (Rig *rig, JobVerb verb, guint32 end, const char *text)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, end);
    JobRequest *request = job_request_new (verb, ranks);

    request->text = g_strdup (text);
    session_submit (rig->session, request);
}

static void
settle (void)
{
    while (g_main_context_iteration (NULL, FALSE)) {
    }
}

static void
expect_sent (Rig *rig, const char *expected)
{
    settle ();
    g_assert_cmpstr (rig->sent->str, ==, expected);
    g_string_truncate (rig->sent, 0);
}

static void
apply (Rig *rig, JobEvent *event)
{
    g_autoptr (JobEvent) owned = event;

    if (!session_ahead_apply (rig->ahead, owned)) {
        session_apply (rig->session, owned);
    }
}

/* The ranks from begin to end are in that state by the motion. */
static void
report (Rig *rig, JobState state, guint32 begin, guint32 end)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (begin, end);
    JobEvent *event = job_event_new (JOB_EVENT_STATE, rig->motion, ranks);

    event->state = state;
    event->final = state == JOB_STATE_RUNNING;
    apply (rig, event);
}

/* The answer of the daemons to the question with that id. */
static void
answer (Rig *rig, guint64 id)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, N_RANKS);
    JobEvent *event = job_event_new (JOB_EVENT_STACKS, id, ranks);

    event->final = TRUE;
    event->tree = job_stack_tree_new ();
    apply (rig, event);
}

static void
step (Rig *rig)
{
    ask (rig, JOB_VERB_NEXT, N_RANKS, NULL);
    report (rig, JOB_STATE_RUNNING, 0, N_RANKS);
}

/* Asks once, and steps on: the question goes along. */
static void
begin_step (Rig *rig)
{
    ask (rig, JOB_VERB_WHERE, N_RANKS, NULL);
    answer (rig, rig->last);
    expect_sent (rig, "where ");
    step (rig);
    expect_sent (rig, "next (where) ");
    g_assert_cmpuint (job_rank_set_get_count (rig->left), ==, N_RANKS);
    rig->n_stacks = 0;
}

static void
test_asked_ahead (void)
{
    g_autoptr (Rig) rig = make_rig ();

    begin_step (rig);
    report (rig, JOB_STATE_STOPPED, 0, N_RANKS - 1);
    ask (rig, JOB_VERB_WHERE, N_RANKS, NULL); /* one still moves: nobody has asked yet */
    expect_sent (rig, "where ");
    report (rig, JOB_STATE_BREAKPOINT, N_RANKS - 1, N_RANKS);
    answer (rig, rig->question);
    settle ();
    g_assert_cmpuint (rig->n_stacks, ==, 0); /* of nobody's */
    for (guint i = 0; i < 2; i++) {          /* two panes */
        ask (rig, JOB_VERB_WHERE, N_RANKS, NULL);
        expect_sent (rig, "");
        g_assert_cmpuint (rig->n_stacks, ==, i + 1);
        g_assert_cmpuint (rig->stacked, ==, rig->last);
    }
    ask (rig, JOB_VERB_WHERE, 2, NULL); /* not the same question */
    expect_sent (rig, "where ");
}

/* A client asks before the answer is there, and then the user steps on: it gets its answer. */
static void
test_late_answer (void)
{
    g_autoptr (Rig) rig = make_rig ();
    guint64 question, asker;

    begin_step (rig);
    report (rig, JOB_STATE_STOPPED, 0, N_RANKS);
    ask (rig, JOB_VERB_WHERE, N_RANKS, NULL);
    asker = rig->last;
    question = rig->question;
    expect_sent (rig, "");
    g_assert_cmpuint (rig->n_stacks, ==, 0);
    g_assert_cmpuint (session_ahead_find (rig->ahead, asker), ==, question);
    step (rig);
    expect_sent (rig, "next (where) ");
    g_assert_cmpuint (rig->question, !=, question);
    answer (rig, question);
    settle ();
    g_assert_cmpuint (rig->n_stacks, ==, 1);
    g_assert_cmpuint (rig->stacked, ==, asker);
}

/* What may change the answer, or takes long. */
static void
test_old_answers (void)
{
    g_autoptr (Rig) rig = make_rig ();
    static const struct {
        JobVerb verb;
        const char *text, *sent;
    } changes[] = { { JOB_VERB_SET, "x", "set " },
                    { JOB_VERB_CALL, "f ()", "call " },
                    { JOB_VERB_PRINT, "f ()", "print " },
                    { JOB_VERB_EXEC, "x = 1", "exec " } };

    for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
        begin_step (rig);
        report (rig, JOB_STATE_STOPPED, 0, N_RANKS);
        answer (rig, rig->question);
        ask (rig, changes[i].verb, N_RANKS, changes[i].text);
        expect_sent (rig, changes[i].sent);
        ask (rig, JOB_VERB_WHERE, N_RANKS, NULL);
        expect_sent (rig, "where ");
    }
    begin_step (rig);
    report (rig, JOB_STATE_STOPPED, 0, N_RANKS);
    answer (rig, rig->question);
    now_us += 2 * G_USEC_PER_SEC;
    ask (rig, JOB_VERB_WHERE, N_RANKS, NULL);
    expect_sent (rig, "where ");
}

/* Code of the program is never run ahead; a rank that does not stand, and is not moved, keeps a question back. */
static void
test_not_ahead (void)
{
    g_autoptr (Rig) rig = make_rig ();

    ask (rig, JOB_VERB_PRINT, N_RANKS, "f ()");
    ask (rig, JOB_VERB_CALL, N_RANKS, "f ()");
    step (rig);
    expect_sent (rig, "print call next ");
    report (rig, JOB_STATE_STOPPED, 0, N_RANKS);
    ask (rig, JOB_VERB_LOCALS, N_RANKS, NULL);
    ask (rig, JOB_VERB_NEXT, 1, NULL);
    expect_sent (rig, "locals next (locals) ");
    report (rig, JOB_STATE_RUNNING, 0, 1);
    g_assert_cmpuint (job_rank_set_get_count (rig->left), ==, 1); /* the others stand */
    {
        g_autoptr (JobRankSet) second = job_rank_set_new_range (1, 2);

        session_submit (rig->session, job_request_new (JOB_VERB_NEXT, second));
    }
    expect_sent (rig, "next "); /* the first one runs */
}

/* ---- the start ---- */

static void
on_tell_foreseen (Session *session, guint64 motion, const JobRankSet *left,
                  const JobRequest *question)
{
    Rig *rig = g_object_get_data (G_OBJECT (session), "rig");

    g_assert_cmpuint (motion, ==, 0);
    g_assert_null (left);
    rig->question = question->id;
}

/* The server has asked what was foreseen, about as many ranks as have come. */
static gboolean
note_asked (Rig *rig, guint64 id, JobVerb verb)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, N_RANKS);
    g_autoptr (JobRequest) request = job_request_new (verb, ranks);

    request->id = id;
    return session_ahead_note_asked (rig->ahead, request);
}

static void
foresee (Rig *rig)
{
    g_autoptr (JobRankSet) any = job_rank_set_new_range (0, 1u << 24);
    g_autoptr (JobRequest) request = job_request_new (JOB_VERB_WHERE, any);

    session_ahead_foresee (rig->ahead, request, on_tell_foreseen);
}

static void
test_start (void)
{
    g_autoptr (Rig) rig = make_rig ();

    foresee (rig);
    ask (rig, JOB_VERB_WHERE, N_RANKS, NULL); /* the server has not asked yet */
    expect_sent (rig, "where ");
    g_assert_true (note_asked (rig, rig->question, JOB_VERB_WHERE));
    ask (rig, JOB_VERB_WHERE, N_RANKS, NULL);
    expect_sent (rig, "");
    answer (rig, rig->question);
    settle ();
    g_assert_cmpuint (rig->n_stacks, ==, 1);
    g_assert_cmpuint (rig->stacked, ==, rig->last);
    step (rig);
    expect_sent (rig, "next (where) ");
}

/* A server may say anything. */
static void
test_start_damaged (void)
{
    Rig *rig = make_rig ();

    g_assert_false (note_asked (rig, 7, JOB_VERB_WHERE));
    g_assert_false (note_asked (rig, 1u << 30, JOB_VERB_WHERE)); /* nothing was foreseen */
    foresee (rig);
    g_assert_false (note_asked (rig, rig->question + 1, JOB_VERB_WHERE));
    g_assert_false (note_asked (rig, rig->question, JOB_VERB_NEXT));
    ask (rig, JOB_VERB_NEXT, N_RANKS, NULL);
    g_string_truncate (rig->sent, 0);
    for (guint i = 0; i < 1000; i++) { /* late: the ranks move, so it is of no use */
        g_assert_true (note_asked (rig, rig->question, JOB_VERB_WHERE));
    }
    ask (rig, JOB_VERB_WHERE, N_RANKS, NULL);
    expect_sent (rig, "where ");
    free_rig (rig);
    rig = make_rig ();
    foresee (rig);
    for (guint i = 0; note_asked (rig, rig->question, JOB_VERB_WHERE); i++) {
        g_assert_cmpuint (i, <, 1000);
    }
    free_rig (rig);
}

/* NULL: it has to be asked for. Caller owns. */
static char *
read_text (Rig *rig, const char *path, const char *folders, gsize limit)
{
    g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);
    g_autoptr (GBytes) text = NULL;
    SessionWanted *wanted = g_new0 (SessionWanted, 1);

    wanted->path = g_strdup (path);
    wanted->folders = g_strdup (folders);
    wanted->limit = limit;
    g_task_set_task_data (task, wanted, session_wanted_free);
    if (!session_ahead_answer (rig->ahead, SESSION_ASK_SOURCE, task)) {
        return NULL;
    }
    text = g_task_propagate_pointer (task, NULL);
    settle ();
    return g_strdup (g_bytes_get_data (text, NULL));
}

static gboolean
send_text (Rig *rig, const char *text, gsize size)
{
    g_autoptr (GBytes) bytes = g_bytes_new (text, size);

    return session_ahead_note_source (rig->ahead, "/there/a.c", 5, bytes);
}

static void
test_source (void)
{
    g_autoptr (Rig) rig = make_rig ();
    g_autofree char *text = NULL;

    g_assert_null (read_text (rig, "/there/a.c", NULL, 100));
    g_assert_false (send_text (rig, "", 0));
    g_assert_false (send_text (rig, "main", 4)); /* without its end */
    g_assert_true (send_text (rig, "main", 5));
    text = read_text (rig, "/there/a.c", NULL, 4);
    g_assert_cmpstr (text, ==, "main");
    g_assert_null (read_text (rig, "/there/b.c", NULL, 100));
    g_assert_null (read_text (rig, "/there/a.c", "/here", 100)); /* it may be another file */
    g_assert_null (read_text (rig, "/there/a.c", NULL, 3));
    now_us += 10 * G_USEC_PER_SEC;
    g_assert_null (read_text (rig, "/there/a.c", NULL, 100)); /* it may have changed */
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    now_us = 1;
    base_clock_set (get_now_us);
    g_test_add_func ("/session/ahead/asked", test_asked_ahead);
    g_test_add_func ("/session/ahead/late", test_late_answer);
    g_test_add_func ("/session/ahead/old", test_old_answers);
    g_test_add_func ("/session/ahead/not", test_not_ahead);
    g_test_add_func ("/session/ahead/start", test_start);
    g_test_add_func ("/session/ahead/start-damaged", test_start_damaged);
    g_test_add_func ("/session/ahead/source", test_source);
    return g_test_run ();
}
