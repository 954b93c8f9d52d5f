/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks that wait for each other at windows, and for a message that they receive before another one, each for a known time. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, data[4], mine;
static MPI_Win window;
static MPI_Group all;

static void
rest (double seconds)
{
    usleep ((useconds_t) (seconds * 1e6));
}

static MPI_Group
only (int member)
{
    MPI_Group group;

    MPI_Group_incl (all, 1, &member, &group);
    return group;
}

static void
late_post (void)
{
    if (rank == 1) {
        rest (0.3);
        MPI_Win_post (only (0), 0, window); /* @ post */
        MPI_Win_wait (window);
    } else if (rank == 0) {
        MPI_Win_start (only (1), 0, window); /* @ start */
        MPI_Put (&mine, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_complete (window); /* @ complete */
    }
}

static void
early_wait (void)
{
    if (rank == 1) {
        MPI_Win_post (only (2), 0, window);
        MPI_Win_wait (window); /* @ wait */
    } else if (rank == 2) {
        MPI_Win_start (only (1), 0, window);
        MPI_Put (&mine, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        rest (0.4);
        MPI_Win_complete (window); /* @ late complete */
    }
}

static void
at_fence (void)
{
    MPI_Win_fence (0, window);
    if (rank == 2) {
        rest (0.25);
    }
    MPI_Win_fence (0, window); /* @ fence */
}

static void
contention (void)
{
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 1) {
        rest (0.1);
    }
    if (rank < 2) {
        MPI_Win_lock (MPI_LOCK_EXCLUSIVE, 2, 0, window); /* @ lock */
        MPI_Put (&mine, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_flush (2, window);
        if (rank == 0) {
            rest (0.5);
        }
        MPI_Win_unlock (2, window); /* @ unlock */
    }
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank < 2) { /* these do not wait for each other */
        MPI_Win_lock (MPI_LOCK_SHARED, 2, 0, window);
        MPI_Win_flush (2, window);
        rest (0.1);
        MPI_Win_unlock (2, window);
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
in_wrong_order (void)
{
    if (rank > 0) {
        rest (rank == 1 ? 0.05 : 0.3);
        MPI_Send (&mine, 1, MPI_INT, 0, rank, MPI_COMM_WORLD); /* @ send */
    } else {
        /* @ receive first */
        MPI_Recv (&mine, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv (&mine, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank > 0) {
        rest (rank == 1 ? 0.05 : 0.3);
        MPI_Send (&mine, 1, MPI_INT, 0, rank, MPI_COMM_WORLD); /* @ send again */
    } else {
        MPI_Recv (&mine, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* @ receive second */
        MPI_Recv (&mine, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

int
main (int argc, char **argv)
{
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_group (MPI_COMM_WORLD, &all);
    if (rank == 0) {
        rest (0.35);
    }
    /* @ create */
    MPI_Win_create (data, sizeof data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    late_post ();
    MPI_Barrier (MPI_COMM_WORLD);
    early_wait ();
    MPI_Barrier (MPI_COMM_WORLD);
    at_fence ();
    contention ();
    if (rank == 1) {
        rest (0.2);
    }
    MPI_Win_free (&window); /* @ free */
    in_wrong_order ();
    MPI_Finalize ();
    return 0;
}
