/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that no line holds. What its argument N makes different from other processes stands behind
 * all that is shown of them. */
#include <stdlib.h>
#include <string.h>

#define N_LARGE 13107200

static double large[N_LARGE]; /* 100 MB */
static double grid[40][50];
static char text[10001], words[12][300];
static int small[4];
static char *string = text;

static int
stand (int n)
{
    return large[N_LARGE - 1] + grid[39][49] + small[3] + n; /*@ stand */
}

int
main (int argc, char **argv)
{
    int n = argc > 1 ? atoi (argv[1]) : 0;

    large[N_LARGE - 1] = n % 2;
    grid[39][49] = n % 3;
    memset (text, 'a', 10000);
    text[9999] = (char) ('a' + n % 2);
    memset (words, 'b', sizeof words);
    words[11][298] = 0;
    words[11][299] = (char) n; /* behind its end */
    return stand (0) < 0 || *string == 0;
}
