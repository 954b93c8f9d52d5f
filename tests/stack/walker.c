/* SPDX-License-Identifier: GPL-3.0-or-later */
/* To be walked by single steps: callbacks of the C library, allocation, output, signals, calls through
 * the linkage table (resolved on the way) and into the vdso, deep recursion, leaf functions, system calls. Says
 * "end" and waits for its input to end first. */
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile long seen;
static jmp_buf way_out;

static void
on_signal (int number)
{
    char text[32];

    seen += snprintf (text, sizeof text, "signal %d", number);
}

static int
compare (const void *a, const void *b)
{
    return *(const int *) a - *(const int *) b;
}

static long
leaf (long a, long b)
{
    return a * 3 + b;
}

static long
recurse (int depth, long sum)
{
    char room[64];

    memset (room, depth, sizeof room);
    if (depth == 0) {
        longjmp (way_out, 1);
    }
    return depth > 0 ? recurse (depth - 1, leaf (sum, room[3])) + room[5] : 0;
}

/* What was called before has left its frames in the buffers of these, which call the kernel. */
static __attribute__ ((noinline)) void
wait_in_buffer (int round)
{
    struct pollfd nobody = { -1, 0, 0 };
    char buffer[16384];

    buffer[0] = 0;
    poll (&nobody, 1, 0);
    buffer[round & 255] = 1;
    seen += buffer[round & 255];
}

static __attribute__ ((noinline)) void
wait_in_array (int round)
{
    struct pollfd nobody = { -1, 0, 0 };
    char array[64 + round % 5 * 1000];

    array[round & 63] = 1;
    poll (&nobody, 1, 0);
    seen += array[round & 63];
}

static __attribute__ ((noinline)) void
wait_aligned (int round)
{
    _Alignas(64) char buffer[256];
    struct pollfd nobody = { -1, 0, 0 };

    buffer[round & 255] = 1;
    poll (&nobody, 1, 0);
    seen += buffer[round & 255];
}

static __attribute__ ((noinline)) int
wait_by_number (int number, int a, int b, int c, int d, int e, int f, int g)
{
    char buffer[4096] = "";

    switch (number % 6) {
    case 0: return usleep (0) + a;
    case 1: return getppid () + b;
    case 2: return (int) read (-1, buffer, sizeof buffer) + c;
    case 3: return poll (NULL, 0, 0) + d;
    case 4: return sched_yield () + e;
    default: return (int) write (-1, buffer, 1) + f + g;
    }
}

static void
do_round (FILE *output, int round)
{
    int numbers[24];
    char *words = malloc ((size_t) (100 + round % 7 * 5000));
    struct timespec now;

    for (int i = 0; i < 24; i++) {
        numbers[i] = (i * 7 + round) % 24;
    }
    qsort (numbers, 24, sizeof numbers[0], compare);
    strcpy (words, "some words");
    strcat (words, " and more");
    clock_gettime (CLOCK_MONOTONIC, &now);
    fprintf (output, "%d %s %g %ld\n", round, words, numbers[3] / 7.0, (long) strlen (words));
    raise (SIGUSR1);
    if (setjmp (way_out) == 0) {
        seen += recurse (8, now.tv_nsec & 7);
    }
    free (words);
}

int
main (void)
{
    FILE *output = fopen ("/dev/null", "w");
    char byte, text[32];

    signal (SIGUSR1, on_signal);
    seen += snprintf (text, sizeof text, "%p", (void *) output);
    if (output == NULL || write (1, "end\n", 4) != 4 || read (0, &byte, 1) < 0) {
        return 1;
    }
    for (int round = 0; round < 1000000; round++) {
        wait_in_buffer (round);
        wait_in_array (round);
        wait_aligned (round);
        seen += wait_by_number (round, 1, 2, 3, 4, 5, 6, 7);
        do_round (output, round);
    }
    return 0;
}
