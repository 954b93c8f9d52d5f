/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What compiled code calls of GCC's OpenMP: 11 parallel regions, of which two have two threads, one of them others inside, and
 * the last one makes tasks. Before that one, threads wait at 39 barriers. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static long sum, n, inner, n_tasks;
static long double wide;
static omp_lock_t lock;
static omp_nest_lock_t nest;

static void
run_loops (void)
{
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 3000; i++) {
        sum += i;
    }
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum)
    for (int i = 0; i < 3000; i++) {
        sum += i;
    }
#pragma omp parallel for schedule(guided) reduction(+ : sum)
    for (int i = 0; i < 3000; i++) {
        sum += i;
    }
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 3000; i++) {
        sum += i;
    }
#pragma omp parallel sections reduction(+ : sum)
    {
#pragma omp section
        sum += 1;
#pragma omp section
        sum += 2;
    }
#pragma omp parallel reduction(task, + : sum)
    sum += 4;
}

static void
wait_in_turn (void)
{
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 30; i++) {
#pragma omp atomic
            n++;
        }
#pragma omp sections
        {
#pragma omp section
            usleep (1000);
        }
#pragma omp critical
        n++;
#pragma omp critical(other)
        {
            usleep (1000);
            n++;
        }
        omp_set_lock (&lock);
        usleep (20000); /* the next one leaves the region above meanwhile */
        n++;
        omp_unset_lock (&lock);
        omp_set_nest_lock (&nest);
        omp_set_nest_lock (&nest);
        n++;
        omp_unset_nest_lock (&nest);
        omp_unset_nest_lock (&nest);
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 30; i++) {
#pragma omp ordered
            sum = sum * 3 % 1000003 + i;
        }
#pragma omp atomic
        wide += 1;
    }
}

static void
nest_regions (void)
{
    omp_set_max_active_levels (2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    inner++;
}

static void
make_tasks (void)
{
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(i)
            {
#pragma omp atomic
                n_tasks += i;
            }
        }
#pragma omp taskwait
#pragma omp taskloop grainsize(5)
        for (int i = 0; i < 50; i++) {
#pragma omp atomic
            n_tasks++;
        }
    }
}

int
main (void)
{
    omp_set_num_threads (3);
    omp_init_lock (&lock);
    omp_init_nest_lock (&nest);
    run_loops ();
    wait_in_turn ();
    nest_regions ();
    make_tasks ();
    printf ("%ld %ld %ld %ld %Lg\n", sum, n, inner, n_tasks, wide);
    return 0;
}
