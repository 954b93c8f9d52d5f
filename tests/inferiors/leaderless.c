/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first thread leaves by pthread_exit, the others go on: as many as the argument says, all at
 * the same place at once. */
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t together;
static int total;

static void
meet (long number)
{
    pthread_barrier_wait (&together);
    __atomic_add_fetch (&total, 1, __ATOMIC_RELAXED); /*@ meet */
    if (number == 0) { /*@ met */
        pthread_barrier_wait (&together);
        exit (0);
    }
    pthread_barrier_wait (&together);
}

static void *
run (void *data)
{
    meet ((long) data);
    return NULL;
}

int
main (int argc, char **argv)
{
    int n = argc > 1 ? atoi (argv[1]) : 3;
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init (&attributes);
    pthread_attr_setstacksize (&attributes, 65536);
    pthread_barrier_init (&together, NULL, (unsigned) n);
    for (long i = 0; i < n; i++) {
        if (pthread_create (&thread, &attributes, run, (void *) i) != 0) {
            return 9;
        }
    }
    pthread_exit (NULL); /*@ leave */
}
