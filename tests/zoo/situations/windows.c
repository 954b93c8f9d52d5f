/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-sided communication, three ranks: who holds a lock, and who of a group has not come, is to
 * blame, never the target. */
#include "situation.h"

static MPI_Win window;
static int memory;

static void
open_window (void)
{
    MPI_Win_create (&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence (0, window);
}

static void
touch (int target)
{
    MPI_Put (&rank, 1, MPI_INT, target, 0, 1, MPI_INT, window);
    MPI_Win_flush (target, window);
}

/* 1 has locked the memory of `target`, 0 wants it; what 1 does with it meanwhile. */
static void
contend (int target, int is_late)
{
    open_window ();
    if (rank == 1) {
        MPI_Win_lock (MPI_LOCK_EXCLUSIVE, target, 0, window); //@ held
        touch (target);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 1 && is_late) {
        compute (LATE);
        MPI_Win_unlock (target, window);
    } else if (rank == 1) {
        WAIT_FOREVER (0); //@ holder
    } else if (rank == 0) {
        MPI_Win_lock (MPI_LOCK_EXCLUSIVE, target, 0, window); //@ wanted
        touch (target);
        MPI_Win_unlock (target, window);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Win_free (&window);
}

static void
lock_other (void)
{
    contend (2, 0);
}

static void
lock_own (void)
{
    contend (0, 0);
}

static void
lock_late (void)
{
    contend (2, 1);
}

static MPI_Group
take_ranks (int n, const int *ranks)
{
    MPI_Group world, group;

    MPI_Comm_group (MPI_COMM_WORLD, &world);
    MPI_Group_incl (world, n, ranks, &group);
    return group;
}

/* 0 opens its memory to both; 1 comes and has done, 2 does not. */
static void
expose (int is_late)
{
    static const int both[] = { 1, 2 }, first[] = { 0 };

    open_window ();
    if (rank == 0) {
        MPI_Win_post (take_ranks (2, both), 0, window);
        MPI_Win_wait (window); //@ exposed
    } else {
        if (rank == 2 && is_late) {
            compute (LATE);
        } else if (rank == 2) {
            WAIT_FOREVER (0); //@ absent
        }
        MPI_Win_start (take_ranks (1, first), 0, window);
        MPI_Put (&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_complete (window);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Win_free (&window);
}

static void
expose_never (void)
{
    expose (0);
}

static void
expose_late (void)
{
    expose (1);
}

/* 0 wants the memory of both; 1 opens it, 2 does not. */
static void
access_both (int is_late)
{
    static const int both[] = { 1, 2 }, first[] = { 0 };

    open_window ();
    if (rank == 0) {
        MPI_Win_start (take_ranks (2, both), 0, window); //@ start
        MPI_Put (&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Put (&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_complete (window); //@ complete
    } else {
        if (rank == 2 && is_late) {
            compute (LATE);
        } else if (rank == 2) {
            WAIT_FOREVER (0);
        }
        MPI_Win_post (take_ranks (1, first), 0, window);
        MPI_Win_wait (window);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Win_free (&window);
}

static void
access_never (void)
{
    access_both (0);
}

static void
access_late (void)
{
    access_both (1);
}

static void
fence_never (void)
{
    open_window ();
    if (rank == 2) {
        WAIT_FOREVER (0);
    }
    MPI_Win_fence (0, window); //@ fence
}

static void
fence_late (void)
{
    open_window ();
    if (rank == 2) {
        compute (LATE);
    }
    MPI_Win_fence (0, window);
    MPI_Win_free (&window);
}

/* Not the same call, though both are collective. */
static void
fence_free (void)
{
    open_window ();
    if (rank == 2) {
        MPI_Win_free (&window); //@ free
    } else {
        MPI_Win_fence (0, window);
    }
}

/* 0 looks for ever at what nobody changes. */
static void
look (void)
{
    int found = 0;

    open_window ();
    MPI_Win_lock_all (0, window);
    while (rank == 0 && found != NEVER) {
        MPI_Fetch_and_op (NULL, &found, MPI_INT, 0, 0, MPI_NO_OP, window); //@ look
        MPI_Win_flush (0, window);
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

/* Others access the memory of 0, which sleeps. */
static void
disturb (void)
{
    int found;

    open_window ();
    MPI_Win_lock_all (0, window);
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 0) {
        doze (60);
    } else {
        MPI_Fetch_and_op (&rank, &found, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_flush (0, window); //@ disturb
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static const Situation situations[] = {
    { "lock-other", lock_other }, { "lock-own", lock_own }, { "lock-late", lock_late },
    { "expose-never", expose_never }, { "expose-late", expose_late },
    { "access-never", access_never }, { "access-late", access_late },
    { "fence-never", fence_never }, { "fence-late", fence_late }, { "fence-free", fence_free },
    { "look", look }, { "disturb", disturb },
};

int
main (int argc, char **argv)
{
    return run_situation (argc, argv, situations, sizeof situations / sizeof *situations,
                          MPI_THREAD_SINGLE);
}
