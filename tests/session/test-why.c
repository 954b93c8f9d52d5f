/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why ranks do not proceed, asked and unasked, in a scripted session of two ranks. */
#include "session/private.h"

#define LIMIT_S 120

typedef struct {
    Session *session;
    GPtrArray *sent; /* of JobRequest */
} Rig;

static void
on_send (const JobRequest *request, gpointer user)
{
    g_ptr_array_add (((Rig *) user)->sent, job_request_dup (request));
}

static void
open_rig (Rig *rig)
{
    rig->session = session_new ();
    rig->sent = g_ptr_array_new_with_free_func ((GDestroyNotify) job_request_free);
    session_start_scripted (rig->session, 2, on_send, rig);
}

static void
close_rig (Rig *rig)
{
    g_object_unref (rig->session);
    g_ptr_array_unref (rig->sent);
}

static gboolean
fail_late (gpointer data)
{
    g_error ("nothing came within %d s", LIMIT_S);
    return G_SOURCE_REMOVE;
}

static void
await (const guint *count)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, NULL);

    while (*count == 0) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
}

static void
apply_state (Rig *rig, guint32 rank, JobState state)
{
    g_autoptr (JobRankSet) set = job_rank_set_new_range (rank, rank + 1);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, 0, set);

    event->state = state;
    session_apply (rig->session, event);
}

/* The last request that was sent for queues; 0: none since the last time. */
static guint64
take_queues_request (Rig *rig)
{
    guint64 id = 0;

    for (guint i = 0; i < rig->sent->len; i++) {
        const JobRequest *request = g_ptr_array_index (rig->sent, i);

        id = request->verb == JOB_VERB_QUEUE ? request->id : id;
    }
    g_ptr_array_set_size (rig->sent, 0);
    return id;
}

static guint64
await_queues_request (Rig *rig)
{
    guint limit = g_timeout_add_seconds (LIMIT_S, fail_late, NULL);
    guint64 id;

    while ((id = take_queues_request (rig)) == 0) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_source_remove (limit);
    return id;
}

/* Rank 0 waits for rank 1 in its n-th call; n 0: it is in none. */
static void
answer_queues (Rig *rig, guint64 request, guint64 n)
{
    g_autoptr (JobRankSet) both = job_rank_set_new_range (0, 2);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_QUEUES, request, both);

    event->final = TRUE;
    event->queues = job_message_table_new ();
    for (guint32 rank = 0; rank < 2; rank++) {
        JobMessageQueue *queue = job_message_queue_new (rank);

        queue->source = JOB_MESSAGE_SOURCE_RECORDER;
        if (rank == 0 && n > 0) {
            JobMessageCall *call = job_message_call_new (JOB_MESSAGE_RECV, "MPI_Recv");

            call->number = n;
            call->peer = 1;
            g_ptr_array_add (queue->calls, call);
        }
        job_message_table_add (event->queues, queue);
    }
    session_apply (rig->session, event);
}

typedef struct {
    guint n;
    AnalysisVerdictKind kind;
    guint64 number; /* of rank 0's call in the table */
} Why;

static void
note_why (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
          const JobMessageTable *table, gpointer user)
{
    const JobMessageQueue *queue = job_message_table_find (table, 0);
    Why *why = user;

    why->n++;
    why->kind = verdict->kind;
    why->number = queue->calls->len > 0
                      ? ((const JobMessageCall *) g_ptr_array_index (queue->calls, 0))->number
                      : 0;
    g_assert_cmpuint (table->queues->len, ==, 2);
}

/* The table is that of the last reading, whoever else asks for queues meanwhile. */
static void
test_why (void)
{
    Rig rig;
    g_autoptr (JobRankSet) first = job_rank_set_new_range (0, 1);
    g_autoptr (JobRankSet) both = job_rank_set_new_range (0, 2);
    Why why = { 0 };
    guint64 other, again;

    open_rig (&rig);
    apply_state (&rig, 0, JOB_STATE_BLOCKED);
    take_queues_request (&rig);
    session_why (rig.session, first, SESSION_LOOK_RECORDED, note_why, &why);
    answer_queues (&rig, take_queues_request (&rig), 7);
    g_assert_cmpuint (why.n, ==, 0); /* rank 0 may move: it is read twice */
    other = session_submit (rig.session, job_request_new (JOB_VERB_QUEUE, both));
    take_queues_request (&rig);
    again = await_queues_request (&rig);
    answer_queues (&rig, other, 0);
    answer_queues (&rig, again, 7);
    await (&why.n);
    g_assert_cmpuint (why.n, ==, 1);
    g_assert_cmpint (why.kind, ==, ANALYSIS_VERDICT_HELD);
    g_assert_cmpuint (why.number, ==, 7);
    close_rig (&rig);
}

static void
count_verdict (Session *session, const AnalysisVerdict *verdict, guint *count)
{
    g_assert_cmpint (verdict->kind, ==, ANALYSIS_VERDICT_HELD);
    ++*count;
}

/* A blocked step is explained unasked, also after a restart has cut the question off. */
static void
test_unasked (void)
{
    Rig rig;
    guint n_verdicts = 0;

    open_rig (&rig);
    g_signal_connect (rig.session, "verdict", G_CALLBACK (count_verdict), &n_verdicts);
    apply_state (&rig, 0, JOB_STATE_BLOCKED);
    await_queues_request (&rig);
    session_why_clear (rig.session);
    apply_state (&rig, 0, JOB_STATE_RUNNING);
    apply_state (&rig, 0, JOB_STATE_BLOCKED);
    answer_queues (&rig, await_queues_request (&rig), 7);
    answer_queues (&rig, await_queues_request (&rig), 7);
    await (&n_verdicts);
    close_rig (&rig);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/session/why/table", test_why);
    g_test_add_func ("/session/why/unasked", test_unasked);
    return g_test_run ();
}
