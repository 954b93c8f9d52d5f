/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waiter SEED: goes random ways through ordinary functions, each of which ends in a wait of the C library's; what is deeper
 * has left its frames below. Says "end" and waits for its input to end first. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define N_NUMBERS 12

static unsigned seed;
static int poller, ends[2];
static volatile long seen;
static FILE *output;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static int
choose (int n)
{
    return (int) ((unsigned) rand_r (&seed) % (unsigned) n);
}

static struct timespec
soon (void)
{
    struct timespec now;

    clock_gettime (CLOCK_REALTIME, &now);
    return now;
}

static __attribute__ ((noinline)) int
wait_for_event (int how)
{
    struct pollfd one = { ends[0], POLLIN, 0 };
    struct epoll_event event;
    struct timeval none = { 0, 0 };
    fd_set set;

    FD_ZERO (&set);
    FD_SET (ends[0], &set);
    return how == 0   ? poll (&one, 1, 0)
           : how == 1 ? epoll_wait (poller, &event, 1, 0)
                      : select (ends[0] + 1, &set, NULL, NULL, &none);
}

static __attribute__ ((noinline)) int
wait_for_other (int how)
{
    struct timespec end = soon ();

    if (how == 0) {
        return sem_timedwait (&semaphore, &end);
    }
    pthread_mutex_lock (&mutex);
    pthread_cond_timedwait (&condition, &mutex, &end);
    pthread_mutex_unlock (&mutex);
    return 0;
}

static __attribute__ ((noinline)) long
wait_for_data (int how)
{
    char buffer[4096];
    ssize_t n = how == 0 ? recv (ends[0], buffer, sizeof buffer, MSG_DONTWAIT)
                         : read (ends[0], buffer, sizeof buffer);

    return n > 0 ? buffer[n - 1] : 0;
}

static long
wait_somehow (void)
{
    struct timespec moment = { 0, 1 };

    switch (choose (9)) {
    case 0: return nanosleep (&moment, NULL);
    case 1: return usleep (1);
    case 2: return wait_for_event (choose (3));
    case 3: return wait_for_other (choose (2));
    case 4: return wait_for_data (0);
    case 5: return write (ends[1], "x", 1) + wait_for_data (1);
    case 6: return fprintf (output, "%d %g\n", choose (100), choose (100) / 7.0);
    case 7: return fflush (output);
    default: return fsync (fileno (output));
    }
}

static long walk (int depth);

static int
compare (const void *a, const void *b)
{
    if (choose (20) == 0) {
        seen += walk (3);
    }
    return *(const int *) a - *(const int *) b;
}

static __attribute__ ((noinline)) long
sort (int depth)
{
    int numbers[N_NUMBERS];

    for (int i = 0; i < N_NUMBERS; i++) {
        numbers[i] = choose (100);
    }
    qsort (numbers, N_NUMBERS, sizeof *numbers, compare);
    return numbers[0] + (depth > 0 ? walk (depth - 1) : 0);
}

static __attribute__ ((noinline)) long
format (int depth)
{
    char text[512];
    int n = snprintf (text, sizeof text, "%d %p %f", depth, (void *) text, depth / 3.0);

    return (depth > 0 ? walk (depth - 1) : 0) + text[n / 2];
}

static __attribute__ ((noinline)) double
sum (int depth, double a, double b, double c)
{
    double values[64];

    for (int i = 0; i < 64; i++) {
        values[i] = a * i + b / (i + 1) + c;
    }
    return (depth > 0 ? (double) walk (depth - 1) : 0) + values[depth & 63];
}

static __attribute__ ((noinline)) long
keep (int depth, long a, long b, long c, long d, long e, long f, long g)
{
    long inside = depth > 0 ? walk (depth - 1) : 0;

    return inside + a * b + c * d + e * f + g;
}

static long
walk (int depth)
{
    if (depth <= 0) {
        return wait_somehow ();
    }
    switch (choose (5)) {
    case 0: return sort (depth - 1) + 1;
    case 1: return format (depth - 1) + 1;
    case 2: return (long) sum (depth - 1, 1.5, choose (7), seen & 7) + 1;
    case 3: return keep (depth - 1, choose (7), seen & 1, 3, depth, choose (3), 5, 7) + 1;
    default: return wait_somehow () + walk (depth - 1);
    }
}

int
main (int argc, char **argv)
{
    struct epoll_event event = { .events = EPOLLIN };
    char byte;

    seed = argc > 1 ? (unsigned) atoi (argv[1]) : 1;
    poller = epoll_create1 (0);
    output = tmpfile ();
    sem_init (&semaphore, 0, 0);
    if (output == NULL || socketpair (AF_UNIX, SOCK_STREAM, 0, ends) != 0
        || epoll_ctl (poller, EPOLL_CTL_ADD, ends[0], &event) != 0 || write (1, "end\n", 4) != 4
        || read (0, &byte, 1) < 0) {
        return 1;
    }
    for (;;) {
        seen += walk (1 + choose (8));
        rewind (output);
    }
}
