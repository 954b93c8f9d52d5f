/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts on collectives: calls that do not match, members that are not there. Cases of the zoo as values. */
#include "zoo.h"

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
    zoo_assert_verdict (
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
    zoo_assert_verdict (
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
    zoo_assert_verdict (
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
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_MISMATCH, "2", "on 2 where",
        "the first collective on MPI_COMM_WORLD is not the same for all: 2 calls MPI_Barrier "
        "(app.c:7), 0-1 MPI_Bcast (app.c:3)");
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
    zoo_assert_verdict (
        zoo, "2", ANALYSIS_VERDICT_COMPUTING, "1", "on 1 where",
        "2 waits in MPI_Sendrecv from 1, tag 1 (app.c:20); 1 is computing at app.c:5");
    zoo_assert_verdict (
        zoo, "0,3", ANALYSIS_VERDICT_MISSING, "1", "on 1 where",
        "0,3 wait in the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:30); 1 has not "
        "called it; it is computing at app.c:5");
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
    zoo_assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_MISSING, "0", "on 0 where",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Bcast (app.c:9); 0 has not called "
        "it; it is computing at app.c:5");
    zoo_free (zoo);
}

int
main (int argc, char **argv)
{
    zoo_init (&argc, &argv);
    g_test_add_func ("/analysis/verdict/mismatch", test_mismatch);
    g_test_add_func ("/analysis/verdict/mismatch-unseen", test_mismatch_unseen);
    g_test_add_func ("/analysis/verdict/mismatch-behind", test_mismatch_behind);
    g_test_add_func ("/analysis/verdict/mismatch-earlier", test_mismatch_earlier);
    g_test_add_func ("/analysis/verdict/halves", test_halves);
    g_test_add_func ("/analysis/verdict/absent-root", test_absent_root);
    return g_test_run ();
}
