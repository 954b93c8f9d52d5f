/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads of C++ that wait for one another: futures, and in C++20 what waits at atomic variables. */
#include <mpi.h>
#include <cstdio>
#include <cstring>
#include <future>
#if __cplusplus >= 202002L
#include <barrier>
#include <latch>
#include <semaphore>
#endif

static int rank;

static void
wait_for (const char *name)
{
    static std::promise<int> promise;

    if (strcmp (name, "future") == 0) {
        promise.get_future ().get (); //@ future
    }
    if (strcmp (name, "shared-future") == 0) {
        promise.get_future ().share ().wait ();
    }
#if __cplusplus >= 202002L
    if (strcmp (name, "latch") == 0) {
        static std::latch latch (2);
        latch.wait ();
    }
    if (strcmp (name, "semaphore") == 0) {
        static std::counting_semaphore<5> semaphore (0);
        semaphore.acquire ();
    }
    if (strcmp (name, "cc-barrier") == 0) {
        static std::barrier<> barrier (2);
        barrier.arrive_and_wait ();
    }
#endif
}

static int
receive ()
{
    int value = 0;

    MPI_Recv (&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

int
main (int argc, char **argv)
{
    int provided;

    MPI_Init_thread (&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Barrier (MPI_COMM_WORLD);
    puts ("begun");
    fflush (stdout);
    if (argc > 1 && strcmp (argv[1], "async") == 0) { /* each would send what the other's thread receives */
        auto received = std::async (std::launch::async, receive);
        received.get (); //@ async
        MPI_Send (&rank, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD);
    } else if (argc > 1 && rank == 1) {
        wait_for (argv[1]);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    MPI_Finalize ();
}
