/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known nested calls; with "signal" the innermost part runs in a handler. Says "end" and blocks on
 * its input. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_signal;
static volatile int depth;

static void
block (void)
{
    char byte;

    if (write (STDOUT_FILENO, "end\n", 4) == 4) {
        while (read (STDIN_FILENO, &byte, 1) < 0) { //@ block
        }
    }
}

static void
on_signal (int number)
{
    (void) number;
    block (); //@ handler
    depth++;
}

static int
compare (const void *a, const void *b)
{
    if (depth == 0) {
        depth = 1;
        if (is_signal) {
            raise (SIGUSR1); //@ raise
        } else {
            block (); //@ compare
        }
        depth = 2;
    }
    return *(const int *) a - *(const int *) b;
}

__attribute__ ((noinline)) static int
beta (int n)
{
    int numbers[64];

    for (int i = 0; i < n; i++) {
        numbers[i] = n - i;
    }
    qsort (numbers, (size_t) n, sizeof numbers[0], compare); //@ beta
    return numbers[0];
}

__attribute__ ((noinline)) static double
alpha (int n, double factor)
{
    double sum = n > 0 ? alpha (n - 1, factor * 2) : beta (40); //@ alpha-call

    return sum * factor + depth;
}

int
main (int argc, char **argv)
{
    is_signal = argc > 1 && strcmp (argv[1], "signal") == 0;
    signal (SIGUSR1, on_signal);
    printf ("%g\n", alpha (5, 1.5)); //@ main
    return 0;
}
