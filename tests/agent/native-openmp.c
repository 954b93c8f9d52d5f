/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parallel loop, a critical section and a barrier, on three threads. */
#include <omp.h>
#include <stdio.h>

int
main (void)
{
    double sum = 0;
    int n = 0;

#pragma omp parallel for reduction(+ : sum) num_threads(3) schedule(static)
    for (int i = 0; i < 3000; i++) {
        sum += i;
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
        n++;
#pragma omp barrier
        n += omp_get_thread_num () == 0;
    }
    printf ("%g %d\n", sum, n);
    return 0;
}
