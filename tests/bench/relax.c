/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fixed amount of work in one thread of C, in functions that call each other 20 deep; prints its time and its user
 * time. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum { N_CELLS = 4000, DEPTH = 20 };

static double cells[N_CELLS];

static double
now (void)
{
    struct timespec time;

    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

static __attribute__ ((noinline)) double
relax (int depth)
{
    double sum = 0;

    if (depth > 0) {
        sum = relax (depth - 1);
        __asm__ volatile("" : "+x"(sum)); /* no loop instead of the call */
        return sum;
    }
    for (int i = 1; i + 1 < N_CELLS; i++) {
        cells[i] = (cells[i - 1] + 2 * cells[i] + cells[i + 1]) / 4;
        sum += cells[i];
    }
    return sum;
}

int
main (int argc, char **argv)
{
    int turns = argc > 1 ? atoi (argv[1]) : 1000;
    double begin = now (), sum = 0;
    struct rusage used;

    cells[0] = cells[N_CELLS - 1] = 1;
    for (int i = 0; i < turns; i++) {
        sum += relax (DEPTH);
    }
    getrusage (RUSAGE_SELF, &used);
    printf ("sum %g time %.4f %.4f\n", sum, now () - begin,
            (double) used.ru_utime.tv_sec + (double) used.ru_utime.tv_usec * 1e-6);
    return 0;
}
