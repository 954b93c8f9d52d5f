/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that is right, another one for each seed (argument 1): all ranks go through the same random scenes,
 * in which they wait for each other for longer than pddt watches before it asks, while whatever will free them
 * looks idle: a worker of OpenMP or of the program's own, a thread in a system call, a poll, a target of
 * one-sided operations, a file that appears, a child job. Ends by itself with status 0. */
#include <fcntl.h>
#include <mpi.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LATE 2.8 /* the hang detector asks after 2 s */

static int rank, size, other;
static char **words;
static unsigned seed;

static unsigned
choose (unsigned n)
{
    seed = seed * 1103515245 + 12345;
    return seed / 65536 % n;
}

static void
spin (double seconds)
{
    double end = MPI_Wtime () + seconds;
    volatile double sum = 0;

    while (MPI_Wtime () < end) {
        sum += 1;
    }
}

static void
doze (double seconds)
{
    struct timespec left = { (time_t) seconds, (long) ((seconds - (time_t) seconds) * 1e9) };

    nanosleep (&left, NULL);
}

/* ---- ways to be late ---- */

static void
loop_openmp (double seconds)
{
    double end = omp_get_wtime () + seconds;
    volatile int sum = 0;

    while (omp_get_wtime () < end) {
#pragma omp parallel for schedule(dynamic, 1) num_threads (2)
        for (int i = 0; i < 500; i++) {
            sum += i;
        }
    }
}

static void
lock_openmp (double seconds)
{
    omp_lock_t lock;

    omp_init_lock (&lock);
    omp_set_lock (&lock);
#pragma omp parallel num_threads (2)
    {
        if (omp_get_thread_num () == 0) {
            doze (seconds);
            omp_unset_lock (&lock);
        } else {
            while (!omp_test_lock (&lock)) {
            }
            omp_unset_lock (&lock);
        }
    }
    omp_destroy_lock (&lock);
}

static void
poll_nothing (double seconds)
{
    struct pollfd fd = { .fd = eventfd (0, 0), .events = POLLIN };

    poll (&fd, 1, (int) (seconds * 1000));
    close (fd.fd);
}

static sem_t semaphore;

static void *
post_late (void *data)
{
    doze (*(double *) data);
    sem_post (&semaphore);
    return NULL;
}

static void
await_thread (double seconds)
{
    pthread_t thread;

    sem_init (&semaphore, 0, 0);
    pthread_create (&thread, NULL, post_late, &seconds);
    sem_wait (&semaphore);
    pthread_join (thread, NULL);
}

static void
await_child (double seconds)
{
    pid_t child = fork ();

    if (child == 0) {
        doze (seconds);
        _exit (0);
    }
    waitpid (child, NULL, 0);
}

static void
poll_file (double seconds)
{
    double end = MPI_Wtime () + seconds;

    while (MPI_Wtime () < end && access ("/nonexistent/file", F_OK) != 0) {
        doze (0.001);
    }
}

static void
poll_mpi (double seconds)
{
    double end = MPI_Wtime () + seconds;
    int flag = 0;

    while (MPI_Wtime () < end) {
        MPI_Iprobe (MPI_ANY_SOURCE, 12345, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}

static void (*const ways[]) (double) = { spin,         doze,        loop_openmp, lock_openmp, poll_nothing,
                                         await_thread, await_child, poll_file,   poll_mpi };
#define N_WAYS (sizeof ways / sizeof *ways)

/* ---- scenes ---- */

static void (*way) (double);

static void
pass (int tag)
{
    MPI_Send (&rank, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
}

static void
take (int tag)
{
    int value;

    MPI_Recv (&value, 1, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *
pass_late (void *data)
{
    way (LATE);
    pass (1);
    return data;
}

/* Both main threads receive; threads send late. */
static void
beside_thread (void)
{
    pthread_t thread;

    pthread_create (&thread, NULL, pass_late, NULL);
    take (1);
    pthread_join (thread, NULL);
}

static void
in_team (void)
{
#pragma omp parallel num_threads (2)
    {
        if (omp_get_thread_num () == 0) {
            take (1);
        } else {
            pass_late (NULL);
        }
    }
}

static void *
take_one (void *data)
{
    take (1);
    return data;
}

/* A thread receives, and main sends late. */
static void
beside_main (void)
{
    pthread_t thread;

    pthread_create (&thread, NULL, take_one, NULL);
    pass_late (NULL);
    pthread_join (thread, NULL);
}

static void
late_to_barrier (void)
{
    if (rank == (int) choose ((unsigned) size)) {
        way (LATE);
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
late_target (void)
{
    int *memory, value = rank;
    MPI_Win window;

    MPI_Win_allocate (sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock (MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put (&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    if (rank == size - 1) {
        way (LATE);
    }
    MPI_Win_unlock (0, window);
    MPI_Win_free (&window);
}

/* More short messages than there is room for: their sender stands still until the receiver is inside MPI, which asks for
 * the last one first. */
static void
late_to_flood (void)
{
    enum { MANY = 20000 };
    int value = 0;

    if (rank == 0) {
        for (int i = 0; i < MANY; i++) {
            MPI_Send (&i, 1, MPI_INT, 1, 100 + i % 7 + 7 * (i == MANY - 1), MPI_COMM_WORLD);
        }
    } else if (rank == 1) {
        way (LATE);
        MPI_Recv (&value, 1, MPI_INT, 0, 100 + (MANY - 1) % 7 + 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < MANY - 1; i++) {
            MPI_Recv (&value, 1, MPI_INT, 0, 100 + i % 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier (MPI_COMM_WORLD);
}

static void
late_to_file (void)
{
    char path[64];
    MPI_File file;

    snprintf (path, sizeof path, "/tmp/pddt-healthy-%u", seed);
    MPI_File_open (MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                   &file);
    if (rank == 0) {
        way (LATE);
    }
    MPI_File_write_at_all (file, rank * 4, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close (&file);
}

static void
late_child_job (void)
{
    char *child[] = { "child", NULL };
    MPI_Comm job;
    int value;

    MPI_Comm_spawn (words[0], child, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &job, MPI_ERRCODES_IGNORE);
    MPI_Bcast (&value, 1, MPI_INT, 0, job);
    MPI_Comm_disconnect (&job);
}

static int
be_child (MPI_Comm parent)
{
    int value = 1;

    doze (LATE);
    MPI_Bcast (&value, 1, MPI_INT, MPI_ROOT, parent);
    MPI_Comm_disconnect (&parent);
    MPI_Finalize ();
    return 0;
}

int
main (int argc, char **argv)
{
    static void (*const scenes[]) (void)
        = { beside_thread, in_team, beside_main, late_to_barrier, late_target, late_to_file, late_to_flood, late_child_job };
    int provided;
    MPI_Comm parent;

    MPI_Init_thread (&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_get_parent (&parent);
    if (parent != MPI_COMM_NULL) {
        return be_child (parent);
    }
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    words = argv;
    other = size - 1 - rank;
    seed = (unsigned) strtoul (argv[1], NULL, 10) * 2654435761u;
    for (unsigned n = 1 + choose (2); n > 0; n--) {
        unsigned scene = choose (sizeof scenes / sizeof *scenes);

        way = ways[choose (N_WAYS)];
        if (scene == 7 && argc > 2) { /* no child jobs here */
            scene = 0;
        }
        scenes[scene]();
    }
    MPI_Finalize ();
    return 0;
}
