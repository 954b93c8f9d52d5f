/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four ranks that wait for each other in many ways. Each says of its calls when it came and when it was out: "CASE RANK LINE
 * ENTER LEAVE". argument: a file to be made. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define PAUSE 0.2
/* Says of the call what the trace is to say. */
#define TELL(call)                                                                             \
    do {                                                                                       \
        double enter = now ();                                                                 \
                                                                                               \
        call;                                                                                  \
        printf ("%s %d %d %.6f %.6f\n", title, rank, __LINE__, enter, now ());                 \
    } while (0)

enum { N_BIG = 200000 };

static int rank, mine, some[64];
static double big[N_BIG];
static const char *title;
static MPI_Request requests[2];
static MPI_Comm between; /* of the even ranks and the odd ones */

static double
now (void)
{
    struct timespec time;

    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

/* All come together, and one is late by so many pauses. */
static void
begin (const char *name, int late, int n)
{
    MPI_Barrier (WORLD);
    title = name;
    if (rank == late) {
        usleep ((useconds_t) (n * PAUSE * 1e6));
    }
}

static void
probes (void)
{
    MPI_Message message;

    begin ("probe", 1, 1);
    if (rank == 0) {
        TELL (MPI_Probe (1, 1, WORLD, MPI_STATUS_IGNORE));
        MPI_Recv (some, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        TELL (MPI_Send (&mine, 1, MPI_INT, 0, 1, WORLD));
    }
    begin ("mprobe", 1, 1);
    if (rank == 0) {
        TELL (MPI_Mprobe (MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &message, MPI_STATUS_IGNORE));
        MPI_Mrecv (some, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        TELL (MPI_Send (&mine, 1, MPI_INT, 0, 1, WORLD));
    }
    begin ("probed", 0, 1); /* the message is there already */
    if (rank == 0) {
        TELL (MPI_Probe (1, 1, WORLD, MPI_STATUS_IGNORE));
        MPI_Recv (some, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        TELL (MPI_Send (&mine, 1, MPI_INT, 0, 1, WORLD));
    }
}

static void
sends (void)
{
    begin ("issend", 0, 1);
    if (rank == 1) {
        MPI_Issend (&mine, 1, MPI_INT, 0, 1, WORLD, requests);
        TELL (MPI_Wait (requests, MPI_STATUS_IGNORE));
    } else if (rank == 0) {
        TELL (MPI_Recv (some, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE));
    }
    begin ("isend", 0, 1);
    if (rank == 1) {
        MPI_Isend (big, N_BIG, MPI_DOUBLE, 0, 1, WORLD, requests);
        TELL (MPI_Waitall (1, requests, MPI_STATUSES_IGNORE));
    } else if (rank == 0) {
        TELL (MPI_Recv (big, N_BIG, MPI_DOUBLE, 1, 1, WORLD, MPI_STATUS_IGNORE));
    }
    begin ("sendrecv", 1, 1); /* what it sends has arrived before */
    if (rank < 2) {
        TELL (MPI_Sendrecv (&mine, 1, MPI_INT, 1 - rank, 1, some, 1, MPI_INT, 1 - rank, 1,
                            WORLD, MPI_STATUS_IGNORE));
    }
    begin ("halo", 1, 1);
    if (rank < 2) {
        MPI_Irecv (some, 1, MPI_INT, 1 - rank, 1, WORLD, requests);
        MPI_Isend (&mine, 1, MPI_INT, 1 - rank, 1, WORLD, requests + 1);
        TELL (MPI_Waitall (2, requests, MPI_STATUSES_IGNORE));
    }
}

/* Not all of them have something for each other. */
static void
parts (void)
{
    static const int counts[4] = { 1, 1, 0, 1 }, places[4] = { 0, 1, 2, 3 };
    int with_peer[4] = { 0 };

    if (rank < 2) {
        with_peer[1 - rank] = 1;
    }
    begin ("alltoallv", 1, 1);
    if (rank == 2) {
        usleep ((useconds_t) (2 * PAUSE * 1e6));
    }
    TELL (MPI_Alltoallv (some, with_peer, places, MPI_INT, some + 8, with_peer, places, MPI_INT,
                         WORLD));
    begin ("gatherv", 1, 1);
    if (rank == 2) {
        usleep ((useconds_t) (2 * PAUSE * 1e6));
    }
    TELL (MPI_Gatherv (&mine, counts[rank], MPI_INT, some, counts, places, MPI_INT, 0, WORLD));
}

static int
get_root (int root, int is_on_its_side)
{
    return !is_on_its_side ? root / 2 : rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void
sides (void)
{
    begin ("between", 3, 1);
    if (rank == 0) {
        TELL (MPI_Recv (some, 1, MPI_INT, 1, 1, between, MPI_STATUS_IGNORE));
    } else if (rank == 3) {
        TELL (MPI_Send (&mine, 1, MPI_INT, 0, 1, between));
    }
    begin ("bcast-between", 0, 1);
    TELL (MPI_Bcast (some, 1, MPI_INT, get_root (0, rank % 2 == 0), between));
    begin ("reduce-between", 3, 1);
    if (rank == 2) { /* on the root's side: it does not matter */
        usleep ((useconds_t) (2 * PAUSE * 1e6));
    }
    TELL (MPI_Reduce (&mine, some, 1, MPI_INT, MPI_SUM, get_root (0, rank % 2 == 0), between));
}

static void
files (const char *path)
{
    MPI_File file;

    MPI_File_open (WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    begin ("set-size", 1, 1);
    TELL (MPI_File_set_size (file, 100000));
    begin ("write-all", 2, 1);
    TELL (MPI_File_write_at_all (file, rank * 256, some, 64, MPI_INT, MPI_STATUS_IGNORE));
    begin ("read", 2, 1); /* by itself */
    TELL (MPI_File_read_at (file, rank * 256, some, 64, MPI_INT, MPI_STATUS_IGNORE));
    begin ("close", 2, 1);
    TELL (MPI_File_close (&file));
}

/* What one rank alone does not record shifts nothing that comes after it. */
static void
pauses (void)
{
    if (rank == 0) {
        MPI_Pcontrol (0);
    }
    MPI_Barrier (WORLD);
    if (rank == 0) {
        MPI_Send (&mine, 1, MPI_INT, 1, 5, WORLD);
        MPI_Pcontrol (1);
    }
    begin ("paused", 2, 1);
    TELL (MPI_Allreduce (&mine, some, 1, MPI_INT, MPI_SUM, WORLD));
    if (rank == 1) {
        MPI_Recv (some, 1, MPI_INT, 0, 5, WORLD, MPI_STATUS_IGNORE);
    }
    begin ("after-pause", 0, 1);
    if (rank == 0) {
        TELL (MPI_Send (&mine, 1, MPI_INT, 1, 5, WORLD));
    } else if (rank == 1) {
        TELL (MPI_Recv (some, 1, MPI_INT, 0, 5, WORLD, MPI_STATUS_IGNORE));
    }
}

int
main (int argc, char **argv)
{
    MPI_Comm side;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (WORLD, &rank);
    MPI_Comm_split (WORLD, rank % 2, rank, &side);
    MPI_Intercomm_create (side, 0, WORLD, rank % 2 ? 0 : 1, 77, &between);
    probes ();
    sends ();
    parts ();
    sides ();
    files (argv[1]);
    pauses ();
    MPI_Comm_free (&between);
    MPI_Comm_free (&side);
    return MPI_Finalize ();
}
