/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the number of lines given by its first argument, once the file of the second
 * exists. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
    long n = argc > 1 ? atol (argv[1]) : 0;

    while (argc > 2 && access (argv[2], F_OK) != 0) {
        usleep (1000);
    }
    for (long i = 0; i < n; i++) {
        printf ("line %09ld of the flood, padded to be about sixty-four bytes\n", i);
    }
    return 0;
}
