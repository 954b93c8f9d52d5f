/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More elements than are asked for at once. */
#include <stdio.h>

int
main (void)
{
    static double all[2500];
    double *numbers = all;

    for (int i = 0; i < 2500; i++)
        all[i] = i / 2.0;
    printf ("%g\n", numbers[7]); //@ print
    return 0;
}
