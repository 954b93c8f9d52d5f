/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Works in two threads until its standard input ends, or the file that is its argument is no more,
 * at least once in each, then says so and ends with 7. What it does at the end is done by a function
 * that is called only then. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int over;
static volatile long turns[2];

static void
turn (long *counter)
{
    ++*counter; /*@ turn */
}

static void *
run (void *data)
{
    do {
        turn (data);
        usleep (500);
    } while (!over);
    return NULL;
}

static int
finish (void)
{
    return turns[0] > 0 && turns[1] > 0 ? 7 : 1; /*@ finish */
}

static int
is_over (const char *path)
{
    struct pollfd input = { .fd = 0, .events = POLLIN };

    return path != NULL ? access (path, F_OK) != 0 : poll (&input, 1, 0) != 0;
}

int
main (int argc, char **argv)
{
    pthread_t thread;
    int status;

    pthread_create (&thread, NULL, run, (void *) &turns[0]);
    do {
        turn ((long *) &turns[1]);
        usleep (500);
    } while (!is_over (argc > 1 ? argv[1] : NULL));
    over = 1;
    pthread_join (thread, NULL);
    status = finish ();
    puts ("worked");
    return status;
}
