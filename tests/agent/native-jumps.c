/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library whose functions and regions end in calls of OpenMP, of which a compiler that optimises makes jumps: 107 regions, each
 * of two threads but the last one, of three. */
#include <omp.h>
#include <unistd.h>

static omp_lock_t lock;
static int n_inner, n_late, cells[1000];

__attribute__ ((constructor)) static void
begin (void)
{
    omp_init_lock (&lock);
}

static void
run_inner (void)
{
#pragma omp parallel num_threads(2)
#pragma omp atomic
    n_inner++;
}

__attribute__ ((noinline)) static void
share_loop (void)
{
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; i++) {
        cells[i]++;
    }
}

__attribute__ ((noinline)) void
meet (void)
{
#pragma omp barrier
}

__attribute__ ((noinline)) void
take (void)
{
    omp_set_lock (&lock);
}

int
is_taken (void)
{
    int is_free = omp_test_lock (&lock);

    if (is_free) {
        omp_unset_lock (&lock);
    }
    return !is_free;
}

void
give (void)
{
    omp_unset_lock (&lock);
}

int
nest (void)
{
    omp_set_max_active_levels (2);
#pragma omp parallel num_threads(2)
    run_inner ();
    return n_inner;
}

int
take_last (void)
{
    int result;

#pragma omp parallel num_threads(2)
    if (omp_get_thread_num () == 1) {
        omp_set_lock (&lock);
    }
    result = is_taken ();
    give ();
    return result;
}

int
take_in_task (void)
{
    int result;

#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
    take ();
    result = is_taken ();
    give ();
    return result;
}

int
loop (void)
{
    int sum = 0;

    for (int i = 0; i < 50; i++) {
#pragma omp parallel num_threads(2)
        share_loop ();
#pragma omp parallel num_threads(2)
        {
            share_loop ();
            if (omp_get_thread_num () == 1) {
                n_late++;
            }
            meet ();
        }
    }
    for (int i = 0; i < 1000; i++) {
        sum += cells[i];
    }
    return sum + n_late;
}

int
rest (void)
{
#pragma omp parallel num_threads(2)
    usleep (1000);
    return 0;
}

/* Each thread has its number: also where one part of OpenMP's functions is recorded, and the other one is not. */
int
count (void)
{
    int sum = 0;

#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1 << 4 * omp_get_thread_num ();
    return sum;
}
