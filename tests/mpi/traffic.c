/* SPDX-License-Identifier: GPL-3.0-or-later */
/* traffic [threads]: known numbers of messages, collective operations and bytes; each rank prints what it has done:
 * "R SENDS BYTES RECEIVES COLLECTIVES BYTES MOVES BYTES". */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 500, MOST = 1000 };

static int rank, size;
static long sends, sent, receives, collectives, collected, moves, moved;
static double out[MOST * 16], in[MOST * 16];

static void
send_ring (int round)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, count = round % MOST;
    MPI_Request requests[2];

    MPI_Irecv (in, MOST, MPI_DOUBLE, round % 2 ? from : MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend (out, count, MPI_DOUBLE, to, 7, MPI_COMM_WORLD, &requests[1]);
    if (round % 3 == 0) {
        MPI_Waitall (2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Wait (&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait (&requests[1], MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv (out, 3, MPI_INT, to, 8, in, MOST, MPI_INT, from, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank % 2 == 0) {
        MPI_Send (out, 11, MPI_CHAR, rank ^ 1, 9, MPI_COMM_WORLD);
    } else {
        MPI_Recv (in, 11, MPI_CHAR, rank ^ 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Send (out, 5, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD); /* to nobody */
    sends += 2 + (rank % 2 == 0);
    sent += count * 8 + 12 + (rank % 2 == 0 ? 11 : 0);
    receives += 2 + (rank % 2);
}

static void
start_persistent (void)
{
    MPI_Request requests[2];

    MPI_Send_init (out, 4, MPI_DOUBLE, (rank + 1) % size, 10, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init (in, 4, MPI_DOUBLE, (rank + size - 1) % size, 10, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 10; i++) {
        MPI_Startall (2, requests);
        MPI_Waitall (2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free (&requests[0]);
    MPI_Request_free (&requests[1]);
    sends += 10;
    sent += 10 * 32;
    receives += 10;
}

static void
work_together (int round)
{
    int counts[64] = { 0 }, offsets[64] = { 0 }, n = round % 50, all = 0;
    MPI_Request request;

    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        offsets[i] = all;
        all += counts[i];
    }
    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Bcast (out, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allreduce (out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce (MPI_IN_PLACE, in, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Gather (out, n, MPI_INT, in, n, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter (out, n, MPI_INT, in, n, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoall (out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv (out, rank + 1, MPI_INT, in, counts, offsets, MPI_INT, MPI_COMM_WORLD);
    MPI_Iallreduce (out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait (&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < size; i++) { /* as many from each as it gives to this one */
        counts[i] = 2;
        offsets[i] = 2 * i;
    }
    MPI_Alltoallv (out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, MPI_COMM_WORLD);
    collectives += 10;
    collected += n * 8 + n * 8 + n * 4 + n * 4 + n * 4 + n * 4 * size + (rank + 1) * 4 + n * 8 + 2 * 4 * size;
}

/* Into the next rank's window and out of it; fences and epochs move nothing. */
static void
move (void)
{
    static double shared[MOST];
    MPI_Aint next = 500 * sizeof (double);
    MPI_Request requests[4];
    long one = 1, before, compared = 0;
    int to = (rank + 1) % size;
    MPI_Win window;

    MPI_Win_create (shared, sizeof shared, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence (0, window);
    for (int i = 1; i <= 20; i++) {
        MPI_Put (out, i, MPI_DOUBLE, to, 0, i, MPI_DOUBLE, window);
        MPI_Get (in, 2 * i, MPI_INT, to, next, 2 * i, MPI_INT, window);
        MPI_Put (out, 7, MPI_DOUBLE, MPI_PROC_NULL, 0, 7, MPI_DOUBLE, window); /* to nobody */
        MPI_Win_fence (0, window);
        MPI_Accumulate (out, i, MPI_DOUBLE, to, 0, i, MPI_DOUBLE, MPI_SUM, window);
        MPI_Win_fence (0, window);
        moves += 3;
        moved += i * 8 + 2 * i * 4 + i * 8;
    }
    MPI_Win_lock (MPI_LOCK_EXCLUSIVE, to, 0, window);
    MPI_Get_accumulate (NULL, 0, MPI_DOUBLE, in, 5, MPI_DOUBLE, to, 0, 5, MPI_DOUBLE, MPI_NO_OP, window);
    MPI_Win_flush (to, window);
    MPI_Fetch_and_op (&one, &before, MPI_LONG, to, next, MPI_SUM, window);
    MPI_Win_flush (to, window);
    MPI_Compare_and_swap (&one, &compared, &before, MPI_LONG, to, next, window);
    MPI_Win_flush (to, window);
    MPI_Rput (out, 3, MPI_DOUBLE, to, 0, 3, MPI_DOUBLE, window, &requests[0]);
    MPI_Raccumulate (out, 3, MPI_DOUBLE, to, 80, 3, MPI_DOUBLE, MPI_SUM, window, &requests[1]);
    MPI_Waitall (2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush (to, window);
    MPI_Rget (in, 4, MPI_INT, to, 0, 4, MPI_INT, window, &requests[0]);
    MPI_Wait (&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_unlock (to, window);
    MPI_Win_free (&window);
    moves += 6;
    moved += 40 + 8 + 8 + 24 + 24 + 16;
}

static void *
run_all (void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        send_ring (round);
        work_together (round);
    }
    start_persistent ();
    move ();
    return unused;
}

int
main (int argc, char **argv)
{
    int is_threaded = argc > 1, provided;
    pthread_t thread;

    MPI_Init_thread (&argc, &argv, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    for (int i = 0; i < (is_threaded ? 3 : 1); i++) { /* each thread after the other */
        if (is_threaded) {
            pthread_create (&thread, NULL, run_all, NULL);
            pthread_join (thread, NULL);
        } else {
            run_all (NULL);
        }
    }
    printf ("%d %ld %ld %ld %ld %ld %ld %ld\n", rank, sends, sent, receives, collectives, collected, moves,
            moved);
    MPI_Finalize ();
    return 0;
}
