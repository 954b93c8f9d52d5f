/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a rank can be while the others wait for it in a barrier: crashed, asleep, in a system call,
 * polling, computing, in MPI_Finalize; and several faults that have nothing to do with each other. */
#include "situation.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void
crash (void)
{
    if (rank == 1) {
        *(volatile int *) 8 = 1; //@ crash
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
abort_itself (void)
{
    if (rank == 1) {
        abort (); //@ abort
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
abort_job (void)
{
    if (rank == 1) {
        MPI_Abort (MPI_COMM_WORLD, 4); //@ mpi-abort
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
fail (void)
{
    if (rank == 1) {
        MPI_Send (&rank, 1, MPI_INT, 77, 0, MPI_COMM_WORLD); //@ fail
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
leave (void)
{
    if (rank == 1) {
        exit (0); //@ leave
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
asleep (void)
{
    if (rank == 1) {
        doze (30); //@ asleep
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
dozes (void)
{
    if (rank == 1) {
        doze (LATE);
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
read_fifo (void)
{
    if (rank == 1) {
        char name[256], byte;
        int file;

        snprintf (name, sizeof name, "%s/fifo-%d", folder (), (int) getpid ());
        mkfifo (name, 0600);
        file = open (name, O_RDWR);
        unlink (name);
        if (read (file, &byte, 1) != 1) { //@ fifo
            exit (1);
        }
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
poll_message (void)
{
    int flag = 0;

    while (rank == 1 && !flag) {
        MPI_Iprobe (0, NEVER, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); //@ poll
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

/* A synchronous send that is looked after. */
static void
poll_send (void)
{
    MPI_Request request;
    int flag = 0;

    if (rank == 1) {
        MPI_Issend (&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
        while (!flag) {
            MPI_Test (&request, &flag, MPI_STATUS_IGNORE); //@ test
        }
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
computing (void)
{
    if (rank == 1) {
        compute (LATE); //@ computing
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
finalized (void)
{
    if (rank == 0) {
        WAIT_FOREVER (1); //@ finalized
    }
}

/* Two pairs of ranks, four ranks. */
static void
pairs (void)
{
    WAIT_FOREVER (rank ^ 1); //@ pairs
}

/* 0 and 1 wait for each other, 2 for 3, which sleeps. */
static void
mixed (void)
{
    if (rank < 2) {
        WAIT_FOREVER (1 - rank);
    } else if (rank == 2) {
        WAIT_FOREVER (3);
    } else {
        doze (30);
    }
}

static void
ring (void)
{
    WAIT_FOREVER ((rank + 1) % size); //@ ring
}

static void
barrier_apart (void)
{
    if (rank == 1) {
        WAIT_FOREVER (0);
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

/* MPI_Waitany takes one of three; the others are still to be seen. */
static void
any_of_three (void)
{
    MPI_Request requests[3];
    int values[3], index;

    if (rank == 0) {
        for (int i = 0; i < 3; i++) {
            MPI_Irecv (&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitany (3, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitall (3, requests, MPI_STATUSES_IGNORE); //@ rest
    } else {
        MPI_Send (&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        WAIT_FOREVER (0);
    }
}

/* ---- at the other end of what it sleeps in ---- */

static int
open_file (void)
{
    char path[256];
    int pid = (int) getpid ();

    MPI_Bcast (&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf (path, sizeof path, "%s/locked-%d", folder (), pid);
    return open (path, O_CREAT | O_RDWR, 0600);
}

static void
lock_record (void)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 8 };
    int file = open_file ();

    for (int i = 0; i < size; i++) {
        if (rank == i && rank != 2) {
            fcntl (file, F_SETLKW, &lock); //@ record
        }
        if (i == 0) {
            MPI_Barrier (MPI_COMM_WORLD);
        }
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
lock_file (void)
{
    int file = open_file ();

    if (rank == 0) {
        flock (file, LOCK_EX);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 1) {
        flock (file, LOCK_EX); //@ flock
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
await_shared (void)
{
    if (rank == 1) {
        sem_t *semaphore = mmap (NULL, sizeof *semaphore, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

        sem_init (semaphore, 1, 0);
        sem_wait (semaphore); //@ shared
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

/* Memory of all ranks of this host. */
static void *
share_memory (void)
{
    int file = open_file ();

    return ftruncate (file, 4096) == 0
               ? mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
               : NULL;
}

/* Of all ranks; rank 0 makes them, before the next barrier. */
static pthread_mutex_t *
share_mutexes (int n)
{
    pthread_mutex_t *mutexes = share_memory ();
    pthread_mutexattr_t attributes;

    for (int i = 0; rank == 0 && i < n; i++) {
        pthread_mutexattr_init (&attributes);
        pthread_mutexattr_setpshared (&attributes, PTHREAD_PROCESS_SHARED);
        pthread_mutex_init (&mutexes[i], &attributes);
    }
    return mutexes;
}

static void
lock_shared (int is_late)
{
    pthread_mutex_t *mutex = share_mutexes (1);

    if (rank == 0) {
        pthread_mutex_lock (mutex);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 1) {
        pthread_mutex_lock (mutex); //@ mutex
    }
    if (rank == 0 && is_late) {
        doze (LATE);
        pthread_mutex_unlock (mutex);
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
lock_mutex (void)
{
    lock_shared (0);
}

static void
lock_late (void)
{
    lock_shared (1);
}

/* Another thread of rank 0 holds the mutex, and will let it go; the main thread waits in MPI. */
static void *
hold_a_while (void *data)
{
    pthread_mutex_t *mutex = data;

    pthread_mutex_lock (mutex);
    MPI_Barrier (MPI_COMM_WORLD);
    doze (LATE);
    pthread_mutex_unlock (mutex);
    return NULL;
}

static void
lock_worker (void)
{
    pthread_mutex_t *mutex = share_mutexes (1);
    pthread_t thread;
    int value;

    if (rank == 0) {
        pthread_create (&thread, NULL, hold_a_while, mutex);
        MPI_Recv (&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_join (thread, NULL);
    } else {
        MPI_Barrier (MPI_COMM_WORLD);
    }
    if (rank == 1) {
        pthread_mutex_lock (mutex); //@ mutex-worker
        MPI_Send (&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

/* Nobody holds both, so they go on for as long as it takes; each is nearly always asleep for the other. */
static void
lock_in_turn (void)
{
    pthread_mutex_t *mutexes = share_mutexes (2);
    double end;

    MPI_Barrier (MPI_COMM_WORLD);
    end = get_seconds () + LATE;
    while (rank < 2 && get_seconds () < end) {
        for (int i = 0; i < 2; i++) {
            pthread_mutex_lock (&mutexes[i ^ rank]);
            doze (0.001);
            pthread_mutex_unlock (&mutexes[i ^ rank]);
        }
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

/* 0 and 1 hold one of two mutexes each, and wait for the other one. */
static void
lock_crosswise (void)
{
    pthread_mutex_t *mutexes = share_mutexes (2);

    MPI_Barrier (MPI_COMM_WORLD);
    for (int i = 0; rank < 2 && i < 2; i++) {
        pthread_mutex_lock (&mutexes[i ^ rank]); //@ crosswise
        MPI_Barrier (MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Barrier (MPI_COMM_WORLD);
    }
}

/* It gives up, and goes on. */
static void
lock_for_a_while (void)
{
    pthread_mutex_t *mutex = share_mutexes (1);
    struct timespec end;
    int value = 0;

    if (rank == 0) {
        pthread_mutex_lock (mutex);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv (&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        clock_gettime (CLOCK_REALTIME, &end);
        end.tv_sec += (time_t) LATE + 1;
        pthread_mutex_timedlock (mutex, &end); //@ mutex-timed
        MPI_Send (&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
lock_for_writing (void)
{
    pthread_rwlock_t *lock = share_memory ();
    pthread_rwlockattr_t attributes;

    if (rank == 0) {
        pthread_rwlockattr_init (&attributes);
        pthread_rwlockattr_setpshared (&attributes, PTHREAD_PROCESS_SHARED);
        pthread_rwlock_init (lock, &attributes);
        pthread_rwlock_wrlock (lock);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 1) {
        pthread_rwlock_rdlock (lock); //@ rwlock
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
await_rank (void)
{
    sem_t *semaphore = share_memory ();

    if (rank == 0) {
        sem_init (semaphore, 1, 0);
    }
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 1) {
        sem_wait (semaphore); //@ rank
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
await_child (void)
{
    if (rank == 1) {
        pid_t child = fork ();

        if (child == 0) {
            doze (60);
            _exit (0);
        }
        waitpid (child, NULL, 0); //@ child
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
await_signal (void)
{
    if (rank == 1) {
        sigset_t set;
        int signal;

        sigemptyset (&set);
        sigaddset (&set, SIGUSR2);
        sigprocmask (SIG_BLOCK, &set, NULL);
        sigwait (&set, &signal); //@ sigwait
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
open_fifo (void)
{
    char name[256];

    if (rank == 1) {
        snprintf (name, sizeof name, "%s/alone-%d", folder (), (int) getpid ());
        mkfifo (name, 0600);
        open (name, O_RDONLY); //@ open
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

/* A child of rank 1 has the other end of a pipe, or writes into it and is not read. */
static void
await_end (int is_full)
{
    int ends[2];
    char byte;

    if (rank == 1 && pipe (ends) == 0) {
        if (fork () == 0) {
            close (ends[0]);
            while (is_full && write (ends[1], &byte, 1) == 1) {
            }
            doze (60);
            _exit (0);
        }
        close (ends[1]);
        if (is_full) {
            wait (NULL);                           //@ full
        } else if (read (ends[0], &byte, 1) < 0) { //@ pipe
            exit (1);
        }
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
read_pipe (void)
{
    await_end (0);
}

static void
fill_pipe (void)
{
    await_end (1);
}

static void
listen_alone (void)
{
    struct sockaddr_in address = { .sin_family = AF_INET };

    if (rank == 1) {
        int own = socket (AF_INET, SOCK_STREAM, 0);

        if (bind (own, (struct sockaddr *) &address, sizeof address) == 0
            && listen (own, 1) == 0) {
            accept (own, NULL, NULL); //@ accept
        }
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
await_post (void)
{
    sem_t semaphore;

    if (rank == 1) {
        sem_init (&semaphore, 0, 0);
        sem_wait (&semaphore); //@ post
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

/* More requests than a thread has places for. */
static void
await_many (void)
{
    static MPI_Request requests[1000];
    static int values[1000];

    for (int i = 0; i < 1000; i++) {
        MPI_Irecv (&values[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < 999; i++) { /* but one */
        MPI_Send (&i, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
    }
    MPI_Waitall (1000, requests, MPI_STATUSES_IGNORE); //@ many
}

static const Situation situations[] = {
    { "crash", crash },
    { "abort", abort_itself },
    { "mpi-abort", abort_job },
    { "fail", fail },
    { "leave", leave },
    { "asleep", asleep },
    { "dozes", dozes },
    { "fifo", read_fifo },
    { "poll", poll_message },
    { "poll-send", poll_send },
    { "computing", computing },
    { "finalized", finalized },
    { "pairs", pairs },
    { "mixed", mixed },
    { "ring", ring },
    { "barrier", barrier_apart },
    { "waitany", any_of_three },
    { "record", lock_record },
    { "flock", lock_file },
    { "shared", await_shared },
    { "mutex", lock_mutex },
    { "mutex-late", lock_late },
    { "mutex-turns", lock_in_turn },
    { "mutex-circle", lock_crosswise },
    { "mutex-timed", lock_for_a_while },
    { "rwlock", lock_for_writing },
    { "rank", await_rank },
    { "mutex-worker", lock_worker },
    { "child", await_child },
    { "sigwait", await_signal },
    { "many", await_many },
    { "open", open_fifo },
    { "pipe", read_pipe },
    { "full", fill_pipe },
    { "accept", listen_alone },
    { "post", await_post },
};

int
main (int argc, char **argv)
{
    return run_situation (argc, argv, situations, sizeof situations / sizeof *situations,
                          argc > 1 && strcmp (argv[1], "mutex-worker") == 0
                              ? MPI_THREAD_MULTIPLE
                              : MPI_THREAD_SINGLE);
}
