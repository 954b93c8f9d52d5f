/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts on messages and locks between ranks: verdict, culprits, the whole sentence, the command. Cases of the
 * zoo as values. */
#include "zoo.h"

static void
test_head_to_head (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo_in (zoo, 2, RECV, 0, 1, WORLD, 20);
    zoo_assert_verdict (
        zoo, "0-1", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 7 (app.c:12); 1 in "
        "MPI_Recv from 0, tag 7 (app.c:12); one must send first; 1 more is stuck");
}

/* Who is asked about leads to rank 1 first. */
static void
test_asked_behind (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo_in (zoo, 2, RECV, 1, 1, WORLD, 20);
    zoo_assert_verdict (
        zoo, "2", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 7 (app.c:12); 1 in "
        "MPI_Recv from 0, tag 7 (app.c:12); one must send first; 1 more is stuck");
}

/* All send before they receive: a circle of sends that nobody has asked for. */
static void
test_ring_of_sends (void)
{
    g_autoptr (Zoo) zoo = zoo_new (8);

    for (guint32 rank = 0; rank < 8; rank++) {
        zoo_in (zoo, rank, SEND, (gint32) (rank + 1) % 8, 3, WORLD, 5);
        zoo_sent (zoo, rank, (rank + 1) % 8, WORLD, 3, 1);
    }
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-7", "on 0-7 where",
        "0-7 wait for each other in a circle: 0 in MPI_Send to 1, tag 3 (app.c:5); "
        "1 in MPI_Send to 2, tag 3 (app.c:5); 2 in MPI_Send to 3, tag 3 (app.c:5); "
        "3 in MPI_Send to 4, tag 3 (app.c:5); and 4 more; one must receive first");
}

/* A short message waits for no receive: whoever is inside MPI may make room for it. A synchronous one does wait. */
static void
test_room_for_short (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);
    JobMessageOperation *send;
    AnalysisVerdict *verdict;

    zoo_in (zoo, 0, SEND, 1, 3, WORLD, 5);
    zoo_in (zoo, 1, RECV, 0, 4, WORLD, 6);
    zoo_sent (zoo, 0, 1, WORLD, 3, 1);
    send = g_ptr_array_index (zoo_queue (zoo, 0)->operations, 0);
    send->bytes = 4;
    verdict = zoo_judge (zoo, NULL);
    g_assert_true (g_str_has_prefix (
        verdict->text->english, "0 and 1 appear to wait for each other: 0 in MPI_Send to 1"));
    g_assert_false (verdict->is_certain);
    analysis_verdict_free (verdict);
    send->flags |= JOB_MESSAGE_SYNCHRONOUS;
    verdict = zoo_judge (zoo, NULL);
    g_assert_true (verdict->is_certain);
    analysis_verdict_free (verdict);
}

/* Who receives from anybody does not wait for himself. */
static void
test_any (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);

    zoo_in (zoo, 0, RECV, JOB_MESSAGE_ANY, 9, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 20);
    zoo_in (zoo, 2, RECV, 1, 7, WORLD, 20);
    zoo_assert_verdict (
        zoo, "0-2", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from any rank, tag 9 (app.c:12); 1 in "
        "MPI_Recv from 0, tag 7 (app.c:20); one must send first; 1 more is stuck");
    zoo_free (zoo);
    zoo = zoo_new (2);
    zoo_in (zoo, 0, RECV, JOB_MESSAGE_ANY, 9, WORLD, 12);
    zoo_in (zoo, 1, RECV, JOB_MESSAGE_ANY, 9, WORLD, 12);
    zoo_assert_verdict (
        zoo, "0-1", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from any rank, tag 9 (app.c:12); 1 in "
        "MPI_Recv from any rank, tag 9 (app.c:12); one must send first");
}

static void
test_wrong_tag (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 21, WORLD, 12);
    zoo_sent (zoo, 1, 0, WORLD, 12, 1);
    zoo_call (zoo, 1, JOB_MESSAGE_FINALIZE, "MPI_Finalize", 30);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_ENDED, "1", NULL,
        "0 waits in MPI_Recv from 1, tag 21 (app.c:12); 1 is in MPI_Finalize "
        "(app.c:30); 1 has sent 4 bytes (app.c:99) to 0 with tag 12, which 0 never asked "
        "for");
}

static void
test_wrong_communicator (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);

    zoo_communicator (zoo, HALO, "halo");
    zoo_in (zoo, 0, RECV, 1, 5, WORLD, 12);
    zoo_sent (zoo, 1, 0, HALO, 5, 1);
    zoo_collective (zoo, 1, WORLD, "MPI_Barrier", FALSE, 20);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 5 (app.c:12); 1 in "
        "the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:20); 1 has sent 4 bytes "
        "(app.c:99) to 0 in halo, not in MPI_COMM_WORLD, which 0 never asked for");
}

static void
test_gone (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);

    zoo_in (zoo, 0, RECV, 1, 5, WORLD, 12);
    zoo_at (zoo, 1, JOB_STATE_FAILED, 0);
    zoo->ranks[1].number = 3;
    zoo_in (zoo, 2, RECV, JOB_MESSAGE_ANY, JOB_MESSAGE_ANY, WORLD, 44);
    zoo_assert_verdict (zoo, "0", ANALYSIS_VERDICT_ENDED, "1", NULL,
                        "0 waits in MPI_Recv from 1, tag 5 (app.c:12); 1 has failed 3");
}

/* The wildcard took what the second receive waits for; 2's message lies there. */
static void
test_wildcard_race (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);

    zoo_sent (zoo, 1, 0, WORLD, 5, 1);
    zoo_received (zoo, 0, 1, WORLD, 5, 1);
    zoo_sent (zoo, 2, 0, WORLD, 5, 1);
    zoo_in (zoo, 0, RECV, 1, 5, WORLD, 12);
    zoo_call (zoo, 1, JOB_MESSAGE_FINALIZE, "MPI_Finalize", 30);
    zoo_call (zoo, 2, JOB_MESSAGE_FINALIZE, "MPI_Finalize", 30);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_ENDED, "1", NULL,
        "0 waits in MPI_Recv from 1, tag 5 (app.c:12); 1 is in MPI_Finalize "
        "(app.c:30); 2 has sent 4 bytes (app.c:99) to 0 with tag 5; 0 asks for one from 1");
}

/* A self send that is there, a message that was sent, a receive that has been asked for. */
static void
test_in_flight (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);
    JobMessageCall *call;

    zoo_sent (zoo, 0, 0, WORLD, 1, 1);
    zoo_in (zoo, 0, RECV, 0, 1, WORLD, 12);
    zoo_in (zoo, 1, SEND, 2, 4, WORLD, 13);
    call = zoo_call (zoo, 2, JOB_MESSAGE_WAIT_ALL, "MPI_Waitall", 14);
    zoo_operation (zoo, 2, call, JOB_MESSAGE_RECV, "MPI_Irecv", 1, 4, WORLD);
    zoo_operation (zoo, 2, call, JOB_MESSAGE_RECV, "MPI_Irecv", JOB_MESSAGE_NONE, 4, WORLD);
    zoo_sent (zoo, 1, 2, WORLD, 4, 1);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_UNKNOWN, "", NULL,
        "0 waits in MPI_Recv from 0, tag 1 (app.c:12); why it does not go on is not known");
    zoo_assert_verdict (
        zoo, "2", ANALYSIS_VERDICT_UNKNOWN, "", NULL,
        "2 waits in MPI_Waitall for MPI_Irecv from 1, tag 4 (app.c:14); why it does not go "
        "on is not known; 1 is in MPI_Send (app.c:13)");
}

/* 0 has the message of 1 already, but does not ask for its contents. */
static void
test_matched (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);
    JobMessageFlow *flow;

    zoo_sent (zoo, 1, 0, WORLD, 1, 1);
    zoo_received (zoo, 0, 1, WORLD, 1, 0);
    flow = g_ptr_array_index (zoo_queue (zoo, 0)->flows, 0);
    flow->n_matched = 1;
    flow->matched = job_location_new ("main", "/x/app.c", 8);
    zoo_in (zoo, 0, RECV, 1, 2, WORLD, 12);
    zoo_in (zoo, 1, JOB_MESSAGE_SEND, "MPI_Ssend", 0, 1, WORLD, 13);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 2 (app.c:12); 1 in "
        "MPI_Ssend to 0, tag 1 (app.c:13); 0 has taken the message of 1 with "
        "MPI_Mprobe (app.c:8), but not received it");
}

/* The message of 0 is begun, and lacks a part that nobody marks: both wait for 0 itself. */
static void
test_partitions (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);
    JobMessageCall *call = zoo_call (zoo, 0, JOB_MESSAGE_WAIT_ALL, "MPI_Wait", 9);
    JobMessageOperation *send = zoo_operation (zoo, 0, call, JOB_MESSAGE_SEND, "MPI_Psend_init",
                                               1, 3, WORLD);

    send->n_partitions = 4;
    send->n_ready = 3;
    send->unready = 2;
    send->sequence = 1;
    zoo_sent (zoo, 0, 1, WORLD, 3, 1);
    call = zoo_call (zoo, 1, JOB_MESSAGE_WAIT_ALL, "MPI_Wait", 12);
    zoo_operation (zoo, 1, call, JOB_MESSAGE_RECV, "MPI_Precv_init", 0, 3, WORLD);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0", "on 0 where",
        "0 waits for itself: 0 in MPI_Wait for MPI_Psend_init to 1, tag 3, whose "
        "partition 2 was never marked by MPI_Pready (app.c:9); 1 more is stuck");
    send->n_ready = 1;
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_CYCLE, "0", "on 0 where",
        "0 waits for itself: 0 in MPI_Wait for MPI_Psend_init to 1, tag 3, of which 3 "
        "of 4 partitions were never marked by MPI_Pready (app.c:9); 1 more is stuck");
    send->n_ready = 4;
    zoo_assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_UNKNOWN, "", NULL,
        "1 waits in MPI_Wait for MPI_Precv_init from 0, tag 3 (app.c:12); why it "
        "does not go on is not known; 0 is in MPI_Wait (app.c:9)");
}

/* 0 has left a broadcast that the others never came to. */
static void
test_apart (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);

    zoo_collective (zoo, 0, WORLD, "MPI_Bcast", TRUE, 7);
    zoo_collective (zoo, 0, WORLD, "MPI_Barrier", FALSE, 9);
    zoo_in (zoo, 1, RECV, 0, 5, WORLD, 12);
    zoo_in (zoo, 2, RECV, 0, 5, WORLD, 12);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in the second collective on MPI_COMM_WORLD, "
        "MPI_Barrier (app.c:9); 1 in MPI_Recv from 0, tag 5 (app.c:12); 0 has called "
        "the first collective on MPI_COMM_WORLD, MPI_Bcast (app.c:7), before, which "
        "1-2 have not; 1 more is stuck");
    zoo_free (zoo);
    zoo = zoo_new (3);
    zoo_collective (zoo, 0, WORLD, "MPI_Barrier", FALSE, 9);
    zoo_collective (zoo, 2, WORLD, "MPI_Barrier", FALSE, 9);
    zoo_in (zoo, 1, RECV, 0, 5, WORLD, 12);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in the first collective on MPI_COMM_WORLD, "
        "MPI_Barrier (app.c:9); 1 in MPI_Recv from 0, tag 5 (app.c:12); 0 has sent 1 "
        "nothing that matches");
}

/* What another program has to do is not known, and what a call without one waits for neither. */
static void
test_outer (void)
{
    g_autoptr (Zoo) zoo = zoo_new (1);

    zoo_in (zoo, 0, JOB_MESSAGE_OUTER, "MPI_Comm_accept", JOB_MESSAGE_NONE,
            JOB_MESSAGE_TAG_NONE, WORLD, 9);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_UNKNOWN, "", NULL,
        "0 waits in MPI_Comm_accept (app.c:9); no other program has connected yet");
    zoo_free (zoo);
    zoo = zoo_new (1);
    zoo_in (zoo, 0, JOB_MESSAGE_OUTER, "MPI_Comm_connect", JOB_MESSAGE_NONE,
            JOB_MESSAGE_TAG_NONE, WORLD, 9);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_UNKNOWN, "", NULL,
        "0 waits in MPI_Comm_connect (app.c:9); what another job does is not known");
    zoo_free (zoo);
    zoo = zoo_new (1);
    zoo_call (zoo, 0, JOB_MESSAGE_OUTER, "MPI_File_close", 9);
    zoo_assert_verdict (zoo, NULL, ANALYSIS_VERDICT_UNKNOWN, "", NULL,
                        "0 waits in MPI_File_close (app.c:9); pddt cannot tell for which rank");
}

/* Any of two is enough; none of two is not. */
static void
test_wait_any (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);
    JobMessageCall *call = zoo_call (zoo, 0, JOB_MESSAGE_WAIT_ANY, "MPI_Waitany", 9);
    g_autoptr (AnalysisVerdict) verdict = NULL;

    zoo_operation (zoo, 0, call, JOB_MESSAGE_RECV, "MPI_Irecv", 1, 4, WORLD);
    zoo_operation (zoo, 0, call, JOB_MESSAGE_RECV, "MPI_Irecv", 2, 4, WORLD);
    zoo_in (zoo, 1, RECV, 0, 4, WORLD, 12);
    verdict = zoo_judge (zoo, "0");
    g_assert_cmpint (verdict->kind, ==, ANALYSIS_VERDICT_COMPUTING);
    zoo_in (zoo, 2, RECV, 0, 4, WORLD, 13);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Waitany for MPI_Irecv from 1, tag 4 "
        "(app.c:9); 1 in MPI_Recv from 0, tag 4 (app.c:12); one must send first; 1 more "
        "is stuck");
}

/* Whether a short send is over nobody knows, while another half is certainly open. */
static void
test_short_send (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);
    JobMessageCall *call = zoo_call (zoo, 0, JOB_MESSAGE_WAIT_ALL, "MPI_Waitall", 9);

    zoo_operation (zoo, 0, call, JOB_MESSAGE_SEND, "MPI_Isend", 1, 4, WORLD)->sequence = 1;
    zoo_operation (zoo, 0, call, JOB_MESSAGE_RECV, "MPI_Irecv", 2, 4, WORLD);
    zoo_sent (zoo, 0, 1, WORLD, 4, 1);
    zoo_in (zoo, 1, RECV, 0, 5, WORLD, 12);
    zoo_at (zoo, 2, JOB_STATE_RUNNING, 5);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_COMPUTING, "2", "on 2 where",
        "0 waits in MPI_Waitall for MPI_Irecv from 2, tag 4 (app.c:9); 2 is computing at "
        "app.c:5");
}

/* Another thread may do what the first waits for. */
static void
test_other_thread (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);
    g_autoptr (AnalysisVerdict) verdict = NULL;

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo_queue (zoo, 1)->flags |= JOB_MESSAGE_QUEUE_OTHERS;
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_UNKNOWN, "", NULL,
        "1 waits in MPI_Recv from 0, tag 7 (app.c:12); whether it is stuck is not "
        "known: another thread of 1 is outside of MPI");
    verdict = zoo_judge (zoo, NULL);
    g_assert_true (job_rank_set_is_empty (verdict->stuck));
}

/* Faults that have nothing to do with each other are all told, each with those behind it. */
static void
test_several (void)
{
    g_autoptr (Zoo) zoo = zoo_new (6);
    g_autoptr (AnalysisVerdict) verdict = NULL;
    g_autofree char *text = NULL;

    for (guint32 rank = 0; rank < 4; rank++) {
        zoo_in (zoo, rank, RECV, (gint32) (rank ^ 1), 7, WORLD, 12);
    }
    zoo_in (zoo, 4, RECV, 2, 7, WORLD, 15);
    zoo_in (zoo, 5, RECV, 5, 7, WORLD, 16);
    verdict = zoo_judge (zoo, NULL);
    text = analysis_verdict_dup_text (verdict, BASE_TEXT_ENGLISH, " | ");
    g_assert_cmpstr (
        text, ==,
        "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 7 (app.c:12); 1 in "
        "MPI_Recv from 0, tag 7 (app.c:12); one must send first | "
        "2 and 3 wait for each other: 2 in MPI_Recv from 3, tag 7 (app.c:12); 3 in "
        "MPI_Recv from 2, tag 7 (app.c:12); one must send first; 1 more is stuck | "
        "5 waits for itself: 5 in MPI_Recv from 5, tag 7 (app.c:16)");
}

/* Who holds the lock, not whose memory it is. */
static void
test_lock (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);
    JobMessageFlow *flow = job_message_flow_new (TRUE, HALO, 2, JOB_MESSAGE_TAG_LOCK_EXCLUSIVE,
                                                 1);

    zoo_communicator (zoo, HALO, "window");
    zoo_in (zoo, 0, JOB_MESSAGE_RMA, "MPI_Win_lock", 2, JOB_MESSAGE_TAG_LOCK_EXCLUSIVE, HALO,
            12);
    zoo_in (zoo, 1, RECV, 0, 4, WORLD, 20);
    zoo_in (zoo, 2, RECV, 0, 4, WORLD, 21);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_UNKNOWN, "", NULL,
        "0 waits in MPI_Win_lock on 2 (app.c:12); why it does not go on is not known");
    g_ptr_array_add (zoo_queue (zoo, 1)->flows, flow);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Win_lock (app.c:12) on the window of 2, which 1 has locked; 1 in "
        "MPI_Recv from 0, tag 4 (app.c:20); 1 more is stuck");
}

/* A hundred thousand ranks cost little more than reading them once. */
static void
test_cost (void)
{
    guint32 n = 100000;
    g_autoptr (Zoo) zoo = zoo_new (n);
    g_autoptr (AnalysisVerdict) verdict = NULL;
    gint64 start_us;

    for (guint32 rank = 0; rank < n; rank++) {
        if (rank % 3 == 0) {
            zoo_in (zoo, rank, RECV, JOB_MESSAGE_ANY, 1, WORLD, 12);
        } else if (rank != 40000) {
            zoo_collective (zoo, rank, WORLD, "MPI_Allreduce", FALSE, 9);
        }
    }
    zoo_in (zoo, 40000, RECV, 3, 1, WORLD, 15);
    start_us = g_get_monotonic_time ();
    verdict = zoo_judge (zoo, NULL);
    g_test_message ("%.0f ms", (double) (g_get_monotonic_time () - start_us) / 1000);
    g_assert_cmpint (verdict->kind, ==, ANALYSIS_VERDICT_CYCLE);
    g_assert_cmpuint (job_rank_set_get_count (verdict->stuck), ==, n);
}

int
main (int argc, char **argv)
{
    zoo_init (&argc, &argv);
    g_test_add_func ("/analysis/verdict/head-to-head", test_head_to_head);
    g_test_add_func ("/analysis/verdict/asked-behind", test_asked_behind);
    g_test_add_func ("/analysis/verdict/ring-of-sends", test_ring_of_sends);
    g_test_add_func ("/analysis/verdict/room-for-short", test_room_for_short);
    g_test_add_func ("/analysis/verdict/any", test_any);
    g_test_add_func ("/analysis/verdict/wrong-tag", test_wrong_tag);
    g_test_add_func ("/analysis/verdict/wrong-communicator", test_wrong_communicator);
    g_test_add_func ("/analysis/verdict/gone", test_gone);
    g_test_add_func ("/analysis/verdict/wildcard-race", test_wildcard_race);
    g_test_add_func ("/analysis/verdict/in-flight", test_in_flight);
    g_test_add_func ("/analysis/verdict/matched", test_matched);
    g_test_add_func ("/analysis/verdict/partitions", test_partitions);
    g_test_add_func ("/analysis/verdict/apart", test_apart);
    g_test_add_func ("/analysis/verdict/outer", test_outer);
    g_test_add_func ("/analysis/verdict/wait-any", test_wait_any);
    g_test_add_func ("/analysis/verdict/short-send", test_short_send);
    g_test_add_func ("/analysis/verdict/other-thread", test_other_thread);
    g_test_add_func ("/analysis/verdict/several", test_several);
    g_test_add_func ("/analysis/verdict/lock", test_lock);
    g_test_add_func ("/analysis/verdict/cost", test_cost);
    return g_test_run ();
}
