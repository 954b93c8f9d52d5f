/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two threads call a function all the time, until the file that is its argument is no more; status 0 if every call
 * returned what it should. */
#include <pthread.h>
#include <unistd.h>

static volatile int over;
static volatile long bad;

static __attribute__ ((noinline)) long
touch (long number)
{
    return number + 1;
}

static void *
work (void *data)
{
    for (long i = 0; !over; i++) {
        bad += touch (i) != i + 1;
    }
    return data;
}

int
main (int argc, char **argv)
{
    pthread_t thread;

    if (argc < 2 || pthread_create (&thread, NULL, work, NULL) != 0) {
        return 2;
    }
    for (long i = 0; i % 256 != 0 || access (argv[1], F_OK) == 0; i++) {
        bad += touch (i) != i + 1;
    }
    over = 1;
    pthread_join (thread, NULL);
    return bad != 0;
}
