/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What benchmarks of the engine look at: "deep N" makes N processes that stand 33 frames deep, through
 * 8 functions with arguments, and ends them when its input ends; "loop" runs a loop of one short line
 * for ever. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile long counter, turns;

static int descend (int depth, const char *name, double weight);

#define LEVEL(number, next) \
    static int __attribute__ ((noinline)) \
    level_##number (int depth, const char *name, double weight) \
    { \
        return next (depth - 1, name, weight * 0.5) + number; \
    }

LEVEL (1, descend)
LEVEL (2, level_1)
LEVEL (3, level_2)
LEVEL (4, level_3)
LEVEL (5, level_4)
LEVEL (6, level_5)
LEVEL (7, level_6)

static int __attribute__ ((noinline))
descend (int depth, const char *name, double weight)
{
    if (depth <= 0) {
        pause ();
        return 0;
    }
    return level_7 (depth, name, weight) + 1;
}

static void
loop (void)
{
    for (;;) {
        counter = counter * 3 + counter / 7 - (counter ^ 5); /*@ line */
        counter &= 0xffff;
        turns++;
    }
}

int
main (int argc, char **argv)
{
    int n = argc > 2 ? atoi (argv[2]) : 1;

    if (argc > 1 && strcmp (argv[1], "loop") == 0) {
        loop ();
    }
    for (int i = 0; i < n; i++) {
        pid_t pid = fork ();

        if (pid == 0) {
            prctl (PR_SET_PDEATHSIG, SIGKILL);
            return descend (28, "deep", 1.0);
        }
        printf ("%d\n", (int) pid);
    }
    puts ("ready");
    fflush (stdout);
    while (getchar () != EOF) {
    }
    return 0;
}
