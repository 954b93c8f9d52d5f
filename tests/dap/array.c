/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More elements than are asked for at once, of kinds with and without texts of their own. */
#include <stdio.h>

enum colour { RED, GREEN };

int
main (void)
{
    static double all[2500];
    static float thirds[300];
    static short steps[300];
    static unsigned long large[300];
    static enum colour colours[300];
    double *numbers = all;

    for (int i = 0; i < 2500; i++)
        all[i] = i / 2.0;
    for (int i = 0; i < 300; i++) {
        thirds[i] = (float) (i - 150) / 3;
        steps[i] = (short) (i * 200 - 30000);
        large[i] = ~0ul - (unsigned long) i;
        colours[i] = (enum colour) (i % 2);
    }
    printf ("%g %g %d %lu %d\n", numbers[7], thirds[1], steps[2], large[3], colours[4]); //@ print
    numbers[0] = numbers[1]; //@ end
    return 0;
}
