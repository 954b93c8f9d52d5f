/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines to be stepped through: calls, recursion, callbacks from a library, a loop to count. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

volatile int total;

static int
add (int a, int b)
{
    int sum = a + b; /*@ add-first */
    return sum;      /*@ add-last */
}                    /*@ add-end */

static double
half (int a)
{
    return a / 2.0; /*@ half */
}

static int
factorial (int n)
{
    if (n < 2) { /*@ factorial-if */
        return 1; /*@ factorial-one */
    }
    return n * factorial (n - 1); /*@ factorial-call */
} /*@ factorial-end */

static int
compare (const void *a, const void *b)
{
    return *(const int *) a - *(const int *) b; /*@ compare */
}

static void
count (int i)
{
    total += i; /*@ count */
}

/* Needs a processor for so long. */
static __attribute__ ((used)) int
compute (int ms)
{
    clock_t end = clock () + ms * (CLOCKS_PER_SEC / 1000);

    while (clock () < end) {
    }
    return ms;
}

int
main (int argc, char **argv)
{
    int numbers[] = { 3, 1, 2 };
    int x, y;            /* the line of the first stop is the one above */
    double h;

    x = add (1, 2);      /*@ call-add */
    y = add (x, add (2, 2)); /*@ call-nested */
    h = half (7);        /*@ call-half */
    total = factorial (5); /*@ call-factorial */
    qsort (numbers, 3, sizeof (int), compare); /*@ call-qsort */
    total = 0;           /*@ before-loop */
    for (int i = 0; i < 100; i++) {
        count (i);       /*@ in-loop */
    }
    printf ("%d %d %g %d\n", x, y, h, total); /*@ print */
    return argc > 1 ? atoi (argv[1]) : 0; /*@ return */
}
