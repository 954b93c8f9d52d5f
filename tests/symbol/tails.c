/* SPDX-License-Identifier: GPL-3.0-or-later */
// Functions that leave by jumps, so that nothing of them is on the stack; see test-oracle.py.
#include <stdio.h>
#include <stdlib.h>

#define OWN __attribute__ ((noinline, noclone))

volatile int sink;
volatile int odd = 1;
int (*volatile handler) (int number);

OWN int
stop (int number)
{
    sink = number; //@ stop
    return sink;
}

OWN int
reach (int number, int other)
{
    stop (number);
    return sink + other;
}

/* one way: direct, middle, reach */
OWN int
middle (int number)
{
    return reach (number + 1, number * 3);
}

OWN int
direct (int number)
{
    sink = number;
    return middle (number + 10);
}

/* two ways to reach: by left or by right */
OWN int
left (int number)
{
    sink++;
    return reach (number + 2, 20);
}

OWN int
right (int number)
{
    sink--;
    return reach (number + 3, 30);
}

OWN int
either (int number)
{
    if (odd)
        return left (number);
    return right (number);
}

/* what both ways share is certain */
OWN int
leads (int number)
{
    sink = 4;
    return either (number + 40);
}

/* it may have called itself before */
OWN int
again (int number, int left_over)
{
    sink = number;
    if (left_over == 1)
        return reach (number, 50);
    if (odd == 1)
        return again (number + 1, left_over - 1);
    return sink;
}

OWN int
ping (int number);

OWN int
pong (int number)
{
    sink = number;
    return ping (number - 1);
}

OWN int
ping (int number)
{
    if (number <= 0) {
        stop (number);
        return sink + 1;
    }
    return pong (number - 1);
}

/* nobody knows where it jumps */
OWN int
anywhere (int number)
{
    return handler (number + 70);
}

OWN int
handled (int number)
{
    stop (number);
    return sink + 2;
}

OWN int
by_pointer (int number)
{
    int result = handler (number + 80);

    return result + sink;
}

OWN int
compare (const void *a, const void *b)
{
    return middle (*(const int *) a - *(const int *) b);
}

int
main (int argc, char **argv)
{
    int numbers[2] = { 2, 1 }, result = 0;

    handler = handled;
    result += direct (argc);
    result += either (argc + 1);
    result += leads (argc + 2);
    result += again (argc + 3, 3);
    result += ping (4);
    result += anywhere (argc + 4);
    result += by_pointer (argc + 5);
    qsort (numbers, 2, sizeof numbers[0], compare);
    printf ("%d %d %s\n", result + sink, numbers[0], argv[0] ? "" : "none");
    return 0;
}
