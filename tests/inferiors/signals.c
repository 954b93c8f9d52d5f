/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does what its argument says: signals of all kinds, exits, endless loops. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int seen;
static volatile int zero;

static void
on_signal (int number)
{
    seen++; /*@ handler */
}

static int
divide (int a)
{
    return a / zero; /*@ divide */
}

static int
alarms (void)
{
    struct itimerval timer = { { 0, 1000 }, { 0, 1000 } };

    signal (SIGALRM, on_signal);
    setitimer (ITIMER_REAL, &timer, NULL);
    while (seen < 50) {
        pause ();
    }
    return 0;
}

/* Callable by a debugger. */
int
twice (int n)
{
    return 2 * n;
}

static volatile long queue_sum;

static void
on_queued (int number, siginfo_t *info, void *context)
{
    queue_sum = queue_sum * 7 + info->si_value.sival_int;
}

/* Exit status 0: all came, in their order. */
static int
queue (void)
{
    struct sigaction action = { .sa_sigaction = on_queued, .sa_flags = SA_SIGINFO };
    int number = SIGRTMIN + 2;
    long sum = 0;
    sigset_t set;

    sigaction (number, &action, NULL);
    sigemptyset (&set);
    sigaddset (&set, number);
    sigprocmask (SIG_BLOCK, &set, NULL);
    for (int i = 1; i <= 9; i++) {
        sigqueue (getpid (), number, (union sigval){ .sival_int = i });
        sum = sum * 7 + i;
    }
    sigprocmask (SIG_UNBLOCK, &set, NULL);
    return queue_sum == sum ? 0 : 9;
}

int
main (int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp (what, "fpe") == 0) {
        return divide (1);
    } else if (strcmp (what, "segv") == 0) {
        *(volatile int *) 0 = 1; /*@ segv */
    } else if (strcmp (what, "usr1") == 0) {
        signal (SIGUSR1, on_signal);
        raise (SIGUSR1);          /*@ raise */
        return seen == 1 ? 0 : 8; /*@ after-raise */
    } else if (strcmp (what, "alarm") == 0) {
        return alarms ();
    } else if (strcmp (what, "queue") == 0) {
        return queue ();
    } else if (strcmp (what, "abort") == 0) {
        abort ();
    } else if (strcmp (what, "loop") == 0) {
        while (zero == 0) {
            seen++; /*@ loop */
        }
    } else if (strcmp (what, "sleep") == 0) {
        sleep (1000); /*@ sleep */
    } else {
        return atoi (what);
    }
    return 7;
}
