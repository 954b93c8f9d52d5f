/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that come and go, children, signals, until its input ends; then exit status 0 only if every
 * call was counted, every child was well and every signal came to its handler. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_WORKERS 3

static long counted, expected, bad;
static volatile sig_atomic_t alarms;
static volatile int is_over;

static void
on_alarm (int number)
{
    alarms++;
}

static int
hit (long i)
{
    int odd = i & 1; /*@ hit */

    __atomic_add_fetch (&counted, 1, __ATOMIC_RELAXED);
    return odd; /*@ hit-return */
}

static void *
visit (void *data)
{
    __atomic_add_fetch (&expected, 1, __ATOMIC_RELAXED);
    hit (0);
    return data;
}

static void *
work (void *data)
{
    for (long i = 0; !is_over; i++) {
        __atomic_add_fetch (&expected, 1, __ATOMIC_RELAXED);
        if (hit (i) != (int) (i & 1)) {
            __atomic_add_fetch (&bad, 1, __ATOMIC_RELAXED);
        }
        usleep (200);
    }
    return data;
}

static void
have_child (int status)
{
    int found = -1;
    pid_t child = fork ();

    if (child == 0) {
        hit (1);
        _exit (status);
    }
    while (child > 0 && waitpid (child, &found, 0) < 0) {
    }
    if (child < 0 || !WIFEXITED (found) || WEXITSTATUS (found) != status) {
        __atomic_add_fetch (&bad, 1, __ATOMIC_RELAXED);
    }
}

int
main (void)
{
    struct itimerval timer = { { 0, 20000 }, { 0, 20000 } };
    pthread_t workers[N_WORKERS], visitor;
    struct pollfd input = { 0, POLLIN, 0 };
    struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };

    sigaction (SIGALRM, &action, NULL);
    for (int i = 0; i < N_WORKERS; i++) {
        pthread_create (&workers[i], NULL, work, NULL);
    }
    setitimer (ITIMER_REAL, &timer, NULL);
    if (write (1, "r", 1) != 1) {
        return 6;
    }
    for (int i = 0; poll (&input, 1, 2) <= 0; i++) {
        have_child (i % 100);
        pthread_create (&visitor, NULL, visit, NULL);
        pthread_join (visitor, NULL);
    }
    is_over = 1;
    for (int i = 0; i < N_WORKERS; i++) {
        pthread_join (workers[i], NULL);
    }
    return counted != expected ? 9 : bad != 0 ? 8 : alarms == 0 ? 7 : 0;
}
