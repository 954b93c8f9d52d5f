/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the situations share: one program a subject, the situation chosen by its first argument. Each
 * rank writes "begun" once MPI is there, so that somebody may attach. A healthy situation lasts about
 * LATE seconds, which is longer than `wait` needs for its verdict. */
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LATE 2.5
#define NEVER 99 /* a tag that nobody sends */

static int rank, size;

typedef struct {
    const char *name;
    void (*run) (void);
} Situation;

static inline double
get_seconds (void)
{
    struct timespec now;

    clock_gettime (CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static inline void
compute (double seconds)
{
    double end = get_seconds () + seconds;
    volatile double sum = 0;

    while (get_seconds () < end) {
        for (int i = 0; i < 1000; i++) {
            sum += i;
        }
    }
}

static inline void
doze (double seconds)
{
    struct timespec left = { (time_t) seconds, (long) ((seconds - (time_t) seconds) * 1e9) };

    nanosleep (&left, NULL);
}

/* Where the program may make files: whoever starts it removes the folder. */
static inline const char *
folder (void)
{
    const char *name = getenv ("SITUATION_FOLDER");

    return name != NULL ? name : "/tmp";
}

/* Nobody sends this: who is here waits for the source for ever. */
#define WAIT_FOREVER(source)                                                                       \
    do {                                                                                           \
        int nothing;                                                                               \
        MPI_Recv (&nothing, 1, MPI_INT, source, NEVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);         \
    } while (0)

static inline int
run_situation (int argc, char **argv, const Situation *list, unsigned n, int level)
{
    int provided;

    MPI_Init_thread (&argc, &argv, level, &provided);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Comm_size (MPI_COMM_WORLD, &size);
    MPI_Barrier (MPI_COMM_WORLD);
    printf ("begun\n");
    fflush (stdout);
    if (getenv ("SITUATION_WAIT") != NULL) { /* until whoever attaches has attached */
        while (access (getenv ("SITUATION_WAIT"), F_OK) == 0) {
            doze (0.01);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        if (argc > 1 && strcmp (argv[1], list[i].name) == 0) {
            list[i].run ();
            MPI_Finalize ();
            return 0;
        }
    }
    fprintf (stderr, "no such situation\n");
    return 3;
}
