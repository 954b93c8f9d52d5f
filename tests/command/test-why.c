/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `why`, `wait` and a blocked step with queues that the ranks answer: text, JSON, missing
 * answers, and the place of a culprit that had to be sampled. */
#include "command/private.h"
#include "rig.h"
#include <string.h>

static JobMessageQueue *
make_queue (guint32 rank, guint32 size)
{
    JobMessageQueue *queue = job_message_queue_new (rank);
    JobMessageCommunicator *world = job_message_communicator_new (0, "MPI_COMM_WORLD");

    queue->source = JOB_MESSAGE_SOURCE_RECORDER;
    queue->flags = JOB_MESSAGE_QUEUE_INITIALIZED | JOB_MESSAGE_QUEUE_COUNTED;
    world->size = size;
    g_ptr_array_add (queue->communicators, world);
    return queue;
}

/* Inside MPI_Recv from a peer. */
static JobMessageQueue *
make_receiver (guint32 rank, guint32 size, gint32 from)
{
    JobMessageQueue *queue = make_queue (rank, size);
    JobMessageOperation *operation = job_message_operation_new (JOB_MESSAGE_RECV, "MPI_Recv");
    JobMessageCall *call = job_message_call_new (JOB_MESSAGE_RECV, "MPI_Recv");
    guint32 index = 0;

    operation->peer = from;
    operation->tag = 7;
    operation->communicator = 0;
    operation->flags = JOB_MESSAGE_IN_CALL;
    call->number = 5;
    call->place = job_location_new ("main", "/a/ring.c", 40);
    g_array_append_val (call->waits, index);
    g_ptr_array_add (queue->operations, operation);
    g_ptr_array_add (queue->calls, call);
    return queue;
}

/* Rank 0 receives from 1; rank 1 receives from 0, or computes. */
static JobEvent *
make_answer (gboolean both)
{
    JobEvent *event = rig_event (JOB_EVENT_QUEUES, "0-1");

    event->queues = job_message_table_new ();
    job_message_table_add (event->queues, make_receiver (0, 2, 1));
    job_message_table_add (event->queues, both ? make_receiver (1, 2, 0) : make_queue (1, 2));
    return event;
}

static JobEvent *
make_stack (const char *ranks, guint32 line)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 10, NULL);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    JobEvent *event = rig_event (JOB_EVENT_STACKS, ranks);
    JobFrame *inner = job_frame_new (), *outer = job_frame_new ();

    inner->location.function = g_strdup ("poll");
    inner->location.module = g_strdup ("libc.so.6");
    inner->flags = JOB_FRAME_LIBRARY;
    outer->location.function = g_strdup ("work");
    outer->location.file = g_strdup ("/a/app.c");
    outer->location.line = line;
    g_ptr_array_add (frames, inner);
    g_ptr_array_add (frames, outer);
    event->tree = job_stack_tree_new ();
    job_stack_tree_add (event->tree, frames, set);
    return event;
}

#define CYCLE                                                                                  \
    "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 7 (ring.c:40); 1 in "              \
    "MPI_Recv from 0, tag 7 (ring.c:40); one must send first"

static void
test_text (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);

    rig_state (rig, "0-1", JOB_STATE_RUNNING, 0, NULL, NULL);
    rig_answer (rig, make_answer (TRUE), NULL);
    rig_answer (rig, make_answer (TRUE), NULL);
    rig_assert (rig, "why", CYCLE "\n");
    g_assert_cmpuint (rig->n_failed, ==, 0);
    rig_assert (rig, "why not",
                "error: why takes no argument; to ask for some ranks, use on SET why\n");
}

static void
test_json (void)
{
    g_autoptr (Rig) rig = rig_new (2, TRUE);
    g_autofree char *text = NULL;

    rig_state (rig, "0-1", JOB_STATE_RUNNING, 0, NULL, NULL);
    rig_answer (rig, make_answer (TRUE), NULL);
    rig_answer (rig, make_answer (TRUE), NULL);
    text = rig_run (rig, "why");
    g_assert_nonnull (strstr (text,
                              "{\"event\":\"why\",\"request\":1,\"ranks\":\"0\","
                              "\"verdict\":\"cycle\",\"text\":\"" CYCLE
                              "\",\"culprits\":\"0-1\","
                              "\"behind\":\"\",\"stuck\":\"0-1\",\"command\":\"on 0-1 where\","
                              "\"source\":\"recorder\",\"certain\":true,\"parts\":[{\"ranks\":"
                              "\"0\",\"call\":\"MPI_Recv\",\"function\":\"main\",\"file\":"
                              "\"/a/ring.c\",\"line\":40,\"culprit\":true}"));
}

/* Who computes is looked at, once. */
static void
test_sampled (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);

    rig_state (rig, "0-1", JOB_STATE_RUNNING, 0, NULL, NULL);
    rig_answer (rig, make_answer (FALSE), NULL);
    rig_answer (rig, make_answer (FALSE), NULL);
    rig_answer (rig, make_stack ("1", 12), NULL);
    rig_assert (rig, "why",
                "0 waits in MPI_Recv from 1, tag 7 (ring.c:40); 1 is computing at "
                "app.c:12\n");
}

/* A rank that has got on between the readings does not wait. */
static void
test_progress (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);
    JobEvent *second = make_answer (TRUE);

    ((JobMessageQueue *) g_ptr_array_index (second->queues->queues, 1))->completed = 9;
    rig_state (rig, "0-1", JOB_STATE_RUNNING, 0, NULL, NULL);
    rig_answer (rig, make_answer (TRUE), NULL);
    rig_answer (rig, second, NULL);
    rig_answer (rig, make_stack ("1", 12), NULL);
    rig_assert (rig, "why",
                "0 waits in MPI_Recv from 1, tag 7 (ring.c:40); 1 is making progress at "
                "app.c:12\n");
}

static void
test_missing (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);
    JobEvent *event = rig_event (JOB_EVENT_QUEUES, "0");

    session_set_deadlines (rig->session, 50, 50);
    event->queues = job_message_table_new ();
    job_message_table_add (event->queues, make_receiver (0, 2, 1));
    rig_state (rig, "0", JOB_STATE_STOPPED, 0, NULL, "main at /a/ring.c:40");
    rig_state (rig, "1", JOB_STATE_STOPPED, 0, NULL, "main at /a/ring.c:50");
    rig_answer (rig, event, NULL);
    command_context_flush (rig->context);
    rig_assert (rig, "why",
                "0 waits in MPI_Recv from 1, tag 7 (ring.c:40); 1 is paused at "
                "ring.c:50; step or continue 1\nerror: no answer (1)\n");
    g_assert_cmpuint (rig->n_failed, ==, 1);
}

/* Nobody can move: the wait fails with the sentence, given twice. */
static void
test_wait (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);

    g_free (rig_run (rig, "continue"));
    for (guint i = 0; i < 4; i++) {
        rig_answer (rig, make_answer (TRUE), NULL);
    }
    rig_assert (rig, "wait", "0-1: running\nerror: " CYCLE " (0-1)\n");
    g_assert_cmpuint (rig->n_failed, ==, 1);
}

static void
announce (Session *session, const AnalysisVerdict *verdict, const JobRankSet *missing,
          const JobMessageTable *table, gpointer user)
{
    gboolean *is_done = user;

    g_signal_emit_by_name (session, "verdict", verdict);
    *is_done = TRUE;
}

/* A sentence that was printed unasked is not printed again by the `why` that follows it, but by the next one, and by one
 * after another command. */
static void
test_announced (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);
    g_autoptr (JobRankSet) set = job_rank_set_new_range (0, 2);
    gboolean is_done = FALSE;

    rig_state (rig, "0-1", JOB_STATE_RUNNING, 0, NULL, NULL);
    for (guint i = 0; i < 2; i++) {
        rig_answer (rig, make_answer (TRUE), NULL);
    }
    session_why (rig->session, set, SESSION_LOOK_QUIET, announce, &is_done);
    while (!is_done) {
        g_main_context_iteration (NULL, TRUE);
    }
    for (guint i = 0; i < 2; i++) {
        rig_answer (rig, make_answer (TRUE), NULL);
    }
    rig_assert (rig, "why", "still as reported above (0-1)\n");
    for (guint i = 0; i < 2; i++) {
        rig_answer (rig, make_answer (TRUE), NULL);
    }
    rig_assert (rig, "why", CYCLE "\n");
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/command/why/text", test_text);
    g_test_add_func ("/command/why/json", test_json);
    g_test_add_func ("/command/why/sampled", test_sampled);
    g_test_add_func ("/command/why/progress", test_progress);
    g_test_add_func ("/command/why/missing", test_missing);
    g_test_add_func ("/command/why/wait", test_wait);
    g_test_add_func ("/command/why/announced", test_announced);
    return g_test_run ();
}
