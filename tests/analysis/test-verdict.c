/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each case of the zoo as values: verdict, culprits, the whole sentence, the command. */
#include "zoo.h"
#include "../support/pseudo.h"

#define WORLD JOB_MESSAGE_WORLD_ID
#define RECV JOB_MESSAGE_RECV, "MPI_Recv"
#define SEND JOB_MESSAGE_SEND, "MPI_Send"
#define HALO 77

static gboolean has_language;

/* All that a window shows of it came through the catalogue, as whole clauses and labels. */
static void
check_shown (const AnalysisVerdict *verdict)
{
    if (!has_language) {
        return;
    }
    pseudo_check (verdict->text->english, verdict->text->shown);
    for (guint i = 0; i < verdict->parts->len; i++) {
        const AnalysisVerdictPart *part = g_ptr_array_index (verdict->parts, i);

        if (part->caption != NULL) {
            pseudo_check (part->caption->english, part->caption->shown);
        }
    }
}

static void
assert_verdict (Zoo *zoo, const char *set, AnalysisVerdictKind kind, const char *culprits,
                const char *command, const char *text)
{
    g_autoptr (AnalysisVerdict) verdict = zoo_judge (zoo, set);
    g_autofree char *ranks = job_rank_set_format (verdict->culprits);

    g_assert_cmpstr (verdict->text->english, ==, text);
    check_shown (verdict);
    g_assert_cmpstr (analysis_verdict_kind_get_name (verdict->kind), ==,
                     analysis_verdict_kind_get_name (kind));
    g_assert_cmpstr (ranks, ==, culprits);
    g_assert_cmpstr (verdict->command, ==, command);
}

static void
test_head_to_head (void)
{
    Zoo *zoo = zoo_new (3);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo_in (zoo, 2, RECV, 0, 1, WORLD, 20);
    assert_verdict (zoo, "0-1", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
                    "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 7 (app.c:12); 1 in "
                    "MPI_Recv from 0, tag 7 (app.c:12); one must send first; 1 more is stuck");
    zoo_free (zoo);
}

/* Who is asked about leads to rank 1 first. */
static void
test_asked_behind (void)
{
    Zoo *zoo = zoo_new (3);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo_in (zoo, 2, RECV, 1, 1, WORLD, 20);
    assert_verdict (zoo, "2", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
                    "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 7 (app.c:12); 1 in "
                    "MPI_Recv from 0, tag 7 (app.c:12); one must send first; 1 more is stuck");
    zoo_free (zoo);
}

/* All send before they receive: a circle of sends that nobody has asked for. */
static void
test_ring_of_sends (void)
{
    Zoo *zoo = zoo_new (8);

    for (guint32 rank = 0; rank < 8; rank++) {
        zoo_in (zoo, rank, SEND, (gint32) (rank + 1) % 8, 3, WORLD, 5);
        zoo_sent (zoo, rank, (rank + 1) % 8, WORLD, 3, 1);
    }
    assert_verdict (zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-7", "on 0-7 where",
                    "0-7 wait for each other in a circle: 0 in MPI_Send to 1, tag 3 (app.c:5); "
                    "1 in MPI_Send to 2, tag 3 (app.c:5); 2 in MPI_Send to 3, tag 3 (app.c:5); "
                    "3 in MPI_Send to 4, tag 3 (app.c:5); and 4 more; one must receive first");
    zoo_free (zoo);
}

/* Who receives from anybody does not wait for himself. */
static void
test_any (void)
{
    Zoo *zoo = zoo_new (3);

    zoo_in (zoo, 0, RECV, JOB_MESSAGE_ANY, 9, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 20);
    zoo_in (zoo, 2, RECV, 1, 7, WORLD, 20);
    assert_verdict (
        zoo, "0-2", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from any rank, tag 9 (app.c:12); 1 in "
        "MPI_Recv from 0, tag 7 (app.c:20); one must send first; 1 more is stuck");
    zoo_free (zoo);
    zoo = zoo_new (2);
    zoo_in (zoo, 0, RECV, JOB_MESSAGE_ANY, 9, WORLD, 12);
    zoo_in (zoo, 1, RECV, JOB_MESSAGE_ANY, 9, WORLD, 12);
    assert_verdict (
        zoo, "0-1", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from any rank, tag 9 (app.c:12); 1 in "
        "MPI_Recv from any rank, tag 9 (app.c:12); one must send first");
    zoo_free (zoo);
}

static void
test_held (void)
{
    Zoo *zoo = zoo_new (6);

    zoo_at (zoo, 5, JOB_STATE_BREAKPOINT, 81);
    zoo_in (zoo, 3, RECV, 5, 12, WORLD, 40);
    assert_verdict (zoo, "3", ANALYSIS_VERDICT_HELD, "5", "on 5 continue",
                    "3 waits in MPI_Recv from 5, tag 12 (app.c:40); 5 is paused at app.c:81; "
                    "step or continue 5");
    /* Two steps away. */
    zoo_in (zoo, 2, RECV, 3, 1, HALO, 50);
    zoo_communicator (zoo, HALO, "halo");
    assert_verdict (
        zoo, "2", ANALYSIS_VERDICT_HELD, "5", "on 5 continue",
        "2 waits in MPI_Recv from 3, tag 1 on halo (app.c:50); 3 in MPI_Recv from 5, "
        "tag 12 (app.c:40); 5 is paused at app.c:81; step or continue 5");
    zoo_free (zoo);
}

/* Ranks that were paused inside MPI are still judged by what they wait for. */
static void
test_paused_cycle (void)
{
    Zoo *zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo_at (zoo, 0, JOB_STATE_STOPPED, 12);
    zoo_at (zoo, 1, JOB_STATE_STOPPED, 12);
    assert_verdict (zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
                    "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 7 (app.c:12); 1 in "
                    "MPI_Recv from 0, tag 7 (app.c:12); one must send first");
    /* The message is there: it is only the user who keeps 0. */
    zoo_sent (zoo, 1, 0, WORLD, 7, 1);
    assert_verdict (zoo, "1", ANALYSIS_VERDICT_HELD, "0", "on 0 continue",
                    "1 waits in MPI_Recv from 0, tag 7 (app.c:12); 0 is paused at app.c:12; "
                    "step or continue 0");
    zoo_free (zoo);
}

/* All have come, and one is stopped inside: the others wait for its processor. */
static void
test_halted (void)
{
    Zoo *zoo = zoo_new (4);

    for (guint32 rank = 0; rank < 4; rank++) {
        zoo_collective (zoo, rank, WORLD, "MPI_Allreduce", FALSE, 26);
    }
    zoo_at (zoo, 0, JOB_STATE_BREAKPOINT, 26);
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_HELD, "0", "on 0 continue",
        "1-3 wait in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0 is paused"
        " at app.c:26; step or continue 0");
    zoo_at (zoo, 3, JOB_STATE_STOPPED, 26);
    assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_HELD, "0,3", "on 0,3 continue",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0,3 are "
        "paused at app.c:26; step or continue 0,3");
    /* Continuing does not help one whose own threads wait for each other, whichever it is. */
    zoo_queue (zoo, 3)->flags |= JOB_MESSAGE_QUEUE_DEADLOCK;
    assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_HELD, "0,3", "on 0 continue",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0,3 are "
        "paused at app.c:26; step or continue 0");
    zoo_queue (zoo, 0)->flags |= JOB_MESSAGE_QUEUE_DEADLOCK;
    assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_HELD, "0,3", "on 0,3 where",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0,3 are "
        "paused at app.c:26");
    for (guint32 rank = 0; rank < 4; rank += 3) {
        zoo_wait (zoo, rank, JOB_WAIT_END, NULL)->other = 4;
    }
    assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_HELD, "0,3", "on 0,3 where",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0,3 are "
        "paused at app.c:26, where each waits for the end of thread 4");
    zoo_free (zoo);
    /* A receive that was asked for, by one who does not run. */
    zoo = zoo_new (2);
    zoo_in (zoo, 0, SEND, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 20);
    zoo_at (zoo, 1, JOB_STATE_STOPPED, 20);
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_HELD, "1", "on 1 continue",
        "0 waits in MPI_Send to 1, tag 7 (app.c:12); 1 is paused at app.c:20; step or "
        "continue 1");
    zoo_free (zoo);
}

static void
test_mismatch (void)
{
    Zoo *zoo = zoo_new (4);
    g_autoptr (AnalysisVerdict) verdict = NULL;

    for (guint32 rank = 0; rank < 4; rank++) {
        zoo_collective (zoo, rank, WORLD, "MPI_Bcast", TRUE, 3);
        zoo_collective (zoo, rank, WORLD, rank == 3 ? "MPI_Barrier" : "MPI_Allreduce", FALSE,
                        rank == 3 ? 10 : 12);
    }
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_MISMATCH, "3", "on 3 where",
        "the second collective on MPI_COMM_WORLD is not the same for all: 3 calls MPI_Barrier "
        "(app.c:10), 0-2 MPI_Allreduce (app.c:12)");
    verdict = zoo_judge (zoo, NULL);
    g_assert_cmpuint (job_rank_set_get_count (verdict->stuck), ==, 4);
    zoo_free (zoo);
}

/* Nothing hangs by another root, and still it is wrong. */
static void
test_mismatch_unseen (void)
{
    Zoo *zoo = zoo_new (4);
    JobMessageCollective *collective;

    for (guint32 rank = 0; rank < 4; rank++) {
        collective = zoo_collective (zoo, rank, WORLD, "MPI_Bcast", TRUE, 3);
        collective->flags |= JOB_MESSAGE_ROOTED;
        collective->root = rank < 2 ? 0 : 1;
    }
    assert_verdict (
        zoo, "2", ANALYSIS_VERDICT_MISMATCH, "0-3", "on 0-3 where",
        "the first collective on MPI_COMM_WORLD is not the same for all: 0-1 call MPI_Bcast "
        "with root 0 (app.c:3), 2-3 with root 1 (app.c:3)");
    zoo_free (zoo);
}

/* What they called then is forgotten, but not that it was another. */
static void
test_mismatch_earlier (void)
{
    Zoo *zoo = zoo_new (3);

    for (guint32 rank = 0; rank < 3; rank++) {
        for (guint32 i = 0; i < 4; i++) {
            zoo_collective (zoo, rank, WORLD, "MPI_Barrier", i < 3, 3)->chain = rank == 1
                                                                                    ? 7 + i
                                                                                    : 70 + i;
        }
    }
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_MISMATCH, "1", "on 1 where",
        "collectives on MPI_COMM_WORLD are not the same for all: 1 and 0,2 have called "
        "different ones before the first collective");
    zoo_free (zoo);
}

/* Barrier in one, Bcast in the others: some have left and wait elsewhere. */
static void
test_mismatch_behind (void)
{
    Zoo *zoo = zoo_new (3);

    zoo_collective (zoo, 0, WORLD, "MPI_Bcast", TRUE, 3);
    zoo_collective (zoo, 0, WORLD, "MPI_Reduce", FALSE, 5);
    zoo_collective (zoo, 1, WORLD, "MPI_Bcast", TRUE, 3);
    zoo_collective (zoo, 1, WORLD, "MPI_Reduce", FALSE, 5);
    zoo_collective (zoo, 2, WORLD, "MPI_Barrier", FALSE, 7);
    assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_MISMATCH, "2", "on 2 where",
        "the first collective on MPI_COMM_WORLD is not the same for all: 2 calls MPI_Barrier "
        "(app.c:7), 0-1 MPI_Bcast (app.c:3)");
    zoo_free (zoo);
}

static void
test_wrong_tag (void)
{
    Zoo *zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 21, WORLD, 12);
    zoo_sent (zoo, 1, 0, WORLD, 12, 1);
    zoo_call (zoo, 1, JOB_MESSAGE_FINALIZE, "MPI_Finalize", 30);
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_ENDED, "1", NULL,
        "0 waits in MPI_Recv from 1, tag 21 (app.c:12); 1 is in MPI_Finalize "
        "(app.c:30); 1 has sent it 4 bytes (app.c:99) with tag 12, which 0 never asked "
        "for");
    zoo_free (zoo);
}

static void
test_wrong_communicator (void)
{
    Zoo *zoo = zoo_new (2);

    zoo_communicator (zoo, HALO, "halo");
    zoo_in (zoo, 0, RECV, 1, 5, WORLD, 12);
    zoo_sent (zoo, 1, 0, HALO, 5, 1);
    zoo_collective (zoo, 1, WORLD, "MPI_Barrier", FALSE, 20);
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 5 (app.c:12); 1 in "
        "the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:20); 1 has sent it 4 bytes "
        "(app.c:99) in halo, not in MPI_COMM_WORLD, which 0 never asked for");
    zoo_free (zoo);
}

static void
test_gone (void)
{
    Zoo *zoo = zoo_new (3);

    zoo_in (zoo, 0, RECV, 1, 5, WORLD, 12);
    zoo_at (zoo, 1, JOB_STATE_FAILED, 0);
    zoo->ranks[1].number = 3;
    zoo_in (zoo, 2, RECV, JOB_MESSAGE_ANY, JOB_MESSAGE_ANY, WORLD, 44);
    assert_verdict (zoo, "0", ANALYSIS_VERDICT_ENDED, "1", NULL,
                    "0 waits in MPI_Recv from 1, tag 5 (app.c:12); 1 has failed 3");
    zoo_free (zoo);
}

/* The wildcard took what the second receive waits for; 2's message lies there. */
static void
test_wildcard_race (void)
{
    Zoo *zoo = zoo_new (3);

    zoo_sent (zoo, 1, 0, WORLD, 5, 1);
    zoo_received (zoo, 0, 1, WORLD, 5, 1);
    zoo_sent (zoo, 2, 0, WORLD, 5, 1);
    zoo_in (zoo, 0, RECV, 1, 5, WORLD, 12);
    zoo_call (zoo, 1, JOB_MESSAGE_FINALIZE, "MPI_Finalize", 30);
    zoo_call (zoo, 2, JOB_MESSAGE_FINALIZE, "MPI_Finalize", 30);
    assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_ENDED, "1", NULL,
        "0 waits in MPI_Recv from 1, tag 5 (app.c:12); 1 is in MPI_Finalize "
        "(app.c:30); 2 has sent it 4 bytes (app.c:99) with tag 5, which 0 never asked "
        "for");
    zoo_free (zoo);
}

static void
test_input (void)
{
    Zoo *zoo = zoo_new (4);

    zoo_at (zoo, 0, JOB_STATE_RUNNING, 8);
    zoo_wait (zoo, 0, JOB_WAIT_INPUT, "read");
    zoo_queue (zoo, 0)->flags |= JOB_MESSAGE_QUEUE_INPUT;
    for (guint32 rank = 1; rank < 4; rank++) {
        zoo_collective (zoo, rank, WORLD, "MPI_Bcast", FALSE, 10);
    }
    assert_verdict (
        zoo, "1-3", ANALYSIS_VERDICT_SYSTEM_CALL, "0", "on 0 input ",
        "1-3 wait in the first collective on MPI_COMM_WORLD, MPI_Bcast (app.c:10); 0 has not "
        "called it; it is in read of standard input at app.c:8; input frees it");
    zoo_free (zoo);
    /* two are missing, and one of them reads */
    zoo = zoo_new (4);
    for (guint32 rank = 0; rank < 2; rank++) {
        zoo_at (zoo, rank, JOB_STATE_RUNNING, 8);
        zoo_wait (zoo, rank, rank == 0 ? JOB_WAIT_CALL : JOB_WAIT_INPUT,
                  rank == 0 ? "nanosleep" : "read");
        zoo_queue (zoo, rank)->flags |= rank == 0 ? 0 : JOB_MESSAGE_QUEUE_INPUT;
        zoo_collective (zoo, rank + 2, WORLD, "MPI_Bcast", FALSE, 10);
    }
    assert_verdict (
        zoo, "2-3", ANALYSIS_VERDICT_SYSTEM_CALL, "0-1", "on 1 input ",
        "2-3 wait in the first collective on MPI_COMM_WORLD, MPI_Bcast (app.c:10); 0 has not "
        "called it; it is in nanosleep at app.c:8; 1 has not called it; it is in read of standard "
        "input at app.c:8; input frees 1");
    zoo_free (zoo);
}

/* Slow is not dead. */
static void
test_computing (void)
{
    Zoo *zoo = zoo_new (8);
    g_autoptr (AnalysisVerdict) verdict = NULL;

    zoo_communicator (zoo, HALO, "halo");
    for (guint32 rank = 0; rank < 8; rank++) {
        if (rank != 3) {
            zoo_collective (zoo, rank, HALO, "MPI_Barrier", FALSE, 9);
        }
    }
    zoo_at (zoo, 3, JOB_STATE_RUNNING, 77);
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_MISSING, "3", "on 3 where",
        "0-2,4-7 wait in the first collective on halo, MPI_Barrier (app.c:9); 3 has not called "
        "it; it is computing at app.c:77");
    verdict = zoo_judge (zoo, NULL);
    g_assert_true (job_rank_set_is_empty (verdict->stuck));
    zoo_at (zoo, 3, JOB_STATE_STOPPED, 77);
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_HELD, "3", "on 3 continue",
        "0-2,4-7 wait in the first collective on halo, MPI_Barrier (app.c:9); 3 has not called "
        "it; it is paused at app.c:77; step or continue 3");
    zoo_free (zoo);
}

static void
test_polling (void)
{
    Zoo *zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 5, WORLD, 12);
    zoo_call (zoo, 1, JOB_MESSAGE_POLL, "MPI_Test", 33);
    assert_verdict (zoo, NULL, ANALYSIS_VERDICT_COMPUTING, "1", "on 1 where",
                    "0 waits in MPI_Recv from 1, tag 5 (app.c:12); 1 polls with MPI_Test "
                    "(app.c:33)");
    zoo_free (zoo);
}

/* A self send that is there, a message on its way, a receive that has been asked for. */
static void
test_in_flight (void)
{
    Zoo *zoo = zoo_new (3);
    JobMessageCall *call;

    zoo_sent (zoo, 0, 0, WORLD, 1, 1);
    zoo_in (zoo, 0, RECV, 0, 1, WORLD, 12);
    zoo_in (zoo, 1, SEND, 2, 4, WORLD, 13);
    call = zoo_call (zoo, 2, JOB_MESSAGE_WAIT_ALL, "MPI_Waitall", 14);
    zoo_operation (zoo, 2, call, JOB_MESSAGE_RECV, "MPI_Irecv", 1, 4, WORLD);
    zoo_operation (zoo, 2, call, JOB_MESSAGE_RECV, "MPI_Irecv", JOB_MESSAGE_NONE, 4, WORLD);
    zoo_sent (zoo, 1, 2, WORLD, 4, 1);
    assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_COMPUTING, "", NULL,
        "0 waits in MPI_Recv from 0, tag 1 (app.c:12); what it waits for is on its way"
        "");
    assert_verdict (
        zoo, "2", ANALYSIS_VERDICT_COMPUTING, "", NULL,
        "2 waits in MPI_Waitall for MPI_Irecv from 1, tag 4 (app.c:14); what it waits "
        "for is on its way");
    zoo_free (zoo);
}

/* Any of two is enough; none of two is not. */
static void
test_wait_any (void)
{
    Zoo *zoo = zoo_new (3);
    JobMessageCall *call = zoo_call (zoo, 0, JOB_MESSAGE_WAIT_ANY, "MPI_Waitany", 9);
    g_autoptr (AnalysisVerdict) verdict = NULL;

    zoo_operation (zoo, 0, call, JOB_MESSAGE_RECV, "MPI_Irecv", 1, 4, WORLD);
    zoo_operation (zoo, 0, call, JOB_MESSAGE_RECV, "MPI_Irecv", 2, 4, WORLD);
    zoo_in (zoo, 1, RECV, 0, 4, WORLD, 12);
    verdict = zoo_judge (zoo, "0");
    g_assert_cmpint (verdict->kind, ==, ANALYSIS_VERDICT_COMPUTING);
    zoo_in (zoo, 2, RECV, 0, 4, WORLD, 13);
    assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Waitany for MPI_Irecv from 1, tag 4 "
        "(app.c:9); 1 in MPI_Recv from 0, tag 4 (app.c:12); one must send first; 1 more "
        "is stuck");
    zoo_free (zoo);
}

/* Without the recorder: by stacks, and it says so. */
static void
test_stacks (void)
{
    Zoo *zoo = zoo_new (4);

    for (guint32 rank = 0; rank < 4; rank++) {
        zoo_queue (zoo, rank)->source = JOB_MESSAGE_SOURCE_STACK;
        zoo_queue (zoo, rank)->flags = JOB_MESSAGE_QUEUE_INITIALIZED;
        g_ptr_array_set_size (zoo_queue (zoo, rank)->communicators, 0);
        if (rank != 2) {
            zoo_call (zoo, rank, JOB_MESSAGE_COLLECTIVE, "MPI_Barrier", 9);
        }
    }
    zoo_at (zoo, 2, JOB_STATE_STOPPED, 70);
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_HELD, "2", "on 2 continue",
        "0-1,3 appear to wait in MPI_Barrier (app.c:9); 2 is paused at app.c:70; step or "
        "continue 2");
    zoo_at (zoo, 2, JOB_STATE_RUNNING, 70);
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_UNKNOWN, "", NULL,
        "0-1,3 appear to wait in MPI_Barrier (app.c:9); it is not known for whom; 2 is "
        "computing at app.c:70");
    zoo_free (zoo);
}

static void
test_idle (void)
{
    Zoo *zoo = zoo_new (2);

    zoo_at (zoo, 0, JOB_STATE_RUNNING, 5);
    zoo_at (zoo, 1, JOB_STATE_RUNNING, 5);
    assert_verdict (zoo, NULL, ANALYSIS_VERDICT_FREE, "0-1", NULL,
                    "no rank is waiting in MPI; 0-1 are computing at app.c:5");
    zoo_at (zoo, 1, JOB_STATE_STOPPED, 6);
    assert_verdict (zoo, NULL, ANALYSIS_VERDICT_HELD, "1", "on 1 continue",
                    "1 is paused at app.c:6; step or continue 1");
    zoo_at (zoo, 0, JOB_STATE_EXITED, 0);
    zoo_at (zoo, 1, JOB_STATE_EXITED, 0);
    assert_verdict (zoo, NULL, ANALYSIS_VERDICT_ENDED, "0-1", NULL, "0-1 have exited 0");
    zoo_free (zoo);
}

/* The half that has been received blames nobody: 2 waits for the late 1 alone, not for 3. */
static void
test_halves (void)
{
    Zoo *zoo = zoo_new (4);
    JobMessageCall *call;

    zoo_collective (zoo, 0, WORLD, "MPI_Barrier", FALSE, 30);
    zoo_collective (zoo, 3, WORLD, "MPI_Barrier", FALSE, 30);
    call = zoo_call (zoo, 2, JOB_MESSAGE_SENDRECV, "MPI_Sendrecv", 20);
    zoo_operation (zoo, 2, call, JOB_MESSAGE_SEND, "MPI_Sendrecv", 3, 1, WORLD)->flags
        = JOB_MESSAGE_IN_CALL;
    zoo_operation (zoo, 2, call, JOB_MESSAGE_RECV, "MPI_Sendrecv", 1, 1, WORLD)->flags
        = JOB_MESSAGE_IN_CALL;
    zoo_sent (zoo, 2, 3, WORLD, 1, 1);
    zoo_received (zoo, 3, 2, WORLD, 1, 1);
    zoo_at (zoo, 1, JOB_STATE_RUNNING, 5);
    assert_verdict (
        zoo, "2", ANALYSIS_VERDICT_COMPUTING, "1", "on 1 where",
        "2 waits in MPI_Sendrecv from 1, tag 1 (app.c:20); 1 is computing at app.c:5");
    assert_verdict (
        zoo, "0,3", ANALYSIS_VERDICT_MISSING, "1", "on 1 where",
        "0,3 wait in the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:30); 1 has not "
        "called it; it is computing at app.c:5");
    zoo_free (zoo);
}

/* Whether a short send is over nobody knows, while another half is certainly open. */
static void
test_short_send (void)
{
    Zoo *zoo = zoo_new (3);
    JobMessageCall *call = zoo_call (zoo, 0, JOB_MESSAGE_WAIT_ALL, "MPI_Waitall", 9);

    zoo_operation (zoo, 0, call, JOB_MESSAGE_SEND, "MPI_Isend", 1, 4, WORLD)->sequence = 1;
    zoo_operation (zoo, 0, call, JOB_MESSAGE_RECV, "MPI_Irecv", 2, 4, WORLD);
    zoo_sent (zoo, 0, 1, WORLD, 4, 1);
    zoo_in (zoo, 1, RECV, 0, 5, WORLD, 12);
    zoo_at (zoo, 2, JOB_STATE_RUNNING, 5);
    assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_COMPUTING, "2", "on 2 where",
        "0 waits in MPI_Waitall for MPI_Irecv from 2, tag 4 (app.c:9); 2 is computing at "
        "app.c:5");
    zoo_free (zoo);
}

/* Another thread may do what the first waits for. */
static void
test_other_thread (void)
{
    Zoo *zoo = zoo_new (2);
    g_autoptr (AnalysisVerdict) verdict = NULL;

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo_queue (zoo, 1)->flags |= JOB_MESSAGE_QUEUE_OTHERS;
    assert_verdict (zoo, NULL, ANALYSIS_VERDICT_UNKNOWN, "", NULL,
                    "1 waits in MPI_Recv from 0, tag 7 (app.c:12); whether it is stuck is not "
                    "known: another thread of 1 is outside of MPI");
    verdict = zoo_judge (zoo, NULL);
    g_assert_true (job_rank_set_is_empty (verdict->stuck));
    zoo_free (zoo);
}

/* Until the root has come nobody else can hold up those that only receive. */
static void
test_absent_root (void)
{
    Zoo *zoo = zoo_new (3);
    JobMessageCollective *collective = zoo_collective (zoo, 1, WORLD, "MPI_Bcast", FALSE, 9);

    collective->flags |= JOB_MESSAGE_ROOTED;
    collective->root = 0;
    ((JobMessageOperation *) g_ptr_array_index (zoo_queue (zoo, 1)->operations, 0))->peer = 0;
    zoo_in (zoo, 2, RECV, 1, 4, WORLD, 12);
    zoo_at (zoo, 0, JOB_STATE_RUNNING, 5);
    assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_MISSING, "0", "on 0 where",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Bcast (app.c:9); 0 has not called "
        "it; it is computing at app.c:5");
    zoo_free (zoo);
}

/* Faults that have nothing to do with each other are all told, each with those behind it. */
static void
test_several (void)
{
    Zoo *zoo = zoo_new (6);
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
        "5 waits for itself: 5 in MPI_Recv from 5, tag 7 (app.c:16); one must send first");
    zoo_free (zoo);
}

static void
test_crashed (void)
{
    Zoo *zoo = zoo_new (3);

    zoo_collective (zoo, 0, WORLD, "MPI_Barrier", FALSE, 9);
    zoo_at (zoo, 1, JOB_STATE_SIGNAL, 30);
    zoo->ranks[1].text = "SIGSEGV";
    zoo_at (zoo, 2, JOB_STATE_STOPPED, 31);
    assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CRASHED, "1", "on 1 where",
        "0 waits in the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:9); 1 has not called "
        "it; it crashed with SIGSEGV at app.c:30");
    zoo->ranks[1].text
        = "SIGUSR1"; /* which nobody dies of here: the user has asked for this stop */
    assert_verdict (zoo, "1", ANALYSIS_VERDICT_HELD, "1", "on 1 continue",
                    "1 is paused at SIGUSR1 at app.c:30; step or continue 1");
    zoo_free (zoo);
}

static void
add_behind (Zoo *zoo, JobWaitKind kind, guint32 thread, const char *thread_name, guint32 other,
            const char *other_name, guint32 flags)
{
    JobWait *wait = zoo_wait (zoo, 1, kind, kind == JOB_WAIT_END ? NULL : "b");

    wait->thread = thread;
    wait->thread_name = g_strdup (thread_name);
    wait->other = other;
    wait->other_name = g_strdup (other_name);
    wait->flags = flags;
    wait->file = g_strdup ("app.py");
    wait->line = 30 + thread;
}

/* A paused rank is told with its threads that wait for each other, each named once. */
static void
test_threads (void)
{
    Zoo *zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_at (zoo, 1, JOB_STATE_STOPPED, 20);
    zoo_queue (zoo, 1)->flags |= JOB_MESSAGE_QUEUE_DEADLOCK;
    add_behind (zoo, JOB_WAIT_END, 1, NULL, 2, "worker", 0);
    add_behind (zoo, JOB_WAIT_RLOCK, 2, "worker", 3, "other", JOB_WAIT_BEHIND);
    add_behind (zoo, JOB_WAIT_LOCK, 3, "other", 2, "worker",
                JOB_WAIT_BEHIND | JOB_WAIT_CLOSES | JOB_WAIT_INFERRED);
    add_behind (zoo, JOB_WAIT_LOCK, 4, "alone", 4, "alone", JOB_WAIT_OTHERS | JOB_WAIT_CLOSES);
    assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_HELD, "1", "on 1 where",
        "0 waits in MPI_Recv from 1, tag 7 (app.c:12); 1 is paused at app.c:20, where it waits for "
        "the end of thread 2 \"worker\" (thread 2 waits for the RLock b at app.py:32, which thread "
        "3 \"other\" holds; thread 3 waits for the Lock b at app.py:33, which thread 2 has taken: "
        "apparently a deadlock) (thread 4 \"alone\" waits for the Lock b at app.py:34, which the "
        "same thread holds: a deadlock)");
    g_ptr_array_remove_range (zoo_queue (zoo, 1)->waits, 0, 3);
    assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_HELD, "1", "on 1 where",
        "0 waits in MPI_Recv from 1, tag 7 (app.c:12); 1 is paused at app.c:20 (thread 4 \"alone\" "
        "waits for the Lock b at app.py:34, which the same thread holds: a deadlock)");
    zoo_free (zoo);
}

/* What one thread outside of MPI does, of each kind. */
static void
test_waits (void)
{
    static const struct {
        JobWaitKind kind;
        const char *name, *file;
        guint32 other;
        const char *text;
    } cases[] = {
        { JOB_WAIT_CALL, "nanosleep", NULL, 0, "0-1 are in nanosleep" },
        { JOB_WAIT_CALL, NULL, NULL, 0, "0-1 are in a system call" },
        { JOB_WAIT_FILE, "read", "/tmp/fifo", 0, "0-1 are in read of /tmp/fifo" },
        { JOB_WAIT_DESCRIPTOR, "write", NULL, 0, "0-1 are in write of descriptor 5" },
        { JOB_WAIT_FUTEX, NULL, NULL, 0, "0-1 wait for another thread (futex)" },
        { JOB_WAIT_END, NULL, NULL, 0, "0-1 wait for the end of another thread" },
        { JOB_WAIT_END, NULL, NULL, 3, "0-1 wait for the end of thread 3" },
        { JOB_WAIT_MUTEX, NULL, NULL, 1, "0-1 wait for a mutex that the same thread holds" },
        { JOB_WAIT_MUTEX, NULL, NULL, 2, "0-1 wait for a mutex that thread 2 holds" },
        { JOB_WAIT_LOCK, NULL, NULL, 0, "0-1 wait for the Lock, whose holder is not known" },
        { JOB_WAIT_RLOCK, "r", NULL, 1,
          "0-1 wait for the RLock r, which the same thread holds" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        Zoo *zoo = zoo_new (2);

        for (guint32 rank = 0; rank < 2; rank++) {
            JobWait *wait = zoo_wait (zoo, rank, cases[i].kind, cases[i].name);

            wait->file = g_strdup (cases[i].file);
            wait->other = cases[i].other;
            wait->number = 5;
        }
        assert_verdict (zoo, NULL, ANALYSIS_VERDICT_SYSTEM_CALL, "0-1", NULL, cases[i].text);
        zoo_free (zoo);
    }
}

/* Who holds the lock, not whose memory it is. */
static void
test_lock (void)
{
    Zoo *zoo = zoo_new (3);
    JobMessageFlow *flow = job_message_flow_new (TRUE, HALO, 2, JOB_MESSAGE_TAG_LOCK_EXCLUSIVE,
                                                 1);

    zoo_communicator (zoo, HALO, "window");
    zoo_in (zoo, 0, JOB_MESSAGE_RMA, "MPI_Win_lock", 2, JOB_MESSAGE_TAG_LOCK_EXCLUSIVE, HALO,
            12);
    zoo_in (zoo, 1, RECV, 0, 4, WORLD, 20);
    zoo_in (zoo, 2, RECV, 0, 4, WORLD, 21);
    assert_verdict (zoo, "0", ANALYSIS_VERDICT_UNKNOWN, "", NULL,
                    "0 waits in MPI_Win_lock on 2 (app.c:12); it is not known for whom");
    g_ptr_array_add (zoo_queue (zoo, 1)->flows, flow);
    assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Win_lock on 2, locked by 1 (app.c:12); 1 in "
        "MPI_Recv from 0, tag 4 (app.c:20); 1 more is stuck");
    zoo_free (zoo);
}

/* A rank that got on between two readings is not stuck, whatever it looks like. */
static void
test_moved (void)
{
    Zoo *zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo->ranks[1].moved = TRUE;
    zoo_at (zoo, 1, JOB_STATE_RUNNING, 12);
    assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_COMPUTING, "1", "on 1 where",
        "0 waits in MPI_Recv from 1, tag 7 (app.c:12); 1 is making progress at app.c:12");
    zoo_free (zoo);
}

/* A hundred thousand ranks cost little more than reading them once. */
static void
test_cost (void)
{
    guint32 n = 100000;
    Zoo *zoo = zoo_new (n);
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
    zoo_free (zoo);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    has_language = pseudo_open ();
    g_test_add_func ("/analysis/verdict/head-to-head", test_head_to_head);
    g_test_add_func ("/analysis/verdict/asked-behind", test_asked_behind);
    g_test_add_func ("/analysis/verdict/ring-of-sends", test_ring_of_sends);
    g_test_add_func ("/analysis/verdict/any", test_any);
    g_test_add_func ("/analysis/verdict/held", test_held);
    g_test_add_func ("/analysis/verdict/halted", test_halted);
    g_test_add_func ("/analysis/verdict/paused-cycle", test_paused_cycle);
    g_test_add_func ("/analysis/verdict/mismatch", test_mismatch);
    g_test_add_func ("/analysis/verdict/mismatch-unseen", test_mismatch_unseen);
    g_test_add_func ("/analysis/verdict/mismatch-behind", test_mismatch_behind);
    g_test_add_func ("/analysis/verdict/mismatch-earlier", test_mismatch_earlier);
    g_test_add_func ("/analysis/verdict/wrong-tag", test_wrong_tag);
    g_test_add_func ("/analysis/verdict/wrong-communicator", test_wrong_communicator);
    g_test_add_func ("/analysis/verdict/gone", test_gone);
    g_test_add_func ("/analysis/verdict/wildcard-race", test_wildcard_race);
    g_test_add_func ("/analysis/verdict/input", test_input);
    g_test_add_func ("/analysis/verdict/computing", test_computing);
    g_test_add_func ("/analysis/verdict/polling", test_polling);
    g_test_add_func ("/analysis/verdict/in-flight", test_in_flight);
    g_test_add_func ("/analysis/verdict/wait-any", test_wait_any);
    g_test_add_func ("/analysis/verdict/stacks", test_stacks);
    g_test_add_func ("/analysis/verdict/idle", test_idle);
    g_test_add_func ("/analysis/verdict/moved", test_moved);
    g_test_add_func ("/analysis/verdict/halves", test_halves);
    g_test_add_func ("/analysis/verdict/short-send", test_short_send);
    g_test_add_func ("/analysis/verdict/other-thread", test_other_thread);
    g_test_add_func ("/analysis/verdict/absent-root", test_absent_root);
    g_test_add_func ("/analysis/verdict/several", test_several);
    g_test_add_func ("/analysis/verdict/crashed", test_crashed);
    g_test_add_func ("/analysis/verdict/threads", test_threads);
    g_test_add_func ("/analysis/verdict/waits", test_waits);
    g_test_add_func ("/analysis/verdict/lock", test_lock);
    g_test_add_func ("/analysis/verdict/cost", test_cost);
    return g_test_run ();
}
