// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays of variable length in a function that clang makes of a parallel region; see test-outlined.py.
#include <stdio.h>

int
main (int argc, char **argv)
{
    int n = 3 * argc, k = 4 * argc, rows[n][5], columns[5][k], *pointers[n];
    double whole[n + 1];

    for (int i = 0; i < n; i++) {
        pointers[i] = &rows[i][0];
        for (int j = 0; j < 5; j++) {
            rows[i][j] = 10 * i + j;
        }
    }
    for (int i = 0; i < 5 * k; i++) {
        columns[i / k][i % k] = i;
    }
    for (int i = 0; i <= n; i++) {
        whole[i] = i / 2.0;
    }
#pragma omp parallel num_threads(2)
    {
        int sum = rows[1][2] + columns[1][2] + *pointers[1] + (int) whole[0];

#pragma omp critical
        printf ("%d %d\n", sum, argc); //@ inside
    }
    return 0;
}
