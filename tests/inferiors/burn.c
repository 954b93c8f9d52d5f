/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spends known shares of its time, and writes down what it has spent. "shares": in functions of 40, 25,
 * 15, 10 and 5 %; * "classes": as long in each of five kinds of waiting; "epoll": in waits that a stop would end;
 * "ended": in each such call of sockets in turn; "crowd": in threads that all compute; "brief": 0.3 s in all; "again" N: N times, each in a program image of its own, with
 * children that execute one, too. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_CROWD 12

volatile long interrupted, waits, turns;
volatile double spent[6]; /* s in each of what main does in turn */
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static double
now (void)
{
    struct timespec time;

    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

#define BURN(name)                                                                             \
    static void name (double end)                                                              \
    {                                                                                          \
        while (now () < end) {                                                                 \
            for (volatile int i = 0; i < 100; i++) {                                           \
            }                                                                                  \
        }                                                                                      \
    }

BURN (forty)
BURN (twenty_five)
BURN (fifteen)
BURN (ten)
BURN (five)
BURN (rest)

/* As long as the part of the cycle that is its share, however long others had the processor. */
static void
share (double cycle)
{
    static void (*const parts[]) (double) = { forty, twenty_five, fifteen, ten, five, rest };
    static const double shares[] = { 0.40, 0.25, 0.15, 0.10, 0.05, 0.05 };

    for (int i = 0; i < 6; i++) {
        double begin = now ();

        parts[i](begin + shares[i] * cycle);
        spent[i] += now () - begin;
    }
    turns++;
}

static struct timespec
in (double seconds)
{
    struct timespec time;

    clock_gettime (CLOCK_REALTIME, &time);
    time.tv_nsec += (long) (seconds * 1e9);
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void *
hold (void *unused)
{
    pthread_mutex_lock (&held);
    for (;;) {
        pause ();
    }
    return unused;
}

static double
note (int what, double begin)
{
    double end = now ();

    spent[what] += end - begin;
    return end;
}

static void
wait_in_turn (int reader, int poller, double each)
{
    struct timespec duration = { 0, (long) (each * 1e9) }, end;
    struct epoll_event event;
    char byte;

    double begin = now ();

    forty (begin + each);
    begin = note (0, begin);
    nanosleep (&duration, NULL);
    begin = note (1, begin);
    end = in (each);
    pthread_mutex_timedlock (&held, &end);
    begin = note (2, begin);
    interrupted += recv (reader, &byte, 1, 0) < 0 && errno == EINTR;
    begin = note (3, begin);
    interrupted += epoll_wait (poller, &event, 1, (int) (each * 1000)) < 0 && errno == EINTR;
    note (4, begin);
    waits += 2;
    turns++;
}

/* Sockets of which one has nothing to read, one no room, and one nobody who accepts. */
static void
wait_at_sockets (int reader, int writer, int caller, const struct sockaddr_un *callee)
{
    char bytes[4096] = { 0 };
    struct iovec place = { bytes, sizeof bytes };
    struct mmsghdr message = { .msg_hdr = { .msg_iov = &place, .msg_iovlen = 1 } };
    socklen_t size = sizeof (sa_family_t) + 6;

    interrupted += recv (reader, bytes, 1, 0) < 0 && errno == EINTR;
    interrupted += recvmmsg (reader, &message, 1, 0, NULL) < 0 && errno == EINTR;
    interrupted += sendmmsg (writer, &message, 1, 0) < 0 && errno == EINTR;
    interrupted += write (writer, bytes, sizeof bytes) < 0 && errno == EINTR;
    interrupted += writev (writer, &place, 1) < 0 && errno == EINTR;
    interrupted += connect (caller, (const struct sockaddr *) callee, size) < 0
                   && errno == EINTR;
    waits += 6;
}

static int
make_socket (const struct timeval *limit)
{
    int end = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    setsockopt (end, SOL_SOCKET, SO_SNDTIMEO, limit, sizeof *limit);
    return end;
}

static _Noreturn void
wait_to_be_ended (int reader, const struct timeval *limit)
{
    struct sockaddr_un callee = { .sun_family = AF_UNIX };
    socklen_t size = sizeof callee;
    char bytes[4096] = { 0 };
    int callers[3] = { make_socket (limit), make_socket (limit), make_socket (limit) },
        listener = make_socket (limit), full[2];

    bind (listener, (struct sockaddr *) &callee, sizeof (sa_family_t)); /* to a name of five */
    getsockname (listener, (struct sockaddr *) &callee, &size);
    listen (listener, 0);
    socketpair (AF_UNIX, SOCK_STREAM, 0, full);
    setsockopt (full[0], SOL_SOCKET, SO_SNDTIMEO, limit, sizeof *limit);
    while (send (full[0], bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
    for (int i = 0; i < 2; i++) { /* one more than listen says */
        fcntl (callers[i], F_SETFL, O_NONBLOCK);
        connect (callers[i], (const struct sockaddr *) &callee, size);
    }
    for (;;) {
        forty (now () + 0.001);
        wait_at_sockets (reader, full[0], callers[2], &callee);
    }
}

static void *
compute (void *unused)
{
    for (;;) {
        share (0.01);
    }
    return unused;
}

static void
execute (char *program, int n)
{
    char number[16];
    char *argv[] = { program, "again", number, NULL };

    snprintf (number, sizeof number, "%d", n);
    execv (program, argv);
    _exit (126);
}

/* Ends with 7. */
static void
burn_again (char *program, int n)
{
    pid_t child;

    forty (now () + 0.002);
    if (n <= 0) {
        _exit (n == 0 ? 7 : 5);
    }
    child = n % 2 ? fork () : vfork ();
    if (child == 0) {
        execute (program, -1);
    }
    forty (now () + 0.002);
    waitpid (child, NULL, 0);
    execute (program, n - 1);
}

int
main (int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "shares";
    struct timeval limit = { 0, 20000 };
    int ends[2], poller = epoll_create1 (0);
    pthread_t thread;
    double end = now () + 0.3;

    if (argc > 2) {
        burn_again (argv[0], atoi (argv[2]));
    }
    socketpair (AF_UNIX, SOCK_STREAM, 0, ends);
    setsockopt (ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (strcmp (what, "classes") == 0) {
        pthread_create (&thread, NULL, hold, NULL);
        while (pthread_mutex_trylock (&held) == 0) {
            pthread_mutex_unlock (&held);
        }
    }
    for (int i = 1; i < N_CROWD && strcmp (what, "crowd") == 0; i++) {
        pthread_create (&thread, NULL, compute, NULL);
    }
    if (strcmp (what, "ended") == 0) {
        wait_to_be_ended (ends[0], &limit);
    }
    while (strcmp (what, "brief") != 0 || now () < end) {
        if (strcmp (what, "classes") == 0) {
            wait_in_turn (ends[0], poller, 0.02);
        } else if (strcmp (what, "epoll") == 0) {
            struct epoll_event event;

            forty (now () + 0.001);
            interrupted += epoll_wait (poller, &event, 1, 5) < 0 && errno == EINTR;
            waits++;
        } else {
            share (0.01);
        }
    }
    printf ("done\n");
    return 0;
}
