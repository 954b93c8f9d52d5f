/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shown by the window tests; never compiled. */
#include <stdio.h>

int main (int argc, char **argv) //@ main
{
    double sum = 0;

    for (int i = 0; i < argc; i++) { //@ loop
        sum += work (i, argv[i]);    //@ call
    }
    printf ("%g\n", sum);
    return sum > 0; //@ end
}

double work (int i, const char *text) //@ work
{
    double value = 0;

    while (*text != '\0') {
        value += *text++ * i; //@ add
    }
    return value;
}
