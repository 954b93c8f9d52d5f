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
        raise (SIGUSR1); /*@ raise */
        return seen == 1 ? 0 : 8; /*@ after-raise */
    } else if (strcmp (what, "alarm") == 0) {
        return alarms ();
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
