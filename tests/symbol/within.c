// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays of variable length that a function within their own uses; see test-regions.py.
#include <stdio.h>

int
main (int argc, char **argv)
{
    int n = argc + 4, list[n], grid[n][3];
    char text[n + 2];

    int pick (int at)
    {
        int own[at];

        own[at - 1] = 7;
        return list[at] + grid[1][1] + text[0] + own[at - 1]; //@ within
    }
    for (int i = 0; i < n; i++) {
        list[i] = i * i;
    }
    for (int i = 0; i < n * 3; i++) {
        grid[i / 3][i % 3] = i;
    }
    for (int i = 0; i < n + 2; i++) {
        text[i] = (char) ('a' + i);
    }
    printf ("%d\n", pick (1)); //@ outer
    return 0;
}
