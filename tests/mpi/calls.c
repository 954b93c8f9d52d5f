/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Most of MPI's calls, with their results printed: it must print the same with and without the
 * recorder. Modes: run, threads, abort, fatal, tools, unmapped, guarded, spawn (starts itself as child). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int rank, size;

static void
say (const char *what, int a, int b, int c)
{
    printf ("%d %s %d %d %d\n", rank, what, a, b, c);
}

static void
point_to_point (void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, in = -1, out = rank, flag,
        n;
    char room[1000];
    MPI_Status status;
    MPI_Request requests[3];
    MPI_Message message;

    MPI_Buffer_attach (room, sizeof room);
    MPI_Bsend (&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
    MPI_Recv (&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    say ("bsend", in, status.MPI_SOURCE, status.MPI_TAG);
    MPI_Sendrecv (&out, 1, MPI_INT, right, 2, &in, 1, MPI_INT, left, 2, MPI_COMM_WORLD,
                  &status);
    say ("sendrecv", in, status.MPI_SOURCE, status.MPI_TAG);
    MPI_Sendrecv_replace (&in, 1, MPI_INT, right, 3, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);
    say ("replace", in, 0, 0);
    MPI_Isend (&out, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Mprobe (MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count (&status, MPI_INT, &n);
    MPI_Mrecv (&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait (&requests[0], MPI_STATUS_IGNORE);
    say ("mprobe", in, n, requests[0] == MPI_REQUEST_NULL);
    MPI_Irecv (&in, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend (&out, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    MPI_Waitall (3, requests, MPI_STATUSES_IGNORE);
    say ("waitall", in, 0, 0);
    do {
        MPI_Iprobe (left, 6, MPI_COMM_WORLD, &flag, &status);
        if (out >= 0) {
            MPI_Isend (&rank, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &requests[0]);
            out = -1;
        }
    } while (!flag);
    MPI_Recv (&in, 1, MPI_INT, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    do {
        MPI_Test (&requests[0], &flag, MPI_STATUS_IGNORE);
    } while (!flag);
    say ("iprobe", in, status.MPI_SOURCE, 0);
    MPI_Send (NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv (NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    say ("null", status.MPI_SOURCE == MPI_PROC_NULL, status.MPI_TAG == MPI_ANY_TAG, 0);
    MPI_Buffer_detach (&message, &n);
}

static void
persistent (void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, in, out, index, n = 0;
    int indices[2];
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Recv_init (&in, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init (&out, 1, MPI_INT, right, 8, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        out = rank * 10 + i;
        MPI_Startall (2, requests);
        MPI_Waitany (2, requests, &index, MPI_STATUS_IGNORE);
        while (n < 1) {
            int done;

            MPI_Waitsome (2, requests, &done, indices, statuses);
            n += done;
        }
        n = 0;
        say ("persistent", in, 0, i);
    }
    MPI_Request_free (&requests[0]);
    MPI_Request_free (&requests[1]);
}

static void
collectives (void)
{
    int value = rank + 1, sum = 0, all[64], root = 0, scan = 0;
    MPI_Request request;

    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Allreduce (&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast (&root, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Gather (&value, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allgather (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Scan (&value, &scan, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say ("collective", sum, root, scan);
    MPI_Iallreduce (MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    MPI_Ibarrier (MPI_COMM_WORLD, &request);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    say ("nonblocking", value, request == MPI_REQUEST_NULL, 0);
}

static void
communicators (void)
{
    MPI_Comm half, copy, grid, inter, merged;
    int dims[2] = { 0, 0 }, periods[2] = { 1, 0 }, sum, one = 1, left, right;
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    MPI_Comm_split (MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_set_name (half, "half");
    MPI_Allreduce (&one, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_get_name (half, name, &length);
    printf ("%d %s %d\n", rank, name, sum);
    MPI_Comm_dup (half, &copy);
    MPI_Comm_free (&copy);
    MPI_Dims_create (size, 2, dims);
    MPI_Cart_create (MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_shift (grid, 0, 1, &left, &right);
    say ("grid", dims[0], left, right);
    MPI_Intercomm_create (half, 0, MPI_COMM_WORLD,
                          rank % 2 == 0 ? size - 1 - (size % 2 == 0 ? 0 : 1)
                                        : size - 1 - (size % 2 == 0 ? 1 : 0),
                          11, &inter);
    MPI_Comm_remote_size (inter, &length);
    MPI_Intercomm_merge (inter, rank % 2, &merged);
    MPI_Allreduce (&one, &sum, 1, MPI_INT, MPI_SUM, merged);
    say ("inter", length, sum, 0);
    MPI_Comm_free (&merged);
    MPI_Comm_free (&inter);
    MPI_Comm_free (&grid);
    MPI_Comm_free (&half);
}

static void
one_sided (void)
{
    int memory[4] = { -1, -1, -1, -1 }, value = rank;
    MPI_Win window;

    MPI_Win_create (memory, sizeof memory, sizeof (int), MPI_INFO_NULL, MPI_COMM_WORLD,
                    &window);
    MPI_Win_fence (0, window);
    MPI_Put (&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence (0, window);
    say ("window", memory[0], 0, 0);
    MPI_Win_free (&window);
}

static void
passive (MPI_Win window, int *memory)
{
    int value = 10 + rank, got = -1, other = (rank + 1) % size;
    MPI_Request request;

    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Win_lock (MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Accumulate (&value, 1, MPI_INT, other, 1, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush (other, window);
    MPI_Fetch_and_op (&value, &got, MPI_INT, other, 1, MPI_SUM, window);
    MPI_Win_unlock (other, window);
    MPI_Barrier (MPI_COMM_WORLD);
    say ("passive", got, memory[1], 0);
    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Win_lock_all (0, window);
    MPI_Rget (&got, 1, MPI_INT, other, 0, 1, MPI_INT, window, &request);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all (window);
    say ("rget", got, request == MPI_REQUEST_NULL, 0);
}

static void
active (MPI_Win window, int *memory)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, value = 100 + rank;
    MPI_Group world, one;

    MPI_Comm_group (MPI_COMM_WORLD, &world);
    MPI_Group_incl (world, 1, &left, &one);
    MPI_Win_post (one, 0, window);
    MPI_Group_free (&one);
    MPI_Group_incl (world, 1, &right, &one);
    MPI_Win_start (one, 0, window);
    MPI_Put (&value, 1, MPI_INT, right, 2, 1, MPI_INT, window);
    MPI_Win_complete (window);
    MPI_Win_wait (window);
    say ("pscw", memory[2], 0, 0);
    MPI_Group_free (&one);
    MPI_Group_free (&world);
}

static void
more_windows (void)
{
    int *memory;
    MPI_Win window;

    MPI_Win_allocate (4 * sizeof (int), sizeof (int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                      &window);
    for (int i = 0; i < 4; i++) {
        memory[i] = rank;
    }
    MPI_Win_set_name (window, "table");
    passive (window, memory);
    active (window, memory);
    MPI_Win_free (&window);
}

static void
modes (void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, in = -1, out = rank,
        flag = 0;
    int count, indices[2];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Message message;
    MPI_Datatype pair;

    MPI_Type_contiguous (2, MPI_INT, &pair);
    MPI_Type_commit (&pair);
    for (int i = 0; i < 3; i++) {
        int two[2] = { rank, i }, got[2];

        MPI_Irecv (got, 1, pair, left, 30, MPI_COMM_WORLD, &requests[0]);
        MPI_Irsend (two, 0, pair, MPI_PROC_NULL, 30, MPI_COMM_WORLD, &requests[1]);
        MPI_Ssend (two, 1, pair, right, 30, MPI_COMM_WORLD);
        while (MPI_Testall (2, requests, &flag, statuses) == MPI_SUCCESS && !flag) {
        }
        in = got[1];
    }
    MPI_Type_free (&pair);
    say ("modes", in, flag, 0);
    MPI_Isend (&out, 1, MPI_INT, right, 31, MPI_COMM_WORLD, &requests[0]);
    for (flag = 0; !flag;) {
        MPI_Improbe (left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &statuses[0]);
    }
    MPI_Imrecv (&in, 1, MPI_INT, &message, &requests[1]);
    for (int n = 0; n < 2; n += count) {
        MPI_Testsome (2, requests, &count, indices, MPI_STATUSES_IGNORE);
    }
    say ("improbe", in, statuses[0].MPI_TAG, 0);
    MPI_Irecv (&in, 1, MPI_INT, left, 32, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel (&requests[0]);
    MPI_Wait (&requests[0], &statuses[0]);
    MPI_Test_cancelled (&statuses[0], &flag);
    MPI_Probe (MPI_PROC_NULL, 1, MPI_COMM_WORLD, &statuses[1]);
    say ("cancel", flag, statuses[1].MPI_SOURCE == MPI_PROC_NULL, 0);
}

static int
delete_attribute (MPI_Comm comm, int keyval, void *value, void *extra)
{
    int members;

    MPI_Comm_size (comm, &members); /* a callback may call MPI */
    MPI_Barrier (MPI_COMM_SELF);
    say ("attribute deleted", *(int *) value, members == size, *(int *) extra);
    return MPI_SUCCESS;
}

static int
copy_attribute (MPI_Comm comm, int keyval, void *extra, void *from, void *to, int *flag)
{
    *(void **) to = from;
    *flag = 1;
    say ("attribute copied", *(int *) from, 0, 0);
    return MPI_SUCCESS;
}

static void
graphs (void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size, key, value = 7, extra = 9;
    int around[2] = { -1, -1 }, sources[2] = { left, right }, weights[2] = { 1, 1 };
    MPI_Comm ring, copy, part;
    MPI_Request request;
    MPI_Group world, group;

    MPI_Dist_graph_create_adjacent (MPI_COMM_WORLD, 2, sources, weights, 2, sources, weights,
                                    MPI_INFO_NULL, 0, &ring);
    MPI_Neighbor_allgather (&rank, 1, MPI_INT, around, 1, MPI_INT, ring);
    say ("graph", around[0], around[1], 0);
    MPI_Ineighbor_alltoall (sources, 1, MPI_INT, around, 1, MPI_INT, ring, &request);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    say ("alltoall", around[0], around[1], 0);
    MPI_Comm_create_keyval (copy_attribute, delete_attribute, &key, &extra);
    MPI_Comm_set_attr (ring, key, &value);
    MPI_Comm_idup (ring, &copy, &request);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    MPI_Barrier (copy);
    MPI_Comm_free (&copy);
    MPI_Comm_free (&ring);
    MPI_Comm_free_keyval (&key);
    MPI_Comm_group (MPI_COMM_WORLD, &world);
    MPI_Group_excl (world, 1, &(int){ size - 1 }, &group);
    if (rank < size - 1) {
        MPI_Comm_create_group (MPI_COMM_WORLD, group, 17, &part);
        MPI_Barrier (part);
        MPI_Comm_free (&part);
    }
    MPI_Comm_create (MPI_COMM_WORLD, group, &part);
    say ("created", part != MPI_COMM_NULL, 0, 0);
    if (part != MPI_COMM_NULL) {
        MPI_Comm_free (&part);
    }
    MPI_Group_free (&group);
    MPI_Group_free (&world);
}

static void
on_error (MPI_Comm *comm, int *code, ...)
{
    int class;

    MPI_Error_class (*code, &class);
    MPI_Barrier (MPI_COMM_SELF);
    say ("handler", class == MPI_ERR_TAG, 0, 0);
}

/* The tools' interface, and a handler of the program's own. */
static void
tools (void)
{
    int provided, n = 0, value = 0;
    MPI_Errhandler handler;

    MPI_T_init_thread (MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num (&n);
    say ("cvars", n > 0, 0, 0);
    MPI_T_finalize ();
    MPI_Comm_create_errhandler (on_error, &handler);
    MPI_Comm_set_errhandler (MPI_COMM_WORLD, handler);
    MPI_Send (&value, 1, MPI_INT, 0, -77, MPI_COMM_WORLD);
    MPI_Errhandler_free (&handler);
}

static void
errors (void)
{
    int value = 0, result, class;

    MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    result = MPI_Send (&value, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD); //@ bad-rank
    MPI_Error_class (result, &class);
    say ("error", class == MPI_ERR_RANK, 0, 0);
    MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void *
use_thread (void *data)
{
    MPI_Comm comm = *(MPI_Comm *) data;
    int sum = 0, one = 1, total = 0;

    for (int i = 0; i < 300; i++) {
        MPI_Allreduce (&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        MPI_Sendrecv (&one, 1, MPI_INT, (rank + 1) % size, i, &sum, 1, MPI_INT, MPI_ANY_SOURCE,
                      i, comm, MPI_STATUS_IGNORE);
        total += sum;
    }
    return (void *) (long) total;
}

static void
threads (void)
{
    MPI_Comm comms[3];
    pthread_t ids[3];

    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup (MPI_COMM_WORLD, &comms[i]);
    }
    for (int i = 0; i < 3; i++) {
        pthread_create (&ids[i], NULL, use_thread, &comms[i]);
    }
    for (int i = 0; i < 3; i++) {
        void *total;

        pthread_join (ids[i], &total);
        say ("thread", i, (int) (long) total, 0);
    }
}

static void
spawn (char **argv)
{
    MPI_Comm parent, children;
    char *words[] = { "spawn", NULL };
    int value = 5;

    MPI_Comm_get_parent (&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn (argv[0], words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                        MPI_ERRCODES_IGNORE);
        MPI_Bcast (&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
        MPI_Comm_disconnect (&children);
        say ("parent", value, 0, 0);
    } else {
        value = 0;
        MPI_Bcast (&value, 1, MPI_INT, 0, parent);
        printf ("child has %d, preload %s\n", value,
                getenv ("LD_PRELOAD") != NULL ? getenv ("LD_PRELOAD") : "none");
        MPI_Comm_disconnect (&parent);
    }
}

static void
send_to_self (const char *from, int n)
{
    static char to[16];
    MPI_Request request;

    MPI_Irecv (to, n, MPI_CHAR, 0, 5, MPI_COMM_SELF, &request);
    MPI_Send (from, n, MPI_CHAR, 0, 5, MPI_COMM_SELF);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    say ("to self", n, to[0], 0);
}

/* Its pages are taken away, as if they were a device's now: nothing is sent from there, and nobody may look. */
static void
unmapped (void)
{
    char *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memset (page, 7, 4096);
    for (int i = 0; i < 4; i++) {
        if (i == 2) {
            mprotect (page, 4096, PROT_NONE);
        }
        send_to_self (page, i < 2 ? 16 : 0);
    }
}

/* Short messages in front of a page that nobody may look at. */
static void
guarded (void)
{
    static char room[8192] __attribute__ ((aligned (4096)));

    memset (room, 7, sizeof room);
    mprotect (room + 4096, 4096, PROT_NONE);
    for (int i = 0; i < 4; i++) {
        send_to_self (room + 4096 - 4, 4);
    }
    mprotect (room + 4096, 4096, PROT_READ | PROT_WRITE);
}

int
main (int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "run";
    int provided, value = 0;

    MPI_Init_thread (&argc, &argv,
                     strcmp (mode, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED,
                     &provided);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    if (strcmp (mode, "threads") == 0) {
        threads ();
    } else if (strcmp (mode, "tools") == 0) {
        tools ();
    } else if (strcmp (mode, "unmapped") == 0) {
        unmapped ();
    } else if (strcmp (mode, "guarded") == 0) {
        guarded ();
    } else if (strcmp (mode, "spawn") == 0) {
        spawn (argv);
    } else if (strcmp (mode, "abort") == 0) {
        MPI_Abort (MPI_COMM_WORLD, 3); //@ abort
    } else if (strcmp (mode, "fatal") == 0) {
        MPI_Send (&value, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD); //@ fatal
    } else {
        point_to_point ();
        persistent ();
        collectives ();
        communicators ();
        one_sided ();
        more_windows ();
        modes ();
        graphs ();
        errors ();
        printf ("preload %s\n", getenv ("LD_PRELOAD") != NULL ? getenv ("LD_PRELOAD") : "none");
    }
    MPI_Finalize ();
    return 0;
}
