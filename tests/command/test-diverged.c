/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks diverge: what `show diverged` says, and `catch divergence`, which steps line by line
 * and stops at the branch. */
#include "command/private.h"
#include "rig.h"
#include <string.h>

static void
settle (Rig *rig, guint n_requests)
{
    gint64 end_us = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

    while (rig->requests->len < n_requests && g_get_monotonic_time () < end_us) {
        g_main_context_iteration (NULL, TRUE);
    }
    g_assert_cmpuint (rig->requests->len, ==, n_requests);
}

static gboolean
note_over (gpointer data)
{
    *(gboolean *) data = TRUE;
    return G_SOURCE_REMOVE;
}

/* The session looks 10 ms after the last stop. */
static void
look (void)
{
    gboolean is_over = FALSE;

    g_timeout_add (30, note_over, &is_over);
    while (!is_over) {
        g_main_context_iteration (NULL, TRUE);
    }
}

static void
add_value (JobEvent *event, const char *name, const char *ranks, const char *text)
{
    g_autoptr (JobRankSet) set = job_rank_set_parse (ranks, 100, NULL);
    g_autoptr (JobValue) value = job_value_new (name, "int", text);

    if (event->table == NULL) {
        event->table = job_value_table_new ();
    }
    job_value_table_add (event->table, name, set, value);
}

/* Two collectives in all, a third in the odd ranks; beside them a communicator of 0 and 2. */
static JobEvent *
make_queues (void)
{
    static const char *const names[] = { "MPI_Barrier", "MPI_Bcast", "MPI_Reduce" };
    JobEvent *event = rig_event (JOB_EVENT_QUEUES, "0-3");

    event->queues = job_message_table_new ();
    for (guint32 rank = 0; rank < 4; rank++) {
        JobMessageQueue *queue = job_message_queue_new (rank);
        JobMessageCommunicator *world = job_message_communicator_new (JOB_MESSAGE_WORLD_ID,
                                                                      "MPI_COMM_WORLD");

        queue->source = JOB_MESSAGE_SOURCE_RECORDER;
        world->size = 4;
        world->local_rank = (gint32) rank;
        world->n_collectives = 2 + rank % 2;
        for (guint i = 0; i < world->n_collectives; i++) {
            JobMessageCollective *collective = job_message_collective_new (i + 1, names[i]);

            collective->place = job_location_new ("main", "/a/branch.c", 8 + i);
            g_ptr_array_add (world->collectives, collective);
        }
        g_ptr_array_add (queue->communicators, world);
        if (rank % 2 == 0) {
            JobMessageCommunicator *half = job_message_communicator_new (77, "half");

            half->size = 2;
            half->n_collectives = 1;
            g_ptr_array_add (queue->communicators, half);
        }
        job_message_table_add (event->queues, queue);
    }
    return event;
}

static void
test_show (void)
{
    g_autoptr (Rig) rig = rig_new (4, FALSE);
    JobEvent *event = rig_event (JOB_EVENT_VALUES, "0-3");

    rig_state (rig, "0-3", JOB_STATE_STOPPED, 0, NULL, "main at /a/branch.c:10");
    look ();
    rig_assert (rig, "show diverged", "0-3: together, main at branch.c:10\n");
    g_free (rig_run (rig, "next"));
    rig_state (rig, "0-2/2", JOB_STATE_STOPPED, 0, NULL, "main at /a/branch.c:13");
    look ();
    /* 1 and 3 are still on their way: nobody is apart yet. */
    g_assert_cmpuint (session_get_splits (rig->session)->len, ==, 0);
    rig_state (rig, "1-3/2", JOB_STATE_STOPPED, 0, NULL, "main at /a/branch.c:11");
    look ();
    add_value (event, "rank", "0-2", "0");
    add_value (event, "odd", "0,2", "0");
    add_value (event, "odd", "1,3", "1");
    add_value (event, "size", "0-3", "4");
    rig_answer (rig, make_queues (), NULL);
    rig_answer (rig, event, NULL);
    rig_assert (
        rig, "show diverged",
        "0-3: last together, main at branch.c:10; they differ in odd; "
        "last common collective: the second on MPI_COMM_WORLD, MPI_Bcast (branch.c:9); 1,3 have begun "
        "more of them\n0,2: stopped, main at branch.c:13\n1,3: stopped, main at branch.c:11\n");
    /* Together again: the split is over. */
    g_free (rig_run (rig, "next"));
    rig_state (rig, "0-3", JOB_STATE_STOPPED, 0, NULL, "main at /a/branch.c:20");
    look ();
    rig_assert (rig, "show diverged", "0-3: together, main at branch.c:20\n");
}

static void
test_catch (void)
{
    g_autoptr (Rig) rig = rig_new (4, FALSE);
    const JobRequest *request;
    g_autofree char *text = NULL;

    rig_state (rig, "0-3", JOB_STATE_STOPPED, 0, NULL, "main at /a/branch.c:10");
    look ();
    command_context_flush (rig->context);
    rig_assert (rig, "catch divergence", "0-3: breakpoint 1 set, catch divergence\n");
    g_assert_cmpuint (rig->requests->len, ==, 0);
    rig_assert (rig, "continue", "");
    settle (rig, 1);
    request = g_ptr_array_index (rig->requests, 0);
    g_assert_cmpint (request->verb, ==, JOB_VERB_STEP);
    rig_state (rig, "0-3", JOB_STATE_STOPPED, 0, NULL, "main at /a/branch.c:11");
    settle (rig, 2);
    rig_state (rig, "0-1", JOB_STATE_STOPPED, 0, NULL, "main at /a/branch.c:12");
    look ();
    rig_state (rig, "2-3", JOB_STATE_STOPPED, 0, NULL, "main at /a/branch.c:15");
    text = rig_run (rig, "wait");
    g_assert_cmpstr (
        text, ==,
        "note: divergence (breakpoint 1): last together in main at branch.c:11: 0-1 at branch.c:12, "
        "2-3 at branch.c:15 (0-3)\n"
        "0-1: stopped, main at branch.c:12\n2-3: stopped, main at branch.c:15\n");
    g_assert_cmpuint (rig->requests->len, ==, 2);
    rig_assert (rig, "delete 1", "");
    rig_assert (rig, "continue", "");
    request = g_ptr_array_index (rig->requests, 2);
    g_assert_cmpint (request->verb, ==, JOB_VERB_CONTINUE);
}

/* A breakpoint ends it. */
static void
test_interrupted (void)
{
    g_autoptr (Rig) rig = rig_new (2, FALSE);
    g_autofree char *text = NULL;

    rig_state (rig, "0-1", JOB_STATE_STOPPED, 0, NULL, "main at /a/branch.c:10");
    look ();
    command_context_flush (rig->context);
    g_free (rig_run (rig, "catch divergence"));
    g_free (rig_run (rig, "continue"));
    settle (rig, 1);
    rig_state (rig, "0-1", JOB_STATE_BREAKPOINT, 7, NULL, "work at /a/branch.c:30");
    text = rig_run (rig, "wait");
    g_assert_cmpstr (text, ==, "0-1: breakpoint 7, work at branch.c:30\n");
    g_assert_cmpuint (rig->requests->len, ==, 1);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/command/diverged/show", test_show);
    g_test_add_func ("/command/diverged/catch", test_catch);
    g_test_add_func ("/command/diverged/interrupted", test_interrupted);
    return g_test_run ();
}
