/* SPDX-License-Identifier: GPL-3.0-or-later */
/* chain N: executes itself with N - 1, down to 0, when it ends with the number of its calls of count, which is 1. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern volatile int counted;
volatile int counted;

static __attribute__ ((noinline)) void
count (void)
{
    counted++;
}

int
main (int argc, char **argv)
{
    int n = argc > 1 ? atoi (argv[1]) : 0;
    char number[16];
    char *arguments[] = { argv[0], number, NULL };

    if (n > 0) {
        snprintf (number, sizeof number, "%d", n - 1);
        execv ("/proc/self/exe", arguments);
        return 98;
    }
    count ();
    return counted - 1;
}
