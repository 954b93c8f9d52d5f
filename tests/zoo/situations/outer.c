/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collectives on files, and those that make and end communicators: who does not come is missing. */
#include "situation.h"

static char path[256];
static MPI_File file;

static void
open_file (void)
{
    int pid = (int) getpid ();

    MPI_Bcast (&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf (path, sizeof path, "%s/file-%d", folder (), pid);
    MPI_File_open (MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL, &file);
    MPI_Barrier (MPI_COMM_WORLD);
    unlink (path);
}

static void
skip_or_be_late (int is_late)
{
    if (rank == 2 && is_late) {
        compute (LATE);
    } else if (rank == 2) {
        WAIT_FOREVER (0); //@ absent
    }
}

static void
write_all (int is_late)
{
    char data[16] = "";

    open_file ();
    skip_or_be_late (is_late);
    MPI_File_write_at_all (file, rank * 16, data, 16, MPI_CHAR, MPI_STATUS_IGNORE); //@ write
    MPI_File_sync (file); //@ sync
    MPI_File_close (&file); //@ close
}

static void
write_never (void)
{
    write_all (0);
}

static void
write_late (void)
{
    write_all (1);
}

static void
ordered (void)
{
    char data[16] = "";

    open_file ();
    skip_or_be_late (0);
    MPI_File_read_ordered (file, data, 16, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close (&file);
}

static void
close_never (void)
{
    open_file ();
    skip_or_be_late (0);
    MPI_File_close (&file);
}

static void
disconnect (void)
{
    MPI_Comm copy;

    MPI_Comm_dup (MPI_COMM_WORLD, &copy);
    skip_or_be_late (0);
    MPI_Comm_disconnect (&copy); //@ disconnect
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
free_never (void)
{
    MPI_Comm copy;

    MPI_Comm_dup (MPI_COMM_WORLD, &copy);
    skip_or_be_late (0);
    MPI_Comm_free (&copy);
    MPI_Barrier (MPI_COMM_WORLD); //@ barrier
}

/* Two ranks: both sides want to be bridged, but do not agree on the tag. */
static void
intercomm (int tag, int is_late)
{
    MPI_Comm bridge;

    if (rank == 1 && is_late) {
        compute (LATE);
    }
    MPI_Intercomm_create (MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, tag, &bridge); //@ bridge
    MPI_Comm_free (&bridge);
}

static void
intercomm_tags (void)
{
    intercomm (5 + rank, 0);
}

static void
intercomm_late (void)
{
    intercomm (5, 1);
}

static void
create_group (int is_late)
{
    static const int some[] = { 0, 2 };
    MPI_Group world, group;
    MPI_Comm made;

    MPI_Comm_group (MPI_COMM_WORLD, &world);
    MPI_Group_incl (world, 2, some, &group);
    skip_or_be_late (is_late);
    if (rank != 1) {
        MPI_Comm_create_group (MPI_COMM_WORLD, group, 7, &made); //@ group
        MPI_Barrier (made);
    }
}

static void
group_never (void)
{
    create_group (0);
}

static void
group_late (void)
{
    create_group (1);
}

static void
split_never (void)
{
    MPI_Comm half;

    skip_or_be_late (0);
    MPI_Comm_split (MPI_COMM_WORLD, rank % 2, rank, &half); //@ split
}

static const Situation situations[] = {
    { "write-never", write_never }, { "write-late", write_late }, { "ordered", ordered },
    { "close-never", close_never }, { "disconnect", disconnect }, { "free-never", free_never },
    { "intercomm-tags", intercomm_tags }, { "intercomm-late", intercomm_late },
    { "group-never", group_never }, { "group-late", group_late }, { "split-never", split_never },
};

int
main (int argc, char **argv)
{
    return run_situation (argc, argv, situations, sizeof situations / sizeof *situations,
                          MPI_THREAD_SINGLE);
}
