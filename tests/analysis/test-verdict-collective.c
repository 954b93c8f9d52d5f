/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts on collectives: calls that do not match, members that are not there. Cases of the zoo as values. */
#include "zoo.h"

static void
test_mismatch (void)
{
    g_autoptr (Zoo) zoo = zoo_new (4);
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
}

/* Nothing hangs by another root, and still it is wrong. */
static void
test_mismatch_unseen (void)
{
    g_autoptr (Zoo) zoo = zoo_new (4);
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
}

/* What they called then is forgotten, but not that it was another. */
static void
test_mismatch_earlier (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);

    for (guint32 rank = 0; rank < 3; rank++) {
        for (guint32 i = 0; i < 4; i++) {
            zoo_collective (zoo, rank, WORLD, "MPI_Barrier", i < 3, 3)->chain = rank == 1
                                                                                    ? 7 + i
                                                                                    : 70 + i;
        }
    }
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_MISMATCH, "1", "on 1 where",
        "ranks called different collectives on MPI_COMM_WORLD: 1 and 0,2 have called "
        "different ones before the first collective");
}

/* Barrier in one, Bcast in the others: some have left and wait elsewhere. */
static void
test_mismatch_behind (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);

    zoo_collective (zoo, 0, WORLD, "MPI_Bcast", TRUE, 3);
    zoo_collective (zoo, 0, WORLD, "MPI_Reduce", FALSE, 5);
    zoo_collective (zoo, 1, WORLD, "MPI_Bcast", TRUE, 3);
    zoo_collective (zoo, 1, WORLD, "MPI_Reduce", FALSE, 5);
    zoo_collective (zoo, 2, WORLD, "MPI_Barrier", FALSE, 7);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_MISMATCH, "2", "on 2 where",
        "the first collective on MPI_COMM_WORLD is not the same for all: 2 calls MPI_Barrier "
        "(app.c:7), 0-1 MPI_Bcast (app.c:3)");
}

/* The half that has been received blames nobody: 2 waits for the late 1 alone, not for 3. */
static void
test_halves (void)
{
    g_autoptr (Zoo) zoo = zoo_new (4);
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
}

/* Until the root has come nobody else can hold up those that only receive. */
static void
test_absent_root (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);
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
}

/* ---- counts and neighbours ---- */

static GArray *
new_shares (guint n, const guint32 *shares)
{
    return g_array_append_vals (g_array_new (FALSE, FALSE, sizeof (guint32)), shares, n);
}

static void
begin_scatter (Zoo *zoo, guint32 rank, gboolean is_finished, guint32 share)
{
    JobMessageCollective *collective = zoo_collective (zoo, rank, WORLD, "MPI_Scatterv",
                                                       is_finished, 7);

    collective->flags |= JOB_MESSAGE_V_FORM | JOB_MESSAGE_ROOTED;
    collective->root = 0;
    collective->gets = new_shares (1, &share);
}

/* The root leaves the scatter at once, and gives 2 nothing. */
static void
test_uneven_scatter (void)
{
    static const guint32 shares[] = { 4, 4, 0 };
    g_autoptr (Zoo) zoo = zoo_new (3);
    const JobMessageCommunicator *world
        = job_message_queue_find_communicator (zoo_queue (zoo, 0), WORLD);

    for (guint32 rank = 0; rank < 3; rank++) {
        begin_scatter (zoo, rank, rank != 2, 4);
    }
    ((JobMessageCollective *) g_ptr_array_index (world->collectives, 0))->gives
        = new_shares (3, shares);
    zoo_collective (zoo, 0, WORLD, "MPI_Barrier", FALSE, 9);
    zoo_collective (zoo, 1, WORLD, "MPI_Barrier", FALSE, 9);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_MISMATCH, "0,2", "on 0,2 where",
        "the first collective on MPI_COMM_WORLD is not the same for all: 0 gives nothing to 2 in "
        "MPI_Scatterv (app.c:7), 2 expects 4 bytes from it (app.c:7)");
}

static void
test_uneven_alltoall (void)
{
    static const guint32 gives[2][2] = { { 8, 8 }, { 8, 8 } },
                         gets[2][2] = { { 8, 8 }, { 8, 8 } }, fewer[2] = { 12, 8 };
    g_autoptr (Zoo) zoo = zoo_new (2);
    JobMessageCollective *calls[2];

    for (guint32 rank = 0; rank < 2; rank++) {
        calls[rank] = zoo_collective (zoo, rank, WORLD, "MPI_Alltoallv", FALSE, 7 + rank);
        calls[rank]->flags |= JOB_MESSAGE_V_FORM;
        calls[rank]->gives = new_shares (2, gives[rank]);
        calls[rank]->gets = new_shares (2, gets[rank]);
    }
    zoo_assert_verdict (zoo, "0", ANALYSIS_VERDICT_UNKNOWN, "", NULL,
                        "0 waits in the first collective on MPI_COMM_WORLD, MPI_Alltoallv "
                        "(app.c:7); why it does not go on is not known; 1 is in MPI_Alltoallv "
                        "(app.c:8)");
    g_array_unref (calls[1]->gets);
    calls[1]->gets = new_shares (2, fewer);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_MISMATCH, "0-1", "on 0-1 where",
        "the first collective on MPI_COMM_WORLD is not the same for all: 0 gives 8 bytes to 1 in "
        "MPI_Alltoallv (app.c:7), 1 expects 12 bytes from it (app.c:8)");
    /* what is not known differs from nothing */
    g_array_index (calls[0]->gives, guint32, 1) = JOB_MESSAGE_NO_SHARE;
    zoo_assert_verdict (zoo, "0", ANALYSIS_VERDICT_UNKNOWN, "", NULL,
                        "0 waits in the first collective on MPI_COMM_WORLD, MPI_Alltoallv "
                        "(app.c:7); why it does not go on is not known; 1 is in MPI_Alltoallv "
                        "(app.c:8)");
}

static void
test_uneven_reduce (void)
{
    static const guint32 shares[2][2] = { { 8, 8 }, { 8, 16 } };
    g_autoptr (Zoo) zoo = zoo_new (2);

    for (guint32 rank = 0; rank < 2; rank++) {
        JobMessageCollective *collective = zoo_collective (zoo, rank, WORLD,
                                                           "MPI_Reduce_scatter", FALSE, 7);

        collective->flags |= JOB_MESSAGE_V_FORM;
        collective->gets = new_shares (2, shares[rank]);
    }
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_MISMATCH, "0-1", "on 0-1 where",
        "the first collective on MPI_COMM_WORLD is not the same for all: 0 gives 8 bytes as the "
        "share of 1 in MPI_Reduce_scatter (app.c:7), 1 16 bytes (app.c:7)");
}

/* Each rank's neighbours on HALO: 0 gets from `source`, 1 gives to `destination` (G_MAXUINT32: nobody). */
static void
set_neighbours (Zoo *zoo, guint32 source, guint32 destination)
{
    for (guint32 rank = 0; rank < 2; rank++) {
        JobMessageCommunicator *halo
            = job_message_queue_find_communicator (zoo_queue (zoo, rank), HALO);

        halo->flags |= JOB_MESSAGE_COMMUNICATOR_GRAPH | JOB_MESSAGE_COMMUNICATOR_NEIGHBOURS;
        g_clear_pointer (&halo->sources, g_array_unref);
        g_clear_pointer (&halo->destinations, g_array_unref);
        if (rank == 0 && source != G_MAXUINT32) {
            halo->sources = new_shares (1, &source);
        }
        if (rank == 1 && destination != G_MAXUINT32) {
            halo->destinations = new_shares (1, &destination);
        }
    }
}

static void
test_uneven_neighbours (void)
{
    static const guint32 four = 4, eight = 8;
    g_autoptr (Zoo) zoo = zoo_new (2);
    JobMessageCollective *calls[2];

    zoo_communicator (zoo, HALO, "halo");
    for (guint32 rank = 0; rank < 2; rank++) {
        calls[rank] = zoo_collective (zoo, rank, HALO, "MPI_Neighbor_allgather", rank == 1, 7);
        calls[rank]->flags |= JOB_MESSAGE_V_FORM;
    }
    calls[0]->gets = new_shares (1, &four);
    set_neighbours (zoo, 1, G_MAXUINT32);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_MISMATCH, "0-1", "on 0-1 where",
        "the first collective on halo is not the same for all: 0 expects data from 1 in "
        "MPI_Neighbor_allgather, but 1 does not name 0 as a destination (app.c:7)");
    calls[1]->gives = new_shares (1, &eight);
    set_neighbours (zoo, G_MAXUINT32, 0);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_MISMATCH, "0-1", "on 0-1 where",
        "the first collective on halo is not the same for all: 1 gives data to 0 in "
        "MPI_Neighbor_allgather, but 0 does not name 1 as a source (app.c:7)");
    set_neighbours (zoo, 1, 0);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_MISMATCH, "0-1", "on 0-1 where",
        "the first collective on halo is not the same for all: 1 gives 8 bytes to 0 in "
        "MPI_Neighbor_allgather (app.c:7), 0 expects 4 bytes from it (app.c:7)");
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
    g_test_add_func ("/analysis/verdict/uneven-scatter", test_uneven_scatter);
    g_test_add_func ("/analysis/verdict/uneven-alltoall", test_uneven_alltoall);
    g_test_add_func ("/analysis/verdict/uneven-reduce", test_uneven_reduce);
    g_test_add_func ("/analysis/verdict/uneven-neighbours", test_uneven_neighbours);
    return g_test_run ();
}
